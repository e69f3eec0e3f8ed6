//! `drakit render`: a fleet as the objects that its drivers publish.

use drakit_api::k8s::api::resource::v1::{DeviceClass, ResourceSlice};
use drakit_driver_model::render;
use serde_json::{Value, json};

use crate::exit::Outcome;
use crate::fleet_source::FleetChoice;
use crate::output::{self, Format};

/// Flags of `drakit render`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    fleet: FleetChoice,

    /// Nodes to make of a profile.
    #[arg(long, default_value_t = 1, conflicts_with = "fleet")]
    nodes: usize,

    /// Names of the nodes of a profile; `{index}` counts from 0.
    #[arg(long, default_value = "node-{index}", conflicts_with = "fleet")]
    node_names: String,

    /// How to print: columns, YAML documents, or a JSON List.
    #[arg(short, long, value_enum, default_value = "table")]
    output: Format,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let plan = args.fleet.load(&args.node_names, args.nodes)?.0.plan();
    let slices: Vec<ResourceSlice> = render::resource_slices(&plan).collect();
    let classes = render::device_classes(&plan);
    let text = match args.output {
        Format::Table => table(&slices, classes),
        Format::Yaml => documents(&slices, classes)?,
        Format::Json => output::json(&list(&slices, classes)?)?,
    };
    output::print(&text)?;
    Ok(Outcome::Done)
}

fn list(slices: &[ResourceSlice], classes: &[DeviceClass]) -> anyhow::Result<Value> {
    let mut items: Vec<Value> = Vec::with_capacity(slices.len() + classes.len());
    for class in classes {
        items.push(serde_json::to_value(class)?);
    }
    for slice in slices {
        items.push(serde_json::to_value(slice)?);
    }
    Ok(json!({"apiVersion": "v1", "kind": "List", "items": items}))
}

fn documents(slices: &[ResourceSlice], classes: &[DeviceClass]) -> anyhow::Result<String> {
    let mut texts = Vec::new();
    for class in classes {
        texts.push(output::yaml(class)?);
    }
    for slice in slices {
        texts.push(output::yaml(slice)?);
    }
    Ok(texts.join("---\n"))
}

fn table(slices: &[ResourceSlice], classes: &[DeviceClass]) -> String {
    let row = |slice: &ResourceSlice| {
        let spec = &slice.spec;
        let where_used = spec.node_name.clone().unwrap_or_else(|| {
            if spec.all_nodes == Some(true) {
                "(all nodes)".into()
            } else {
                "(selected nodes)".into()
            }
        });
        let devices = spec.devices.as_deref().unwrap_or_default();
        let names = match (devices.first(), devices.last()) {
            (Some(first), Some(last)) if devices.len() > 1 => {
                format!("{} … {}", first.name, last.name)
            }
            (Some(only), _) => only.name.clone(),
            (None, _) => format!(
                "{} counter sets",
                spec.shared_counters.as_ref().map_or(0, Vec::len)
            ),
        };
        let name = slice.metadata.name.clone().unwrap_or_default();
        vec![
            name,
            where_used,
            spec.driver.clone(),
            spec.pool.name.clone(),
            devices.len().to_string(),
            names,
        ]
    };
    let header = ["SLICE", "NODE", "DRIVER", "POOL", "DEVICES", "NAMES"];
    let mut text = output::table(&header, slices.iter().map(row));
    if !classes.is_empty() {
        let names = classes
            .iter()
            .map(|c| vec![c.metadata.name.clone().unwrap_or_default(), selectors(c)]);
        text.push('\n');
        text.push_str(&output::table(&["DEVICECLASS", "SELECTS"], names));
    }
    text
}

fn selectors(class: &DeviceClass) -> String {
    let expressions = class
        .spec
        .iter()
        .flat_map(|spec| spec.selectors.iter().flatten())
        .filter_map(|s| s.cel.as_ref());
    expressions
        .map(|c| c.expression.clone())
        .collect::<Vec<_>>()
        .join(" && ")
}
