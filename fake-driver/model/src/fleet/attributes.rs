//! Attributes of devices.

use drakit_api::k8s::api::resource::v1::DeviceAttribute;
use drakit_api::limits::DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH;
use drakit_api::{Semver, names};

use super::table::{Sample, Table, Wrong};
use super::texts::check_names;
use crate::device::AttributeText;
use crate::template::{Placeholders, Text};
use crate::yaml::reader::{Item, Problems};
use crate::yaml::{Value, as_bool};

/// An attribute of one device: ready, or dependent on the node.
#[derive(Clone, Debug)]
pub(super) enum Attribute {
    Ready(DeviceAttribute),
    Text(AttributeText),
}

impl Attribute {
    /// How many values it counts for.
    pub(super) fn value_count(&self) -> usize {
        match self {
            Attribute::Text(AttributeText::One(_)) => 1,
            Attribute::Text(AttributeText::Many(texts)) => texts.len(),
            Attribute::Ready(value) => [
                value.bools.as_ref().map(Vec::len),
                value.ints.as_ref().map(Vec::len),
                value.strings.as_ref().map(Vec::len),
                value.versions.as_ref().map(Vec::len),
            ]
            .into_iter()
            .flatten()
            .next()
            .unwrap_or(1),
        }
    }
}

/// Where values will stand, for checks of what depends on the node.
pub(super) struct Where<'a> {
    pub(super) driver: &'a str,
    pub(super) samples: &'a [Sample],
}

/// `attributes: {NAME: {string: …}}`, one set of values per device of the table.
pub(super) fn attributes(
    item: &Item<'_>,
    table: &Table,
    places: &Where<'_>,
    problems: &mut Problems,
) -> Vec<(String, Vec<Attribute>)> {
    let mut all = Vec::new();
    for (entry, item) in item.entries(problems, "attributes").unwrap_or_default() {
        check_names(
            &item,
            &entry.key,
            names::validate_device_attribute_name(&entry.key),
            problems,
        );
        if let Some(values) = attribute(&item, table, places, problems) {
            all.push((entry.key.clone(), values));
        }
    }
    all
}

const TYPES: &[&str] = &[
    "string", "int", "bool", "version", "strings", "ints", "bools", "versions",
];

fn attribute(
    item: &Item<'_>,
    table: &Table,
    places: &Where<'_>,
    problems: &mut Problems,
) -> Option<Vec<Attribute>> {
    if let Value::Scalar { text, .. } = &item.node.value {
        let allowed = format!(
            "a type and a value, as {{string: {text:?}}}; types: {}",
            TYPES.join(", ")
        );
        problems.add_allowed(item, format!("is {}", item.node.value.describe()), allowed);
        return None;
    }
    let fields = item.fields(problems, TYPES)?;
    let mut written = TYPES
        .iter()
        .filter_map(|name| fields.get(name).map(|item| (*name, item)));
    let Some((kind, value)) = written.next() else {
        problems.add_allowed(
            item,
            "has no value",
            format!("exactly one of {}", TYPES.join(", ")),
        );
        return None;
    };
    if let Some((second, value)) = written.next() {
        problems.add_allowed(
            &value,
            format!("has both {kind} and {second}"),
            "exactly one value",
        );
        return None;
    }
    let Some(single) = kind.strip_suffix('s') else {
        return scalar(kind, &value, table, places, problems);
    };
    let items = value.list(problems, "values")?;
    if items.is_empty() {
        problems.add_allowed(&value, "is an empty list", "at least one value");
        return None;
    }
    let mut rows: Vec<Vec<Attribute>> = vec![Vec::new(); table.len()];
    for item in &items {
        for (row, value) in rows
            .iter_mut()
            .zip(scalar(single, item, table, places, problems)?)
        {
            row.push(value);
        }
    }
    Some(rows.into_iter().map(list).collect())
}

/// Values of one type to one list value.
fn list(values: Vec<Attribute>) -> Attribute {
    let mut attribute = DeviceAttribute::default();
    let mut texts = Vec::new();
    for value in values {
        match value {
            Attribute::Ready(value) => {
                if let Some(value) = value.bool {
                    attribute.bools.get_or_insert_default().push(value);
                }
                if let Some(value) = value.int {
                    attribute.ints.get_or_insert_default().push(value);
                }
                if let Some(value) = value.version {
                    attribute.versions.get_or_insert_default().push(value);
                }
                if let Some(value) = value.string {
                    texts.push(Text::literal(value));
                }
            }
            Attribute::Text(AttributeText::One(text)) => texts.push(text),
            Attribute::Text(AttributeText::Many(more)) => texts.extend(more),
        }
    }
    if texts.is_empty() {
        return Attribute::Ready(attribute);
    }
    match texts
        .iter()
        .map(|text| text.fixed().map(str::to_owned))
        .collect::<Option<Vec<_>>>()
    {
        Some(strings) => Attribute::Ready(DeviceAttribute {
            strings: Some(strings),
            ..attribute
        }),
        None => Attribute::Text(AttributeText::Many(texts)),
    }
}

fn scalar(
    kind: &str,
    item: &Item<'_>,
    table: &Table,
    places: &Where<'_>,
    problems: &mut Problems,
) -> Option<Vec<Attribute>> {
    // A placeholder makes a text of what will be a number or a boolean.
    let templated = matches!(&item.node.value, Value::Scalar { text, .. } if text.contains('{'));
    let ready = |attribute: DeviceAttribute| Ok(Attribute::Ready(attribute));
    match kind {
        "string" => {
            let text = item.string(problems)?;
            table.expand(item, text, Placeholders::Device, problems, |text| {
                string(text, places)
            })
        }
        "version" => {
            let text = item.text(problems, "a version")?;
            table.expand_fixed(item, text, problems, |text| {
                ready(DeviceAttribute {
                    version: Some(version(text)?),
                    ..DeviceAttribute::default()
                })
            })
        }
        "int" => {
            let text = if templated {
                item.string(problems)?.to_owned()
            } else {
                item.int(problems)?.to_string()
            };
            table.expand_fixed(item, &text, problems, |text| {
                let wrong =
                    |_| Wrong::new(format!("is the text {text:?}"), "a whole number of 64 bits");
                ready(DeviceAttribute {
                    int: Some(text.parse().map_err(wrong)?),
                    ..DeviceAttribute::default()
                })
            })
        }
        _ => {
            let text = if templated {
                item.string(problems)?.to_owned()
            } else {
                item.bool(problems)?.to_string()
            };
            table.expand_fixed(item, &text, problems, |text| {
                let wrong = || Wrong::new(format!("is the text {text:?}"), "true or false");
                ready(DeviceAttribute {
                    bool: Some(as_bool(text).ok_or_else(wrong)?),
                    ..DeviceAttribute::default()
                })
            })
        }
    }
}

fn string(text: &Text, places: &Where<'_>) -> Result<Attribute, Wrong> {
    if let Some(fixed) = text.fixed() {
        check_length(fixed)?;
        let value = DeviceAttribute {
            string: Some(fixed.to_owned()),
            ..DeviceAttribute::default()
        };
        return Ok(Attribute::Ready(value));
    }
    for sample in places.samples {
        check_length(&text.render(sample.place(places.driver), ""))?;
    }
    Ok(Attribute::Text(AttributeText::One(text.clone())))
}

fn check_length(value: &str) -> Result<(), Wrong> {
    if value.len() > DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH {
        let text = format!("has {} bytes: {value:?}", value.len());
        return Err(Wrong::new(
            text,
            format!("at most {DEVICE_ATTRIBUTE_MAX_VALUE_LENGTH} bytes"),
        ));
    }
    Ok(())
}

/// Drivers print versions in canonical form (`580.105.08` becomes `580.105.8`), and so does this.
fn version(text: &str) -> Result<String, Wrong> {
    check_length(text)?;
    match Semver::parse_normalized(text) {
        Ok(version) => Ok(version.to_string()),
        Err(error) => Err(Wrong::new(
            format!("bad version {text:?}: {error}"),
            "a semantic version, as 580.105.8",
        )),
    }
}
