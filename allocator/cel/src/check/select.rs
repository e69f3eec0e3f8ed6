//! Field selection, also the optional kind.

use super::checker::Checker;
use super::{Reference, Resolved};
use crate::syntax::{ExprId, Kind, Literal, Tree};
use crate::types::{Type, device_field_type, function};

impl Checker<'_> {
    pub(super) fn select(&mut self, id: ExprId, operand: ExprId, field: &str, test: bool) {
        if let Some(name) = qualified_name(self.tree, id)
            && let Some((of, reference)) = self.lookup(&name)
        {
            self.set_type(id, of);
            self.references[id.0 as usize] = Some(reference);
            return;
        }
        let mut of = self.select_field(id, operand, field, false);
        if test {
            of = Type::Bool;
        }
        let of = self.substitutions.resolve(&of, false);
        self.set_type(id, of);
    }

    /// `a.?b`, which the parser writes as a call with the field as a constant.
    pub(super) fn optional_select(&mut self, id: ExprId, args: &[ExprId]) {
        let &[operand, field] = args else { return };
        let Kind::Literal(Literal::String(name)) = self.tree.kind(field) else {
            return self.report(id, "unsupported optional field selection".to_owned());
        };
        let of = self.select_field(id, operand, name, true);
        let of = self.substitutions.resolve(&of, false);
        self.set_type(id, of);
        self.set_type(field, Type::String);
        self.references[id.0 as usize] = function("_?._", true).map(|function| {
            Reference::Function(Resolved {
                function,
                overloads: function.overloads.iter().collect(),
                namespaced: false,
            })
        });
    }

    fn select_field(&mut self, id: ExprId, operand: ExprId, field: &str, optional: bool) -> Type {
        self.expr(operand);
        let operand_type = self.resolved(operand);
        let inner = operand_type.unwrap_optional();
        let optional = optional || inner.is_some();
        let target = inner.unwrap_or(&operand_type);
        let result = match target {
            Type::Map(pair) => pair.1.clone(),
            Type::Object(name) => {
                let of = device_field_type(name, field, self.options);
                if of.is_none() {
                    self.report(id, format!("undefined field '{field}'"));
                }
                of.unwrap_or(Type::Error)
            }
            Type::Var(_) | Type::Param(_) => {
                self.substitutions.assignable(&Type::Dyn, target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    self.report(
                        id,
                        format!("type '{other}' does not support field selection"),
                    );
                }
                Type::Dyn
            }
        };
        if optional {
            Type::optional(result)
        } else {
            result
        }
    }
}

/// `a.b.c` as a name, when the expression is nothing else than that.
pub(super) fn qualified_name(tree: &Tree, id: ExprId) -> Option<String> {
    match tree.kind(id) {
        Kind::Ident(name) => Some(name.clone()),
        Kind::Select {
            operand,
            field,
            test: false,
        } => {
            let mut name = qualified_name(tree, *operand)?;
            name.push('.');
            name.push_str(field);
            Some(name)
        }
        _ => None,
    }
}
