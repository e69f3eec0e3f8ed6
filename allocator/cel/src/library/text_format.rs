//! The clauses of `format` texts, which are checked at compile time and filled at run time.

/// A piece of a format text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Clause<'t> {
    Text(&'t str),
    Percent,
    Argument {
        kind: char,
        precision: Option<usize>,
    },
}

/// Splits a format text. Each problem is reported where it stands, after the clauses before it.
pub(crate) fn clauses(text: &str) -> impl Iterator<Item = Result<Clause<'_>, String>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(tail) = rest.strip_prefix('%') else {
            let at = rest.find('%').unwrap_or(rest.len());
            let (plain, tail) = rest.split_at(at);
            rest = tail;
            return Some(Ok(Clause::Text(plain)));
        };
        if let Some(tail) = tail.strip_prefix('%') {
            rest = tail;
            return Some(Ok(Clause::Percent));
        }
        let clause = argument(tail);
        rest = match &clause {
            Ok((_, tail)) => tail,
            Err(_) => "",
        };
        Some(clause.map(|(clause, _)| clause))
    })
}

fn argument(tail: &str) -> Result<(Clause<'_>, &str), String> {
    if tail.is_empty() {
        return Err("unexpected end of string".to_owned());
    }
    let (precision, tail) = match tail.strip_prefix('.') {
        None => (None, tail),
        Some(tail) => {
            let at = tail.find(|c: char| !c.is_ascii_digit());
            let wrap = |text: &str| {
                format!("could not parse formatting clause: error while parsing precision: {text}")
            };
            let Some(at) = at else {
                return Err(wrap("could not find end of precision specifier"));
            };
            let digits = &tail[..at];
            let precision = digits.parse().map_err(|_| {
                let reason = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
                wrap(&format!(
                    "error while converting precision to integer: strconv.Atoi: parsing {digits:?}: {reason}"
                ))
            })?;
            (Some(precision), &tail[at..])
        }
    };
    let mut chars = tail.chars();
    match chars.next() {
        Some(kind @ ('s' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o')) => {
            Ok((Clause::Argument { kind, precision }, chars.as_str()))
        }
        other => {
            let other = other.unwrap_or_default();
            Err(format!(
                "could not parse formatting clause: unrecognized formatting clause \"{other}\""
            ))
        }
    }
}
