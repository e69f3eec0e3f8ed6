//! Containers of a pod (`validateContainers`, `validateInitContainers`).

use std::collections::BTreeSet;

use drakit_api::{FieldError, FieldPath};
use serde_json::Value;

use super::{
    claims, resources,
    rules::{Errors, list, one_of, required_label, text},
};

/// Regular and init containers.
pub(super) fn all(
    spec: &Value,
    volumes: &BTreeSet<&str>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    let pod_claims = claims::names_of_pod(spec);
    let containers = list(spec, "containers");
    let containers_path = path.child("containers");
    if containers.is_empty() {
        errors.push(FieldError::required(&containers_path, ""));
    }
    let mut names = BTreeSet::new();
    for (index, container) in containers.iter().enumerate() {
        let path = containers_path.index(index);
        one(container, volumes, &pod_claims, &path, errors);
        unique(container, &mut names, &path, errors);
    }
    let init_path = path.child("initContainers");
    for (index, container) in list(spec, "initContainers").iter().enumerate() {
        let path = init_path.index(index);
        one(container, volumes, &pod_claims, &path, errors);
        if !text(container, "name").is_empty() {
            unique(container, &mut names, &path, errors);
        }
    }
}

fn unique<'a>(
    container: &'a Value,
    names: &mut BTreeSet<&'a str>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    let name = text(container, "name");
    if !names.insert(name) {
        errors.push(FieldError::duplicate(&path.child("name"), name));
    }
}

fn one(
    container: &Value,
    volumes: &BTreeSet<&str>,
    pod_claims: &BTreeSet<&str>,
    path: &FieldPath<'_>,
    errors: &mut Errors,
) {
    required_label(container, path, errors);
    if text(container, "image").is_empty() {
        errors.push(FieldError::required(&path.child("image"), ""));
    }
    let policy = text(container, "terminationMessagePolicy");
    let policies = ["File", "FallbackToLogsOnError"];
    one_of(
        policy,
        &policies,
        true,
        &path.child("terminationMessagePolicy"),
        errors,
    );
    ports(container, path, errors);
    env(container, path, errors);
    mounts(container, volumes, path, errors);
    let pull = text(container, "imagePullPolicy");
    one_of(
        pull,
        &["Always", "IfNotPresent", "Never"],
        true,
        &path.child("imagePullPolicy"),
        errors,
    );
    resources::container(
        &container["resources"],
        pod_claims,
        &path.child("resources"),
        errors,
    );
}

fn ports(container: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("ports");
    let mut names = BTreeSet::new();
    for (index, port) in list(container, "ports").iter().enumerate() {
        let path = path.index(index);
        let name = text(port, "name");
        if !name.is_empty() {
            let problems = port_name(name);
            if problems.is_empty() && !names.insert(name) {
                errors.push(FieldError::duplicate(&path.child("name"), name));
            }
            errors.extend(
                problems
                    .into_iter()
                    .map(|problem| FieldError::invalid(&path.child("name"), name, problem)),
            );
        }
        let number_path = path.child("containerPort");
        match port["containerPort"].as_i64().unwrap_or_default() {
            0 => errors.push(FieldError::required(&number_path, "")),
            1..=65535 => {}
            other => errors.push(FieldError::invalid(
                &number_path,
                other,
                "must be between 1 and 65535, inclusive",
            )),
        }
        one_of(
            text(port, "protocol"),
            &["SCTP", "TCP", "UDP"],
            true,
            &path.child("protocol"),
            errors,
        );
    }
}

/// `IsValidPortName`
fn port_name(name: &str) -> Vec<&'static str> {
    let mut problems = Vec::new();
    if name.len() > 15 {
        problems.push("must be no more than 15 characters");
    }
    if !name
        .chars()
        .all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '-')
    {
        problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !name.chars().any(|next| next.is_ascii_lowercase()) {
        problems.push("must contain at least one letter (a-z)");
    }
    if name.contains("--") {
        problems.push("must not contain consecutive hyphens");
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems.push("must not begin or end with a hyphen");
    }
    problems
}

fn env(container: &Value, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("env");
    for (index, variable) in list(container, "env").iter().enumerate() {
        let path = path.index(index);
        let path = path.child("name");
        match text(variable, "name") {
            "" => errors.push(FieldError::required(&path, "")),
            name if name.chars().all(|next| matches!(next, ' '..='~') && next != '=') => {}
            name => errors.push(FieldError::invalid(
                &path,
                name,
                "a valid environment variable name must consist only of printable ASCII characters other than '='",
            )),
        }
    }
}

fn mounts(container: &Value, volumes: &BTreeSet<&str>, path: &FieldPath<'_>, errors: &mut Errors) {
    let path = path.child("volumeMounts");
    let mut places = BTreeSet::new();
    for (index, mount) in list(container, "volumeMounts").iter().enumerate() {
        let path = path.index(index);
        let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
        if name.is_empty() {
            errors.push(FieldError::required(&path.child("name"), ""));
        }
        if !volumes.contains(name) {
            errors.push(FieldError::not_found(&path.child("name"), name));
        }
        if place.is_empty() {
            errors.push(FieldError::required(&path.child("mountPath"), ""));
        }
        if !places.insert(place) {
            errors.push(FieldError::invalid(
                &path.child("mountPath"),
                place,
                "must be unique",
            ));
        }
    }
}
