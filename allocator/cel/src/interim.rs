//! Stand-ins for `drakit_api::{Quantity, Semver}` until they exist.

use std::fmt;

/// A resource quantity in nano units.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity(i128);

impl Quantity {
    /// Parses a quantity.
    pub fn parse(text: &str) -> Option<Self> {
        let split = text
            .find(|c: char| c.is_ascii_alphabetic())
            .unwrap_or(text.len());
        let number: i128 = text[..split].parse().ok()?;
        let factor: i128 = match &text[split..] {
            "" => 1,
            "k" => 1_000,
            "M" => 1_000_000,
            "G" => 1_000_000_000,
            "Ki" => 1 << 10,
            "Mi" => 1 << 20,
            "Gi" => 1 << 30,
            "Ti" => 1 << 40,
            "m" => return Some(Self(number * 1_000_000)),
            _ => return None,
        };
        Some(Self(number * factor * 1_000_000_000))
    }

    /// Nano units.
    pub fn nanos(&self) -> i128 {
        self.0
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 / 1_000_000_000)
    }
}

/// A semantic version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Semver {
    major: u64,
    minor: u64,
    patch: u64,
}

impl Semver {
    /// Parses a version.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|p| p.parse().ok());
        Some(Self {
            major: parts.next()??,
            minor: parts.next()??,
            patch: parts.next()??,
        })
    }
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
