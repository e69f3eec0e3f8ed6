//! The pieces that macro expansions are built from.

use cel::common::ast::{
    CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue, MapExpr, operators,
};
use cel::parser::{MacroExprHelper, ParseError};

/// Name of the variable that a macro accumulates its result in.
pub(super) const ACCUMULATOR: &str = "@result";
/// The name that older versions used, still refused as a variable.
const OLD_ACCUMULATOR: &str = "__result__";
/// Iteration variable of an expansion that only binds a name.
const UNUSED: &str = "#unused";

pub(super) type Expanded = Result<Option<IdedExpr>, ParseError>;

/// Builds expressions at the place of the macro call, numbering them as cel-go does: arguments first.
pub(super) struct Builder<'h, 'p> {
    pub(super) helper: &'h mut MacroExprHelper<'p>,
}

/// What a comprehension is made of; the variables and the accumulator have names.
pub(super) struct Fold {
    pub(super) range: IdedExpr,
    pub(super) variable: String,
    pub(super) variable2: Option<String>,
    pub(super) accumulator: String,
    pub(super) init: IdedExpr,
    pub(super) condition: IdedExpr,
    pub(super) step: IdedExpr,
    pub(super) result: IdedExpr,
}

impl Builder<'_, '_> {
    pub(super) fn bool(&mut self, value: bool) -> IdedExpr {
        self.helper
            .next_expr(Expr::Literal(LiteralValue::Boolean(value.into())))
    }

    pub(super) fn int(&mut self, value: i64) -> IdedExpr {
        self.helper
            .next_expr(Expr::Literal(LiteralValue::Int(value.into())))
    }

    pub(super) fn ident(&mut self, name: &str) -> IdedExpr {
        self.helper.next_expr(Expr::Ident(name.to_owned()))
    }

    pub(super) fn accumulator(&mut self) -> IdedExpr {
        self.ident(ACCUMULATOR)
    }

    pub(super) fn list(&mut self, elements: Vec<IdedExpr>) -> IdedExpr {
        self.helper.next_expr(Expr::List(ListExpr::new(elements)))
    }

    pub(super) fn empty_map(&mut self) -> IdedExpr {
        self.helper.next_expr(Expr::Map(MapExpr {
            entries: Vec::new(),
        }))
    }

    pub(super) fn call(&mut self, function: &str, args: Vec<IdedExpr>) -> IdedExpr {
        self.helper.next_expr(Expr::Call(CallExpr {
            func_name: function.to_owned(),
            target: None,
            args,
        }))
    }

    pub(super) fn member(
        &mut self,
        function: &str,
        target: IdedExpr,
        args: Vec<IdedExpr>,
    ) -> IdedExpr {
        self.helper.next_expr(Expr::Call(CallExpr {
            func_name: function.to_owned(),
            target: Some(Box::new(target)),
            args,
        }))
    }

    pub(super) fn fold(&mut self, fold: Fold) -> IdedExpr {
        self.helper
            .next_expr(Expr::Comprehension(Box::new(ComprehensionExpr {
                iter_range: fold.range,
                iter_var: fold.variable,
                iter_var2: fold.variable2,
                accu_var: fold.accumulator,
                accu_init: fold.init,
                loop_cond: fold.condition,
                loop_step: fold.step,
                result: fold.result,
            })))
    }

    /// `cel.bind`: a fold over nothing whose accumulator is the bound name.
    pub(super) fn bind(&mut self, name: &str, init: IdedExpr, result: IdedExpr) -> IdedExpr {
        let range = self.list(Vec::new());
        let condition = self.bool(false);
        let step = self.ident(name);
        self.fold(Fold {
            range,
            variable: UNUSED.to_owned(),
            variable2: None,
            accumulator: name.to_owned(),
            init,
            condition,
            step,
            result,
        })
    }

    /// `accumulator + [element]`, under a filter if there is one.
    pub(super) fn append(&mut self, element: IdedExpr, filter: Option<IdedExpr>) -> IdedExpr {
        let accumulator = self.accumulator();
        let element = self.list(vec![element]);
        let step = self.call(operators::ADD, vec![accumulator, element]);
        self.filtered(filter, step)
    }

    /// `filter ? step : accumulator`.
    pub(super) fn filtered(&mut self, filter: Option<IdedExpr>, step: IdedExpr) -> IdedExpr {
        let Some(filter) = filter else { return step };
        let otherwise = self.accumulator();
        self.call(operators::CONDITIONAL, vec![filter, step, otherwise])
    }

    /// A fresh copy of an expression.
    pub(super) fn copy(&mut self, expr: &IdedExpr) -> IdedExpr {
        let copied = match &expr.expr {
            Expr::Call(call) => Expr::Call(CallExpr {
                func_name: call.func_name.clone(),
                target: call.target.as_deref().map(|t| Box::new(self.copy(t))),
                args: call.args.iter().map(|a| self.copy(a)).collect(),
            }),
            Expr::Select(select) => {
                let mut select = select.clone();
                *select.operand = self.copy(&select.operand);
                Expr::Select(select)
            }
            Expr::List(list) => Expr::List(ListExpr::new_with_optionals(
                list.elements.iter().map(|e| self.copy(e)).collect(),
                list.optional_indices.clone(),
            )),
            Expr::Comprehension(fold) => {
                let mut fold = fold.clone();
                fold.iter_range = self.copy(&fold.iter_range);
                fold.accu_init = self.copy(&fold.accu_init);
                fold.loop_cond = self.copy(&fold.loop_cond);
                fold.loop_step = self.copy(&fold.loop_step);
                fold.result = self.copy(&fold.result);
                Expr::Comprehension(fold)
            }
            // Maps and messages keep their numbers: only texts of rare errors show them.
            other => other.clone(),
        };
        self.helper.next_expr(copied)
    }

    /// The name of a variable, which must be simple and not the accumulator's.
    pub(super) fn variable(&mut self, expr: &IdedExpr) -> Result<String, ParseError> {
        let name = self.simple_name(expr, "argument must be a simple name")?;
        if name == ACCUMULATOR || name == OLD_ACCUMULATOR {
            let text = "iteration variable overwrites accumulator variable";
            return Err(self.helper.new_error(expr.id, text));
        }
        Ok(name)
    }

    pub(super) fn simple_name(
        &mut self,
        expr: &IdedExpr,
        text: &str,
    ) -> Result<String, ParseError> {
        match &expr.expr {
            Expr::Ident(name) => Ok(name.clone()),
            _ => Err(self.helper.new_error(expr.id, text)),
        }
    }
}
