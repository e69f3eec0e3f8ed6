#!/bin/bash
# Stops what up.sh started, by process id, pods first; removes its state.
set -uo pipefail
source "$(dirname "$0")/../node-image/versions.sh"
readonly RUN=$CACHE/plain SOCKET=$CACHE/plain/containerd/containerd.sock
export PATH=$BIN:$PATH
[ -d "$RUN/pids" ] || exit 0

stop() {
    local pid
    [ -f "$RUN/pids/$1" ] || return 0
    pid=$(cat "$RUN/pids/$1")
    kill "$pid" 2>/dev/null
    for ((i = 0; i < 50; i++)); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null
}

stop kubelet
if [ -S "$SOCKET" ]; then
    crictl -r "unix://$SOCKET" pods -q | xargs -r crictl -r "unix://$SOCKET" rmp -f >/dev/null
fi
for name in containerd scheduler controllers apiserver etcd; do stop "$name"; done
findmnt -rno TARGET | grep -E "^($RUN|/var/lib/kubelet)/" | sort -r | xargs -r umount
rm -rf "$RUN"
