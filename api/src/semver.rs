//! Semantic versions, equal to what Kubernetes' CEL and DRA use.
//!
//! [`Semver::parse`] is `blang/semver` v4's strict `Parse`;
//! [`Semver::parse_normalized`] the rule behind CEL's `semver(x, true)`
//! (`k8s.io/apiserver/pkg/cel/library/semverlib.go`). Error texts are theirs.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// Why a text is no version; displays as Go's error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseSemverError {
    /// Nothing to parse.
    #[error("Version string empty")]
    Empty,
    /// Fewer than two dots.
    #[error("No Major.Minor.Patch elements found")]
    MissingElements,
    /// `1.2-rc1`: only full versions may have a pre-release or build part.
    #[error("short version cannot contain PreRelease/Build meta data")]
    ShortWithMetadata,
    /// Something else than digits in a number.
    #[error("Invalid character(s) found in {element} number {}", quote(.text))]
    InvalidNumber {
        /// `major`, `minor` or `patch`.
        element: &'static str,
        /// The number's text.
        text: String,
    },
    /// A number such as `01`.
    #[error("{} number must not contain leading zeroes {}", capitalize(.element), quote(.text))]
    LeadingZeroes {
        /// `major`, `minor` or `patch`.
        element: &'static str,
        /// The number's text.
        text: String,
    },
    /// A number with no digits.
    #[error("strconv.ParseUint: parsing {}: invalid syntax", quote(.0))]
    NoDigits(String),
    /// A number above 2^64 - 1.
    #[error("strconv.ParseUint: parsing {}: value out of range", quote(.0))]
    OutOfRange(String),
    /// `1.2.3-` or `1.2.3-a..b`
    #[error("Prerelease is empty")]
    EmptyPrerelease,
    /// A numeric pre-release part such as `01`.
    #[error("Numeric PreRelease version must not contain leading zeroes {}", quote(.0))]
    PrereleaseLeadingZeroes(String),
    /// Something else than letters, digits and `-`.
    #[error("Invalid character(s) found in prerelease {}", quote(.0))]
    InvalidPrerelease(String),
    /// `1.2.3+` or `1.2.3+a..b`
    #[error("Build meta data is empty")]
    EmptyBuild,
    /// Something else than letters, digits and `-`.
    #[error("Invalid character(s) found in build meta data {}", quote(.0))]
    InvalidBuild(String),
}

use crate::field::go_quote as quote;

fn capitalize(element: &str) -> String {
    let mut letters = element.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

/// One dot-separated part of a pre-release; numbers come before texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Prerelease {
    Number(u64),
    Text(Box<str>),
}

/// A version. Equality, order and hash are precedence: the build part does not
/// count.
#[derive(Clone, Debug)]
pub struct Semver {
    /// First number.
    pub major: u64,
    /// Second number.
    pub minor: u64,
    /// Third number.
    pub patch: u64,
    prerelease: Vec<Prerelease>,
    build: Option<Box<str>>,
}

impl Semver {
    /// Parses `MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD]`.
    pub fn parse(text: &str) -> Result<Self, ParseSemverError> {
        if text.is_empty() {
            return Err(ParseSemverError::Empty);
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(ParseSemverError::MissingElements);
        };
        let major = number("major", major)?;
        let minor = number("minor", minor)?;
        let (rest, build) = split_once(rest, '+');
        let (patch, prerelease) = split_once(rest, '-');
        let patch = number("patch", patch)?;
        let prerelease = match prerelease {
            Some(parts) => parts
                .split('.')
                .map(prerelease_part)
                .collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        build
            .iter()
            .flat_map(|parts| parts.split('.'))
            .try_for_each(check_build_part)?;
        Ok(Self {
            major,
            minor,
            patch,
            prerelease,
            build: build.map(Into::into),
        })
    }

    /// Parses leniently: drops one leading `v` and leading zeros of the three
    /// numbers, and adds missing numbers. `580.105.08` is `580.105.8`, `v12.2`
    /// is `12.2.0`.
    pub fn parse_normalized(text: &str) -> Result<Self, ParseSemverError> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = text.splitn(3, '.').map(without_leading_zeros).collect();
        if parts.len() < 3 {
            if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
                return Err(ParseSemverError::ShortWithMetadata);
            }
            parts.resize(3, "0".to_owned());
        }
        Self::parse(&parts.join("."))
    }
}

fn without_leading_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let trimmed = part.trim_start_matches('0');
    if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
        trimmed.to_owned()
    } else {
        format!("0{trimmed}")
    }
}

fn split_once(text: &str, at: char) -> (&str, Option<&str>) {
    match text.split_once(at) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn number(element: &'static str, text: &str) -> Result<u64, ParseSemverError> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let text = text.to_owned();
        return Err(ParseSemverError::InvalidNumber { element, text });
    }
    if has_leading_zeros(text) {
        let text = text.to_owned();
        return Err(ParseSemverError::LeadingZeroes { element, text });
    }
    digits(text)
}

fn digits(text: &str) -> Result<u64, ParseSemverError> {
    if text.is_empty() {
        return Err(ParseSemverError::NoDigits(text.to_owned()));
    }
    text.parse()
        .map_err(|_| ParseSemverError::OutOfRange(text.to_owned()))
}

fn has_leading_zeros(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn is_identifier(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn prerelease_part(text: &str) -> Result<Prerelease, ParseSemverError> {
    if text.is_empty() {
        return Err(ParseSemverError::EmptyPrerelease);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if has_leading_zeros(text) {
            return Err(ParseSemverError::PrereleaseLeadingZeroes(text.to_owned()));
        }
        return digits(text).map(Prerelease::Number);
    }
    if is_identifier(text) {
        Ok(Prerelease::Text(text.into()))
    } else {
        Err(ParseSemverError::InvalidPrerelease(text.to_owned()))
    }
}

fn check_build_part(text: &str) -> Result<(), ParseSemverError> {
    if text.is_empty() {
        Err(ParseSemverError::EmptyBuild)
    } else if is_identifier(text) {
        Ok(())
    } else {
        Err(ParseSemverError::InvalidBuild(text.to_owned()))
    }
}

impl FromStr for Semver {
    type Err = ParseSemverError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for Semver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (index, part) in self.prerelease.iter().enumerate() {
            formatter.write_str(if index == 0 { "-" } else { "." })?;
            match part {
                Prerelease::Number(number) => write!(formatter, "{number}")?,
                Prerelease::Text(text) => formatter.write_str(text)?,
            }
        }
        match &self.build {
            Some(build) => write!(formatter, "+{build}"),
            None => Ok(()),
        }
    }
}

impl Ord for Semver {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        // A version without pre-release comes after all of its pre-releases.
        numbers(self)
            .cmp(&numbers(other))
            .then_with(|| self.prerelease.is_empty().cmp(&other.prerelease.is_empty()))
            .then_with(|| self.prerelease.cmp(&other.prerelease))
    }
}

impl PartialOrd for Semver {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Semver {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Semver {}

impl Hash for Semver {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.major, self.minor, self.patch, &self.prerelease).hash(state);
    }
}
