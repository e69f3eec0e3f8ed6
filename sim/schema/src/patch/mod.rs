//! Patches other than server-side apply:
//! * `json`: JSON patch (RFC 6902), JSON merge patch (RFC 7396), bodies of apply requests;
//! * `strategic`: strategic merge patch of objects, driven by the types;
//! * `lists`: strategic merge patch of lists;
//! * `order`: where merged items go;
//! * `error`: what is refused, in the words of Kubernetes.

mod error;
mod json;
mod lists;
mod order;
mod strategic;

pub use error::PatchError;
pub use json::{configuration, json, merge};
