//! Conversions between the versions of one API.
//!
//! DRA `v1beta1` and `v1` have the same wire format but for `Device.share_id`,
//! which `v1beta1` lacks: converting to it loses the share. The two versions of
//! the health API are equal.

use crate::dra_health_v1 as health_v1;
use crate::dra_health_v1alpha1 as health_v1alpha1;
use crate::dra_v1 as v1;
use crate::dra_v1beta1 as v1beta1;

/// `From` in both directions for a message with the same fields in both
/// versions; `with` is how one field is converted.
macro_rules! same_fields {
    ($older:ident, $newer:ident, $message:ident { $($field:ident: $with:expr),* $(,)? }) => {
        same_fields!(@one $older::$message, $newer::$message, { $($field: $with),* });
        same_fields!(@one $newer::$message, $older::$message, { $($field: $with),* });
    };
    (@one $from:path, $to:path, { $($field:ident: $with:expr),* }) => {
        impl From<$from> for $to {
            fn from(message: $from) -> Self {
                Self { $($field: ($with)(message.$field)),* }
            }
        }
    };
}

fn same<T>(value: T) -> T {
    value
}

fn each<A, B: From<A>>(values: Vec<A>) -> Vec<B> {
    values.into_iter().map(B::from).collect()
}

fn each_value<K: Ord, A, B: From<A>>(
    values: std::collections::BTreeMap<K, A>,
) -> std::collections::BTreeMap<K, B> {
    values
        .into_iter()
        .map(|(key, value)| (key, B::from(value)))
        .collect()
}

same_fields!(
    v1beta1,
    v1,
    Claim {
        namespace: same,
        uid: same,
        name: same
    }
);
same_fields!(v1beta1, v1, NodePrepareResourcesRequest { claims: each });
same_fields!(
    v1beta1,
    v1,
    NodePrepareResourcesResponse { claims: each_value }
);
same_fields!(
    v1beta1,
    v1,
    NodePrepareResourceResponse {
        devices: each,
        error: same
    }
);
same_fields!(v1beta1, v1, NodeUnprepareResourcesRequest { claims: each });
same_fields!(
    v1beta1,
    v1,
    NodeUnprepareResourcesResponse { claims: each_value }
);
same_fields!(v1beta1, v1, NodeUnprepareResourceResponse { error: same });

impl From<v1::Device> for v1beta1::Device {
    fn from(device: v1::Device) -> Self {
        let v1::Device {
            request_names,
            pool_name,
            device_name,
            cdi_device_ids,
            share_id: _,
        } = device;
        Self {
            request_names,
            pool_name,
            device_name,
            cdi_device_ids,
        }
    }
}

impl From<v1beta1::Device> for v1::Device {
    fn from(device: v1beta1::Device) -> Self {
        let v1beta1::Device {
            request_names,
            pool_name,
            device_name,
            cdi_device_ids,
        } = device;
        Self {
            request_names,
            pool_name,
            device_name,
            cdi_device_ids,
            share_id: None,
        }
    }
}

impl From<health_v1::NodeWatchResourcesRequest> for health_v1alpha1::NodeWatchResourcesRequest {
    fn from(health_v1::NodeWatchResourcesRequest {}: health_v1::NodeWatchResourcesRequest) -> Self {
        Self {}
    }
}

impl From<health_v1alpha1::NodeWatchResourcesRequest> for health_v1::NodeWatchResourcesRequest {
    fn from(
        health_v1alpha1::NodeWatchResourcesRequest {}: health_v1alpha1::NodeWatchResourcesRequest,
    ) -> Self {
        Self {}
    }
}

same_fields!(
    health_v1alpha1,
    health_v1,
    NodeWatchResourcesResponse { devices: each }
);
same_fields!(
    health_v1alpha1,
    health_v1,
    DeviceIdentifier {
        pool_name: same,
        device_name: same
    }
);
same_fields!(
    health_v1alpha1,
    health_v1,
    DeviceHealth {
        device: |device: Option<_>| device.map(Into::into),
        health: same,
        last_updated_time: same,
        health_check_timeout_seconds: same,
        message: same,
    }
);

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    fn prepared() -> v1::NodePrepareResourcesResponse {
        let device = v1::Device {
            request_names: vec!["gpu".into()],
            pool_name: "node-0".into(),
            device_name: "gpu-0".into(),
            cdi_device_ids: vec!["example.com/gpu=gpu-0".into()],
            share_id: Some("c7c7e6a6-2f7c-4a8e-8d2b-0a2a6d1c9f30".into()),
        };
        let ok = v1::NodePrepareResourceResponse {
            devices: vec![device],
            error: String::new(),
        };
        let failed = v1::NodePrepareResourceResponse {
            devices: Vec::new(),
            error: "no such device".into(),
        };
        v1::NodePrepareResourcesResponse {
            claims: [("uid-1".into(), ok), ("uid-2".into(), failed)].into(),
        }
    }

    #[test]
    fn only_the_share_is_lost_on_the_way_to_v1beta1() {
        let older = v1beta1::NodePrepareResourcesResponse::from(prepared());
        let mut expected = prepared();
        expected.claims.get_mut("uid-1").unwrap().devices[0].share_id = None;
        assert_eq!(v1::NodePrepareResourcesResponse::from(older), expected);
    }

    #[test]
    fn conversion_to_v1beta1_equals_decoding_v1_bytes_as_v1beta1() {
        let bytes = prepared().encode_to_vec();
        assert_eq!(
            v1beta1::NodePrepareResourcesResponse::decode(bytes.as_slice()).unwrap(),
            prepared().into()
        );
    }

    #[test]
    fn health_is_the_same_in_both_versions() {
        let health = health_v1::NodeWatchResourcesResponse {
            devices: vec![health_v1::DeviceHealth {
                device: Some(health_v1::DeviceIdentifier {
                    pool_name: "node-0".into(),
                    device_name: "gpu-0".into(),
                }),
                health: health_v1::HealthStatus::Unhealthy.into(),
                last_updated_time: 1_764_590_000,
                health_check_timeout_seconds: 30,
                message: "XID 79".into(),
            }],
        };
        let older = health_v1alpha1::NodeWatchResourcesResponse::from(health.clone());
        assert_eq!(
            older.devices[0].health(),
            health_v1alpha1::HealthStatus::Unhealthy
        );
        assert_eq!(older.encode_to_vec(), health.encode_to_vec());
        assert_eq!(health_v1::NodeWatchResourcesResponse::from(older), health);
    }
}
