//! One view of requests and subrequests.

use k8s_openapi::api::resource::v1::{
    CapacityRequirements, DeviceDerivedAttribute, DeviceRequest, DeviceSelector, DeviceSubRequest,
    DeviceToleration,
};

/// A request without alternatives, or one alternative of a `firstAvailable` request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestView<'a> {
    /// The request's own name; for an alternative that of the subrequest.
    pub(crate) name: &'a str,
    /// The request that holds the alternative.
    pub(crate) parent: Option<&'a str>,
    pub(crate) class: &'a str,
    mode: Option<&'a str>,
    count: Option<i64>,
    pub(crate) admin_access: Option<bool>,
    pub(crate) selectors: &'a [DeviceSelector],
    pub(crate) tolerations: Option<&'a Vec<DeviceToleration>>,
    pub(crate) capacity: Option<&'a CapacityRequirements>,
    pub(crate) derived_attributes: &'a [DeviceDerivedAttribute],
}

/// How many devices a request asks for. Absent fields mean what the API server
/// would have put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode<'a> {
    Exact(i64),
    All,
    Unknown(&'a str),
}

impl<'a> RequestView<'a> {
    /// The alternatives of a request: itself if it has none.
    pub(crate) fn alternatives(request: &'a DeviceRequest) -> Vec<Self> {
        let alternatives = request.first_available.as_deref().unwrap_or_default();
        if alternatives.is_empty() {
            return vec![Self::exactly(request)];
        }
        alternatives
            .iter()
            .map(|alternative| Self::alternative(request, alternative))
            .collect()
    }

    fn exactly(request: &'a DeviceRequest) -> Self {
        let Some(exactly) = &request.exactly else {
            // Of a future kind; the missing class is reported.
            return Self {
                name: &request.name,
                parent: None,
                class: "",
                mode: None,
                count: None,
                admin_access: None,
                selectors: &[],
                tolerations: None,
                capacity: None,
                derived_attributes: &[],
            };
        };
        Self {
            name: &request.name,
            parent: None,
            class: &exactly.device_class_name,
            mode: exactly.allocation_mode.as_deref(),
            count: exactly.count,
            admin_access: exactly.admin_access,
            selectors: exactly.selectors.as_deref().unwrap_or_default(),
            tolerations: exactly.tolerations.as_ref(),
            capacity: exactly.capacity.as_ref(),
            derived_attributes: exactly.derived_attributes.as_deref().unwrap_or_default(),
        }
    }

    fn alternative(request: &'a DeviceRequest, alternative: &'a DeviceSubRequest) -> Self {
        Self {
            name: &alternative.name,
            parent: Some(&request.name),
            class: &alternative.device_class_name,
            mode: alternative.allocation_mode.as_deref(),
            count: alternative.count,
            admin_access: None,
            selectors: alternative.selectors.as_deref().unwrap_or_default(),
            tolerations: alternative.tolerations.as_ref(),
            capacity: alternative.capacity.as_ref(),
            derived_attributes: alternative
                .derived_attributes
                .as_deref()
                .unwrap_or_default(),
        }
    }

    /// The name in results: `request` or `request/subrequest`.
    pub(crate) fn result_name(&self) -> String {
        match self.parent {
            Some(parent) => format!("{parent}/{}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// Whether a list of request names, as in constraints and configs, has this one.
    /// The name of the parent stands for all its alternatives.
    pub(crate) fn is_named_in(&self, names: &[String]) -> bool {
        names.iter().any(|name| match self.parent {
            None => name == self.name,
            Some(parent) => name
                .strip_prefix(parent)
                .is_some_and(|rest| rest.is_empty() || rest.strip_prefix('/') == Some(self.name)),
        })
    }

    pub(crate) fn wants_admin_access(&self) -> bool {
        self.admin_access == Some(true)
    }

    pub(crate) fn mode(&self) -> Mode<'a> {
        match self.mode.unwrap_or_default() {
            "" | "ExactCount" => match self.count.unwrap_or_default() {
                0 => Mode::Exact(1),
                count => Mode::Exact(count),
            },
            "All" => Mode::All,
            mode => Mode::Unknown(mode),
        }
    }
}
