//! Parsing within bounds: length, nesting, stack.

use std::sync::LazyLock;
use std::thread;

use cel::Env;
use cel::parser::{ParseError, ParseErrors};

use super::convert::{ConvertError, flatten};
use super::source::{Issue, Source};
use super::tree::{Position, Tree};
use super::{macros, macros_optional, macros_two};
use crate::{CompileError, Options};

/// How deep a tree may be. Checking, planning and evaluating recurse along the tree, so the bound
/// keeps all of them within a small thread stack, in a debug build too. cel-go refuses a tree of 251 to
/// 253 levels, depending on its shape.
const MAX_DEPTH: usize = 252;
/// cel-go's bound on nested grammar rules (`defaultMaxRecursionDepth` in `parser/options.go`).
const MAX_RULE_DEPTH: u16 = 250;
/// Stack for the parser, whose visitor recurses a few kilobytes deep for each operator in a chain.
const PARSER_STACK: usize = 256 << 20;
/// Expressions with fewer operators and brackets than this are parsed on the caller's stack.
const SMALL: usize = 24;

/// The parser's environment: macros and optional syntax, no functions.
static MACROS: LazyLock<Env> = LazyLock::new(|| {
    let mut env = Env::default();
    let all = [macros::all(), macros_two::all(), macros_optional::all()];
    for each in all.into_iter().flatten() {
        // Every macro is listed once, so that adding one cannot collide.
        let added = env.add_macro(each);
        debug_assert!(added.is_ok());
    }
    env
});

/// Parses an expression and expands its macros.
pub(crate) fn parse(source: &Source<'_>, text: &str) -> Result<Tree, CompileError> {
    if text.len() > Options::MAX_LENGTH {
        let limit = Options::MAX_LENGTH;
        let text = format!("expression is longer than {limit} bytes");
        return Err(CompileError::TooLarge(text));
    }
    if bracket_depth(text) > usize::from(MAX_RULE_DEPTH) {
        let limit = MAX_RULE_DEPTH;
        let text = format!("expression recursion limit exceeded: {limit}");
        return Err(CompileError::TooLarge(text));
    }
    let nesting = text
        .bytes()
        .filter(|b| b"()[]{}?+-*/%!<>=&|.".contains(b))
        .count();
    if nesting <= SMALL {
        return parse_here(source, text);
    }
    thread::scope(|scope| {
        let parser = thread::Builder::new()
            .name("cel-parser".to_owned())
            .stack_size(PARSER_STACK)
            .spawn_scoped(scope, || parse_here(source, text));
        match parser.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(CompileError::TooLarge("the parser gave up".to_owned())),
            Err(reason) => Err(CompileError::TooLarge(format!("start a parser: {reason}"))),
        }
    })
}

/// How deep brackets are nested, as far as that can be seen without parsing: a parser needs much time
/// to find out that thousands of brackets are too many. Brackets in texts may count as well.
fn bracket_depth(text: &str) -> usize {
    let mut depth: usize = 0;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn parse_here(source: &Source<'_>, text: &str) -> Result<Tree, CompileError> {
    let parser = MACROS
        .parser()
        .enable_ident_escape_syntax(true)
        .max_recursion_depth(MAX_RULE_DEPTH);
    let (root, info) = parser
        .parse_with_source_info(text)
        .map_err(|e| invalid(source, e))?;
    flatten(&root, &info, source, MAX_DEPTH).map_err(|reason| match reason {
        ConvertError::TooDeep => CompileError::TooLarge("max recursion depth exceeded".to_owned()),
        ConvertError::Unspecified => CompileError::TooLarge("expression is incomplete".to_owned()),
    })
}

fn invalid(source: &Source<'_>, errors: ParseErrors) -> CompileError {
    let is_syntax = |error: &ParseError| error.msg.starts_with("Syntax error");
    let only_syntax = errors.errors.iter().any(is_syntax);
    // The tree walk of the crate reports the holes that a syntax error left; cel-go's does not.
    let incomplete =
        |error: &ParseError| error.msg.starts_with("Incomplete") || error.msg.starts_with("No `");
    let errors = errors.errors.into_iter();
    let issues = errors
        .filter(|e| !(only_syntax && incomplete(e)))
        .map(issue)
        .collect();
    CompileError::Invalid(source.display(issues))
}

/// Operators that can always follow an expression.
const FOLLOWING: &str = "'==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', '.', '-', ";

/// Where a closing token is missing, cel-go's parser names only that token; the crate's also names
/// everything that could have continued the expression.
fn without_operators(message: String) -> String {
    let Some((start, expected)) = message.split_once(" expecting {") else {
        return message;
    };
    let Some(expected) = expected.strip_suffix('}') else {
        return message;
    };
    if !expected.contains(FOLLOWING) {
        return message;
    }
    let closing = ["<EOF>", "':'", "')'", "']'", "'}'"];
    let closers: Vec<&str> = expected
        .split(", ")
        .filter(|token| closing.contains(token))
        .collect();
    match closers.as_slice() {
        [only] => format!("{start} expecting {only}"),
        _ => message,
    }
}

fn issue(error: ParseError) -> Issue {
    let (line, column) = error.pos;
    let column = u32::try_from(column.saturating_sub(1)).unwrap_or(0);
    Issue {
        position: Position {
            line: u32::try_from(line).unwrap_or(1),
            column,
        },
        message: without_operators(error.msg),
    }
}
