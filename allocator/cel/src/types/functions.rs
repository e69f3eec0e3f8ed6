//! The functions of the environment, read once from a table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Type;

/// A function with its overloads, in the order that cel-go tries them.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) overloads: Vec<Overload>,
    /// How it is called when no single overload is known.
    pub(crate) binding: Binding,
}

/// One signature of a function.
#[derive(Debug)]
pub(crate) struct Overload {
    pub(crate) id: &'static str,
    pub(crate) member: bool,
    pub(crate) args: Vec<Type>,
    pub(crate) result: Type,
    /// `None`: the function is bound as a whole.
    pub(crate) binding: Option<Binding>,
}

/// How an implementation is called, which decides what is evaluated after an error, and what an
/// error says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Binding {
    /// Stops at the first argument with an error; otherwise all arguments are evaluated first.
    pub(crate) stops_early: bool,
    /// cel-go's bit for the trait that the first argument must have; 0 for none.
    pub(crate) operand_trait: u16,
    /// The types of the arguments are compared with the declaration first.
    pub(crate) guarded: bool,
}

/// Only declared under the gate for list attributes, for expressions that are not yet stored.
pub(crate) const INCLUDES: &str = "includes";

static FUNCTIONS: LazyLock<BTreeMap<&'static str, Function>> =
    LazyLock::new(|| read(include_str!("functions.tsv")));

/// The function with this name.
pub(crate) fn function(name: &str, list_type_attributes: bool) -> Option<&'static Function> {
    if name == INCLUDES && !list_type_attributes {
        return None;
    }
    FUNCTIONS.get(name)
}

fn read(table: &'static str) -> BTreeMap<&'static str, Function> {
    let mut functions = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, overload, binding)) = read_line(line) else {
            debug_assert!(false, "malformed line {line:?}");
            continue;
        };
        let function = functions.entry(name).or_insert_with(|| Function {
            name,
            overloads: Vec::new(),
            binding,
        });
        function.overloads.push(overload);
    }
    functions
}

fn read_line(line: &'static str) -> Option<(&'static str, Overload, Binding)> {
    let mut columns = line.split('\t');
    let name = columns.next()?;
    let id = columns.next()?;
    let member = columns.next()? == "m";
    let args = columns
        .next()?
        .split("; ")
        .filter(|text| !text.is_empty())
        .map(Type::parse)
        .collect::<Option<Vec<_>>>()?;
    let result = Type::parse(columns.next()?)?;
    let own = columns.next()?;
    let whole = columns.next()?;
    let binding = (own != "-").then(|| read_binding(own, true));
    // A function without bindings of its overloads has one implementation for all of them.
    let shared = read_binding(whole, own != "-");
    Some((
        name,
        Overload {
            id,
            member,
            args,
            result,
            binding,
        },
        shared,
    ))
}

fn read_binding(text: &str, guarded: bool) -> Binding {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let operand_trait = digits.parse().unwrap_or(0);
    Binding {
        stops_early: text == "f",
        operand_trait,
        guarded: guarded && operand_trait == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood() {
        let table = include_str!("functions.tsv");
        let lines = table.lines().filter(|line| !line.starts_with('#')).count();
        let overloads: usize = FUNCTIONS.values().map(|f| f.overloads.len()).sum();
        assert_eq!(overloads, lines);
    }
}
