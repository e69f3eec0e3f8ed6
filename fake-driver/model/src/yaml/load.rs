//! Text to tree, without recursion, with limits on depth and size.

use std::collections::{BTreeMap, BTreeSet};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};

use super::{Entry, Node, Position, Value};
use crate::fleet::Problem;

/// A fleet needs about ten levels; the limit keeps hostile nesting off the stack.
const MAX_DEPTH: usize = 64;
/// Aliases copy their anchor: the limit on copied values stops an alias bomb.
const MAX_COPIES: usize = 200_000;

/// Reads exactly one document.
///
/// # Errors
/// Every problem of form: a scan error ends the reading, duplicate keys and tags are collected.
pub(crate) fn load(text: &str) -> Result<Node, Vec<Problem>> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                builder.problems.push(scan_problem(&error));
                return Err(builder.problems);
            }
        };
        if let Err(fatal) = builder.event(event, span) {
            builder.problems.push(fatal);
            return Err(builder.problems);
        }
    }
    match builder.root {
        Some(root) if builder.problems.is_empty() => Ok(root),
        Some(_) => Err(builder.problems),
        None => {
            let at = Position { line: 1, column: 1 };
            builder
                .problems
                .push(Problem::new(at, "", "the file is empty"));
            Err(builder.problems)
        }
    }
}

fn position(mark: Marker) -> Position {
    Position {
        line: mark.line(),
        column: mark.col() + 1,
    }
}

fn scan_problem(error: &ScanError) -> Problem {
    Problem::new(
        position(*error.marker()),
        "",
        format!("broken YAML: {}", error.info()),
    )
}

/// A collection that is still open.
enum Open {
    List {
        at: Position,
        anchor: usize,
        items: Vec<Node>,
    },
    Map {
        at: Position,
        anchor: usize,
        entries: Vec<Entry>,
        keys: BTreeSet<String>,
        key: Option<(Position, String)>,
    },
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    copies: usize,
    documents: usize,
    root: Option<Node>,
    problems: Vec<Problem>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let at = position(span.start);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(
                        Problem::new(at, "", "a second YAML document").allow("one Fleet per file")
                    );
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let forced = self.tag(at, tag.as_deref());
                let quoted = forced || style != ScalarStyle::Plain;
                let value = Value::Scalar {
                    text: text.into_owned(),
                    quoted,
                };
                self.finish(Node { at, value }, anchor)?;
            }
            Event::SequenceStart(anchor, tag) => {
                self.tag(at, tag.as_deref());
                self.open(
                    at,
                    Open::List {
                        at,
                        anchor,
                        items: Vec::new(),
                    },
                )?;
            }
            Event::MappingStart(anchor, tag) => {
                self.tag(at, tag.as_deref());
                let (entries, keys) = (Vec::new(), BTreeSet::new());
                self.open(
                    at,
                    Open::Map {
                        at,
                        anchor,
                        entries,
                        keys,
                        key: None,
                    },
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(at)?,
            Event::Alias(anchor) => self.alias(at, anchor)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn close(&mut self, at: Position) -> Result<(), Problem> {
        match self.open.pop() {
            Some(Open::List { at, anchor, items }) => self.finish(
                Node {
                    at,
                    value: Value::List(items),
                },
                anchor,
            ),
            Some(Open::Map {
                at,
                anchor,
                entries,
                ..
            }) => {
                let value = Value::Map(self.merge(entries));
                self.finish(Node { at, value }, anchor)
            }
            None => Err(Problem::new(at, "", "broken YAML: unbalanced collection")),
        }
    }

    fn alias(&mut self, at: Position, anchor: usize) -> Result<(), Problem> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(Problem::new(
                at,
                "",
                "alias of an anchor that is not complete yet",
            ));
        };
        self.copies += count(node);
        if self.copies > MAX_COPIES {
            let text = format!("aliases copy more than {MAX_COPIES} values");
            return Err(Problem::new(at, "", text));
        }
        let mut node = node.clone();
        // Problems in a shared table are reported where the table stands.
        if matches!(node.value, Value::Scalar { .. }) {
            node.at = at;
        }
        self.finish(node, 0)
    }

    fn open(&mut self, at: Position, open: Open) -> Result<(), Problem> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Problem::new(
                at,
                "",
                format!("nested deeper than {MAX_DEPTH} levels"),
            ));
        }
        self.open.push(open);
        Ok(())
    }

    /// Whether the tag makes a string; any other tag is a problem.
    fn tag(&mut self, at: Position, tag: Option<&Tag>) -> bool {
        match tag {
            None => false,
            Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => true,
            Some(tag) => {
                self.problems.push(
                    Problem::new(
                        at,
                        "",
                        format!("tag {}{} is not supported", tag.handle, tag.suffix),
                    )
                    .allow("!!str"),
                );
                false
            }
        }
    }

    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map {
                entries, keys, key, ..
            }) => {
                if let Some((at, key)) = key.take() {
                    entries.push(Entry {
                        at,
                        key,
                        value: node,
                    });
                    return Ok(());
                }
                let Value::Scalar { text, .. } = node.value else {
                    return Err(Problem::new(node.at, "", "a map key must be a plain text"));
                };
                if !keys.insert(text.clone()) {
                    let text = format!("duplicate key {text:?}");
                    self.problems.push(Problem::new(node.at, "", text));
                }
                *key = Some((node.at, text));
            }
        }
        Ok(())
    }

    /// Merge keys (`<<: *base`): what the map itself says wins, then the first base that has the key.
    fn merge(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        if !entries.iter().any(|entry| entry.key == "<<") {
            return entries;
        }
        let (bases, mut own): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.key == "<<");
        let mut keys: BTreeSet<String> = own.iter().map(|entry| entry.key.clone()).collect();
        for base in bases {
            let maps = match base.value.value {
                Value::List(items) => items,
                _ => vec![base.value],
            };
            for map in maps {
                match map.value {
                    Value::Map(inherited) => {
                        own.extend(
                            inherited
                                .into_iter()
                                .filter(|entry| keys.insert(entry.key.clone())),
                        );
                    }
                    other => {
                        let text = format!("`<<` merges maps, not {}", other.describe());
                        self.problems.push(Problem::new(map.at, "", text));
                    }
                }
            }
        }
        own
    }
}

fn count(node: &Node) -> usize {
    1 + match &node.value {
        Value::Scalar { .. } => 0,
        Value::List(items) => items.iter().map(count).sum(),
        Value::Map(entries) => entries.iter().map(|entry| count(&entry.value)).sum(),
    }
}
