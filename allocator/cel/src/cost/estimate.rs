//! The worst case (cel-go `checker/cost.go`).

use std::collections::BTreeMap;

use super::range::Range;
use super::sizes::{Path, Step};
use super::{LIST_CREATE, MAP_CREATE, STRUCT_CREATE};
use crate::check::{Checked, Reference};
use crate::syntax::{Comprehension, Entry, ExprId, Kind, Literal, Tree};
use crate::types::Type;

/// The worst-case cost of a checked expression.
pub(crate) fn estimate(tree: &Tree, checked: &Checked) -> u64 {
    let mut coster = Coster {
        tree,
        checked,
        paths: BTreeMap::new(),
        sizes: BTreeMap::new(),
        entries: BTreeMap::new(),
        locals: Vec::new(),
    };
    coster.cost(tree.root).max
}

/// The sizes of the keys and values in a list or map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries {
    is_list: bool,
    key: Range,
    value: Range,
}

impl Entries {
    pub(super) fn union(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (one, other) = (one?, other?);
        Some(Self {
            is_list: one.is_list,
            key: one.key.union(other.key),
            value: one.value.union(other.value),
        })
    }
}

#[derive(Debug, Clone)]
pub(super) struct Local {
    pub(super) name: String,
    pub(super) path: Path,
    pub(super) size: Option<Range>,
    pub(super) entries: Option<Entries>,
}

/// An expression as the cost of a call depends on it.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    pub(super) id: ExprId,
    pub(super) path: Path,
    pub(super) of: Type,
    pub(super) size: Option<Range>,
}

/// What a call costs, and how large its result is.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallEstimate {
    pub(super) cost: Range,
    pub(super) size: Option<Range>,
}

pub(super) struct Coster<'t> {
    pub(super) tree: &'t Tree,
    pub(super) checked: &'t Checked,
    pub(super) paths: BTreeMap<ExprId, Path>,
    pub(super) sizes: BTreeMap<ExprId, Range>,
    pub(super) entries: BTreeMap<ExprId, Entries>,
    pub(super) locals: Vec<Local>,
}

impl Coster<'_> {
    fn cost(&mut self, id: ExprId) -> Range {
        match self.tree.kind(id) {
            Kind::Literal(_) => Range::ZERO,
            Kind::Ident(name) => {
                let path = match self.local(name) {
                    Some(local) => local.path.clone(),
                    None => vec![Step::Name(name.clone())],
                };
                self.paths.insert(id, path);
                Range::ONE
            }
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
            Kind::List { elements } => {
                let mut sum = Range::ZERO;
                let mut value = if elements.is_empty() {
                    Range::ZERO
                } else {
                    Range {
                        min: u64::MAX,
                        max: 0,
                    }
                };
                for element in elements {
                    sum = sum.add(self.cost(element.value));
                    value = value.union(self.size_or_unknown(element.value));
                }
                let entries = Entries {
                    is_list: true,
                    key: Range::ONE,
                    value,
                };
                self.entries.insert(id, entries);
                sum.add(Range::fixed(LIST_CREATE))
            }
            Kind::Map { entries } => self.map(id, entries),
            Kind::Struct { fields, .. } => {
                let mut sum = Range::fixed(STRUCT_CREATE);
                for field in fields {
                    sum = sum.add(self.cost(field.value));
                }
                sum
            }
            Kind::Comprehension(fold) if self.is_bind(fold) => self.bind(id, fold),
            Kind::Comprehension(fold) => self.fold(id, fold),
        }
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &str, test: bool) -> Range {
        if matches!(
            self.checked.references[id.0 as usize],
            Some(Reference::Ident { is_type: true, .. })
        ) {
            return Range::ONE;
        }
        let mut sum = self.cost(operand);
        if test {
            // Kubernetes keeps has() free (`PresenceTestHasCost(false)`).
            return sum;
        }
        if matches!(
            self.type_of(operand),
            Type::Map(_) | Type::Object(_) | Type::Param(_)
        ) {
            sum = sum.add(Range::ONE);
        }
        let mut path = self.path(operand);
        path.push(Step::Name(field.to_owned()));
        self.paths.insert(id, path);
        sum
    }

    fn map(&mut self, id: ExprId, entries: &[Entry]) -> Range {
        let start = if entries.is_empty() {
            Range::ZERO
        } else {
            Range {
                min: u64::MAX,
                max: 0,
            }
        };
        let (mut key, mut value) = (start, start);
        let mut sum = Range::fixed(MAP_CREATE);
        for entry in entries {
            sum = sum.add(self.cost(entry.key));
            sum = sum.add(self.cost(entry.value));
            key = key.union(self.size_or_unknown(entry.key));
            value = value.union(self.size_or_unknown(entry.value));
        }
        self.entries.insert(
            id,
            Entries {
                is_list: false,
                key,
                value,
            },
        );
        sum
    }

    fn is_bind(&self, fold: &Comprehension) -> bool {
        let empty = matches!(
            self.tree.kind(fold.range),
            Kind::List { elements } if elements.is_empty()
        );
        let never = matches!(
            self.tree.kind(fold.condition),
            Kind::Literal(Literal::Bool(false))
        );
        empty && never && fold.accumulator != "__result__"
    }

    fn bind(&mut self, id: ExprId, fold: &Comprehension) -> Range {
        let sum = self.cost(fold.range).add(self.cost(fold.init));
        self.push_accumulator(fold);
        let sum = sum.add(self.cost(fold.result));
        if let Some(size) = self.size(fold.result) {
            self.sizes.insert(id, size);
        }
        if let Some(entries) = self.entries_of(fold.result) {
            self.entries.insert(id, entries);
        }
        self.locals.pop();
        sum
    }

    fn push_accumulator(&mut self, fold: &Comprehension) {
        let local = Local {
            name: fold.accumulator.clone(),
            path: self.path(fold.init),
            size: self.size(fold.init),
            entries: self.entries_of(fold.init),
        };
        self.locals.push(local);
    }

    fn fold(&mut self, id: ExprId, fold: &Comprehension) -> Range {
        let mut sum = self.cost(fold.range).add(self.cost(fold.init));
        self.push_accumulator(fold);
        let depth = self.locals.len();
        self.push_variables(fold);
        let round = self.cost(fold.condition).add(self.cost(fold.step));
        self.locals.truncate(depth);
        sum = sum.add(self.cost(fold.result));
        self.locals.pop();
        let count = self.size_or_unknown(fold.range);
        sum = sum.add(count.multiply(round));
        match self.tree.kind(fold.init) {
            Kind::Literal(_) => {
                if let Some(size) = self.size(fold.init) {
                    self.sizes.insert(id, size);
                }
            }
            Kind::List { .. } | Kind::Map { .. } => {
                self.sizes.insert(id, count);
                if let Some(entries) = self.entries_of(fold.step) {
                    self.entries.insert(id, entries);
                }
            }
            _ => {}
        }
        sum
    }

    fn push_variables(&mut self, fold: &Comprehension) {
        let entries = self.entries_of(fold.range);
        let is_list = match entries {
            Some(entries) => entries.is_list,
            None => matches!(self.type_of(fold.range), Type::List(_)),
        };
        let key = entries.map(|entries| entries.key);
        let value = entries.map(|entries| entries.value);
        let variables = match &fold.variable2 {
            None if is_list => vec![(&fold.variable, Step::Items, value)],
            None => vec![(&fold.variable, Step::Keys, key)],
            Some(second) if is_list => {
                vec![
                    (&fold.variable, Step::Indices, key),
                    (second, Step::Items, value),
                ]
            }
            Some(second) => vec![
                (&fold.variable, Step::Keys, key),
                (second, Step::Values, value),
            ],
        };
        for (name, step, size) in variables {
            let mut path = self.path(fold.range);
            path.push(step);
            self.locals.push(Local {
                name: name.clone(),
                path,
                size,
                entries: None,
            });
        }
    }

    fn call(
        &mut self,
        id: ExprId,
        function: &str,
        target: Option<ExprId>,
        args: &[ExprId],
    ) -> Range {
        let Some(Reference::Function(resolved)) = &self.checked.references[id.0 as usize] else {
            return Range::ZERO;
        };
        if function == "dyn"
            && let &[arg] = args
        {
            return self.same_as(id, arg);
        }
        let mut costs = Vec::with_capacity(args.len());
        let mut operands = Vec::with_capacity(args.len());
        for arg in args {
            costs.push(self.cost(*arg));
            operands.push(self.operand(*arg));
        }
        let target = target.filter(|_| !resolved.namespaced);
        let target_cost = target.map_or(Range::ZERO, |target| self.cost(target));
        let target = target.map(|target| self.operand(target));
        let mut cost = Range {
            min: u64::MAX,
            max: 0,
        };
        let mut size: Option<Range> = None;
        for overload in &resolved.overloads {
            let name = resolved.function.name;
            let one = self.function(id, name, overload.id, target.as_ref(), &operands, &costs);
            cost = cost.union(one.cost);
            size = match (size, one.size) {
                (Some(before), Some(now)) => Some(before.union(now)),
                (before, now) => before.or(now),
            };
            if let Some(first) = args.first()
                && matches!(overload.id, "index_list" | "index_map")
            {
                size = self.index(id, *first, overload.id == "index_list");
            }
            if size.is_none() {
                size = self.size(id);
            }
        }
        if let Some(size) = size {
            self.sizes.insert(id, size);
        }
        target_cost.add(cost)
    }

    /// `dyn(arg)`: everything that is known about the argument stays known.
    fn same_as(&mut self, id: ExprId, arg: ExprId) -> Range {
        let cost = self.cost(arg);
        if let Some(size) = self.size(arg) {
            self.sizes.insert(id, size);
        }
        self.set_entries(id, self.entries_of(arg));
        cost.add(Range::ONE)
    }

    /// Remembers the path of an element; gives its size.
    fn index(&mut self, id: ExprId, of: ExprId, is_list: bool) -> Option<Range> {
        let mut path = self.path(of);
        path.push(if is_list { Step::Items } else { Step::Values });
        self.paths.insert(id, path);
        self.entries_of(of).map(|entries| entries.value)
    }
}
