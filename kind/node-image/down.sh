#!/bin/bash
# Deletes the cluster of up.sh, and stops the engine if up.sh started it.
set -euo pipefail
source "$(dirname "$0")/versions.sh"
if docker info >/dev/null 2>&1; then
    KUBECONFIG=${KUBECONFIG:-$CACHE/kind.kubeconfig} "$BIN/kind" delete cluster --name "${KIND_CLUSTER_NAME:-drakit}"
fi
"$HERE/engine.sh" down
