//! Manifests from older articles: refused, in the API server's words.

use drakit_kit::case::{CaseError, Findings};
use drakit_kit::stage::{Stage, StageError};

use super::checks::ensure;

/// What a Kubernetes 1.37 API server says of each file.
const REFUSALS: [(&str, &str); 3] = [
    (
        "selectable-attributes.yaml",
        r#"strict decoding error: unknown field "spec.selectableAttributes""#,
    ),
    (
        "count-beside-class.yaml",
        r#"strict decoding error: unknown field "spec.devices.requests[0].count", unknown field "spec.devices.requests[0].deviceClassName""#,
    ),
    (
        "source-in-pod.yaml",
        r#"strict decoding error: unknown field "spec.resourceClaims[0].source""#,
    ),
];

pub(super) async fn refused(stage: &Stage) -> Result<Findings, CaseError> {
    let mut findings = Findings::default();
    for (file, words) in REFUSALS {
        let error = match stage.create(file).await {
            Ok(()) => return Err(CaseError::failed(format!("{file} was accepted"))),
            Err(error) => error,
        };
        let said = StageError::status_message(&error)
            .unwrap_or_default()
            .to_owned();
        ensure(said.contains(words), || {
            format!("{file} was refused with {said:?} ({error}), not with {words:?}")
        })?;
        findings.add(file, words);
    }
    Ok(findings)
}
