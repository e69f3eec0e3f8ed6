//! The checks that Kubernetes generates from markers on its types. They run after
//! the hand-written ones. What did not change in an update is not checked; `old` is
//! the value before, if there is one that corresponds.
//!
//! * `formats`: texts with a rule
//! * `markers`: markers that many fields have
//! * `claim`, `status`, `class`, `taint`, `slice`, `device`: the types
//!
//! Markers of alpha level never show and are left out.
//!
//! Sources: `kubernetes/pkg/apis/resource/v1/zz_generated.validations.go`,
//! `apimachinery/pkg/api/validate`.

mod claim;
mod class;
mod device;
mod formats;
mod markers;
mod slice;
mod status;
mod taint;

pub(super) use claim::{resource_claim, resource_claim_template};
pub(super) use class::device_class;
pub(super) use formats::is_extended_resource_name;
pub(super) use slice::resource_slice;
pub(super) use taint::device_taint_rule;
