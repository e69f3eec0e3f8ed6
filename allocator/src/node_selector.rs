//! Node selectors, checked once and matched often
//! (`k8s.io/component-helpers/scheduling/corev1/nodeaffinity`).

use std::fmt::Write as _;

use drakit_api::names;
use k8s_openapi::api::core::v1::{Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm};

/// A node selector, or what is wrong with it.
#[derive(Debug, Clone)]
pub(crate) struct CompiledSelector {
    terms: Result<Vec<Term>, String>,
}

#[derive(Debug, Clone)]
struct Term {
    labels: Vec<Requirement>,
    fields: Vec<Requirement>,
}

#[derive(Debug, Clone)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Debug, Clone)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
    Greater(i64),
    Less(i64),
}

impl CompiledSelector {
    pub(crate) fn new(selector: &NodeSelector) -> Self {
        let mut terms = Vec::new();
        let mut errors = Vec::new();
        for (index, term) in selector.node_selector_terms.iter().enumerate() {
            let labels = term.match_expressions.as_deref().unwrap_or_default();
            let fields = term.match_fields.as_deref().unwrap_or_default();
            // An empty term selects nothing.
            if labels.is_empty() && fields.is_empty() {
                continue;
            }
            let path = format!("nodeSelectorTerms[{index}]");
            terms.push(Term {
                labels: labels_of(labels, &path, &mut errors),
                fields: fields_of(fields, &path, &mut errors),
            });
        }
        let terms = match errors.as_slice() {
            [] => Ok(terms),
            errors => Err(format!(
                "failed to parse node selector {}: {}",
                go_text(selector),
                aggregate(errors)
            )),
        };
        Self { terms }
    }

    /// Whether any term matches the node.
    pub(crate) fn matches(&self, node: &Node) -> Result<bool, &str> {
        let terms = self.terms.as_ref().map_err(String::as_str)?;
        Ok(terms.iter().any(|term| term.matches(node)))
    }
}

impl Term {
    fn matches(&self, node: &Node) -> bool {
        let labels = node.metadata.labels.as_ref();
        let name = node.metadata.name.as_deref().unwrap_or_default();
        let field = |key: &str| (key == "metadata.name").then_some(name);
        self.labels.iter().all(|requirement| {
            let value = labels.and_then(|labels| labels.get(&requirement.key));
            requirement.test.accepts(value.map(String::as_str))
        }) && (name.is_empty()
            || self.fields.iter().all(|requirement| {
                // A field that nodes do not have reads as empty.
                requirement
                    .test
                    .accepts(Some(field(&requirement.key).unwrap_or_default()))
            }))
    }
}

impl Test {
    fn accepts(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => value.is_some_and(|value| values.iter().any(|v| v == value)),
            Self::NotIn(values) => value.is_none_or(|value| values.iter().all(|v| v != value)),
            Self::Exists => value.is_some(),
            Self::DoesNotExist => value.is_none(),
            Self::Greater(bound) => number().is_some_and(|number| number > *bound),
            Self::Less(bound) => number().is_some_and(|number| number < *bound),
        }
    }
}

fn labels_of(
    requirements: &[NodeSelectorRequirement],
    path: &str,
    errors: &mut Vec<String>,
) -> Vec<Requirement> {
    let mut result = Vec::with_capacity(requirements.len());
    for (index, requirement) in requirements.iter().enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        match label_test(requirement, &path) {
            Ok(test) => result.push(Requirement {
                key: requirement.key.clone(),
                test,
            }),
            Err(problems) => errors.extend(problems),
        }
    }
    result
}

/// `labels.NewRequirement`, which reports the key, the values and then each value.
fn label_test(requirement: &NodeSelectorRequirement, path: &str) -> Result<Test, Vec<String>> {
    let key = requirement.key.as_str();
    let values = requirement.values.as_deref().unwrap_or_default();
    let mut errors = Vec::new();
    let mut invalid = |field: &str, value: &str, detail: &str| {
        errors.push(format!("{path}.{field}: Invalid value: {value}: {detail}"));
    };
    let quoted = |text: &str| format!("{text:?}");

    let operator = requirement.operator.as_str();
    if !matches!(
        operator,
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt"
    ) {
        return Err(vec![unsupported_operator(
            path,
            operator,
            r#""In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt""#,
        )]);
    }
    let problems = names::validate_qualified_name(key);
    if !problems.is_empty() {
        invalid("key", &quoted(key), &problems.join("; "));
    }
    let mut bound = 0;
    match operator {
        "In" | "NotIn" if values.is_empty() => invalid(
            "values",
            "[]",
            "for 'in', 'notin' operators, values set can't be empty",
        ),
        "Exists" | "DoesNotExist" if !values.is_empty() => invalid(
            "values",
            &go_strings(values),
            "values set must be empty for exists and does not exist",
        ),
        "Gt" | "Lt" => {
            if values.len() != 1 {
                let detail = "for 'Gt', 'Lt' operators, exactly one value is required";
                invalid("values", &go_strings(values), detail);
            }
            for (index, value) in values.iter().enumerate() {
                match value.parse() {
                    Ok(number) => bound = number,
                    Err(_) => invalid(
                        &format!("values[{index}]"),
                        &quoted(value),
                        "for 'Gt', 'Lt' operators, the value must be an integer",
                    ),
                }
            }
        }
        _ => {}
    }
    for (index, value) in values.iter().enumerate() {
        let problems = names::validate_label_value(value);
        if !problems.is_empty() {
            let field = format!("values[{index}][{key}]");
            invalid(&field, &quoted(value), &problems.join("; "));
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(match operator {
        "In" => Test::In(values.to_vec()),
        "NotIn" => Test::NotIn(values.to_vec()),
        "Exists" => Test::Exists,
        "DoesNotExist" => Test::DoesNotExist,
        "Gt" => Test::Greater(bound),
        _ => Test::Less(bound),
    })
}

fn unsupported_operator(path: &str, operator: &str, supported: &str) -> String {
    format!("{path}.operator: Unsupported value: {operator:?}: supported values: {supported}")
}

fn fields_of(
    requirements: &[NodeSelectorRequirement],
    path: &str,
    errors: &mut Vec<String>,
) -> Vec<Requirement> {
    let mut result = Vec::with_capacity(requirements.len());
    for (index, requirement) in requirements.iter().enumerate() {
        let path = format!("{path}.matchFields[{index}]");
        let values = requirement.values.clone().unwrap_or_default();
        let test = match requirement.operator.as_str() {
            "In" | "NotIn" if values.len() != 1 => Err(format!(
                "{path}.values: Invalid value: {}: must have one element",
                go_strings(&values)
            )),
            "In" => Ok(Test::In(values)),
            "NotIn" => Ok(Test::NotIn(values)),
            operator => Err(unsupported_operator(&path, operator, r#""In", "NotIn""#)),
        };
        match test {
            Ok(test) => result.push(Requirement {
                key: requirement.key.clone(),
                test,
            }),
            Err(error) => errors.push(error),
        }
    }
    result
}

/// Several errors in one text, as Go's `errors.Aggregate` prints them.
fn aggregate(errors: &[String]) -> String {
    match errors {
        [error] => error.clone(),
        errors => {
            let mut unique: Vec<&str> = Vec::with_capacity(errors.len());
            for error in errors {
                if !unique.contains(&error.as_str()) {
                    unique.push(error);
                }
            }
            format!("[{}]", unique.join(", "))
        }
    }
}

fn go_strings(values: &[String]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    format!("[{}]", quoted.join(","))
}

/// A selector as Go's generated `String()` prints it.
fn go_text(selector: &NodeSelector) -> String {
    let mut text = String::from("&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{");
    for term in &selector.node_selector_terms {
        push_term(&mut text, term);
    }
    text.push_str("},}");
    text
}

fn push_term(text: &mut String, term: &NodeSelectorTerm) {
    text.push_str("NodeSelectorTerm{");
    for (field, requirements) in [
        ("MatchExpressions", &term.match_expressions),
        ("MatchFields", &term.match_fields),
    ] {
        // Writing to a String cannot fail.
        let _ = write!(text, "{field}:[]NodeSelectorRequirement{{");
        for requirement in requirements.iter().flatten() {
            let values = requirement.values.as_deref().unwrap_or_default().join(" ");
            let _ = write!(
                text,
                "NodeSelectorRequirement{{Key:{},Operator:{},Values:[{values}],}},",
                requirement.key, requirement.operator
            );
        }
        text.push_str("},");
    }
    text.push_str("},");
}
