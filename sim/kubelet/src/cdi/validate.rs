//! Which CDI files a runtime accepts (CDI `pkg/cdi/{spec,container-edits}.go`, `specs-go/version.go`,
//! `pkg/parser`).

use std::collections::BTreeSet;

use super::spec::{CdiSpec, ContainerEdits, DeviceNode, Hook, IntelRdt, NetDevice};

/// Known versions, oldest first.
const VERSIONS: [&str; 10] = [
    "0.1.0", "0.2.0", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0", "1.1.0",
];

/// The oldest version that can be required.
const EARLIEST: &str = "0.3.0";

const HOOKS: [&str; 6] = [
    "prestart",
    "createRuntime",
    "createContainer",
    "startContainer",
    "poststart",
    "poststop",
];

/// Checks a file.
///
/// # Errors
/// The CDI library's text.
pub fn validate(spec: &CdiSpec) -> Result<(), String> {
    validate_version(spec)?;
    let (vendor, class) = spec.vendor_and_class();
    part_of_kind(vendor).map_err(|e| format!("invalid vendor. {e}"))?;
    part_of_kind(class).map_err(|e| format!("invalid class. {e}"))?;
    edits(&spec.container_edits)?;
    let mut names = BTreeSet::new();
    for device in &spec.devices {
        let name = &device.name;
        device_name(name)
            .and_then(|()| {
                if device.container_edits.is_empty() {
                    Err("invalid device, empty device edits".to_owned())
                } else {
                    edits(&device.container_edits)
                        .map_err(|e| format!("invalid device {name:?}: {e}"))
                }
            })
            .map_err(|e| format!("failed add device {name:?}: {e}"))?;
        if !names.insert(name) {
            return Err(format!("invalid spec, multiple device {name:?}"));
        }
    }
    if names.is_empty() {
        return Err("invalid spec, no devices".into());
    }
    Ok(())
}

fn validate_version(spec: &CdiSpec) -> Result<(), String> {
    let rank = |version: &str| VERSIONS.iter().position(|known| *known == version);
    let given = spec.cdi_version.trim_start_matches('v');
    let Some(given) = rank(given) else {
        return Err(format!("invalid version {:?}", spec.cdi_version));
    };
    let required = required_version(spec);
    if rank(required) > Some(given) {
        return Err(format!("the spec version must be at least v{required}"));
    }
    Ok(())
}

/// The oldest version that has every field that is used.
fn required_version(spec: &CdiSpec) -> &'static str {
    let any = |test: fn(&ContainerEdits) -> bool| spec.all_edits().any(test);
    let rdt = |e: &ContainerEdits| {
        e.intel_rdt
            .as_ref()
            .is_some_and(|r| r.schemata.is_some() || r.enable_monitoring)
    };
    if any(|e| !e.net_devices.is_empty()) || any(rdt) {
        "1.1.0"
    } else if any(|e| e.intel_rdt.is_some() || !e.additional_gids.is_empty()) {
        "0.7.0"
    } else if !spec.annotations.is_empty()
        || spec.devices.iter().any(|d| !d.annotations.is_empty())
        || spec
            .kind
            .split_once('/')
            .is_some_and(|(_, c)| c.contains('.'))
    {
        "0.6.0"
    } else if any(|e| e.device_nodes.iter().any(|d| !d.host_path.is_empty()))
        || spec
            .devices
            .iter()
            .any(|d| d.name.starts_with(|c: char| c.is_ascii_digit()))
    {
        "0.5.0"
    } else if any(|e| e.mounts.iter().any(|m| !m.kind.is_empty())) {
        "0.4.0"
    } else {
        EARLIEST
    }
}

fn part_of_kind(name: &str) -> Result<(), String> {
    let (Some(first), Some(last)) = (name.chars().next(), name.chars().last()) else {
        return Err("empty name".into());
    };
    if !first.is_ascii_alphabetic() {
        return Err(format!("{name:?}, should start with letter"));
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if let Some(bad) = name.chars().find(|c| !inner(*c)) {
        return Err(format!("invalid character '{bad}' in name {name:?}"));
    }
    if last.is_ascii_alphanumeric() {
        Ok(())
    } else {
        Err(format!("{name:?}, should end with a letter or digit"))
    }
}

fn device_name(name: &str) -> Result<(), String> {
    let (Some(first), Some(last)) = (name.chars().next(), name.chars().last()) else {
        return Err("invalid (empty) device name".into());
    };
    if !first.is_ascii_alphanumeric() {
        return Err(format!(
            "invalid class {name:?}, should start with a letter or digit"
        ));
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    if let Some(bad) = name.chars().find(|c| !inner(*c)) {
        return Err(format!("invalid character '{bad}' in device name {name:?}"));
    }
    if last.is_ascii_alphanumeric() {
        Ok(())
    } else {
        Err(format!(
            "invalid name {name:?}, should end with a letter or digit"
        ))
    }
}

fn edits(edits: &ContainerEdits) -> Result<(), String> {
    env(&edits.env).map_err(|e| format!("invalid container edits: {e}"))?;
    edits.device_nodes.iter().try_for_each(device_node)?;
    edits.hooks.iter().try_for_each(hook)?;
    for mount in &edits.mounts {
        if mount.host_path.is_empty() {
            return Err("invalid mount, empty host path".into());
        }
        if mount.container_path.is_empty() {
            return Err("invalid mount, empty container path".into());
        }
    }
    edits.intel_rdt.iter().try_for_each(intel_rdt)?;
    net_devices(&edits.net_devices)
}

fn env(env: &[String]) -> Result<(), String> {
    match env.iter().find(|v| v.find('=').unwrap_or(0) == 0) {
        Some(bad) => Err(format!("invalid environment variable {bad:?}")),
        None => Ok(()),
    }
}

fn device_node(node: &DeviceNode) -> Result<(), String> {
    let path = &node.path;
    if path.is_empty() {
        return Err("invalid (empty) device path".into());
    }
    if !["", "b", "c", "u", "p"].contains(&node.kind.as_str()) {
        return Err(format!("device {path:?}: invalid type {:?}", node.kind));
    }
    if node.permissions.chars().any(|c| !"rwm".contains(c)) {
        return Err(format!(
            "device {path:?}: invalid permissions {:?}",
            node.permissions
        ));
    }
    Ok(())
}

fn hook(hook: &Hook) -> Result<(), String> {
    let name = &hook.hook_name;
    if !HOOKS.contains(&name.as_str()) {
        return Err(format!("invalid hook name {name:?}"));
    }
    if hook.path.is_empty() {
        return Err(format!("invalid hook {name:?} with empty path"));
    }
    env(&hook.env).map_err(|e| format!("invalid hook {name:?}: {e}"))
}

fn intel_rdt(rdt: &IntelRdt) -> Result<(), String> {
    /// `PATH_MAX`.
    const MAX: usize = 4_096;
    let id = rdt.clos_id.as_str();
    let bad = id.len() >= MAX || id == "." || id == ".." || id.contains(['/', '\n']);
    if id != "/" && bad {
        Err("invalid ClosID".into())
    } else {
        Ok(())
    }
}

fn net_devices(devices: &[NetDevice]) -> Result<(), String> {
    let (mut hosts, mut names) = (BTreeSet::new(), BTreeSet::new());
    for device in devices {
        let (host, name) = (&device.host_interface_name, &device.name);
        if host.is_empty() {
            return Err("invalid linux net device, empty HostInterfaceName".into());
        }
        if name.is_empty() {
            return Err("invalid linux net device, empty Name".into());
        }
        if !hosts.insert(host) {
            return Err(format!(
                "invalid linux net device, duplicate HostInterfaceName {host:?}"
            ));
        }
        if !names.insert(name) {
            return Err(format!("invalid linux net device, duplicate Name {name:?}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        CdiSpec::parse(text)
            .and_then(|spec| validate(&spec))
            .err()
            .unwrap_or_default()
    }

    fn with_devices(devices: &str) -> String {
        format!(r#"{{"cdiVersion":"0.3.0","kind":"example.com/gpu","devices":{devices}}}"#)
    }

    #[test]
    fn a_plain_file_is_accepted_in_json_and_yaml() {
        let json = with_devices(r#"[{"name":"a","containerEdits":{"env":["A=b"]}}]"#);
        assert_eq!(check(&json), "");
        let yaml = "cdiVersion: 0.3.0\nkind: example.com/gpu\ndevices:\n- name: a\n  containerEdits:\n    env: [A=b]\n";
        assert_eq!(check(yaml), "");
    }

    #[test]
    fn unknown_and_repeated_fields_fail_the_file() {
        let edits = r#"{"env":["A=b"],"envs":[]}"#;
        let unknown = with_devices(&format!(r#"[{{"name":"a","containerEdits":{edits}}}]"#));
        assert!(check(&unknown).contains("envs"), "{}", check(&unknown));
        let twice = r#"{"cdiVersion":"0.3.0","kind":"a.b/c","kind":"a.b/d","devices":[]}"#;
        assert!(!check(twice).is_empty());
    }

    #[test]
    fn files_that_runtimes_refuse_are_refused_in_their_words() {
        let cases = [
            (with_devices("[]"), "invalid spec, no devices"),
            (
                with_devices(r#"[{"name":"a","containerEdits":{}}]"#),
                "failed add device \"a\": invalid device, empty device edits",
            ),
            (
                with_devices(r#"[{"name":"a/b","containerEdits":{"env":["A=b"]}}]"#),
                "failed add device \"a/b\": invalid character '/' in device name \"a/b\"",
            ),
            (
                with_devices(r#"[{"name":"a","containerEdits":{"env":["A"]}}]"#),
                "failed add device \"a\": invalid device \"a\": invalid container edits: invalid environment variable \"A\"",
            ),
            (
                with_devices(r#"[{"name":"0","containerEdits":{"env":["A=b"]}}]"#),
                "the spec version must be at least v0.5.0",
            ),
            (
                with_devices(
                    r#"[{"name":"a","containerEdits":{"deviceNodes":[{"path":"/dev/a","type":"x"}]}}]"#,
                ),
                "failed add device \"a\": invalid device \"a\": device \"/dev/a\": invalid type \"x\"",
            ),
            (
                r#"{"cdiVersion":"9.0.0","kind":"a.b/c","devices":[]}"#.into(),
                "invalid version \"9.0.0\"",
            ),
            (
                r#"{"cdiVersion":"0.3.0","kind":"gpu","devices":[]}"#.into(),
                "invalid vendor. empty name",
            ),
        ];
        for (file, expected) in cases {
            assert_eq!(check(&file), expected, "{file}");
        }
    }
}
