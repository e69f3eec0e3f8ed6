//! The syntax tree that the rest of this crate works on: flat, with source positions.

/// Index of an expression in its [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ExprId(pub(crate) u32);

/// A parsed expression with all macros expanded.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    pub(crate) root: ExprId,
}

impl Tree {
    pub(crate) fn new(nodes: Vec<Node>, root: ExprId) -> Self {
        Self { nodes, root }
    }

    pub(crate) fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn kind(&self, id: ExprId) -> &Kind {
        &self.node(id).kind
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }
}

/// One expression.
#[derive(Debug)]
pub(crate) struct Node {
    /// The number that cel-go gives the expression; it shows up in a few error texts.
    pub(crate) number: u64,
    pub(crate) position: Position,
    pub(crate) kind: Kind,
}

/// Where an expression stands: line from 1, column from 0, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// What an expression is.
#[derive(Debug)]
pub(crate) enum Kind {
    Literal(Literal),
    Ident(String),
    Select {
        operand: ExprId,
        field: String,
        test: bool,
    },
    Call {
        function: String,
        target: Option<ExprId>,
        args: Vec<ExprId>,
    },
    List {
        elements: Vec<Element>,
    },
    Map {
        entries: Vec<Entry>,
    },
    Struct {
        name: String,
        fields: Vec<Field>,
    },
    Comprehension(Box<Comprehension>),
}

#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) value: ExprId,
    pub(crate) optional: bool,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: ExprId,
    pub(crate) value: ExprId,
    pub(crate) optional: bool,
}

/// A field of a message; its name does not matter, as messages are not emulated.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) value: ExprId,
}

#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) range: ExprId,
    pub(crate) variable: String,
    pub(crate) variable2: Option<String>,
    pub(crate) accumulator: String,
    pub(crate) init: ExprId,
    pub(crate) condition: ExprId,
    pub(crate) step: ExprId,
    pub(crate) result: ExprId,
}

/// A constant that is written out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
}
