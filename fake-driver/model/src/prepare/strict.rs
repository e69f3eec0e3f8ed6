//! Strict reading of opaque parameters: every problem with its field and what is allowed.

use serde_json::{Map, Value};

use crate::yaml::reader::closest;

/// Reads one JSON object; collects problems as `field: what is wrong; allowed: …`.
pub(super) struct Object<'a, 'p> {
    path: String,
    fields: Option<&'a Map<String, Value>>,
    problems: &'p mut Vec<String>,
}

impl<'a, 'p> Object<'a, 'p> {
    /// The parameters themselves.
    pub(super) fn root(value: &'a Value, known: &[&str], problems: &'p mut Vec<String>) -> Self {
        Self::new(String::new(), value, known, problems)
    }

    fn new(path: String, value: &'a Value, known: &[&str], problems: &'p mut Vec<String>) -> Self {
        let object = Self {
            path,
            fields: value.as_object(),
            problems,
        };
        let Some(fields) = object.fields else {
            let path = if object.path.is_empty() {
                "parameters"
            } else {
                &object.path
            };
            object.problems.push(format!(
                "{path}: is {}; allowed: an object",
                describe(value)
            ));
            return object;
        };
        for key in fields.keys().filter(|key| !known.contains(&key.as_str())) {
            let hint = closest(key, known)
                .map_or(String::new(), |near| format!(", did you mean {near:?}?"));
            let path = object.at(key);
            object.problems.push(format!(
                "{path}: unknown field{hint}; allowed: {}",
                known.join(", ")
            ));
        }
        object
    }

    fn at(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// A field that is written and not null (null means absent, as everywhere in Kubernetes).
    fn get(&self, key: &str) -> Option<&'a Value> {
        self.fields?.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn problem(&mut self, key: &str, text: &str, allowed: &str) {
        let path = self.at(key);
        self.problems
            .push(format!("{path}: {text}; allowed: {allowed}"));
    }

    pub(super) fn object<'s>(&'s mut self, key: &str, known: &[&str]) -> Option<Object<'a, 's>> {
        let value = self.get(key)?;
        let path = self.at(key);
        Some(Object::new(path, value, known, self.problems))
    }

    pub(super) fn string(&mut self, key: &str) -> Option<&'a str> {
        let value = self.get(key)?;
        if value.as_str().is_none() {
            self.problem(key, &format!("is {}", describe(value)), "a string");
        }
        value.as_str()
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.string(key)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let allowed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.problem(key, &format!("unknown value {text:?}"), &allowed.join(", "));
        }
        found.map(|(_, value)| *value)
    }

    /// A whole number of a range.
    pub(super) fn int(&mut self, key: &str, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let value = self.get(key)?;
        let number = value.as_i64().filter(|number| range.contains(number));
        if number.is_none() {
            let allowed = format!("a whole number from {} to {}", range.start(), range.end());
            self.problem(key, &format!("is {}", describe(value)), &allowed);
        }
        number
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
