//! Strict typed access to a YAML tree; every problem is collected with its position and path.

use super::{Entry, Node, Value, as_bool, is_null, looks_like_number};
use crate::fleet::{Problem, Wrong};

/// Collects problems.
#[derive(Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

impl Problems {
    pub(crate) fn add(&mut self, item: &Item<'_>, text: impl Into<String>) {
        self.0.push(Problem::new(item.node.at, &item.path, text));
    }

    pub(crate) fn add_wrong(&mut self, item: &Item<'_>, wrong: Wrong) {
        match wrong.allowed {
            Some(allowed) => self.add_allowed(item, wrong.text, allowed),
            None => self.add(item, wrong.text),
        }
    }

    pub(crate) fn add_allowed(
        &mut self,
        item: &Item<'_>,
        text: impl Into<String>,
        allowed: impl Into<String>,
    ) {
        self.0
            .push(Problem::new(item.node.at, &item.path, text).allow(allowed));
    }
}

/// A value and the path that leads to it.
#[derive(Clone)]
pub(crate) struct Item<'a> {
    pub(crate) node: &'a Node,
    pub(crate) path: String,
}

impl<'a> Item<'a> {
    pub(crate) fn root(node: &'a Node) -> Self {
        Self {
            node,
            path: String::new(),
        }
    }

    fn child(&self, key: &str, node: &'a Node) -> Item<'a> {
        let path = if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        };
        Item { node, path }
    }

    /// The scalar's text, whatever its type (quantities and versions are read so).
    pub(crate) fn text(&self, problems: &mut Problems, wanted: &str) -> Option<&'a str> {
        match &self.node.value {
            Value::Scalar { text, quoted } if *quoted || !is_null(text) => Some(text),
            other => {
                problems.add_allowed(self, format!("is {}", other.describe()), wanted);
                None
            }
        }
    }

    /// A string. Numbers and booleans must be in quotes, as in a Kubernetes manifest.
    pub(crate) fn string(&self, problems: &mut Problems) -> Option<&'a str> {
        if let Value::Scalar {
            text,
            quoted: false,
        } = &self.node.value
            && (as_bool(text).is_some() || looks_like_number(text))
        {
            let hint = format!("a string: write \"{text}\" in quotes");
            problems.add_allowed(self, format!("is {}", self.node.value.describe()), hint);
            return None;
        }
        self.text(problems, "a string")
    }

    /// A whole number.
    pub(crate) fn int(&self, problems: &mut Problems) -> Option<i64> {
        if let Value::Scalar {
            text,
            quoted: false,
        } = &self.node.value
            && let Ok(number) = text.parse::<i64>()
        {
            return Some(number);
        }
        let text = format!("is {}", self.node.value.describe());
        problems.add_allowed(self, text, "a whole number of 64 bits");
        None
    }

    /// A boolean.
    pub(crate) fn bool(&self, problems: &mut Problems) -> Option<bool> {
        if let Value::Scalar {
            text,
            quoted: false,
        } = &self.node.value
            && let Some(value) = as_bool(text)
        {
            return Some(value);
        }
        problems.add_allowed(
            self,
            format!("is {}", self.node.value.describe()),
            "true or false",
        );
        None
    }

    /// The elements of a list, with index in the path.
    pub(crate) fn list(&self, problems: &mut Problems, of: &str) -> Option<Vec<Item<'a>>> {
        let Value::List(items) = &self.node.value else {
            let text = format!("is {}", self.node.value.describe());
            problems.add_allowed(self, text, format!("a list of {of}"));
            return None;
        };
        let item = |(index, node)| Item {
            node,
            path: format!("{}[{index}]", self.path),
        };
        Some(items.iter().enumerate().map(item).collect())
    }

    /// A map with free keys.
    pub(crate) fn entries(
        &self,
        problems: &mut Problems,
        of: &str,
    ) -> Option<Vec<(&'a Entry, Item<'a>)>> {
        let Value::Map(entries) = &self.node.value else {
            let text = format!("is {}", self.node.value.describe());
            problems.add_allowed(self, text, format!("a map of {of}"));
            return None;
        };
        Some(
            entries
                .iter()
                .map(|entry| (entry, self.child(&entry.key, &entry.value)))
                .collect(),
        )
    }

    /// A map with known fields; any other field is a problem with a suggestion.
    pub(crate) fn fields(
        &self,
        problems: &mut Problems,
        known: &'static [&'static str],
    ) -> Option<Fields<'a>> {
        let Value::Map(entries) = &self.node.value else {
            let text = format!("is {}", self.node.value.describe());
            problems.add_allowed(self, text, format!("a map with {}", known.join(", ")));
            return None;
        };
        for entry in entries
            .iter()
            .filter(|entry| !known.contains(&entry.key.as_str()))
        {
            let path = self.child(&entry.key, &entry.value).path;
            let text = match closest(&entry.key, known) {
                Some(near) => format!("unknown field, did you mean {near:?}?"),
                None => "unknown field".to_owned(),
            };
            problems
                .0
                .push(Problem::new(entry.at, path, text).allow(known.join(", ")));
        }
        Some(Fields {
            item: self.clone(),
            entries,
        })
    }
}

/// A map with known fields.
pub(crate) struct Fields<'a> {
    pub(crate) item: Item<'a>,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The field, if it is written.
    pub(crate) fn get(&self, key: &str) -> Option<Item<'a>> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(self.item.child(key, &entry.value))
    }

    /// The field; a problem when it is missing.
    pub(crate) fn require(
        &self,
        problems: &mut Problems,
        key: &str,
        wanted: &str,
    ) -> Option<Item<'a>> {
        let found = self.get(key);
        if found.is_none() {
            problems.add_allowed(&self.item, format!("field {key:?} is missing"), wanted);
        }
        found
    }
}

/// The known word that was probably meant.
pub(crate) fn closest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // Long keys are garbage, not typos; comparing them would only cost time.
    if word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    known
        .iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), *candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
