//! Kubernetes' `url` library, with the rules of Go's `net/url.ParseRequestURI`.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use super::Outcome;
use crate::EvalError;
use crate::plan::Call;
use crate::value::{Map, Value};

/// A URL in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    scheme: String,
    user: Option<String>,
    host: String,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
    opaque: bool,
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if !self.opaque && (!self.host.is_empty() || self.user.is_some()) {
            f.write_str("//")?;
            if let Some(user) = &self.user {
                write!(f, "{user}@")?;
            }
        }
        write!(f, "{}{}", self.host, self.path)?;
        if let Some(query) = &self.query {
            write!(f, "?{query}")?;
        }
        if let Some(fragment) = &self.fragment {
            write!(f, "#{fragment}")?;
        }
        Ok(())
    }
}

/// Why a text is no request URI, as Go says it.
pub(super) fn parse(text: &str) -> Result<Url, String> {
    let problem = |reason: &str| format!("parse {text:?}: {reason}");
    if text.bytes().any(|b| b < 0x20 || b == 0x7f) {
        return Err(problem("net/url: invalid control character in URL"));
    }
    if text.is_empty() {
        return Err(problem("empty url"));
    }
    let (scheme, rest) = split_scheme(text).map_err(&problem)?;
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment.to_owned())),
        None => (rest, None),
    };
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query.to_owned())),
        None => (rest, None),
    };
    let empty = String::new;
    if !rest.starts_with('/') {
        if scheme.is_empty() {
            return Err(problem("invalid URI for request"));
        }
        let (host, path) = (empty(), rest.to_owned());
        return Ok(Url {
            scheme,
            user: None,
            host,
            path,
            query,
            fragment,
            opaque: true,
        });
    }
    let authority = if scheme.is_empty() {
        None
    } else {
        rest.strip_prefix("//")
    };
    let Some(authority) = authority else {
        let path = rest.to_owned();
        check_escapes(&path).map_err(&problem)?;
        return Ok(Url {
            scheme,
            user: None,
            host: empty(),
            path,
            query,
            fragment,
            opaque: false,
        });
    };
    let at = authority.find('/').unwrap_or(authority.len());
    let (authority, path) = authority.split_at(at);
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user.to_owned()), host),
        None => (None, authority),
    };
    check_host(host).map_err(|reason| problem(&reason))?;
    check_escapes(path).map_err(&problem)?;
    let (host, path) = (host.to_owned(), path.to_owned());
    Ok(Url {
        scheme,
        user,
        host,
        path,
        query,
        fragment,
        opaque: false,
    })
}

fn split_scheme(text: &str) -> Result<(String, &str), &'static str> {
    for (at, each) in text.char_indices() {
        match each {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme"),
            ':' => return Ok((text[..at].to_ascii_lowercase(), &text[at + 1..])),
            _ => return Ok((String::new(), text)),
        }
    }
    Ok((String::new(), text))
}

fn check_host(host: &str) -> Result<(), String> {
    let port = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((_, port)) => port,
            None => return Err("missing ']' in host".to_owned()),
        },
        None => match host.rfind(':') {
            Some(at) => &host[at..],
            None => "",
        },
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("invalid port {port:?} after host"));
    }
    match host.chars().find(|c| {
        matches!(
            c,
            ' ' | '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}' | '\\'
        )
    }) {
        Some(bad) => Err(format!(
            "invalid character {:?} in host name",
            bad.to_string()
        )),
        None => Ok(()),
    }
}

fn check_escapes(path: &str) -> Result<(), &'static str> {
    let bytes = path.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        let hex = |offset: usize| bytes.get(at + offset).is_some_and(u8::is_ascii_hexdigit);
        if *byte == b'%' && !(hex(1) && hex(2)) {
            return Err("invalid URL escape");
        }
    }
    Ok(())
}

pub(super) fn url<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => match parse(text) {
            Ok(url) => Ok(Value::Url(Arc::new(url))),
            Err(reason) => Err(EvalError::other(format!(
                "URL parse error during conversion from string: {reason}"
            ))),
        },
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn is_url<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => Ok(Value::Bool(parse(text).is_ok())),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn only<'v>(args: &'v [Value<'_>]) -> Result<&'v Url, EvalError> {
    match args {
        [Value::Url(url)] => Ok(url),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn scheme<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::string(only(args)?.scheme.as_str()))
}

pub(super) fn host<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::string(only(args)?.host.as_str()))
}

/// Host and port; brackets belong to neither.
fn split_host(host: &str) -> (&str, &str) {
    if let Some((name, rest)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (name, rest.strip_prefix(':').unwrap_or_default());
    }
    host.rsplit_once(':').unwrap_or((host, ""))
}

pub(super) fn hostname<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::string(split_host(&only(args)?.host).0))
}

pub(super) fn port<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::string(split_host(&only(args)?.host).1))
}

pub(super) fn escaped_path<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let url = only(args)?;
    if url.opaque {
        return Ok(Value::text(""));
    }
    let mut escaped = String::with_capacity(url.path.len());
    for byte in url.path.bytes() {
        let keep = byte.is_ascii_alphanumeric() || b"-._~$&+,/:;=@%!'()*[]".contains(&byte);
        if keep {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    Ok(Value::string(escaped))
}

pub(super) fn query<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let url = only(args)?;
    let mut entries: Vec<(String, Vec<Value<'a>>)> = Vec::new();
    for pair in url.query.as_deref().unwrap_or_default().split('&') {
        if pair.is_empty() || pair.contains(';') {
            continue;
        }
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(key), Some(value)) = (unescape(key), unescape(value)) else {
            continue;
        };
        let value = Value::string(value);
        match entries.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => entries.push((key, vec![value])),
        }
    }
    let entries = entries
        .into_iter()
        .map(|(key, values)| (Value::string(key), Value::list(values)));
    Ok(Value::Map(Map::from_entries(entries.collect())))
}

/// Decodes a part of a query; `None` when an escape is broken.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &tail[2..];
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok()
}
