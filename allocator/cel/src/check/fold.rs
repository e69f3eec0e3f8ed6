//! Lists, maps, messages and comprehensions.

use super::checker::Checker;
use crate::syntax::{Comprehension, Element, Entry, ExprId, Field};
use crate::types::{Type, most_general};

impl<'t> Checker<'t> {
    pub(super) fn list(&mut self, id: ExprId, elements: &[Element]) {
        let mut joined = None;
        for element in elements {
            self.expr(element.value);
            let of = self.element_type(element.value, element.optional);
            joined = Some(self.join(joined, of));
        }
        let element = joined.unwrap_or_else(|| self.substitutions.fresh());
        self.set_type(id, Type::list(element));
    }

    pub(super) fn map(&mut self, id: ExprId, entries: &[Entry]) {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            self.expr(entry.key);
            let of = self.type_of(entry.key);
            keys = Some(self.join(keys, of));
            self.expr(entry.value);
            let of = self.element_type(entry.value, entry.optional);
            values = Some(self.join(values, of));
        }
        let key = keys.unwrap_or_else(|| self.substitutions.fresh());
        let value = values.unwrap_or_else(|| self.substitutions.fresh());
        self.set_type(id, Type::map(key, value));
    }

    /// The type of an element; an optional element must have an optional type.
    fn element_type(&mut self, id: ExprId, optional: bool) -> Type {
        let of = self.type_of(id);
        if !optional {
            return of;
        }
        if let Some(inner) = of.unwrap_optional() {
            return inner.clone();
        }
        if !of.is_dyn() {
            self.mismatch(id, &Type::optional(of.clone()), &of);
        }
        of
    }

    /// The type of elements of two types; the validators report literals of mixed types later.
    fn join(&mut self, before: Option<Type>, of: Type) -> Type {
        let Some(before) = before else { return of };
        if self.substitutions.assignable(&before, &of) {
            return most_general(&before, &of).clone();
        }
        Type::Dyn
    }

    pub(super) fn message(&mut self, id: ExprId, name: &str, fields: &[Field]) {
        for field in fields {
            self.expr(field.value);
        }
        match self.lookup(name) {
            Some((Type::Type(Some(_)), _)) => {
                // No selector needs a message; drakit says so instead of evaluating it wrongly.
                self.set_type(id, Type::Error);
                self.report(
                    id,
                    format!("message construction is not emulated: '{name}'"),
                );
            }
            _ => self.undeclared(id, name),
        }
    }

    pub(super) fn fold(&mut self, id: ExprId, fold: &'t Comprehension) {
        self.expr(fold.range);
        self.expr(fold.init);
        let range = self.resolved(fold.range);
        let accumulator = self.type_of(fold.init);
        let depth = self.scopes.len();
        self.scoped(&fold.accumulator, accumulator.clone());
        let (first, second) = self.variable_types(fold, &range);
        self.scoped(&fold.variable, first);
        if let (Some(name), Some(of)) = (&fold.variable2, second) {
            self.scoped(name, of);
        }
        self.expr(fold.condition);
        self.assert_type(fold.condition, &Type::Bool);
        self.expr(fold.step);
        self.assert_type(fold.step, &accumulator);
        self.scopes.truncate(depth + 1);
        self.expr(fold.result);
        self.scopes.truncate(depth);
        let of = self.resolved(fold.result);
        self.set_type(id, of);
    }

    fn variable_types(&mut self, fold: &Comprehension, range: &Type) -> (Type, Option<Type>) {
        let two = fold.variable2.is_some();
        match range {
            Type::List(element) if two => (Type::Int, Some((**element).clone())),
            Type::List(element) => ((**element).clone(), None),
            Type::Map(pair) => (pair.0.clone(), two.then(|| pair.1.clone())),
            Type::Dyn | Type::Error | Type::Var(_) | Type::Param(_) => {
                self.substitutions.assignable(&Type::Dyn, range);
                (Type::Dyn, two.then_some(Type::Dyn))
            }
            other => {
                self.report(
                    fold.range,
                    format!("expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"),
                );
                (Type::Error, two.then_some(Type::Error))
            }
        }
    }

    fn assert_type(&mut self, id: ExprId, expected: &Type) {
        let of = self.type_of(id);
        if !self.substitutions.assignable(expected, &of) {
            self.mismatch(id, expected, &of);
        }
    }
}
