#!/bin/bash
# Puts the driver on the current kind cluster and runs every example there, as `drakit demo` does in the simulation.
#
#     demo.sh [ARGUMENTS OF drakit demo]
#
# DRAKIT_TAR   the driver's image, made by image/build.sh (target/image/drakit-docker.tar)
# DRAKIT       the binary that runs the examples (target/release/drakit)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
cache=${DRAKIT_CACHE:-/var/cache/drakit}
PATH=$cache/bin:$PATH
export KUBECONFIG=${KUBECONFIG:-$cache/kind.kubeconfig}
tar=${DRAKIT_TAR:-$root/target/image/drakit-docker.tar}
drakit=${DRAKIT:-$root/target/release/drakit}
name=${KIND_CLUSTER_NAME:-drakit}

[ -f "$tar" ] || "$here/image/build.sh"
[ -x "$drakit" ] || (cd "$root" && cargo build --release --locked -p drakit)
kind load image-archive --name "$name" "$tar"
kubectl apply -k "$here/manifests"
kubectl -n drakit rollout status daemonset/drakit-kubeletplugin --timeout=120s
kubectl -n drakit rollout status deployment/drakit-networkpools --timeout=120s
# Running is not published: the driver's slices come a moment later.
for ((i = 0; i < 120; i++)); do
    pools=$(kubectl get resourceslices -o json | jq '[.items[].spec.pool.name] | unique | length')
    wanted=$(($(kubectl get nodes -l drakit/fleet=true -o name | wc -l) + 1))
    [ "$pools" -ge "$wanted" ] && break
    sleep 0.5
done
exec "$drakit" demo --kubeconfig "$KUBECONFIG" "$@"
