//! Opaque configuration of devices, and references to requests.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::findings::Findings;
use super::items::{self, Cover};
use super::view;
use crate::field::{ErrorKind, FieldError, FieldPath};
use crate::limits;
use crate::names::check;

const UNKNOWN_REQUEST: &str = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const OMITTED: &str = "<value omitted>";

/// The names of a claim's requests, each with those of its subrequests.
pub(super) struct RequestNames<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> RequestNames<'a> {
    /// The requests in a `DeviceClaim`.
    pub(super) fn of(devices: &'a Value) -> Self {
        let requests = view::list(devices, "requests").iter();
        let names = |request: &'a Value| {
            let subrequests = view::list(request, "firstAvailable").iter();
            let subrequests = subrequests.map(|request| view::text(request, "name"));
            (view::text(request, "name"), subrequests.collect())
        };
        Self(requests.map(names).collect())
    }

    fn has(&self, name: &str) -> bool {
        match name.split_once('/') {
            None => self.0.contains_key(name),
            Some((request, sub)) => self.0.get(request).is_some_and(|subs| subs.contains(sub)),
        }
    }

    /// `requests` of a constraint or configuration.
    pub(super) fn check_references(
        &self,
        object: &Value,
        path: &FieldPath<'_>,
        out: &mut Findings,
    ) {
        items::each_unique(
            view::list(object, "requests"),
            limits::DEVICE_REQUESTS_MAX_SIZE,
            &path.child("requests"),
            Cover::SizeAndUniqueness,
            out,
            items::own_text,
            |item, path, out| self.check(item.as_str().unwrap_or_default(), path, out),
        );
    }

    /// A reference to a request: `request` or `request/subrequest`.
    pub(super) fn check(&self, name: &str, path: &FieldPath<'_>, out: &mut Findings) {
        let parts: Vec<&str> = name.split('/').collect();
        if parts.len() <= 2 {
            for part in parts {
                out.all(check::dns1123_label(part, path));
            }
            if self.has(name) {
                return;
            }
        }
        out.add(FieldError::invalid(path, name, UNKNOWN_REQUEST));
    }
}

/// `opaque` of a configuration. Parameters that are `stored` may be of any size.
pub(super) fn opaque(object: &Value, stored: bool, path: &FieldPath<'_>, out: &mut Findings) {
    let path = path.child("opaque");
    let Some(opaque) = view::present(object, "opaque") else {
        out.add(FieldError::required(&path, ""));
        return;
    };
    driver_name_covered(view::text(opaque, "driver"), &path.child("driver"), out);
    let parameters = view::part(opaque, "parameters");
    let max = (!stored).then_some(limits::OPAQUE_PARAMETERS_MAX_LENGTH);
    raw_object(parameters, max, &path.child("parameters"), out);
}

/// The name of a driver, where markers check it too.
pub(super) fn driver_name_covered(name: &str, path: &FieldPath<'_>, out: &mut Findings) {
    for error in check::driver_name(name, path) {
        let origin = match error.kind {
            ErrorKind::TooLong => "maxLength",
            ErrorKind::Invalid => "format=k8s-long-name-caseless",
            _ => "",
        };
        out.covered(origin, error);
    }
}

/// A `runtime.RawExtension` that must hold a JSON object.
pub(super) fn raw_object(
    value: &Value,
    max: Option<usize>,
    path: &FieldPath<'_>,
    out: &mut Findings,
) {
    match (value, max) {
        (Value::Null, _) => out.add(FieldError::required(path, "")),
        (value, Some(max)) if value.to_string().len() > max => {
            out.add(FieldError::too_long(path, max));
        }
        (Value::Object(_), _) => {}
        _ => out.add(FieldError::invalid(
            path,
            OMITTED,
            "must be a valid JSON object",
        )),
    }
}
