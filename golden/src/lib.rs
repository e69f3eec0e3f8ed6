//! Snapshots of everything that a user sees. Test-only, so that cargo-insta finds them.
