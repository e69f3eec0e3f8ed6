//! What a prepared claim puts into the CDI folder, and the words with which a claim is refused.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fmt::Write as _;
use std::path::Path;

use drakit_api::k8s::api::resource::v1::ResourceClaim;
use drakit_driver_model::prepare::{ClaimView, Held, PrepareError, PreparedClaim, decide};
use drakit_driver_model::{Fleet, PoolPlan, cdi};
use serde_json::Value;
use std::sync::Arc;

struct Input {
    driver: drakit_api::DriverName,
    node: drakit_api::NodeName,
    pools: Vec<Arc<PoolPlan>>,
    held: Held,
    claim: ResourceClaim,
}

impl Input {
    fn read(path: &Path) -> Self {
        let input: Value = serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let plan = Fleet::from_profile(input["profile"].as_str().unwrap(), "node-0", 1, 7)
            .unwrap()
            .plan();
        let mut read = Self {
            driver: drakit_api::DriverName::new(input["driver"].as_str().unwrap()).unwrap(),
            node: plan.nodes[0].name.clone(),
            pools: plan.nodes[0]
                .drivers
                .iter()
                .chain(&plan.pools)
                .cloned()
                .collect(),
            held: Held::new(),
            claim: serde_json::from_value(input["claim"].clone()).unwrap(),
        };
        for claim in input["held"].as_array().into_iter().flatten() {
            let claim: ResourceClaim = serde_json::from_value(claim.clone()).unwrap();
            let prepared = read.decide(&claim).unwrap();
            read.held.add(&prepared);
        }
        read
    }

    fn decide(&self, claim: &ResourceClaim) -> Result<PreparedClaim, PrepareError> {
        decide(
            &ClaimView::from_claim(claim),
            &self.driver,
            &self.pools,
            &self.held,
        )
    }
}

#[test]
fn a_claim_becomes_a_cdi_file_or_a_clear_refusal() {
    insta::glob!("../inputs/claims", "*.yaml", |path| {
        let input = Input::read(path);
        let mut text = String::new();
        match input.decide(&input.claim) {
            Err(error) => {
                let _ = writeln!(text, "{error}");
            }
            Ok(prepared) => {
                for device in &prepared.devices {
                    let share = device
                        .share_id
                        .as_ref()
                        .map_or(String::new(), |share| format!(" share {share}"));
                    let _ = writeln!(
                        text,
                        "requests {} get {}/{}{share} ({:?}) as {}",
                        device.request_names.join(","),
                        device.pool,
                        device.device,
                        device.hold,
                        device.cdi_device_ids.join(",")
                    );
                }
                match cdi::spec(&input.driver, &input.node, &prepared) {
                    None => text.push_str("no CDI file\n"),
                    Some(spec) => {
                        let _ = writeln!(text, "{}:", cdi::file_name(&input.driver, &prepared.uid));
                        text.push_str(&String::from_utf8(spec.to_bytes().unwrap()).unwrap());
                    }
                }
            }
        }
        insta::assert_snapshot!(text);
    });
}
