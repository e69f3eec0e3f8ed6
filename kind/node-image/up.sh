#!/bin/bash
# A kind cluster from the offline node image: makes the image if it is missing, creates the cluster, gives it a pod network.
#
#     up.sh [CLUSTER-FILE]      clusters/offline.yaml by default; KIND_CLUSTER_NAME names the cluster (drakit)
set -euo pipefail
source "$(dirname "$0")/versions.sh"
config=${1:-$HERE/../clusters/offline.yaml}
name=${KIND_CLUSTER_NAME:-drakit}
export KUBECONFIG=${KUBECONFIG:-$CACHE/kind.kubeconfig}
PATH=$BIN:$PATH

"$HERE/engine.sh" up
"$HERE/make.sh"
kind create cluster --name "$name" --image "$IMAGE" --config "$config"

# What kindnet would do: addresses from the node's own range, and a route to the range of every other node.
nodes() { kubectl get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.spec.podCIDR} {.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}'; }
for ((i = 0; i < 60; i++)); do
    nodes | awk 'NF < 3 {missing = 1} END {exit missing || NR == 0}' && break
    sleep 0.5
done
network='{cniVersion: "1.0.0", name: "drakit", plugins: [
  {type: "ptp", ipMasq: false, ipam: {type: "host-local", ranges: [[{subnet: $range}]], routes: [{dst: "0.0.0.0/0"}]}},
  {type: "portmap", capabilities: {portMappings: true}}]}'
nodes | while read -r node range _; do
    jq -n --arg range "$range" "$network" | docker exec -i "$node" sh -c 'mkdir -p /etc/cni/net.d && cat >/etc/cni/net.d/10-drakit.conflist'
    nodes | while read -r other its_range address; do
        [ "$other" = "$node" ] || docker exec "$node" ip route replace "$its_range" via "$address" </dev/null
    done
done
kubectl wait --for=condition=Ready nodes --all --timeout=120s
say "export KUBECONFIG=$KUBECONFIG"
