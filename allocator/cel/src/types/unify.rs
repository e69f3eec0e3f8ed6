//! Which types go together, and what that says about types still to be found out
//! (cel-go `checker/types.go`).

use std::collections::BTreeMap;

use super::Type;

/// What is known about type variables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Substitutions {
    bound: BTreeMap<u32, Type>,
    next: u32,
}

impl Substitutions {
    /// A type variable that nothing is known about.
    pub(crate) fn fresh(&mut self) -> Type {
        self.next += 1;
        Type::Var(self.next - 1)
    }

    /// Whether `from` can be used as `to`; learns what follows from that, or nothing when not.
    pub(crate) fn assignable(&mut self, from: &Type, to: &Type) -> bool {
        self.assignable_all(&[(from, to)])
    }

    /// Like [`Self::assignable`] for several pairs that must all fit.
    pub(crate) fn assignable_all(&mut self, pairs: &[(&Type, &Type)]) -> bool {
        let before = self.bound.clone();
        let fits = pairs.iter().all(|(from, to)| self.unify(from, to));
        if !fits {
            self.bound = before;
        }
        fits
    }

    /// Replaces what is known; what is not stays, or becomes dynamic.
    pub(crate) fn resolve(&self, of: &Type, unknown_is_dyn: bool) -> Type {
        let go = |inner: &Type| self.resolve(inner, unknown_is_dyn);
        match of {
            Type::Var(number) => match self.bound.get(number) {
                Some(known) => go(known),
                None if unknown_is_dyn => Type::Dyn,
                None => of.clone(),
            },
            Type::Param(_) if unknown_is_dyn => Type::Dyn,
            Type::List(element) => Type::list(go(element)),
            Type::Map(pair) => Type::map(go(&pair.0), go(&pair.1)),
            Type::Opaque(name, Some(inner)) => Type::Opaque(name.clone(), Some(go(inner).into())),
            Type::Type(Some(inner)) => Type::Type(Some(go(inner).into())),
            other => other.clone(),
        }
    }

    fn unify(&mut self, from: &Type, to: &Type) -> bool {
        if let Type::Var(number) = to {
            let (valid, bound) = self.bind(from, *number, to);
            if valid {
                return true;
            }
            if bound {
                return false;
            }
        }
        if let Type::Var(number) = from {
            return self.bind(to, *number, from).0;
        }
        if from.is_dyn_or_error() || to.is_dyn_or_error() {
            return true;
        }
        match (from, to) {
            (Type::Null, other) | (other, Type::Null) => nullable(other),
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(one), Type::List(other)) => self.unify(one, other),
            (Type::Map(one), Type::Map(other)) => {
                self.unify(&one.0, &other.0) && self.unify(&one.1, &other.1)
            }
            (Type::Opaque(one, a), Type::Opaque(other, b)) => match (a, b) {
                (Some(a), Some(b)) => one == other && self.unify(a, b),
                (None, None) => one == other,
                _ => false,
            },
            _ => from == to,
        }
    }

    /// Whether `of` fits the variable, and whether the variable was bound before.
    fn bind(&mut self, of: &Type, variable: u32, as_type: &Type) -> (bool, bool) {
        if of == as_type {
            return (true, true);
        }
        if let Some(known) = self.bound.get(&variable).cloned() {
            if *of == known {
                return (true, true);
            }
            if !self.unify(of, &known) {
                return (false, true);
            }
            let general = most_general(of, &known).clone();
            if !self.occurs(variable, &general) {
                self.bound.insert(variable, general);
            }
            return (true, true);
        }
        if self.occurs(variable, of) {
            return (false, false);
        }
        self.bound.insert(variable, of.clone());
        (true, false)
    }

    fn occurs(&self, variable: u32, within: &Type) -> bool {
        match within {
            Type::Var(number) => {
                *number == variable
                    || self
                        .bound
                        .get(number)
                        .is_some_and(|known| self.occurs(variable, known))
            }
            Type::List(inner) | Type::Opaque(_, Some(inner)) | Type::Type(Some(inner)) => {
                self.occurs(variable, inner)
            }
            Type::Map(pair) => self.occurs(variable, &pair.0) || self.occurs(variable, &pair.1),
            _ => false,
        }
    }
}

/// The more general of two types that go together.
pub(crate) fn most_general<'t>(one: &'t Type, other: &'t Type) -> &'t Type {
    if less_specific(one, other) {
        one
    } else {
        other
    }
}

fn nullable(of: &Type) -> bool {
    matches!(
        of,
        Type::Null
            | Type::Opaque(..)
            | Type::Object(_)
            | Type::Any
            | Type::Duration
            | Type::Timestamp
    )
}

fn less_specific(one: &Type, other: &Type) -> bool {
    let wild = |t: &Type| t.is_dyn() || matches!(t, Type::Var(_) | Type::Param(_));
    if wild(one) {
        return true;
    }
    if wild(other) {
        return false;
    }
    match (one, other) {
        (Type::List(a), Type::List(b)) => less_specific(a, b),
        (Type::Map(a), Type::Map(b)) => less_specific(&a.0, &b.0) && less_specific(&a.1, &b.1),
        (Type::Opaque(a, x), Type::Opaque(b, y)) => {
            a == b
                && match (x, y) {
                    (Some(x), Some(y)) => less_specific(x, y),
                    (None, None) => true,
                    _ => false,
                }
        }
        (Type::Type(_), Type::Type(_)) => true,
        _ => one == other,
    }
}
