//! Objects of the simulated cluster.
//!
//! ```text
//! resource   which kinds exist, and what their metadata rules are
//! object     one immutable version of one object
//! table      all objects of one kind, with the log that watches replay
//! store      the owner of everything: get, list, watch
//! write      create, update, delete
//! expect     what a write expects of the stored object
//! rules      metadata rules of the API server (generation, deletion, names)
//! watch      a stream of events from a resource version on
//! events     v1 Events, counted as client-go's recorder counts them
//! ```
//!
//! The HTTP API server, the controllers, the scheduler and the kubelet all go through [`Store`],
//! so that an object changes in one place only. The store holds JSON values, since it must keep
//! every field of every Kubernetes version; typed structs are read from them where logic needs them.

mod clock;
mod error;
mod events;
mod expect;
mod object;
pub mod resource;
mod rules;
mod store;
mod table;
mod watch;
mod write;

pub use clock::Clock;
pub use error::StoreError;
pub use events::{EventRecorder, EventType};
pub use expect::Expect;
pub use object::{Key, Object};
pub use resource::Resource;
pub use rules::DeleteOptions;
pub use store::Store;
pub use table::{Change, ChangeKind};
pub use watch::{Filter, Predicate, Watch, WatchEvent};
