//! What commands print: text for people, JSON and YAML for programs.

use std::io::{ErrorKind, IsTerminal, Write};

use anyhow::Context;
use comfy_table::{Table, presets};
use serde::Serialize;

/// `-o` of commands that print objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Columns for people.
    Table,
    /// YAML documents.
    Yaml,
    /// One JSON document.
    Json,
}

/// The reader of our output went away (`drakit render | head`): that is its choice, and no failure.
#[derive(Debug)]
pub(crate) struct ReaderGone;

impl std::fmt::Display for ReaderGone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("nobody reads the output any more")
    }
}

impl std::error::Error for ReaderGone {}

/// Writes to standard output.
///
/// # Errors
/// [`ReaderGone`], or what the system says.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(ReaderGone.into()),
        other => other.context("write to standard output"),
    }
}

/// Pretty JSON with a final newline.
pub(crate) fn json<T: Serialize>(value: &T) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value).context("write JSON")? + "\n")
}

/// One YAML document.
pub(crate) fn yaml<T: Serialize>(value: &T) -> anyhow::Result<String> {
    serde_saphyr::to_string(value).context("write YAML")
}

/// Columns without lines, as kubectl prints them.
pub(crate) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// `ok` and `FAILED`, in colour on a terminal.
pub(crate) fn verdict(passed: bool) -> &'static str {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    match (passed, colour) {
        (true, true) => "\u{1b}[32mok\u{1b}[0m",
        (true, false) => "ok",
        (false, true) => "\u{1b}[31mFAILED\u{1b}[0m",
        (false, false) => "FAILED",
    }
}
