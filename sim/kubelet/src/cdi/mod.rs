//! CDI files, read and applied as containerd does.
//!
//! ```text
//! spec      the file format
//! validate  which files are accepted
//! folder    the files of a node, and which device is which
//! edits     what a container gets
//! ```

mod edits;
mod folder;
mod spec;
mod validate;

pub use edits::{InjectError, Injected, InjectedMount, InjectedNode};
pub use folder::CdiFolder;
pub use spec::{CdiDevice, CdiSpec, ContainerEdits, DeviceNode, Hook, IntelRdt, Mount, NetDevice};
pub use validate::validate;
