#!/bin/bash
# Makes the node image $IMAGE without a registry: Go modules, Debian packages and kind's own base files. Cached; `make.sh --force` makes it anew.
set -euo pipefail
source "$(dirname "$0")/versions.sh"
need docker go jq

if [ "${1:-}" != --force ] && docker image inspect "$IMAGE" >/dev/null 2>&1; then
    say "$IMAGE is there already"
    exit
fi
"$HERE/binaries.sh"
"$HERE/images.sh"
"$HERE/rootfs.sh"

# What kind's entrypoint and units expect to find; read from the module, so that it fits the version of kind that is used.
kind_module=$(cd "$HERE/go/tools" && go list -m -f '{{.Dir}}' sigs.k8s.io/kind)
node=$CACHE/node
builder=drakit-node-builder
trap 'docker rm -f $builder >/dev/null 2>&1 || true' EXIT

say "compose the root file system"
rm -rf "$node"
cp -a "$ROOTFS" "$node"
cp -r --no-preserve=mode "$kind_module"/images/base/files/. "$node"/
chmod 755 "$node"/usr/local/bin/* "$node"/kind/bin/*
install -D -t "$node/usr/local/bin" "$BIN"/{containerd,ctr,containerd-shim-runc-v2,crictl}
install -D -t "$node/opt/cni/bin" "$BIN"/{ptp,loopback,host-local,portmap}
install -D -t "$node/usr/bin" "$BIN"/{kubeadm,kubelet,kubectl}
echo "$KUBERNETES" >"$node/kind/version"
mkdir -p "$node/etc/kubernetes/manifests"

# containerd finds runc by its name, in /usr/local/sbin first.
install -D "$HERE/runc-capless" "$node/usr/local/sbin/runc"

# cgroup v1 has no systemd delegation that kubelet could use, and negative OOM scores are not ours to give.
restrict=false driver=true
[ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ] || driver=false
((0x$(awk '/^CapBnd/ {print $2}' /proc/self/status) >> 24 & 1)) || restrict=true
sed -i -e "s/SystemdCgroup = .*/SystemdCgroup = $driver/" -e "s/restrict_oom_score_adj = .*/restrict_oom_score_adj = $restrict/" \
    -e "s#sandbox_image = .*#sandbox_image = \"registry.k8s.io/pause:$PAUSE_TAG\"#" "$node/etc/containerd/config.toml"
"$BIN/ctr" oci spec | jq '.hooks.createContainer += [{path: "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' \
    >"$node/etc/containerd/cri-base.json"

# A node starts what kind needs and nothing else.
rm -f "$node"/lib/systemd/system/{multi-user,local-fs,basic}.target.wants/* "$node"/etc/systemd/system/*.wants/* \
    "$node"/lib/systemd/system/sockets.target.wants/*{udev,initctl}* "$node"/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service
echo ReadKMsg=no >>"$node/etc/systemd/journald.conf"
chroot "$node" systemctl enable kubelet.service containerd.service undo-mount-hacks.service 2>/dev/null
chroot "$node" systemctl mask systemd-binfmt.service 2>/dev/null

say "import the root file system"
settings=(--change 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]' --change 'ENV container=docker' --change 'STOPSIGNAL SIGRTMIN+3')
tar -C "$node" -c --numeric-owner . | docker import "${settings[@]}" - drakit-node-base >/dev/null

say "import the images into the node's containerd"
docker run -d --name $builder --privileged --entrypoint sleep drakit-node-base infinity >/dev/null
docker exec -d $builder sh -c 'echo $$ >/containerd.pid && exec containerd'
for ((i = 0; i < 60; i++)); do
    docker exec $builder ctr version >/dev/null 2>&1 && break
    sleep 0.5
done
for archive in "$IMG"/*.tar; do
    docker exec -i $builder ctr -n k8s.io images import --all-platforms --no-unpack --digests - <"$archive" >/dev/null
done
docker exec $builder sh -c 'kill "$(cat /containerd.pid)" && rm /containerd.pid'
docker commit "${settings[@]}" $builder "$IMAGE" >/dev/null
rm -rf "$node"
say "$IMAGE is made"
