//! Texts with placeholders: `gpu-{index}`, `pci0000:{root}`, `GPU-{uuid}`, `GPU-{uuid:gpu-{gpu}}`.
//!
//! Two steps, so that nothing can fail when slices are rendered: [`Template::parse`] reads the text,
//! [`Template::resolve`] fills in all that is known when the fleet is read (index, table columns) and leaves a
//! [`Text`] that depends at most on the node. `{{` and `}}` stand for the braces themselves.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use uuid::Uuid;

/// Namespace of all uuids that a fleet hands out, itself a uuid of the DNS name `drakit.dev`.
const NAMESPACE: Uuid = Uuid::from_u128(0x6c0a_1b52_9f0e_5d1b_8a53_3f0d_4c1f_7e21);

/// Which placeholders a text may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Placeholders {
    /// `{index}`: names and labels of nodes.
    Node,
    /// `{index}`, `{node}`, `{nodeIndex}`, `{uuid}`, `{mac}` and the columns of `each`: everything in a device.
    Device,
    /// As `Device`, but without `{index}` and columns: what is written once for all devices.
    Shared,
    /// Only what is the same on every node (`{index}` and columns): counters, numbers, quantities.
    Fixed,
}

impl Placeholders {
    fn allowed(self) -> &'static str {
        match self {
            Placeholders::Node => "{index}",
            Placeholders::Device => {
                "{index}, {node}, {nodeIndex}, {uuid}, {uuid:DEVICE}, {mac}, columns of each"
            }
            Placeholders::Shared => "{node}, {nodeIndex}, {uuid}, {uuid:DEVICE}, {mac}",
            Placeholders::Fixed => "{index}, columns of each",
        }
    }
}

/// Why a text with placeholders is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TemplateError {
    #[error("brace without its partner in {0:?} (a brace itself is written {{{{ or }}}})")]
    Unbalanced(String),
    #[error("unknown placeholder {{{name}}}")]
    Unknown { name: String, allowed: String },
}

/// A parsed text with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(String),
    Index,
    Node,
    NodeIndex,
    Mac,
    Uuid(Option<Template>),
    Column(String),
}

/// Values of one row of `each`.
pub(crate) type Row = BTreeMap<String, String>;

impl Template {
    /// Reads a text.
    ///
    /// # Errors
    /// Unbalanced braces; a placeholder that does not exist here.
    pub(crate) fn parse(
        text: &str,
        allowed: Placeholders,
        columns: &[String],
    ) -> Result<Self, TemplateError> {
        let unbalanced = || TemplateError::Unbalanced(text.to_owned());
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            literal.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("{{") {
                literal.push('{');
                rest = after;
            } else if let Some(after) = rest.strip_prefix("}}") {
                literal.push('}');
                rest = after;
            } else if let Some(after) = rest.strip_prefix('{') {
                let end = closing(after).ok_or_else(unbalanced)?;
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(piece(&after[..end], allowed, columns)?);
                rest = &after[end + 1..];
            } else {
                return Err(unbalanced());
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() || pieces.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self(pieces))
    }

    /// Whether the text has `{index}` or a column, so that different devices get different texts.
    pub(crate) fn varies_by_device(&self) -> bool {
        self.0.iter().any(|piece| match piece {
            Piece::Index | Piece::Column(_) | Piece::Mac => true,
            Piece::Uuid(of) => of.as_ref().is_none_or(Template::varies_by_device),
            Piece::Literal(_) | Piece::Node | Piece::NodeIndex => false,
        })
    }

    /// Fills in index and columns.
    pub(crate) fn resolve(&self, index: usize, row: &Row) -> Text {
        let mut parts: Vec<Part> = Vec::new();
        for piece in &self.0 {
            let part = match piece {
                Piece::Literal(text) => Part::Literal(text.clone()),
                Piece::Index => Part::Literal(index.to_string()),
                Piece::Column(name) => Part::Literal(row.get(name).cloned().unwrap_or_default()),
                Piece::Node => Part::Node,
                Piece::NodeIndex => Part::NodeIndex,
                Piece::Mac => Part::Mac,
                Piece::Uuid(of) => Part::Uuid(of.as_ref().map(|of| of.resolve(index, row))),
            };
            match (parts.last_mut(), part) {
                (Some(Part::Literal(last)), Part::Literal(text)) => last.push_str(&text),
                (_, part) => parts.push(part),
            }
        }
        Text(parts)
    }
}

/// Offset of the brace that closes a placeholder; `{uuid:gpu-{gpu}}` nests one level.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' if depth == 0 => depth = 1,
            '{' => return None,
            '}' if depth == 0 => return Some(at),
            '}' => depth = 0,
            _ => {}
        }
    }
    None
}

fn piece(name: &str, allowed: Placeholders, columns: &[String]) -> Result<Piece, TemplateError> {
    let device = matches!(allowed, Placeholders::Device | Placeholders::Shared);
    let piece = match name {
        "index" if !matches!(allowed, Placeholders::Shared) => Piece::Index,
        "node" if device => Piece::Node,
        "nodeIndex" if device => Piece::NodeIndex,
        "uuid" if device => Piece::Uuid(None),
        "mac" if device => Piece::Mac,
        _ if columns.iter().any(|column| column == name) => Piece::Column(name.to_owned()),
        _ => match name.strip_prefix("uuid:") {
            Some(of) if device => Piece::Uuid(Some(Template::parse(of, allowed, columns)?)),
            _ => {
                let mut list = allowed.allowed().to_owned();
                if !columns.is_empty() {
                    let _ = write!(list, " ({})", columns.join(", "));
                }
                return Err(TemplateError::Unknown {
                    name: name.to_owned(),
                    allowed: list,
                });
            }
        },
    };
    Ok(piece)
}

/// A text that depends at most on the node that the device is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Node,
    NodeIndex,
    Mac,
    Uuid(Option<Text>),
}

/// What a [`Text`] can depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) seed: u64,
    /// The node's name; for a network pool the pool's name.
    pub(crate) node: &'a str,
    pub(crate) node_index: usize,
    pub(crate) driver: &'a str,
}

impl Text {
    /// A text without placeholders.
    pub(crate) fn literal(text: String) -> Self {
        Self(vec![Part::Literal(text)])
    }

    /// The text when it is the same on every node.
    pub(crate) fn fixed(&self) -> Option<&str> {
        match self.0.as_slice() {
            [] => Some(""),
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether the text holds the uuid of the device it belongs to.
    pub(crate) fn has_own_uuid(&self) -> bool {
        self.0.iter().any(|part| match part {
            Part::Uuid(None) | Part::Mac => true,
            Part::Uuid(Some(of)) => of.has_own_uuid(),
            Part::Literal(_) | Part::Node | Part::NodeIndex => false,
        })
    }

    /// The text on one node; `device` is the device that `{uuid}` stands for.
    pub(crate) fn render(&self, place: Place<'_>, device: &str) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Node => text.push_str(place.node),
                Part::NodeIndex => {
                    let _ = write!(text, "{}", place.node_index);
                }
                Part::Mac => {
                    // Locally administered, unicast; the rest is the start of the device's uuid.
                    text.push_str("02");
                    for byte in &device_uuid(place, device).into_bytes()[..5] {
                        let _ = write!(text, ":{byte:02x}");
                    }
                }
                Part::Uuid(of) => {
                    let of = of.as_ref().map(|of| of.render(place, device));
                    let uuid = device_uuid(place, of.as_deref().unwrap_or(device));
                    let _ = write!(text, "{uuid}");
                }
            }
        }
        text
    }
}

/// The uuid of a device: always the same for the same seed, node, driver and device name.
pub(crate) fn device_uuid(place: Place<'_>, device: &str) -> Uuid {
    // NUL cannot occur in any of the names, so different devices never share a key.
    let key = format!("{}\0{}\0{}\0{device}", place.seed, place.node, place.driver);
    Uuid::new_v5(&NAMESPACE, key.as_bytes())
}

/// `length` characters of the alphabet that Kubernetes uses for generated names, derived from `key`.
pub(crate) fn name_suffix(key: &str, length: usize) -> String {
    const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let bytes = Uuid::new_v5(&NAMESPACE, key.as_bytes()).into_bytes();
    bytes
        .iter()
        .take(length)
        .map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> = Place {
        seed: 7,
        node: "n-3",
        node_index: 3,
        driver: "gpu.example.com",
    };

    fn rendered(text: &str) -> String {
        let columns = vec!["bus".to_owned()];
        let row = Row::from([("bus".to_owned(), "1b".to_owned())]);
        let template = Template::parse(text, Placeholders::Device, &columns).unwrap();
        template.resolve(4, &row).render(PLACE, "gpu-4")
    }

    #[test]
    fn placeholders_are_filled_in() {
        assert_eq!(rendered("a{index}b{bus}c{node}d{nodeIndex}"), "a4b1bcn-3d3");
        assert_eq!(rendered("{{x}}"), "{x}");
        assert_eq!(rendered(""), "");
    }

    #[test]
    fn a_uuid_depends_on_seed_node_driver_and_device_only() {
        let own = rendered("{uuid}");
        assert_eq!(own, rendered("{uuid:gpu-{index}}"));
        assert_ne!(own, rendered("{uuid:gpu-5}"));
        assert_eq!(own, device_uuid(PLACE, "gpu-4").to_string());
        assert_ne!(
            own,
            device_uuid(Place { seed: 8, ..PLACE }, "gpu-4").to_string()
        );
    }

    #[test]
    fn wrong_texts_are_refused_with_the_allowed_placeholders() {
        for text in ["{", "}", "{index", "a}b", "{uuid:{{x}}}"] {
            let error = Template::parse(text, Placeholders::Device, &[]).unwrap_err();
            assert!(
                matches!(error, TemplateError::Unbalanced(_)),
                "{text}: {error}"
            );
        }
        let error =
            Template::parse("{numa}", Placeholders::Fixed, &["bus".to_owned()]).unwrap_err();
        let TemplateError::Unknown { name, allowed } = error else {
            panic!("{error}")
        };
        assert_eq!(
            (name.as_str(), allowed.as_str()),
            ("numa", "{index}, columns of each (bus)")
        );
    }
}
