#!/bin/bash
# The driver's image as tars, without a container engine: OUT/drakit-docker.tar (docker load, ctr, kind load image-archive) and OUT/drakit-oci.tar.
#
#     build.sh [OUT]        target/image by default; DRAKIT_BINARY packs that binary instead of building one, DRAKIT_IMAGE names the image
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:-$root/target/image}
image=${DRAKIT_IMAGE:-drakit:dev}
target=x86_64-unknown-linux-musl

binary=${DRAKIT_BINARY:-}
if [ -z "$binary" ]; then
    # ring compiles C for the target.
    command -v musl-gcc >/dev/null || { echo "build.sh: musl-gcc is missing; on Debian: apt-get install musl-tools" >&2 && exit 1; }
    rustup target add "$target"
    (cd "$root" && cargo build --release --locked -p drakit --bin drakit --target "$target")
    binary=${CARGO_TARGET_DIR:-$root/target}/$target/release/drakit
fi
if ldd "$binary" 2>/dev/null | grep -q '=>'; then
    echo "build.sh: $binary needs shared libraries, which an empty image has not" >&2
    exit 1
fi
mkdir -p "$out"
for format in docker oci; do
    python3 "$here/archive.py" "$out/drakit-$format.tar" "$image" --bare --format "$format" --entrypoint /drakit "$binary=drakit"
done
ls -l "$out"/drakit-*.tar
