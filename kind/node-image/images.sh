#!/bin/bash
# Packs the images that a node must find, because it has no registry to pull them from: pause, busybox (what the examples run), and the control plane.
set -euo pipefail
source "$(dirname "$0")/versions.sh"
need python3 busybox musl-gcc nft
mkdir -p "$IMG"
archive=$HERE/../image/archive.py

# pack NAME NEWER-THAN ARGUMENTS...
pack() {
    local out=$IMG/$1.tar source=$2
    shift 2
    [ "$out" -nt "$source" ] || { say "pack ${out##*/}" && python3 "$archive" "$out" "$@"; }
}

# A program of the host with the libraries it needs, as SOURCE=DESTINATION words.
with_libraries() {
    local program=$1 library
    echo "$program=${program#/}"
    ldd "$program" | grep -oE '/[^ ]+' | sort -u | while read -r library; do echo "$(readlink -f "$library")=${library#/}"; done
}

[ "$BIN/pause" -nt "$HERE/pause.c" ] || musl-gcc -static -Os -s -o "$BIN/pause" "$HERE/pause.c"
pack pause "$BIN/pause" "registry.k8s.io/pause:$PAUSE_TAG" --entrypoint /pause "$BIN/pause=pause"

# The library's busybox is another build, but the same program.
links=()
for applet in $(busybox --list | grep -vx busybox); do links+=(--link "/bin/busybox=bin/$applet"); done
pack busybox "$(command -v busybox)" docker.io/library/busybox:1.37 "${links[@]}" "$(command -v busybox)=bin/busybox"

for program in kube-apiserver kube-controller-manager kube-scheduler; do
    [ ! -f "$BIN/$program" ] || pack $program "$BIN/$program" "registry.k8s.io/$program:$KUBERNETES" "$BIN/$program=usr/local/bin/$program"
done
[ ! -f "$BIN/etcd" ] || pack etcd "$BIN/etcd" "registry.k8s.io/etcd:$ETCD_TAG" "$BIN/etcd=usr/local/bin/etcd"
# kube-proxy runs nft.
if [ -f "$BIN/kube-proxy" ]; then
    mapfile -t nft < <(with_libraries "$(command -v nft)")
    pack kube-proxy "$BIN/kube-proxy" "registry.k8s.io/kube-proxy:$KUBERNETES" "$BIN/kube-proxy=usr/local/bin/kube-proxy" "${nft[@]}"
fi
