//! What is wrong with a fleet file: everything at once, each with its place.

use std::fmt;

use crate::yaml::Position;

/// One problem of a fleet file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1; 0 when there is no file.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Path of the value, as `nodes[0].drivers[0].devices[0].capacity.memory`; empty for the document itself.
    pub path: String,
    /// What is wrong.
    pub text: String,
    /// What would be right, when that can be said.
    pub allowed: Option<String>,
}

impl Problem {
    pub(crate) fn new(at: Position, path: impl Into<String>, text: impl Into<String>) -> Self {
        let Position { line, column } = at;
        Self {
            line,
            column,
            path: path.into(),
            text: text.into(),
            allowed: None,
        }
    }

    pub(crate) fn allow(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.text)?;
        match &self.allowed {
            Some(allowed) => write!(f, " (allowed: {allowed})"),
            None => Ok(()),
        }
    }
}

/// Every problem of one fleet file, in the order of the file.
///
/// Its text has one line per problem, `file:line:column: path: what is wrong (allowed: …)`, as compilers print them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetErrors {
    /// Name of the file, as it was given.
    pub file: String,
    /// At least one problem.
    pub problems: Vec<Problem>,
}

impl FleetErrors {
    pub(crate) fn new(file: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by(|a, b| {
            (a.line, a.column, &a.path, &a.text).cmp(&(b.line, b.column, &b.path, &b.text))
        });
        problems.dedup();
        Self {
            file: file.to_owned(),
            problems,
        }
    }
}

impl fmt::Display for FleetErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            let Problem { line, column, .. } = problem;
            match line {
                0 => write!(f, "{}: {problem}", self.file)?,
                _ => write!(f, "{}:{line}:{column}: {problem}", self.file)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for FleetErrors {}
