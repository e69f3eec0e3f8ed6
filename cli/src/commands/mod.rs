//! One file for each command.

pub(crate) mod demo;
pub(crate) mod driver;
pub(crate) mod profiles;
pub(crate) mod render;
pub(crate) mod simulated;
pub(crate) mod up;
