//! The checker's state and the walk over all kinds of expressions.

use super::{Checked, Reference};
use crate::syntax::{ExprId, Issue, Kind, Literal, Source, Tree};
use crate::types::{Substitutions, Type, named_type};
use crate::{CompileError, Options};

/// Checks a tree, also whether its result is good for the purpose.
pub(crate) fn check(
    tree: &Tree,
    source: &Source<'_>,
    options: &Options,
    purpose: Purpose,
) -> Result<Checked, CompileError> {
    let mut checker = Checker {
        tree,
        options,
        types: vec![Type::Error; tree.len()],
        references: vec![None; tree.len()],
        scopes: Vec::new(),
        substitutions: Substitutions::default(),
        issues: Vec::new(),
    };
    checker.expr(tree.root);
    for index in 0..checker.types.len() {
        checker.types[index] = checker.substitutions.resolve(&checker.types[index], true);
    }
    if checker.issues.is_empty() {
        checker.validate_literals();
    }
    if !checker.issues.is_empty() {
        return Err(CompileError::Invalid(source.display(checker.issues)));
    }
    let result = checker.types[tree.root.0 as usize].clone();
    check_result(&result, options, purpose)?;
    Ok(Checked {
        types: checker.types,
        references: checker.references,
        result,
    })
}

/// What the result of an expression is used as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Whether a device matches.
    Selector,
    /// The value of an attribute.
    DerivedAttribute,
}

/// What an expression may evaluate to (`validateOutputType` in `compile.go`).
fn check_result(result: &Type, options: &Options, purpose: Purpose) -> Result<(), CompileError> {
    let scalar = |of: &Type| {
        matches!(
            of,
            Type::Bool | Type::Int | Type::String | Type::Any | Type::Dyn
        ) || *of == Type::object("kubernetes.Semver")
    };
    let lists = options.list_type_attributes;
    let derived = purpose == Purpose::DerivedAttribute;
    let good = if derived {
        scalar(result) || matches!(result, Type::List(element) if lists && scalar(element))
    } else {
        *result == Type::Bool || *result == crate::types::attribute_type(options)
    };
    if good {
        return Ok(());
    }
    let expected = match (derived, lists) {
        (false, _) => "bool or the unknown type",
        (true, false) => "a primitive scalar (string, integer, boolean, semver)",
        (true, true) => {
            "a primitive scalar (string, integer, boolean, semver) or a list of these scalars"
        }
    };
    Err(CompileError::ResultType {
        expected,
        found: result.result_name(),
    })
}

/// Collects types, references and problems.
pub(super) struct Checker<'t> {
    pub(super) tree: &'t Tree,
    pub(super) options: &'t Options,
    pub(super) types: Vec<Type>,
    pub(super) references: Vec<Option<Reference>>,
    /// Local variables, innermost last.
    pub(super) scopes: Vec<(&'t str, Type)>,
    pub(super) substitutions: Substitutions,
    pub(super) issues: Vec<Issue>,
}

impl<'t> Checker<'t> {
    pub(super) fn expr(&mut self, id: ExprId) {
        match self.tree.kind(id) {
            Kind::Literal(literal) => self.set_type(id, literal_type(literal)),
            Kind::Ident(name) => self.ident(id, name),
            Kind::Select {
                operand,
                field,
                test,
            } => self.select(id, *operand, field, *test),
            Kind::Call {
                function,
                target,
                args,
            } => self.call(id, function, *target, args),
            Kind::List { elements } => self.list(id, elements),
            Kind::Map { entries } => self.map(id, entries),
            Kind::Struct { name, fields } => self.message(id, name, fields),
            Kind::Comprehension(fold) => self.fold(id, fold),
        }
    }

    fn ident(&mut self, id: ExprId, name: &str) {
        match self.lookup(name) {
            Some((of, reference)) => {
                self.set_type(id, of);
                self.references[id.0 as usize] = Some(reference);
            }
            None => self.undeclared(id, name),
        }
    }

    /// The variable or type with this name, locals first.
    pub(super) fn lookup(&self, name: &str) -> Option<(Type, Reference)> {
        let local = self.scopes.iter().rev().find(|(local, _)| *local == name);
        if let Some((_, of)) = local {
            let reference = Reference::Ident {
                name: name.to_owned(),
                is_type: false,
            };
            return Some((of.clone(), reference));
        }
        let of = named_type(name)?;
        let is_type = matches!(of, Type::Type(_));
        let name = name.strip_prefix('.').unwrap_or(name).to_owned();
        Some((of, Reference::Ident { name, is_type }))
    }

    pub(super) fn undeclared(&mut self, id: ExprId, name: &str) {
        self.set_type(id, Type::Error);
        self.report(
            id,
            format!("undeclared reference to '{name}' (in container '')"),
        );
    }

    pub(super) fn report(&mut self, id: ExprId, message: String) {
        let position = self.tree.node(id).position;
        self.issues.push(Issue { position, message });
    }

    pub(super) fn mismatch(&mut self, id: ExprId, expected: &Type, found: &Type) {
        self.report(
            id,
            format!("expected type '{expected}' but found '{found}'"),
        );
    }

    pub(super) fn set_type(&mut self, id: ExprId, of: Type) {
        self.types[id.0 as usize] = of;
    }

    pub(super) fn type_of(&self, id: ExprId) -> Type {
        self.types[id.0 as usize].clone()
    }

    /// The type of an expression with all that is known by now.
    pub(super) fn resolved(&self, id: ExprId) -> Type {
        self.substitutions
            .resolve(&self.types[id.0 as usize], false)
    }

    pub(super) fn scoped(&mut self, name: &'t str, of: Type) {
        self.scopes.push((name, of));
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}
