# Every command that a person or CI runs. `just` lists them.

# List the recipes.
default:
    @just --list --unsorted

# Build, boot the simulated cluster, run every example.
demo *args:
    cargo run --release -- demo {{args}}

# A simulated cluster that stays up, for example: just up --profile dgx-h100 --nodes 3
up *args:
    cargo run --release -- up {{args}}

# Every check that needs no container engine: formatting, lints, licences, docs, tests.
test: fmt-check lint deny docs generated
    cargo test --workspace

# Formatting, without changing anything.
fmt-check:
    cargo fmt --all -- --check

# Format everything.
fmt:
    cargo fmt --all

# Lints; a warning is an error here.
lint:
    cargo clippy --workspace --all-targets -- -D warnings

# Licences, sources and duplicates of dependencies (needs cargo-deny; says so when it is missing).
deny:
    @if command -v cargo-deny >/dev/null; then cargo deny --workspace check bans licenses sources; else echo "cargo-deny is not installed: skipped (cargo install cargo-deny)"; fi

# The documentation builds without a warning.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Checked-in generated code is what the generators make.
generated:
    cargo xtask proto --check

# Regenerate the protobuf bindings from proto/vendor.
proto:
    cargo xtask proto

# Measure everything that the README claims; prints one table.
bench:
    cargo build --release
    cargo run --release -p drakit-bench

# Look at changed snapshots (needs cargo-insta).
review:
    cargo insta review
