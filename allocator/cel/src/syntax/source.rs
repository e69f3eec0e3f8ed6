//! The text of an expression, its lines, and how problems in it are shown.

use super::tree::Position;

/// A problem at a place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) position: Position,
    pub(crate) message: String,
}

/// Source text that can turn byte offsets into positions.
#[derive(Debug)]
pub(crate) struct Source<'s> {
    text: &'s str,
    line_starts: Vec<usize>,
}

/// cel-go stops listing problems after this many (`common/errors.go`).
const MAX_ISSUES: usize = 100;

impl<'s> Source<'s> {
    pub(crate) fn new(text: &'s str) -> Self {
        let mut line_starts = vec![0];
        line_starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { text, line_starts }
    }

    /// The position of a byte offset.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let byte = offset as usize;
        let line = self
            .line_starts
            .partition_point(|start| *start <= byte)
            .max(1);
        let start = self.line_starts[line - 1];
        let column = self
            .text
            .get(start..byte)
            .map_or(0, |before| before.chars().count());
        Position {
            line: narrow(line),
            column: narrow(column),
        }
    }

    /// The problems as cel-go prints them, sorted by place (`common/error.go`).
    pub(crate) fn display(&self, mut issues: Vec<Issue>) -> String {
        let left_out = issues.len().saturating_sub(MAX_ISSUES);
        issues.truncate(MAX_ISSUES);
        issues.sort_by_key(|issue| issue.position);
        let mut lines: Vec<String> = issues.iter().map(|issue| self.display_one(issue)).collect();
        if left_out > 0 {
            lines.push(format!("{left_out} more errors were truncated"));
        }
        lines.join("\n")
    }

    fn display_one(&self, issue: &Issue) -> String {
        let Position { line, column } = issue.position;
        let mut text = format!("ERROR: <input>:{line}:{}: {}", column + 1, issue.message);
        if self.text.is_empty() {
            return format!("ERROR: <input>:1:0: {}", issue.message);
        }
        let Some(snippet) = self.text.split('\n').nth(line.saturating_sub(1) as usize) else {
            return text;
        };
        let snippet = snippet.replace('\t', " ");
        text.push_str("\n | ");
        text.push_str(&snippet);
        text.push_str("\n | ");
        let mut chars = snippet.chars();
        for _ in 0..column {
            // Wide markers below wide characters keep the caret in place.
            let Some(above) = chars.next() else { break };
            text.push(if above.len_utf8() > 1 { '．' } else { '.' });
        }
        text.push(if chars.next().is_some_and(|c| c.len_utf8() > 1) {
            '＾'
        } else {
            '^'
        });
        text
    }
}

fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
