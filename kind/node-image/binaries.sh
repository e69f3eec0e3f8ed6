#!/bin/bash
# Builds Kubernetes, etcd, containerd, kind and the CNI plugins from pinned Go modules. Only what is missing is built; about 15 minutes of two cores
# the first time.
#
#     binaries.sh [NAME]...     names: kubernetes containerd etcd tools; all of them by default
set -euo pipefail
source "$(dirname "$0")/versions.sh"
need go
mkdir -p "$BIN"
export CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false"

# Without the version stamp the programs call themselves v0.0.0, and kubeadm refuses them.
stamp() {
    local component=k8s.io/component-base/version major minor
    IFS=. read -r major minor _ <<<"${KUBERNETES#v}"
    echo "-s -w -X $component.gitVersion=$KUBERNETES -X $component.gitMajor=$major -X $component.gitMinor=$minor"
}

# build MODULE FLAGS BINARY=PACKAGE...: what is newer than the module's go.mod stays.
build() {
    local module=$HERE/go/$1 flags=$2 pair out missing=()
    shift 2
    for pair in "$@"; do
        out=$BIN/${pair%%=*}
        [ "$out" -nt "$module/go.mod" ] || missing+=("$pair")
    done
    for pair in "${missing[@]}"; do
        say "build ${pair%%=*}"
        (cd "$module" && go build -o "$BIN/${pair%%=*}" -ldflags "$flags" "${pair#*=}")
    done
}

kubernetes() {
    local program programs=()
    for program in kubelet kube-apiserver kube-controller-manager kube-scheduler kubectl kubeadm kube-proxy; do
        programs+=("$program=k8s.io/kubernetes/cmd/$program")
    done
    build kubernetes "$(stamp)" "${programs[@]}"
}

containerd() {
    local program programs=()
    for program in containerd containerd-shim-runc-v2 ctr; do
        programs+=("$program=github.com/containerd/containerd/v2/cmd/$program")
    done
    build containerd "-s -w" "${programs[@]}"
}

etcd() { build etcd "-s -w" etcd=go.etcd.io/etcd/server/v3; }

tools() {
    local plugins=github.com/containernetworking/plugins/plugins
    build tools "-s -w" kind=sigs.k8s.io/kind crictl=sigs.k8s.io/cri-tools/cmd/crictl \
        ptp=$plugins/main/ptp loopback=$plugins/main/loopback host-local=$plugins/ipam/host-local portmap=$plugins/meta/portmap
}

[ $# -gt 0 ] || set -- kubernetes containerd etcd tools
for name in "$@"; do
    case "$name" in
        kubernetes | containerd | etcd | tools) "$name" ;;
        *) die "there is no $name to build; there are kubernetes, containerd, etcd and tools" ;;
    esac
done
