#!/bin/bash
# A Docker engine of our own, for machines where none runs. `up` does nothing where one answers; `down` stops only what `up` started.
set -euo pipefail
source "$(dirname "$0")/versions.sh"
readonly RUN=$CACHE/engine
readonly WAIT_SECONDS=60

up() {
    if docker info >/dev/null 2>&1; then
        say "a Docker engine answers already"
        return
    fi
    need dockerd docker runc jq
    mkdir -p "$RUN"
    local runtime=()
    # Bit 24 of the bounding set is CAP_SYS_RESOURCE.
    if ((!(0x$(awk '/^CapBnd/ {print $2}' /proc/self/status) >> 24 & 1))); then
        say "root has no CAP_SYS_RESOURCE here: containers run through runc-capless"
        runtime=(--add-runtime "capless=$HERE/runc-capless" --default-runtime capless)
    fi
    setsid dockerd --data-root "$CACHE/docker" --pidfile "$RUN/dockerd.pid" "${runtime[@]}" >"$RUN/dockerd.log" 2>&1 </dev/null &
    for ((i = 0; i < WAIT_SECONDS * 2; i++)); do
        docker info >/dev/null 2>&1 && return
        sleep 0.5
    done
    tail -n 20 "$RUN/dockerd.log" >&2
    die "the engine did not come up within $WAIT_SECONDS s; its log is $RUN/dockerd.log"
}

down() {
    [ -f "$RUN/dockerd.pid" ] || return 0
    local pid
    pid=$(cat "$RUN/dockerd.pid")
    kill "$pid" 2>/dev/null || return 0
    while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
}

case "${1:-}" in
    up | down) "$1" ;;
    *) die "usage: engine.sh up|down" ;;
esac
