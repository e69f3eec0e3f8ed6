//! From the parser's boxed tree to the flat one.

use cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue, SourceInfo};

use super::source::Source;
use super::tree::{Comprehension, Element, Entry, ExprId, Field, Kind, Literal, Node, Tree};

/// Why a tree cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ConvertError {
    /// Nested more deeply than can be evaluated on any thread's stack.
    TooDeep,
    /// A node that a parser never leaves in a tree it calls good.
    Unspecified,
}

/// Flattens a parsed tree. Recursion is bounded by `max_depth`.
pub(super) fn flatten(
    root: &IdedExpr,
    info: &SourceInfo,
    source: &Source<'_>,
    max_depth: usize,
) -> Result<Tree, ConvertError> {
    let mut converter = Converter {
        nodes: Vec::new(),
        info,
        source,
        depth: max_depth,
    };
    let root = converter.expr(root)?;
    Ok(Tree::new(converter.nodes, root))
}

struct Converter<'s> {
    nodes: Vec<Node>,
    info: &'s SourceInfo,
    source: &'s Source<'s>,
    depth: usize,
}

impl Converter<'_> {
    fn expr(&mut self, expr: &IdedExpr) -> Result<ExprId, ConvertError> {
        self.depth = self.depth.checked_sub(1).ok_or(ConvertError::TooDeep)?;
        let kind = self.kind(expr)?;
        self.depth += 1;
        let position = self.source.position(self.offset(expr.id));
        let id = ExprId(u32::try_from(self.nodes.len()).map_err(|_| ConvertError::TooDeep)?);
        self.nodes.push(Node {
            number: expr.id,
            position,
            kind,
        });
        Ok(id)
    }

    fn offset(&self, number: u64) -> u32 {
        self.info.offset_for(number).map_or(0, |(start, _)| start)
    }

    fn kind(&mut self, expr: &IdedExpr) -> Result<Kind, ConvertError> {
        Ok(match &expr.expr {
            Expr::Unspecified => return Err(ConvertError::Unspecified),
            Expr::Literal(literal) => Kind::Literal(convert_literal(literal)),
            Expr::Ident(name) => Kind::Ident(name.clone()),
            Expr::Select(select) => Kind::Select {
                operand: self.expr(&select.operand)?,
                field: select.field.clone(),
                test: select.test,
            },
            Expr::Call(call) => {
                let target = call.target.as_deref().map(|t| self.expr(t)).transpose()?;
                let args = call
                    .args
                    .iter()
                    .map(|a| self.expr(a))
                    .collect::<Result<_, _>>()?;
                Kind::Call {
                    function: call.func_name.clone(),
                    target,
                    args,
                }
            }
            Expr::List(list) => {
                let mut elements = Vec::with_capacity(list.elements.len());
                for (index, element) in list.elements.iter().enumerate() {
                    let value = self.expr(element)?;
                    let optional = list.optional_indices.contains(&index);
                    elements.push(Element { value, optional });
                }
                Kind::List { elements }
            }
            Expr::Map(map) => {
                let mut entries = Vec::with_capacity(map.entries.len());
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else {
                        return Err(ConvertError::Unspecified);
                    };
                    let key = self.expr(&entry.key)?;
                    let value = self.expr(&entry.value)?;
                    entries.push(Entry {
                        key,
                        value,
                        optional: entry.optional,
                    });
                }
                Kind::Map { entries }
            }
            Expr::Struct(message) => self.message(message)?,
            Expr::Comprehension(fold) => Kind::Comprehension(Box::new(Comprehension {
                range: self.expr(&fold.iter_range)?,
                variable: fold.iter_var.clone(),
                variable2: fold.iter_var2.clone(),
                accumulator: fold.accu_var.clone(),
                init: self.expr(&fold.accu_init)?,
                condition: self.expr(&fold.loop_cond)?,
                step: self.expr(&fold.loop_step)?,
                result: self.expr(&fold.result)?,
            })),
        })
    }

    fn message(&mut self, message: &cel::common::ast::StructExpr) -> Result<Kind, ConvertError> {
        let mut fields = Vec::with_capacity(message.entries.len());
        for entry in &message.entries {
            let EntryExpr::StructField(field) = &entry.expr else {
                return Err(ConvertError::Unspecified);
            };
            fields.push(Field {
                value: self.expr(&field.value)?,
            });
        }
        Ok(Kind::Struct {
            name: message.type_name.clone(),
            fields,
        })
    }
}

fn convert_literal(literal: &LiteralValue) -> Literal {
    match literal {
        LiteralValue::Null => Literal::Null,
        LiteralValue::Boolean(value) => Literal::Bool(*value.inner()),
        LiteralValue::Int(value) => Literal::Int(*value.inner()),
        LiteralValue::UInt(value) => Literal::Uint(*value.inner()),
        LiteralValue::Double(value) => Literal::Double(*value.inner()),
        LiteralValue::String(value) => Literal::String(value.inner().to_owned()),
        LiteralValue::Bytes(value) => Literal::Bytes(value.inner().to_vec()),
    }
}
