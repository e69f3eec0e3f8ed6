//! DeviceClasses, for clusters where nobody else installs them.

use drakit_api::k8s::api::resource::v1::DeviceClass;
use kube::api::{Api, PostParams};

use crate::api::answered;
use crate::error::PublishError;

/// Creates the classes that do not exist. A class that exists is left as it
/// is, even when it differs: classes belong to the cluster's administrator.
/// Answers the names of those created.
pub async fn create_missing_classes(
    client: kube::Client,
    classes: &[DeviceClass],
) -> Result<Vec<String>, PublishError> {
    let api: Api<DeviceClass> = Api::all(client);
    let mut created = Vec::new();
    for class in classes {
        let name = class.metadata.name.clone().unwrap_or_default();
        let what = || format!("DeviceClass {name:?}");
        match answered("create", what, api.create(&PostParams::default(), class)).await {
            Ok(_) => created.push(name),
            Err(PublishError::Api { source, .. }) if matches!(&*source, kube::Error::Api(status) if status.code == 409) =>
                {}
            Err(error) => return Err(error),
        }
    }
    Ok(created)
}
