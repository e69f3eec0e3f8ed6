//! Entries of `deviceClasses`, and the class that a written-out driver gets by itself.

use drakit_api::k8s::api::resource::v1::{
    CELDeviceSelector, DeviceClass, DeviceClassSpec, DeviceSelector,
};
use drakit_api::k8s::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use drakit_api::names;
use drakit_api::validate::{self, Checks};

use super::texts::{check_names, strings};
use crate::yaml::reader::{Item, Problems};

/// One class: `{name, selectors: [CEL], extendedResourceName}`.
pub(super) fn read(item: &Item<'_>, problems: &mut Problems) -> Option<DeviceClass> {
    let fields = item.fields(problems, &["name", "selectors", "extendedResourceName"])?;
    let name = fields.require(problems, "name", "a class name, as gpu.example.com");
    let selectors = match fields.get("selectors") {
        Some(item) => strings(&item, problems)?,
        None => Vec::new(),
    };
    let extended_resource_name = match fields.get("extendedResourceName") {
        Some(item) => Some(item.string(problems)?.to_owned()),
        None => None,
    };
    let name_item = name?;
    let name = name_item.string(problems)?;
    check_names(
        &name_item,
        name,
        names::validate_dns1123_subdomain(name),
        problems,
    );
    let class = class(name, selectors, extended_resource_name);
    // Expressions are not compiled here: that is the API server's (and `drakit`'s checker's) business.
    let refusals = serde_json::to_value(&class)
        .map(|class| validate::device_class(&class, &Checks::default()));
    for refusal in refusals
        .unwrap_or_default()
        .iter()
        .filter(|refusal| refusal.field != "metadata.name")
    {
        problems.add(
            item,
            format!("Kubernetes would refuse the class: {refusal}"),
        );
    }
    Some(class)
}

/// The class of a driver's devices, named after it as all drivers do.
pub(super) fn of_driver(driver: &str) -> DeviceClass {
    class(driver, vec![format!("device.driver == '{driver}'")], None)
}

fn class(
    name: &str,
    selectors: Vec<String>,
    extended_resource_name: Option<String>,
) -> DeviceClass {
    let selector = |expression| DeviceSelector {
        cel: Some(CELDeviceSelector { expression }),
    };
    let selectors: Vec<DeviceSelector> = selectors.into_iter().map(selector).collect();
    DeviceClass {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        spec: Some(DeviceClassSpec {
            selectors: (!selectors.is_empty()).then_some(selectors),
            extended_resource_name,
            ..DeviceClassSpec::default()
        }),
    }
}
