//! Types of the vendored documents:
//! * `model`: the compact description that is vendored beside the documents;
//! * `walk`: look-ups on it.

mod model;

pub use model::{
    Field, GroupVersionKind, List, ListKind, Map, Node, Omit, Strategy, Type, TypeId, TypeTable,
};
