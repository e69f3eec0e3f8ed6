//! Strings.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A string that is borrowed or shared.
#[derive(Debug, Clone)]
pub(crate) enum Text<'a> {
    Borrowed(&'a str),
    Shared(Arc<str>),
}

impl Text<'_> {
    /// The number of code points, which is the size of a string in CEL.
    pub(crate) fn char_count(&self) -> usize {
        if self.is_ascii() {
            self.len()
        } else {
            self.chars().count()
        }
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
