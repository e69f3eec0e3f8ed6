//! Label selectors, with the grammar and the words of apimachinery `pkg/labels`.

use std::collections::BTreeSet;

use drakit_api::{FieldError, FieldPath, names};
use serde_json::{Map, Value};

use super::{
    SelectorError,
    tokens::{Token, tokens},
};

/// A parsed label selector; the empty one matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Missing,
    In(BTreeSet<String>),
    NotIn(BTreeSet<String>),
    Greater(i64),
    Less(i64),
}

impl LabelSelector {
    /// Parses the `labelSelector` query parameter.
    ///
    /// # Errors
    /// In the words of Kubernetes.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut parser = Parser {
            tokens: tokens(text),
            at: 0,
        };
        let mut requirements = parser.selector().map_err(SelectorError::new)?;
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Self { requirements })
    }

    /// Whether every object matches.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether these labels match.
    pub fn matches_labels(&self, labels: Option<&Map<String, Value>>) -> bool {
        self.requirements.iter().all(|requirement| {
            let label = labels
                .and_then(|labels| labels.get(&requirement.key))
                .and_then(Value::as_str);
            requirement.test.holds(label)
        })
    }

    /// Whether the labels of an object match.
    pub fn matches(&self, object: &Value) -> bool {
        self.matches_labels(object["metadata"]["labels"].as_object())
    }
}

impl Test {
    fn holds(&self, label: Option<&str>) -> bool {
        let number = label.and_then(|label| label.parse::<i64>().ok());
        match self {
            Test::Exists => label.is_some(),
            Test::Missing => label.is_none(),
            Test::In(values) => label.is_some_and(|label| values.contains(label)),
            Test::NotIn(values) => label.is_none_or(|label| !values.contains(label)),
            Test::Greater(bound) => number.is_some_and(|number| number > *bound),
            Test::Less(bound) => number.is_some_and(|number| number < *bound),
        }
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.at).copied().unwrap_or(Token::End)
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn selector(&mut self) -> Result<Vec<Requirement>, String> {
        let mut requirements = Vec::new();
        loop {
            match self.peek() {
                Token::Name(_) | Token::Word(_) | Token::Symbol("!") => {
                    let requirement = self.requirement();
                    requirements.push(
                        requirement
                            .map_err(|cause| format!("unable to parse requirement: {cause}"))?,
                    );
                }
                Token::End => return Ok(requirements),
                other => {
                    return Err(format!(
                        "found '{}', expected: !, identifier, or 'end of string'",
                        other.literal()
                    ));
                }
            }
            match self.take() {
                Token::End => return Ok(requirements),
                Token::Symbol(",") => {
                    let next = self.peek();
                    if !matches!(next, Token::Name(_) | Token::Word(_) | Token::Symbol("!")) {
                        return Err(format!(
                            "found '{}', expected: identifier after ','",
                            next.literal()
                        ));
                    }
                }
                other => {
                    return Err(format!(
                        "found '{}', expected: ',' or 'end of string'",
                        other.literal()
                    ));
                }
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.take();
        let missing = token == Token::Symbol("!");
        if missing {
            token = self.take();
        }
        let (Token::Name(key) | Token::Word(key)) = token else {
            return Err(format!("found '{}', expected: identifier", token.literal()));
        };
        check_key(key, "<nil>")?;
        let test = match self.peek() {
            _ if missing => Test::Missing,
            Token::End | Token::Symbol(",") => Test::Exists,
            _ => self.test(key)?,
        };
        Ok(Requirement {
            key: key.to_owned(),
            test,
        })
    }

    fn test(&mut self, key: &str) -> Result<Test, String> {
        let operator = self.take();
        Ok(match operator {
            Token::Word("in") => Test::In(self.values(key)?),
            Token::Word("notin") => Test::NotIn(self.values(key)?),
            Token::Symbol("=" | "==") => Test::In(self.exact(key)?),
            Token::Symbol("!=") => Test::NotIn(self.exact(key)?),
            Token::Symbol(">") => Test::Greater(self.bound(key)?),
            Token::Symbol("<") => Test::Less(self.bound(key)?),
            other => {
                return Err(format!(
                    "found '{}', expected: in, notin, =, ==, !=, gt, lt",
                    other.literal()
                ));
            }
        })
    }

    /// `(a,b,)`: names and empty texts.
    fn values(&mut self, key: &str) -> Result<BTreeSet<String>, String> {
        match self.take() {
            Token::Symbol("(") => {}
            other => return Err(format!("found '{}' expected: '('", other.literal())),
        }
        let mut values = BTreeSet::new();
        match self.peek() {
            Token::Symbol(")") => {
                self.take();
                values.insert(String::new());
                return Ok(values);
            }
            Token::Name(_) | Token::Word(_) | Token::Symbol(",") => self.names(&mut values)?,
            other => {
                return Err(format!(
                    "found '{}', expected: ',', ')' or identifier",
                    other.literal()
                ));
            }
        }
        check_values(key, &values)?;
        Ok(values)
    }

    fn names(&mut self, values: &mut BTreeSet<String>) -> Result<(), String> {
        loop {
            match self.take() {
                Token::Name(name) | Token::Word(name) => {
                    values.insert(name.to_owned());
                    match self.peek() {
                        Token::Symbol(",") => {}
                        Token::Symbol(")") => break,
                        other => {
                            return Err(format!(
                                "found '{}', expected: ',' or ')'",
                                other.literal()
                            ));
                        }
                    }
                }
                Token::Symbol(",") => {
                    let next = self.peek();
                    if values.is_empty() || matches!(next, Token::Symbol(")" | ",")) {
                        values.insert(String::new());
                    }
                    if next == Token::Symbol(")") {
                        break;
                    }
                }
                other => {
                    return Err(format!(
                        "found '{}', expected: ',', or identifier",
                        other.literal()
                    ));
                }
            }
        }
        self.take();
        Ok(())
    }

    fn exact(&mut self, key: &str) -> Result<BTreeSet<String>, String> {
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Ok(BTreeSet::from([String::new()]));
        }
        match self.take() {
            Token::Name(name) | Token::Word(name) => {
                let values = BTreeSet::from([name.to_owned()]);
                check_values(key, &values)?;
                Ok(values)
            }
            other => Err(format!("found '{}', expected: identifier", other.literal())),
        }
    }

    fn bound(&mut self, key: &str) -> Result<i64, String> {
        let values = self.exact(key)?;
        let value = values.first().map_or("", String::as_str);
        value.parse().map_err(|_| {
            let path = FieldPath::new("values");
            let detail = "for 'Gt', 'Lt' operators, the value must be an integer";
            FieldError::invalid(&path.index(0), value, detail).to_string()
        })
    }
}

fn check_key(key: &str, path: &str) -> Result<(), String> {
    let problems = names::validate_qualified_name(key);
    if problems.is_empty() {
        return Ok(());
    }
    Err(FieldError::invalid(&FieldPath::new(path), key, problems.join("; ")).to_string())
}

fn check_values(key: &str, values: &BTreeSet<String>) -> Result<(), String> {
    let path = FieldPath::new("values");
    let mut errors = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let problems = names::validate_label_value(value);
        if !problems.is_empty() {
            let path = path.index(index);
            errors.push(
                FieldError::invalid(&path.key(key), value.as_str(), problems.join("; "))
                    .to_string(),
            );
        }
    }
    match errors.as_slice() {
        [] => Ok(()),
        [only] => Err(only.clone()),
        errors => Err(format!("[{}]", errors.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::LabelSelector;

    #[test]
    fn every_operator_selects_as_in_kubernetes() {
        let pod = json!({ "metadata": { "labels": { "app": "web", "tier": "in", "n": "5", "empty": "" } } });
        for (selector, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web,n=5", true),
            ("app!=web", false),
            ("other!=x", true),
            ("app in (api, web)", true),
            ("app notin (api,web)", false),
            ("other notin (a)", true),
            ("tier in (in,notin)", true),
            ("app", true),
            ("!app", false),
            ("!other", true),
            ("n>4", true),
            ("n<5", false),
            ("app>1", false),
            ("empty=", true),
            ("empty in ()", true),
            ("empty in (a,)", true),
            ("app=,n", false),
        ] {
            let parsed = LabelSelector::parse(selector);
            assert_eq!(
                parsed.map(|parsed| parsed.matches(&pod)),
                Ok(expected),
                "{selector}"
            );
        }
    }

    #[test]
    fn refused_selectors_have_the_words_of_kubernetes() {
        for (selector, expected) in [
            ("a,,b", "found ',', expected: identifier after ','"),
            (
                "=a",
                "found '=', expected: !, identifier, or 'end of string'",
            ),
            (
                "a in b",
                "unable to parse requirement: found 'b' expected: '('",
            ),
            (
                "a in (b",
                "unable to parse requirement: found '', expected: ',' or ')'",
            ),
            (
                "a b",
                "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
            ),
            ("a=b=c", "found '=', expected: ',' or 'end of string'"),
            (
                "a>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": \
                 for 'Gt', 'Lt' operators, the value must be an integer",
            ),
            (
                "a=-b",
                "unable to parse requirement: values[0][a]: Invalid value: \"-b\": a valid label must be an empty \
                 string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
                 '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
            ),
        ] {
            let refused = LabelSelector::parse(selector).map_err(|error| error.to_string());
            assert_eq!(refused, Err(expected.to_owned()), "{selector}");
        }
    }
}
