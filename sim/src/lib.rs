//! The simulated cluster, assembled.
