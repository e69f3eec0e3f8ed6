//! Quantities, until drakit-api has them.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{AddAssign, SubAssign};

/// A quantity in nano units with the format it was written in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quantity {
    nanos: i128,
    format: Format,
}

/// How a quantity is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Decimal,
    Binary,
}

const NANO: i128 = 1_000_000_000;
const DECIMAL: [(&str, i128); 9] = [
    ("E", NANO * 1_000_000_000_000_000_000),
    ("P", NANO * 1_000_000_000_000_000),
    ("T", NANO * 1_000_000_000_000),
    ("G", NANO * 1_000_000_000),
    ("M", NANO * 1_000_000),
    ("k", NANO * 1000),
    ("m", NANO / 1000),
    ("u", NANO / 1_000_000),
    ("n", 1),
];
const BINARY: [(&str, i128); 6] = [
    ("Ei", NANO << 60),
    ("Pi", NANO << 50),
    ("Ti", NANO << 40),
    ("Gi", NANO << 30),
    ("Mi", NANO << 20),
    ("Ki", NANO << 10),
];

impl Quantity {
    pub(crate) fn parse(text: &str) -> Result<Self, ()> {
        let split = text
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-')))
            .unwrap_or(text.len());
        let (number, suffix) = text.split_at(split);
        let (factor, format) = if suffix.is_empty() {
            (NANO, Format::Decimal)
        } else if let Some((_, factor)) = BINARY.iter().find(|(name, _)| *name == suffix) {
            (*factor, Format::Binary)
        } else {
            let found = DECIMAL.iter().find(|(name, _)| *name == suffix);
            (found.ok_or(())?.1, Format::Decimal)
        };
        let (negative, digits) = match number.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, number.strip_prefix('+').unwrap_or(number)),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && part.is_empty() {
            return Err(());
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| ())? };
        let mut nanos = whole.saturating_mul(factor);
        let mut unit = factor;
        for digit in part.chars() {
            unit /= 10;
            nanos += i128::from(digit.to_digit(10).ok_or(())?) * unit;
        }
        Ok(Self {
            nanos: if negative { -nanos } else { nanos },
            format,
        })
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    pub(crate) fn from_i64(value: i64, format: Format) -> Self {
        Self {
            nanos: i128::from(value) * NANO,
            format,
        }
    }

    pub(crate) fn from_milli(value: i64, format: Format) -> Self {
        Self {
            nanos: i128::from(value) * (NANO / 1000),
            format,
        }
    }

    pub(crate) fn value(&self) -> i64 {
        i64::try_from(-(-self.nanos).div_euclid(NANO)).unwrap_or(i64::MAX)
    }

    pub(crate) fn milli_value(&self) -> i64 {
        i64::try_from(-(-self.nanos).div_euclid(NANO / 1000)).unwrap_or(i64::MAX)
    }

    pub(crate) fn signum(&self) -> i32 {
        i32::try_from(self.nanos.signum()).unwrap_or_default()
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}
impl Eq for Quantity {}
impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}
impl AddAssign for Quantity {
    fn add_assign(&mut self, other: Self) {
        self.nanos = self.nanos.saturating_add(other.nanos);
    }
}
impl SubAssign for Quantity {
    fn sub_assign(&mut self, other: Self) {
        self.nanos = self.nanos.saturating_sub(other.nanos);
    }
}
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = self.format == Format::Binary && self.nanos.abs() >= 1024 * NANO;
        let units: &[(&str, i128)] = if binary { &BINARY } else { &DECIMAL };
        if self.nanos % NANO == 0 && !binary && self.nanos % (1000 * NANO) != 0 || self.nanos == 0 {
            return write!(f, "{}", self.nanos / NANO);
        }
        for (name, factor) in units {
            if self.nanos % factor == 0 {
                return write!(f, "{}{name}", self.nanos / factor);
            }
        }
        write!(f, "{}", self.nanos / NANO)
    }
}
