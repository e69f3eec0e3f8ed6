# shellcheck shell=bash
# What the offline node is made of. Sourced by the other scripts; the Go modules' own versions are pinned in go/*/go.mod.
export KUBERNETES=v1.37.2
# The tags that `kubeadm config images list` prints for it.
export ETCD_TAG=3.7.0-0 PAUSE_TAG=3.10.2
export IMAGE=kindest/node:v1.37.2-offline

# Everything built goes here, never into the repository.
export CACHE=${DRAKIT_CACHE:-/var/cache/drakit}
export BIN=$CACHE/bin IMG=$CACHE/img ROOTFS=$CACHE/rootfs
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export HERE

say() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}
need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || die "$tool is missing; on Debian: apt-get install --no-install-recommends $(cat "$HERE/packages")"
    done
}
