//! Calls: which function, which overloads.

use super::checker::Checker;
use super::select::qualified_name;
use super::{Reference, Resolved};
use crate::syntax::ExprId;
use crate::types::{Function, Overload, Type, function};

impl Checker<'_> {
    pub(super) fn call(&mut self, id: ExprId, name: &str, target: Option<ExprId>, args: &[ExprId]) {
        if name == "_?._" {
            return self.optional_select(id, args);
        }
        for arg in args {
            self.expr(*arg);
        }
        let lists = self.options.list_type_attributes;
        let Some(target) = target else {
            let plain = name.strip_prefix('.').unwrap_or(name);
            return match function(plain, lists) {
                Some(found) => self.resolve(id, found, None, args, false),
                None => self.undeclared(id, name),
            };
        };
        if let Some(prefix) = qualified_name(self.tree, target)
            && let Some(found) =
                function(&format!("{}.{name}", prefix.trim_start_matches('.')), lists)
        {
            return self.resolve(id, found, None, args, true);
        }
        self.expr(target);
        match function(name, lists) {
            Some(found) => self.resolve(id, found, Some(target), args, false),
            None => self.undeclared(id, name),
        }
    }

    fn resolve(
        &mut self,
        id: ExprId,
        found: &'static Function,
        target: Option<ExprId>,
        args: &[ExprId],
        namespaced: bool,
    ) {
        let arg_types: Vec<Type> = target
            .iter()
            .chain(args)
            .map(|arg| self.type_of(*arg))
            .collect();
        let resolved = if matches!(found.name, "_&&_" | "_||_") {
            self.logical(found, args, &arg_types)
        } else {
            self.overloads(id, found, target.is_some(), &arg_types)
        };
        let Some((result, overloads)) = resolved else {
            return self.set_type(id, Type::Error);
        };
        self.set_type(id, result);
        let resolved = Resolved {
            function: found,
            overloads,
            namespaced,
        };
        self.references[id.0 as usize] = Some(Reference::Function(resolved));
    }

    /// `&&` and `||` report each operand on its own.
    fn logical(
        &mut self,
        found: &'static Function,
        args: &[ExprId],
        arg_types: &[Type],
    ) -> Option<(Type, Vec<&'static Overload>)> {
        let mut good = true;
        for (arg, of) in args.iter().zip(arg_types) {
            if !self.substitutions.assignable(of, &Type::Bool) {
                self.mismatch(*arg, &Type::Bool, of);
                good = false;
            }
        }
        good.then(|| (Type::Bool, found.overloads.iter().collect()))
    }

    fn overloads(
        &mut self,
        id: ExprId,
        found: &'static Function,
        member: bool,
        arg_types: &[Type],
    ) -> Option<(Type, Vec<&'static Overload>)> {
        let mut result: Option<Type> = None;
        let mut fitting = Vec::new();
        for overload in found.overloads.iter().filter(|o| o.member == member) {
            let (parameters, of) = self.instantiate(overload);
            if parameters.len() != arg_types.len() {
                continue;
            }
            let pairs: Vec<_> = arg_types.iter().zip(&parameters).collect();
            if !self.substitutions.assignable_all(&pairs) {
                continue;
            }
            fitting.push(overload);
            let of = self.substitutions.resolve(&of, false);
            match &result {
                None => result = Some(of),
                Some(before) if !before.is_dyn() && of != *before => result = Some(Type::Dyn),
                Some(_) => {}
            }
        }
        if result.is_none() {
            let signature = self.signature(arg_types, member);
            let name = found.name;
            self.report(
                id,
                format!("found no matching overload for '{name}' applied to '{signature}'"),
            );
        }
        result.map(|of| (of, fitting))
    }

    fn signature(&self, arg_types: &[Type], member: bool) -> String {
        let mut names = arg_types
            .iter()
            .map(|of| self.substitutions.resolve(of, true).to_string());
        let target = if member {
            names.next().map(|name| name + ".")
        } else {
            None
        };
        let args: Vec<String> = names.collect();
        format!("{}({})", target.unwrap_or_default(), args.join(", "))
    }

    /// Parameters and result with a fresh type variable for each type parameter.
    fn instantiate(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        let mut fresh: Vec<(String, Type)> = Vec::new();
        let args = overload
            .args
            .iter()
            .map(|of| self.replace(of, &mut fresh))
            .collect();
        let result = self.replace(&overload.result, &mut fresh);
        (args, result)
    }

    pub(super) fn replace(&mut self, of: &Type, fresh: &mut Vec<(String, Type)>) -> Type {
        match of {
            Type::Param(name) => {
                if let Some((_, known)) = fresh.iter().find(|(known, _)| known.as_str() == &**name)
                {
                    return known.clone();
                }
                let variable = self.substitutions.fresh();
                fresh.push((name.to_string(), variable.clone()));
                variable
            }
            Type::List(element) => Type::list(self.replace(element, fresh)),
            Type::Map(pair) => {
                let key = self.replace(&pair.0, fresh);
                Type::map(key, self.replace(&pair.1, fresh))
            }
            Type::Opaque(name, Some(inner)) => {
                Type::Opaque(name.clone(), Some(self.replace(inner, fresh).into()))
            }
            Type::Type(Some(inner)) => Type::Type(Some(self.replace(inner, fresh).into())),
            other => other.clone(),
        }
    }
}
