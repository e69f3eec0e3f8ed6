//! `optMap` and `optFlatMap` (cel-go `cel/library.go`).

use cel::common::ast::{IdedExpr, operators};
use cel::parser::{Macro, MacroExprHelper};

use super::expand::{Builder, Expanded};

/// The macros of this file.
pub(super) fn all() -> Vec<Macro> {
    vec![
        Macro::receiver("optMap", 2, |h, t, a| expand(h, t, a, true)),
        Macro::receiver("optFlatMap", 2, |h, t, a| expand(h, t, a, false)),
    ]
}

fn expand(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
    wrap: bool,
) -> Expanded {
    let target = target.take().unwrap_or_default();
    let result = args.pop().unwrap_or_default();
    let variable = args.pop().unwrap_or_default();
    let mut build = Builder { helper };
    let function = if wrap { "optMap" } else { "optFlatMap" };
    let text = format!("{function}() variable name must be a simple identifier");
    let name = build.simple_name(&variable, &text)?;
    let copy = build.copy(&target);
    let present = build.member("hasValue", target, Vec::new());
    let value = build.member("value", copy, Vec::new());
    let mut computed = build.bind(&name, value, result);
    if wrap {
        computed = build.call("optional.of", vec![computed]);
    }
    let none = build.call("optional.none", Vec::new());
    Ok(Some(build.call(
        operators::CONDITIONAL,
        vec![present, computed, none],
    )))
}
