//! Reading fleet files that nobody meant to write.

use std::fmt::Write as _;

use proptest::prelude::*;

use crate::Fleet;

const GOOD: &str = r#"apiVersion: drakit/v1alpha1
kind: Fleet
metadata: {name: lab}
seed: 7
nodes:
- {name: "gpu-{index}", count: 2, profile: demo-gpu, labels: {zone: "z{index}"}}
- name: edge
  drivers:
  - name: gpu.example.com
    sharedCounters: [{name: "set-{index}", count: 2, counters: {slots: 2}}]
    mounts: [{hostPath: /etc/hostname, containerPath: "/x/{uuid}"}]
    devices:
    - &base
      name: "gpu-{bus}"
      each: [{bus: 1b, root: 15}, {bus: 43, root: 3d}]
      attributes: {model: {string: A100}, root: {string: "pci{root}"}, list: {ints: [1, 2]}, v: {version: 1.2.3}}
      capacity: {memory: {value: 80Gi, requestPolicy: {default: 1Gi, validRange: {min: 1Gi, step: 1Gi}}}}
      allowMultipleAllocations: true
      consumesCounters: [{counterSet: "set-{index}", counters: {slots: 1}}]
      taints: [{key: example.com/a, effect: NoSchedule}]
    - {<<: *base, name: "more-{bus}"}
pools:
- {driver: rdma.example.com, name: rack-1, profile: network-rdma}
- {driver: nic.example.com, name: rack-2, nodeSelector: {zone: z0}, devices: [{name: "nic-{index}", count: 3}]}
deviceClasses:
- {name: big, selectors: ["true"]}
"#;

/// Reads a text as a person would hand it in; whatever the text is, there is an answer.
fn read(text: &str) {
    match Fleet::parse("x.yaml", text) {
        Ok(fleet) => {
            for pool in fleet
                .plan()
                .nodes
                .iter()
                .flat_map(|node| node.drivers.clone())
                .chain(fleet.plan().pools)
            {
                assert_eq!(pool.specs(1).len(), pool.slice_count());
            }
        }
        Err(errors) => {
            assert!(!errors.problems.is_empty());
            for line in errors.to_string().lines() {
                assert!(!line.is_empty());
            }
            // YAML takes a lone carriage return as the end of a line.
            let lines = text.split(['\n', '\r']).count();
            assert!(
                errors
                    .problems
                    .iter()
                    .all(|problem| problem.line >= 1 && problem.line <= lines + 1),
                "{errors}"
            );
        }
    }
}

#[test]
fn the_good_file_is_good() {
    let plan = Fleet::parse("good.yaml", GOOD)
        .unwrap_or_else(|errors| panic!("{errors}"))
        .plan();
    let names: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["gpu-0", "gpu-1", "edge"]);
    assert_eq!(plan.nodes[1].labels["zone"], "z1");
    assert!(
        plan.pools[1].reachable_from(&plan.nodes[0])
            && !plan.pools[1].reachable_from(&plan.nodes[1])
    );
    let edge = &plan.nodes[2].drivers[0];
    let names: Vec<String> = edge.devices().map(|device| device.name).collect();
    assert_eq!(names, ["gpu-1b", "gpu-43", "more-1b", "more-43"]);
    assert_eq!(
        edge.device("more-1b").map(|device| device.position()),
        Some(2)
    );
    assert!(edge.device("gpu-2").is_none());
}

#[test]
fn devices_named_after_their_node_are_found_by_name() {
    let text = "apiVersion: drakit/v1alpha1\nkind: Fleet\nmetadata: {name: x}\nnodes:\n- {name: 'n{index}', count: 3, drivers: [{name: gpu.example.com, devices: [{name: plain}, {name: '{node}-{index}', count: 2}]}]}\n";
    let plan = Fleet::parse("x.yaml", text)
        .unwrap_or_else(|errors| panic!("{errors}"))
        .plan();
    let pool = &plan.nodes[2].drivers[0];
    assert_eq!(pool.device("n2-1").map(|device| device.position()), Some(2));
    assert_eq!(
        pool.device("plain").map(|device| device.position()),
        Some(0)
    );
    assert!(pool.device("n1-1").is_none());
}

#[test]
fn hostile_nesting_and_alias_bombs_are_refused() {
    let deep = |open: &str| open.repeat(100_000);
    for text in [deep("["), deep("{a: "), deep("- "), deep("a:\n ")] {
        read(&text);
    }
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}, ", level - 1).repeat(10);
        let _ = writeln!(bomb, "a{level}: &a{level} [{below}]");
    }
    let errors = Fleet::parse("bomb.yaml", &bomb).unwrap_err();
    assert!(
        errors
            .to_string()
            .contains("aliases copy more than 200000 values"),
        "{errors}"
    );
}

#[test]
fn every_prefix_of_a_good_file_is_read_or_refused() {
    for end in (0..GOOD.len()).step_by(3) {
        read(&GOOD[..end]);
    }
}

#[test]
fn no_line_can_be_lost_or_doubled_without_an_answer() {
    let lines: Vec<&str> = GOOD.lines().collect();
    for index in 0..lines.len() {
        let mut without = lines.clone();
        without.remove(index);
        read(&without.join("\n"));
        let mut double = lines.clone();
        double.insert(index, lines[index]);
        read(&double.join("\n"));
    }
}

proptest! {
    #[test]
    fn any_text_has_an_answer(text in ".{0,200}") {
        read(&text);
    }

    #[test]
    fn a_changed_file_has_an_answer(
        at in 0..GOOD.len(),
        length in 0_usize..6,
        new in prop::sample::select(vec!["", " ", "\n", "\t", ":", "{", "}", "[", "]", "-", "&", "*", "!", "|", "'", "\"", "#", "%", "0", "99999999999999999999", "~", "é", "{index}", "<<", "\u{0}"]),
    ) {
        // The file is ASCII, so every byte is a boundary.
        let end = (at + length).min(GOOD.len());
        read(&format!("{}{new}{}", &GOOD[..at], &GOOD[end..]));
    }
}
