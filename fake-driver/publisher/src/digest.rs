//! What a slice says, as a number.
//!
//! The publisher compares slices all day and keeps none: one digest for each
//! slice instead of all its devices holds 1,000 nodes in little memory.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use drakit_api::k8s::api::resource::v1::ResourceSliceSpec;
use serde_json::Value;

/// Digest of a slice's content: everything except generation and slice count,
/// which the plan compares by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest {
    /// Without the times of taints: the API server fills in `timeAdded`.
    content: u64,
    /// With them.
    with_times: u64,
}

impl Digest {
    /// Digest of a spec.
    pub(crate) fn of(spec: &ResourceSliceSpec) -> Self {
        let mut value = normalised(spec);
        let with_times = hash(&value);
        let content = if drop_taint_times(&mut value) {
            hash(&value)
        } else {
            with_times
        };
        Self {
            content,
            with_times,
        }
    }

    /// Whether a stored slice says what this desired one does. A time that is
    /// not desired may be there; one that is desired must be equal.
    pub(crate) fn is_met_by(self, stored: Self) -> bool {
        if self.content == self.with_times {
            self.content == stored.content
        } else {
            self.with_times == stored.with_times
        }
    }
}

/// The paths at which `stored` lacks or changes what was `sent`, at most
/// `limit` of them; index numbers are kept, so that a person finds the device.
pub(crate) fn differences(
    sent: &ResourceSliceSpec,
    stored: &ResourceSliceSpec,
    limit: usize,
) -> Vec<String> {
    let mut found = Vec::new();
    let (mut sent, mut stored) = (normalised(sent), normalised(stored));
    drop_taint_times(&mut sent);
    drop_taint_times(&mut stored);
    compare("spec", &sent, &stored, limit, &mut found);
    found
}

fn compare(path: &str, sent: &Value, stored: &Value, limit: usize, found: &mut Vec<String>) {
    if found.len() >= limit || sent == stored {
        return;
    }
    match (sent, stored) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                let (a, b) = (a.get(key), b.get(key));
                let path = format!("{path}.{key}");
                compare(
                    &path,
                    a.unwrap_or(&Value::Null),
                    b.unwrap_or(&Value::Null),
                    limit,
                    found,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{index}]"), a, b, limit, found);
            }
        }
        _ => found.push(path.to_owned()),
    }
}

/// As JSON, without the fields that the plan compares itself, and without
/// what is empty: the API server leaves empty fields away.
fn normalised(spec: &ResourceSliceSpec) -> Value {
    let mut value = serde_json::to_value(spec).unwrap_or_default();
    if let Some(pool) = value.get_mut("pool").and_then(Value::as_object_mut) {
        pool.remove("generation");
        pool.remove("resourceSliceCount");
    }
    prune(&mut value);
    value
}

fn prune(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(prune);
            fields.retain(|_, field| !is_empty(field));
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

fn drop_taint_times(value: &mut Value) -> bool {
    let mut dropped = false;
    let devices = value.get_mut("devices").and_then(Value::as_array_mut);
    for device in devices.into_iter().flatten() {
        let taints = device.get_mut("taints").and_then(Value::as_array_mut);
        for taint in taints.into_iter().flatten() {
            if let Some(taint) = taint.as_object_mut() {
                dropped |= taint.remove("timeAdded").is_some();
            }
        }
    }
    dropped
}

fn hash(value: &Value) -> u64 {
    let mut writer = HashWriter(DefaultHasher::new());
    // Writing a `Value` into a hasher cannot fail.
    let _ = serde_json::to_writer(&mut writer, value);
    writer.0.finish()
}

struct HashWriter(DefaultHasher);

impl std::io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drakit_api::k8s::api::resource::v1::{Device, DeviceTaint, ResourcePool};
    use drakit_api::k8s::apimachinery::pkg::apis::meta::v1::Time;
    use drakit_api::k8s::jiff::Timestamp;

    fn spec(taint: Option<DeviceTaint>) -> ResourceSliceSpec {
        ResourceSliceSpec {
            driver: "gpu.example.com".into(),
            pool: ResourcePool {
                name: "n1".into(),
                generation: 1,
                resource_slice_count: 1,
            },
            devices: Some(vec![Device {
                name: "gpu-0".into(),
                taints: taint.map(|taint| vec![taint]),
                ..Device::default()
            }]),
            ..ResourceSliceSpec::default()
        }
    }

    fn taint(time: Option<i64>) -> DeviceTaint {
        DeviceTaint {
            key: "example.com/broken".into(),
            effect: "NoSchedule".into(),
            time_added: time.and_then(|s| Timestamp::from_second(s).ok()).map(Time),
            ..DeviceTaint::default()
        }
    }

    #[test]
    fn generation_and_count_and_empty_fields_are_not_content() {
        let mut other = spec(None);
        other.pool.generation = 7;
        other.pool.resource_slice_count = 3;
        other.shared_counters = Some(Vec::new());
        assert!(Digest::of(&spec(None)).is_met_by(Digest::of(&other)));
    }

    #[test]
    fn a_changed_device_is_a_difference_with_its_path() {
        let mut other = spec(None);
        if let Some(devices) = &mut other.devices {
            devices[0].all_nodes = Some(true);
        }
        assert!(!Digest::of(&spec(None)).is_met_by(Digest::of(&other)));
        assert_eq!(
            differences(&spec(None), &other, 5),
            ["spec.devices[0].allNodes"]
        );
    }

    #[test]
    fn a_time_that_the_server_filled_in_is_no_difference() {
        let stored = Digest::of(&spec(Some(taint(Some(10)))));
        assert!(Digest::of(&spec(Some(taint(None)))).is_met_by(stored));
        assert!(!Digest::of(&spec(Some(taint(Some(11))))).is_met_by(stored));
        assert!(Digest::of(&spec(Some(taint(Some(10))))).is_met_by(stored));
    }
}
