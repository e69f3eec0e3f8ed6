//! Macros with two variables: index and element, or key and value (cel-go `ext/comprehensions.go`).

use cel::common::ast::IdedExpr;
use cel::parser::{Macro, MacroExprHelper};

use super::expand::{ACCUMULATOR, Builder, Expanded, Fold};
use super::macros::{MakeParts, Parts, map, quantify_all, quantify_exists, quantify_one};

/// The function that `transformMap` and `transformMapEntry` expand to.
const MAP_INSERT: &str = "cel.@mapInsert";

/// The macros of this file.
pub(super) fn all() -> Vec<Macro> {
    let two = |name: &str, count: usize, make: MakeParts| {
        Macro::receiver(name, count, move |h, t, a| two_variables(h, t, a, make))
    };
    vec![
        two("all", 3, quantify_all),
        two("exists", 3, quantify_exists),
        two("existsOne", 3, quantify_one),
        two("exists_one", 3, quantify_one),
        two("transformList", 3, map),
        two("transformList", 4, map),
        two("transformMap", 3, transform_map),
        two("transformMap", 4, transform_map),
        two("transformMapEntry", 3, transform_entry),
        two("transformMapEntry", 4, transform_entry),
    ]
}

fn two_variables(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
    make: MakeParts,
) -> Expanded {
    let mut build = Builder { helper };
    let mut args = std::mem::take(args);
    let rest = args.split_off(2);
    let simple = "argument must be a simple name";
    let first = build.simple_name(&args[0], simple)?;
    let second = build.simple_name(&args[1], simple)?;
    if first == second {
        let text = format!("duplicate variable name: {first}");
        return Err(build.helper.new_error(args[1].id, text));
    }
    let variable = build.variable(&args[0])?;
    let variable2 = Some(build.variable(&args[1])?);
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
        variable2,
        accumulator: ACCUMULATOR.to_owned(),
        init,
        condition,
        step,
        result,
    })))
}

fn transform_map(build: &mut Builder<'_, '_>, vars: &[IdedExpr], mut rest: Vec<IdedExpr>) -> Parts {
    let transform = rest.pop().unwrap_or_default();
    let key = match vars.first().map(|v| &v.expr) {
        Some(cel::common::ast::Expr::Ident(name)) => name.clone(),
        _ => String::new(),
    };
    let init = build.empty_map();
    let condition = build.bool(true);
    let accumulator = build.accumulator();
    let key = build.ident(&key);
    let insert = build.call(MAP_INSERT, vec![accumulator, key, transform]);
    let step = build.filtered(rest.pop(), insert);
    Parts {
        init,
        condition,
        step,
        result: build.accumulator(),
    }
}

fn transform_entry(build: &mut Builder<'_, '_>, _: &[IdedExpr], mut rest: Vec<IdedExpr>) -> Parts {
    let transform = rest.pop().unwrap_or_default();
    let init = build.empty_map();
    let condition = build.bool(true);
    let accumulator = build.accumulator();
    let insert = build.call(MAP_INSERT, vec![accumulator, transform]);
    let step = build.filtered(rest.pop(), insert);
    Parts {
        init,
        condition,
        step,
        result: build.accumulator(),
    }
}
