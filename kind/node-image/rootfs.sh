#!/bin/bash
# A node's Debian: systemd and what kubelet, kube-proxy and the runtime call. Made once; delete $CACHE/rootfs to make it anew.
set -euo pipefail
source "$(dirname "$0")/versions.sh"
need debootstrap
[ ! -e "$ROOTFS/.complete" ] || exit 0
rm -rf "$ROOTFS"
# The list follows images/base/Dockerfile of kind.
packages=systemd,systemd-sysv,dbus,bash,ca-certificates,curl,jq,procps,hostname,kmod,mount,util-linux,e2fsprogs,libcap2-bin
packages+=,conntrack,iptables,nftables,ebtables,iproute2,ethtool,socat,pigz,libseccomp2,runc
say "debootstrap bookworm"
debootstrap --variant=minbase --include="$packages" bookworm "$ROOTFS" >"$CACHE/debootstrap.log" 2>&1 || {
    tail -n 5 "$CACHE/debootstrap.log" >&2
    die "debootstrap failed; its log is $CACHE/debootstrap.log"
}
rm -rf "$ROOTFS"/var/cache/apt/archives/*.deb "$ROOTFS"/usr/share/{doc,man,locale}/*
touch "$ROOTFS/.complete"
