//! Output of `cargo xtask proto`; the generator's style is not ours to judge.
#![expect(
    missing_docs,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]

#[rustfmt::skip]
pub mod dra_health_v1;
#[rustfmt::skip]
pub mod dra_health_v1alpha1;
#[rustfmt::skip]
pub mod dra_v1;
#[rustfmt::skip]
pub mod dra_v1beta1;
#[rustfmt::skip]
pub mod plugin_registration_v1;
