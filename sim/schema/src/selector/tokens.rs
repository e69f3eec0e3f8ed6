//! A label selector's text as tokens.

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A key or a value.
    Name(&'a str),
    /// `in` and `notin`, which can be names, too.
    Word(&'a str),
    /// `=`, `==`, `!=`, `<`, `>`, `!`, `(`, `)`, `,`
    Symbol(&'a str),
    /// Symbols that mean nothing together; Kubernetes' lexer has a text for them.
    Unknown(&'a str),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// What error texts quote.
    pub(super) fn literal(self) -> String {
        match self {
            Token::Name(text) | Token::Word(text) | Token::Symbol(text) => text.to_owned(),
            Token::Unknown(text) => format!("error expected: keyword found '{text}'"),
            Token::End => String::new(),
        }
    }
}

const SYMBOLS: [char; 7] = ['=', '!', '(', ')', ',', '>', '<'];
const KNOWN: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

/// Splits a selector; the last token is [`Token::End`].
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = skip_space(text);
    while let Some(first) = rest.chars().next() {
        let length = if SYMBOLS.contains(&first) {
            let known = KNOWN.iter().find(|known| rest.starts_with(**known));
            known.map_or(first.len_utf8(), |known| known.len())
        } else {
            rest.find(|next: char| SYMBOLS.contains(&next) || is_space(next))
                .unwrap_or(rest.len())
        };
        let (token, after) = rest.split_at(length);
        found.push(match token {
            "in" | "notin" => Token::Word(token),
            token if KNOWN.contains(&token) => Token::Symbol(token),
            token if SYMBOLS.contains(&first) => Token::Unknown(token),
            token => Token::Name(token),
        });
        rest = skip_space(after);
    }
    found.push(Token::End);
    found
}

fn is_space(next: char) -> bool {
    matches!(next, ' ' | '\t' | '\r' | '\n')
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(is_space)
}
