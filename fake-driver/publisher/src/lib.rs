//! API-server edge of the emulated driver: ResourceSlices and claim reads.
//!
//! | module | concept |
//! |---|---|
//! | `pool` | key of a pool, and where its slices come from |
//! | `digest` | what a slice says, as a number |
//! | `plan` | which writes make a pool right (pure) |
//! | `inventory` | the slices as the API server has them, merged from watch and answers |
//! | `state` | which pools need a pass, and when |
//! | `sync`, `api` | one pass over one pool: the calls |
//! | `publisher` | the task that owns all of it |
//! | `nodes` | UIDs of the owning Node objects |
//! | `claims` | reading ResourceClaims for Prepare |
//! | `classes` | creating DeviceClasses |

mod api;
mod backoff;
mod claims;
mod classes;
mod digest;
mod error;
mod inventory;
mod nodes;
mod plan;
mod pool;
mod publisher;
mod state;
mod status;
mod sync;

pub use claims::{ClaimReadError, ClaimReader};
pub use classes::create_missing_classes;
pub use error::PublishError;
pub use pool::{PoolKey, SliceSource};
pub use publisher::{Publisher, PublisherConfig, PublisherHandle};
pub use state::Pools;
pub use status::PublishStatus;
