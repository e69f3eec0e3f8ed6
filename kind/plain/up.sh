#!/bin/bash
# A real control plane and one real kubelet as plain processes: no kind, no Docker. Seconds to come up; good for looking at a kubelet closely.
# Needs root, and the machine's own /var/lib/kubelet. down.sh stops what this started and removes its state.
#
#     up.sh             FEATURE_GATES="DRAListTypeAttributes=true" sets gates of every component
set -euo pipefail
source "$(dirname "$0")/../node-image/versions.sh"
readonly RUN=$CACHE/plain NODE=${NODE_NAME:-drakit-plain} WAIT_SECONDS=90
readonly SERVER=https://127.0.0.1:6443 SOCKET=$RUN/containerd/containerd.sock
export PATH=$BIN:$PATH KUBECONFIG=$RUN/admin.kubeconfig
need openssl runc nft
[ ! -d "$RUN/pids" ] || die "it is up already, or was not stopped: down.sh first"
"$HERE/binaries.sh" kubernetes containerd etcd tools
"$HERE/images.sh"
mkdir -p "$RUN"/{pids,log,pki,containerd,cni}
cd "$RUN"
gates=()
[ -z "${FEATURE_GATES:-}" ] || gates=("--feature-gates=$FEATURE_GATES")

# start NAME COMMAND...
start() {
    local name=$1
    shift
    setsid "$@" >"log/$name.log" 2>&1 </dev/null &
    echo $! >"pids/$name"
}

# until_true WHAT COMMAND...
until_true() {
    local what=$1
    shift
    for ((i = 0; i < WAIT_SECONDS * 4; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.25
    done
    die "$what is not there after $WAIT_SECONDS s; logs are in $RUN/log"
}

# One token an account; the API server makes its own certificate, which nobody here checks.
token() { head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
kubeconfig() {
    cat >"$1.kubeconfig" <<END
{apiVersion: v1, kind: Config, current-context: plain,
 clusters: [{name: plain, cluster: {server: "$SERVER", insecure-skip-tls-verify: true}}],
 users: [{name: $1, user: {token: "$2"}}],
 contexts: [{name: plain, context: {cluster: plain, user: $1}}]}
END
}
: >tokens.csv
chmod 600 tokens.csv
while read -r account user groups; do
    secret=$(token)
    echo "$secret,$user,$account,\"$groups\"" >>tokens.csv
    kubeconfig "$account" "$secret"
done <<END
admin admin system:masters
scheduler system:kube-scheduler system:authenticated
controllers system:kube-controller-manager system:authenticated
node system:node:$NODE system:nodes
END
openssl genrsa -out pki/accounts.key 2048 2>/dev/null
openssl rsa -in pki/accounts.key -pubout -out pki/accounts.pub 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -keyout pki/ca.key -out pki/ca.crt -subj /CN=plain -days 365 2>/dev/null

start etcd etcd --data-dir etcd --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync
start apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port=6443 \
    --cert-dir=pki/serving --client-ca-file=pki/ca.crt --token-auth-file=tokens.csv --authorization-mode=Node,RBAC \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file=pki/accounts.pub \
    --service-account-signing-key-file=pki/accounts.key --service-cluster-ip-range=10.96.0.0/16 --endpoint-reconciler-type=none \
    --allow-privileged "${gates[@]}"
until_true "the API server" kubectl get --raw /readyz
start controllers kube-controller-manager --kubeconfig=controllers.kubeconfig --authentication-kubeconfig=controllers.kubeconfig \
    --authorization-kubeconfig=controllers.kubeconfig --service-account-private-key-file=pki/accounts.key --root-ca-file=pki/ca.crt \
    --use-service-account-credentials --bind-address=127.0.0.1 --leader-elect=false "${gates[@]}"
start scheduler kube-scheduler --kubeconfig=scheduler.kubeconfig --authentication-kubeconfig=scheduler.kubeconfig \
    --authorization-kubeconfig=scheduler.kubeconfig --bind-address=127.0.0.1 --leader-elect=false "${gates[@]}"

cat >containerd.toml <<END
version = 3
root = "$RUN/containerd/root"
state = "$RUN/containerd/state"
[grpc]
  address = "$SOCKET"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "registry.k8s.io/pause:$PAUSE_TAG"
[plugins.'io.containerd.cri.v1.runtime']
  enable_cdi = true
  cdi_spec_dirs = ["/etc/cdi", "/var/run/cdi"]
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["$BIN"]
    conf_dir = "$RUN/cni"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = "$HERE/runc-capless"
      SystemdCgroup = false
END
cat >cni/10-plain.conflist <<'END'
{"cniVersion": "1.0.0", "name": "plain", "plugins": [{"type": "ptp", "ipMasq": false,
  "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
END
start containerd containerd -c containerd.toml
until_true containerd ctr -a "$SOCKET" version
for archive in "$IMG"/{pause,busybox}.tar; do ctr -a "$SOCKET" -n k8s.io images import "$archive" >/dev/null; done

cat >kubelet.yaml <<END
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix://$SOCKET
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%}
END
start kubelet kubelet --config=kubelet.yaml --kubeconfig=node.kubeconfig --hostname-override="$NODE" --node-ip=127.0.0.1 --v=4 "${gates[@]}"
until_true "node $NODE" kubectl wait --for=condition=Ready "node/$NODE" --timeout=1s
say "export KUBECONFIG=$KUBECONFIG"
