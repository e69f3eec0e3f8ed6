//! The simulated API server: Kubernetes HTTP over the store.
//!
//! ```text
//! config        what the server is started with
//! server        sockets, TLS, HTTP/1.1 and HTTP/2; tls, kubeconfig
//! app           one handler: who asks, what for, which verb
//! path, query   what a URL says (text: percent-encoding)
//! negotiate     in which form the answer goes out
//! failure       refusals, in Kubernetes' words
//! respond, body responses and request bodies
//! catalogue     the kinds that are served; emulation: and what is not
//! documents     version, discovery, OpenAPI (discovery)
//! call          one request about objects
//! verbs         create, get, list, update, patch, delete
//! watch         streams of events
//! subresources  status, binding, log, eviction, scale, token
//! admission     what is added to new objects; validate: what breaks a rule
//! alias         kinds that show the objects of another kind
//! types         the seam to `drakit_sim_schema`; selectors, tables, encode: answers about objects
//! reviews       questions about access
//! ```
//!
//! Every request goes through `app`, which reads the path, and ends as an `Answer` or a `Failure`.

mod admission;
mod alias;
mod app;
mod body;
mod call;
mod catalogue;
mod config;
mod discovery;
mod documents;
mod emulation;
mod encode;
mod failure;
mod kubeconfig;
mod negotiate;
mod path;
mod query;
mod respond;
mod reviews;
mod selectors;
mod server;
mod subresources;
mod tables;
mod text;
mod tls;
mod types;
mod validate;
mod verbs;
mod watch;

pub use config::{ApiConfig, LogError, NoLogs, PodLogs};
pub use server::{ApiServer, RunningApi, StartError};
pub use tls::TlsError;
