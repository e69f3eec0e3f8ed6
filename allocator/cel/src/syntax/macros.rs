//! The standard macros with one variable, `has` and `cel.bind` (cel-go `parser/macro.go`, `ext/bindings.go`).

use cel::common::ast::{Expr, IdedExpr, operators};
use cel::parser::{Macro, MacroExprHelper, ParseError};

use super::expand::{ACCUMULATOR, Builder, Expanded, Fold};

/// The macros of this file.
pub(super) fn all() -> Vec<Macro> {
    vec![
        Macro::global("has", 1, has),
        Macro::receiver("all", 2, |h, t, a| one_variable(h, t, a, quantify_all)),
        Macro::receiver("exists", 2, |h, t, a| {
            one_variable(h, t, a, quantify_exists)
        }),
        Macro::receiver("exists_one", 2, |h, t, a| {
            one_variable(h, t, a, quantify_one)
        }),
        Macro::receiver("map", 2, |h, t, a| one_variable(h, t, a, map)),
        Macro::receiver("map", 3, |h, t, a| one_variable(h, t, a, map)),
        Macro::receiver("filter", 2, |h, t, a| one_variable(h, t, a, filter)),
        Macro::receiver("bind", 3, bind),
        Macro::receiver("sortBy", 2, sort_by),
    ]
}

/// How a macro starts, goes on, steps and ends.
pub(super) struct Parts {
    pub(super) init: IdedExpr,
    pub(super) condition: IdedExpr,
    pub(super) step: IdedExpr,
    pub(super) result: IdedExpr,
}

/// Builds the parts of a macro from its arguments after the variables; the variables are given too.
pub(super) type MakeParts = fn(&mut Builder<'_, '_>, &[IdedExpr], Vec<IdedExpr>) -> Parts;

fn one_variable(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
    make: MakeParts,
) -> Expanded {
    let mut build = Builder { helper };
    let mut args = std::mem::take(args);
    let rest = args.split_off(1);
    let variable = build.variable(&args[0])?;
    let Parts {
        init,
        condition,
        step,
        result,
    } = make(&mut build, &args, rest);
    let range = target.take().unwrap_or_default();
    Ok(Some(build.fold(Fold {
        range,
        variable,
        variable2: None,
        accumulator: ACCUMULATOR.to_owned(),
        init,
        condition,
        step,
        result,
    })))
}

pub(super) fn quantify_all(
    build: &mut Builder<'_, '_>,
    _: &[IdedExpr],
    rest: Vec<IdedExpr>,
) -> Parts {
    let init = build.bool(true);
    let accumulator = build.accumulator();
    let condition = build.call(operators::NOT_STRICTLY_FALSE, vec![accumulator]);
    let mut terms = vec![build.accumulator()];
    terms.extend(rest);
    let step = build.call(operators::LOGICAL_AND, terms);
    Parts {
        init,
        condition,
        step,
        result: build.accumulator(),
    }
}

pub(super) fn quantify_exists(
    build: &mut Builder<'_, '_>,
    _: &[IdedExpr],
    rest: Vec<IdedExpr>,
) -> Parts {
    let init = build.bool(false);
    let accumulator = build.accumulator();
    let not = build.call(operators::LOGICAL_NOT, vec![accumulator]);
    let condition = build.call(operators::NOT_STRICTLY_FALSE, vec![not]);
    let mut terms = vec![build.accumulator()];
    terms.extend(rest);
    let step = build.call(operators::LOGICAL_OR, terms);
    Parts {
        init,
        condition,
        step,
        result: build.accumulator(),
    }
}

pub(super) fn quantify_one(
    build: &mut Builder<'_, '_>,
    _: &[IdedExpr],
    rest: Vec<IdedExpr>,
) -> Parts {
    let init = build.int(0);
    let condition = build.bool(true);
    let accumulator = build.accumulator();
    let one = build.int(1);
    let mut terms = rest;
    terms.push(build.call(operators::ADD, vec![accumulator, one]));
    terms.push(build.accumulator());
    let step = build.call(operators::CONDITIONAL, terms);
    let accumulator = build.accumulator();
    let one = build.int(1);
    let result = build.call(operators::EQUALS, vec![accumulator, one]);
    Parts {
        init,
        condition,
        step,
        result,
    }
}

/// `map(v, transform)` and `map(v, filter, transform)`; also `transformList`.
pub(super) fn map(build: &mut Builder<'_, '_>, _: &[IdedExpr], mut rest: Vec<IdedExpr>) -> Parts {
    let transform = rest.pop().unwrap_or_default();
    let init = build.list(Vec::new());
    let condition = build.bool(true);
    let step = build.append(transform, rest.pop());
    Parts {
        init,
        condition,
        step,
        result: build.accumulator(),
    }
}

fn filter(build: &mut Builder<'_, '_>, vars: &[IdedExpr], mut rest: Vec<IdedExpr>) -> Parts {
    let init = build.list(Vec::new());
    let condition = build.bool(true);
    let element = vars.first().cloned().unwrap_or_default();
    let step = build.append(element, rest.pop());
    Parts {
        init,
        condition,
        step,
        result: build.accumulator(),
    }
}

fn has(
    helper: &mut MacroExprHelper<'_>,
    _: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
) -> Expanded {
    let argument = args.pop().unwrap_or_default();
    match argument.expr {
        Expr::Select(mut select) if !select.test => {
            select.test = true;
            Ok(Some(helper.next_expr(Expr::Select(select))))
        }
        _ => Err(helper.new_error(argument.id, "invalid argument to has() macro")),
    }
}

fn bind(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
) -> Expanded {
    if !matches!(target.as_ref().map(|t| &t.expr), Some(Expr::Ident(name)) if name == "cel") {
        return Ok(None);
    }
    let mut args = std::mem::take(args).into_iter();
    let mut next = || args.next().unwrap_or_default();
    let (variable, init, result) = (next(), next(), next());
    let mut build = Builder { helper };
    let text = "cel.bind() variable names must be simple identifiers";
    let name = build.simple_name(&variable, text)?;
    Ok(Some(build.bind(&name, init, result)))
}

/// `sortBy(e, key)`: bind the list, map it to keys, sort by them (cel-go `ext/lists.go`).
fn sort_by(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
) -> Expanded {
    const INPUT: &str = "@__sortBy_input__";
    let list = target.take().unwrap_or_default();
    let mut build = Builder { helper };
    if !can_be_a_list(&list.expr) {
        let text = "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
        return Err(build.helper.new_error(list.id, text));
    }
    let mut range = Some(build.ident(INPUT));
    let mut keys_args = std::mem::take(args);
    let keys = map_of(&mut build, &mut range, &mut keys_args)?;
    let input = build.ident(INPUT);
    let sorted = build.member("@sortByAssociatedKeys", input, vec![keys]);
    Ok(Some(build.bind(INPUT, list, sorted)))
}

fn can_be_a_list(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::List(_) | Expr::Select(_) | Expr::Ident(_) | Expr::Comprehension(_) | Expr::Call(_)
    )
}

fn map_of(
    build: &mut Builder<'_, '_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
) -> Result<IdedExpr, ParseError> {
    one_variable(build.helper, target, args, map).map(Option::unwrap_or_default)
}
