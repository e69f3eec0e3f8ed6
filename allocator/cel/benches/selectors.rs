//! What one evaluation of the usual selectors takes: `cargo bench -p drakit-cel`.

use divan::{Bencher, black_box};
use drakit_api::{Quantity, Semver};
use drakit_cel::{AttributeValue, Options, PreparedDevice, Program};

fn main() {
    divan::main();
}

const SELECTORS: [(&str, &str); 10] = [
    ("driver", r#"device.driver == "gpu.example.com""#),
    (
        "string",
        r#"device.attributes["gpu.example.com"].model == "H100""#,
    ),
    (
        "capacity",
        r#"device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0"#,
    ),
    (
        "driver, model, memory",
        r#"device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "H100" && device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("40Gi"))"#,
    ),
    (
        "version",
        r#"device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("535.0.0"))"#,
    ),
    (
        "regex",
        r#"device.attributes["gpu.example.com"].productName.lowerAscii().matches("^.*h100.*$")"#,
    ),
    (
        "has",
        r#"has(device.attributes["gpu.example.com"].x) && device.attributes["gpu.example.com"].x"#,
    ),
    (
        "optional",
        r#"device.attributes["gpu.example.com"].?model.orValue("") == "H100""#,
    ),
    (
        "in list",
        r#"device.attributes["gpu.example.com"].model in ["A100", "H100"]"#,
    ),
    (
        "bind",
        r#"cel.bind(g, device.attributes["gpu.example.com"], g.model == "H100" && g.index > 1)"#,
    ),
];

fn names() -> impl Iterator<Item = &'static str> {
    SELECTORS.iter().map(|(name, _)| *name)
}

fn selector(name: &str) -> &'static str {
    SELECTORS
        .iter()
        .find(|(known, _)| *known == name)
        .map_or("true", |(_, text)| text)
}

fn device() -> PreparedDevice {
    let mut device = PreparedDevice::new("gpu.example.com");
    let text = |text: &str| AttributeValue::String(text.to_owned());
    device.set_attribute("model", text("H100"));
    device.set_attribute("productName", text("NVIDIA H100 80GB HBM3"));
    device.set_attribute("uuid", text("GPU-8b2a1f1c-1"));
    device.set_attribute("index", AttributeValue::Int(3));
    device.set_attribute("resource.kubernetes.io/pcieRoot", text("pci0000:00"));
    if let Ok(version) = Semver::parse("550.54.15") {
        device.set_attribute("driverVersion", AttributeValue::Version(version));
    }
    if let Ok(memory) = Quantity::parse("80Gi") {
        device.set_capacity("memory", memory);
    }
    device
}

#[divan::bench(args = names())]
fn evaluate(bencher: Bencher<'_, '_>, name: &str) {
    let Ok(program) = Program::compile(selector(name), &Options::STORED) else {
        return;
    };
    let device = device();
    bencher.bench_local(|| black_box(&program).matches(&black_box(&device).device()));
}

#[divan::bench(args = names())]
fn evaluate_and_count(bencher: Bencher<'_, '_>, name: &str) {
    let Ok(program) = Program::compile(selector(name), &Options::STORED) else {
        return;
    };
    let device = device();
    bencher.bench_local(|| black_box(&program).evaluate_with_cost(&black_box(&device).device()));
}

#[divan::bench(args = names())]
fn compile(bencher: Bencher<'_, '_>, name: &str) {
    let text = selector(name);
    bencher.bench_local(|| Program::compile(black_box(text), &Options::STORED));
}
