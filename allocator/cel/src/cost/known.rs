//! What is known about an expression: its path, its size, the sizes of its entries.

use super::estimate::{Coster, Entries, Local, Operand};
use super::range::Range;
use super::sizes::{Path, Step, declared_size};
use crate::syntax::{ExprId, Kind, Literal};
use crate::types::Type;

impl Coster<'_> {
    pub(super) fn set_entries(&mut self, id: ExprId, entries: Option<Entries>) {
        if let Some(entries) = entries {
            self.entries.insert(id, entries);
        }
    }

    pub(super) fn operand(&mut self, id: ExprId) -> Operand {
        let mut path = self.path(id);
        if matches!(path.first(), Some(Step::Name(name)) if name == "@result" || name == "__result__")
        {
            path.clear();
        }
        Operand {
            id,
            path,
            of: self.type_of(id),
            size: self.size(id),
        }
    }

    pub(super) fn type_of(&self, id: ExprId) -> Type {
        self.checked.types[id.0 as usize].clone()
    }

    pub(super) fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    pub(super) fn path(&self, id: ExprId) -> Path {
        if let Kind::Ident(name) = self.tree.kind(id)
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&id).cloned().unwrap_or_default()
    }

    pub(super) fn size_or_unknown(&mut self, id: ExprId) -> Range {
        self.size(id).unwrap_or(Range::UNKNOWN)
    }

    pub(super) fn size(&mut self, id: ExprId) -> Option<Range> {
        if let Some(size) = self.sizes.get(&id) {
            return Some(*size);
        }
        if let Some(size) = written_size(self.tree.kind(id)) {
            return Some(Range::fixed(size));
        }
        if let Some(size) = declared_size(&self.path(id)) {
            self.sizes.insert(id, size);
            return Some(size);
        }
        if is_scalar(&self.checked.types[id.0 as usize]) {
            return Some(Range::ONE);
        }
        match self.tree.kind(id) {
            Kind::Ident(name) => self.local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    pub(super) fn entries_of(&self, id: ExprId) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&id) {
            return Some(*entries);
        }
        match self.tree.kind(id) {
            Kind::Ident(name) => self.local(name).and_then(|local| local.entries),
            _ => None,
        }
    }
}

/// The size of what is written out.
fn written_size(kind: &Kind) -> Option<u64> {
    let size = match kind {
        Kind::Literal(Literal::String(text)) => text.chars().count(),
        Kind::Literal(Literal::Bytes(bytes)) => bytes.len(),
        Kind::Literal(_) => 1,
        Kind::List { elements } => elements.len(),
        Kind::Map { entries } => entries.len(),
        _ => return None,
    };
    Some(size as u64)
}

fn is_scalar(of: &Type) -> bool {
    match of {
        Type::Bool | Type::Double | Type::Duration | Type::Int | Type::Timestamp | Type::Uint => {
            true
        }
        other => other.unwrap_optional().is_some_and(is_scalar),
    }
}
