//! Kubernetes' validators of literals, which run on a tree that is well typed
//! (cel-go `cel/validator.go`, `ext/formatting.go`).

use super::Reference;
use super::checker::Checker;
use crate::library::{
    Clause, clauses, compile_regex, format_clause_problem, parse_duration, parse_timestamp,
};
use crate::syntax::{Entry, ExprId, Issue, Kind, Literal};
use crate::types::Type;

impl Checker<'_> {
    /// Runs all validators on all expressions.
    pub(super) fn validate_literals(&mut self) {
        self.validate(self.tree.root, false);
    }

    /// Recursion follows the tree, whose depth is bounded.
    fn validate(&mut self, id: ExprId, in_format: bool) {
        match self.tree.kind(id) {
            Kind::Literal(_) | Kind::Ident(_) => {}
            Kind::Select { operand, .. } => self.validate(*operand, in_format),
            Kind::Call {
                function,
                target,
                args,
            } => {
                self.validate_call(id, function, *target, args);
                let in_format = in_format || function == "format";
                for inner in target.iter().chain(args) {
                    self.validate(*inner, in_format);
                }
            }
            Kind::List { elements } => {
                if !in_format {
                    let elements: Vec<_> = elements.iter().map(|e| (e.value, e.optional)).collect();
                    self.validate_same(&elements, true);
                }
                for element in elements {
                    self.validate(element.value, in_format);
                }
            }
            Kind::Map { entries } => self.validate_map(entries, in_format),
            Kind::Struct { fields, .. } => {
                for field in fields {
                    self.validate(field.value, in_format);
                }
            }
            Kind::Comprehension(fold) => {
                let parts = [
                    fold.range,
                    fold.init,
                    fold.condition,
                    fold.step,
                    fold.result,
                ];
                for part in parts {
                    self.validate(part, in_format);
                }
            }
        }
    }

    fn validate_map(&mut self, entries: &[Entry], in_format: bool) {
        if !in_format {
            let keys: Vec<_> = entries.iter().map(|e| (e.key, false)).collect();
            self.validate_same(&keys, false);
            let values: Vec<_> = entries.iter().map(|e| (e.value, e.optional)).collect();
            self.validate_same(&values, false);
        }
        for entry in entries {
            self.validate(entry.key, in_format);
            self.validate(entry.value, in_format);
        }
    }

    /// All parts of a literal have the same type, dynamic ones included.
    fn validate_same(&mut self, parts: &[(ExprId, bool)], only_first: bool) {
        let mut first: Option<Type> = None;
        for (id, optional) in parts {
            let of = self.type_of(*id);
            let of = match of.unwrap_optional() {
                Some(inner) if *optional => inner.clone(),
                _ => of,
            };
            match &first {
                None => first = Some(of),
                Some(expected) if *expected != of => {
                    let expected = expected.clone();
                    self.mismatch(*id, &expected, &of);
                    if only_first {
                        return;
                    }
                }
                Some(_) => {}
            }
        }
    }

    fn validate_call(
        &mut self,
        id: ExprId,
        function: &str,
        target: Option<ExprId>,
        args: &[ExprId],
    ) {
        if function == "format"
            && let Some(target) = target
        {
            return self.validate_format(id, target, args);
        }
        let Some(first) = args.first() else { return };
        let Kind::Literal(literal) = self.tree.kind(*first) else {
            return;
        };
        let good = match (function, literal) {
            ("matches", Literal::String(pattern)) => compile_regex(pattern).is_ok(),
            ("duration", Literal::String(text)) => parse_duration(text).is_some(),
            ("timestamp", Literal::String(text)) => parse_timestamp(text).is_some(),
            _ => true,
        };
        if !good {
            self.report(*first, format!("invalid {function} argument"));
        }
    }

    /// A constant text with a written-out list of arguments.
    fn validate_format(&mut self, id: ExprId, target: ExprId, args: &[ExprId]) {
        let Some(Reference::Function(_)) = &self.references[id.0 as usize] else {
            return;
        };
        let Kind::Literal(Literal::String(text)) = self.tree.kind(target) else {
            return;
        };
        let Some(Kind::List { elements }) = args.first().map(|arg| self.tree.kind(*arg)) else {
            return;
        };
        let mut next = 0;
        for clause in clauses(text) {
            let wants_argument = matches!(clause, Err(_) | Ok(Clause::Argument { .. }));
            if wants_argument && next >= elements.len() {
                // The checker finds the end of the list when it looks for the type.
                return self.report(id, format!("index {next} out of range"));
            }
            match clause {
                Err(reason) => return self.report(id, reason),
                Ok(Clause::Argument { kind, .. }) => {
                    let element = elements[next].value;
                    next += 1;
                    if let Some((at, reason)) = self.format_problem(kind, element) {
                        let position = self.tree.node(at).position;
                        let message = format!("error during formatting: {reason}");
                        return self.issues.push(Issue { position, message });
                    }
                }
                Ok(_) => {}
            }
        }
        let given = elements.len();
        if given > next {
            self.report(
                id,
                format!(
                    "too many arguments supplied to string.format (expected {next}, got {given})"
                ),
            );
        }
    }

    /// What is wrong with an argument, and which part of it.
    fn format_problem(&self, kind: char, element: ExprId) -> Option<(ExprId, String)> {
        let of = self.type_of(element);
        let good = match &of {
            Type::Dyn => true,
            Type::Int | Type::Uint => !matches!(kind, 'f' | 'e'),
            Type::Bool => matches!(kind, 's' | 'b'),
            Type::String => matches!(kind, 's' | 'f' | 'e' | 'x' | 'X'),
            Type::Bytes => matches!(kind, 's' | 'x' | 'X'),
            Type::Double => matches!(kind, 's' | 'f' | 'e'),
            Type::List(_)
            | Type::Map(_)
            | Type::Timestamp
            | Type::Duration
            | Type::Type(_)
            | Type::Null => kind == 's',
            _ => false,
        };
        if !good {
            return Some((element, format_clause_problem(kind, &type_name(&of))));
        }
        if kind != 's' {
            return None;
        }
        match self.tree.kind(element) {
            Kind::List { elements } => elements
                .iter()
                .find_map(|inner| self.format_problem(kind, inner.value)),
            Kind::Map { entries } => entries.iter().find_map(|entry| {
                self.format_problem(kind, entry.key)
                    .or_else(|| self.format_problem(kind, entry.value))
            }),
            _ => None,
        }
    }
}

/// The name without parameters.
fn type_name(of: &Type) -> String {
    let full = of.result_name();
    full.split('(').next().unwrap_or_default().to_owned()
}
