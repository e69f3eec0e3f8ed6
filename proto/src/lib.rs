//! The gRPC wire between the kubelet and a DRA driver.
//!
//! * [`plugin_registration_v1`], [`dra_v1`], [`dra_v1beta1`], [`dra_health_v1`],
//!   [`dra_health_v1alpha1`]: messages, clients and servers, generated from
//!   `proto/vendor` by `cargo xtask proto` and checked in.
//! * [`services`]: the names that a driver advertises when it registers.
//! * [`authority`]: what the kubelet calls a registration socket.
//! * `convert`: `From` between the versions of one API, so that a driver and
//!   an emulated kubelet implement the newest version only.

pub mod authority;
mod convert;
mod generated;
pub mod services;

pub use generated::{
    dra_health_v1, dra_health_v1alpha1, dra_v1, dra_v1beta1, plugin_registration_v1,
};
