//! Kubernetes resource quantities, equal to Go's `resource.Quantity`.
//!
//! * [`Quantity`]: the value, its order and its conversions (this file)
//! * `parse`: text to value, with Go's error texts
//! * `print`: canonical text
//! * `arithmetic`: sums, differences, products
//!
//! Go keeps a quantity in one of two forms, a 64-bit integer with a scale or a
//! decimal of any size, and the form shows: `Quantity.AsInt64` (in CEL
//! `isInteger`) is false for `1000m` and for `0.5Gi`. So the form is kept.
//! Source: `k8s.io/apimachinery/pkg/api/resource/quantity.go`, v0.37.2.

mod arithmetic;
mod parse;
mod print;

pub use parse::ParseQuantityError;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::k8s::apimachinery::pkg::api::resource::Quantity as WireQuantity;

/// How a quantity is printed; taken from the text that it was parsed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `12e6`
    DecimalExponent,
    /// `12Mi` (12 x 2^20)
    BinarySI,
    /// `12M` (12 x 10^6), `100m`
    DecimalSI,
}

/// Go's internal form, see the module's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Int64,
    Decimal,
}

/// An exact amount: `mantissa` x 10^`exponent`.
///
/// Exact up to 38 significant digits, where Go has no limit; the parser refuses
/// more. Smallest unit is 10^-9; the parser rounds smaller parts away from zero.
/// Equality, order and hash are those of the amount: `1Ki` equals `1024`.
#[derive(Clone, Debug)]
pub struct Quantity {
    mantissa: i128,
    exponent: i32,
    form: Form,
    format: Format,
    /// What Go prints for a parsed quantity that was never changed, where that
    /// is not the canonical text: `1.500`, `+1`, `01Ki`.
    text: Option<Box<str>>,
}

impl Quantity {
    /// A whole number, to be printed as `format`.
    pub fn from_i64(value: i64, format: Format) -> Self {
        Self::scaled(value, 0, format)
    }

    /// `value` thousandths, to be printed as `format`.
    pub fn from_milli(value: i64, format: Format) -> Self {
        Self::scaled(value, -3, format)
    }

    fn scaled(value: i64, exponent: i32, format: Format) -> Self {
        Self {
            mantissa: i128::from(value),
            exponent,
            form: Form::Int64,
            format,
            text: None,
        }
    }

    /// The notation in which it prints.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the amount is zero.
    pub fn is_zero(&self) -> bool {
        self.mantissa == 0
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match self.mantissa.cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// Go's `AsInt64`: the amount if it is held as a 64-bit integer of whole
    /// units. `None` for `1000m` and `0.5Gi` although both are whole.
    pub fn as_i64(&self) -> Option<i64> {
        match self.form {
            Form::Int64 if self.exponent >= 0 => self.scaled_to(0)?.try_into().ok(),
            Form::Int64 | Form::Decimal => None,
        }
    }

    /// Whether it is a whole number of units.
    pub fn is_whole(&self) -> bool {
        self.exponent >= 0 || self.mantissa % 10_i128.pow(self.exponent.unsigned_abs()) == 0
    }

    /// Go's `AsDec().String()`: all digits, with as many behind the point as the
    /// quantity is held with.
    pub(crate) fn decimal_text(&self) -> String {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        let places = self.exponent.unsigned_abs() as usize;
        match self.exponent {
            // Go writes all zeros, of which no one needs so many.
            40.. => return format!("{sign}{digits}e{places}"),
            0.. => return format!("{sign}{digits}{}", "0".repeat(places)),
            _ => {}
        }
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        format!("{sign}{whole}.{fraction}")
    }

    /// Go's `Value`: whole units, rounded up. Where Go's answer overflows and is
    /// arbitrary, this one is `i64::MIN` or `i64::MAX`.
    pub fn value(&self) -> i64 {
        self.rounded_to(0)
    }

    /// Go's `MilliValue`: thousandths, rounded up; overflow as in [`Self::value`].
    pub fn milli_value(&self) -> i64 {
        self.rounded_to(-3)
    }

    /// Go's `AsApproximateFloat64`.
    pub fn as_approximate_f64(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "an approximation is asked for")]
        let base = self.mantissa as f64;
        if self.exponent == 0 {
            return base;
        }
        // Parsing gives the nearest float to a power of ten; powi does not.
        format!("1e{}", self.exponent)
            .parse::<f64>()
            .map_or(f64::NAN, |power| base * power)
    }

    /// The mantissa at a smaller or equal exponent, if it fits.
    fn scaled_to(&self, exponent: i32) -> Option<i128> {
        if self.mantissa == 0 {
            return Some(0);
        }
        let shift = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        self.mantissa.checked_mul(10_i128.checked_pow(shift)?)
    }

    fn rounded_to(&self, exponent: i32) -> i64 {
        if self.exponent >= exponent {
            return saturate(self.scaled_to(exponent).unwrap_or(self.limit()));
        }
        let shift = exponent.abs_diff(self.exponent);
        let Some(divisor) = 10_i128.checked_pow(shift) else {
            return i64::from(self.mantissa > 0);
        };
        let (whole, rest) = (self.mantissa / divisor, self.mantissa % divisor);
        // Go rounds its integer form away from zero and its decimal form up.
        let step = match (self.form, rest.cmp(&0)) {
            (_, Ordering::Equal) => 0,
            (Form::Int64, Ordering::Less) => -1,
            _ => 1,
        };
        saturate(whole + step)
    }

    fn limit(&self) -> i128 {
        if self.mantissa < 0 {
            i128::MIN
        } else {
            i128::MAX
        }
    }

    /// Mantissa without trailing zeros, and its exponent: one for each amount.
    fn normalized(&self) -> (i128, i32) {
        if self.mantissa == 0 {
            return (0, 0);
        }
        let (mut mantissa, mut exponent) = (self.mantissa, self.exponent);
        while mantissa % 10 == 0 && exponent < i32::MAX {
            mantissa /= 10;
            exponent += 1;
        }
        (mantissa, exponent)
    }
}

fn saturate(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

impl Default for Quantity {
    fn default() -> Self {
        Self::from_i64(0, Format::DecimalSI)
    }
}

impl From<i64> for Quantity {
    fn from(value: i64) -> Self {
        Self::from_i64(value, Format::DecimalSI)
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.exponent == other.exponent || self.signum() != other.signum() {
            return if self.exponent == other.exponent {
                self.mantissa.cmp(&other.mantissa)
            } else {
                self.signum().cmp(&other.signum())
            };
        }
        let (left, right) = if self.exponent > other.exponent {
            (self.scaled_to(other.exponent), Some(other.mantissa))
        } else {
            (Some(self.mantissa), other.scaled_to(self.exponent))
        };
        // What does not fit at the other's exponent is the further from zero.
        left.unwrap_or(self.limit())
            .cmp(&right.unwrap_or(other.limit()))
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.normalized().hash(state);
    }
}

impl TryFrom<&WireQuantity> for Quantity {
    type Error = ParseQuantityError;

    /// As Go decodes it from JSON: white space around the text does not count.
    fn try_from(wire: &WireQuantity) -> Result<Self, Self::Error> {
        Self::parse(wire.0.trim())
    }
}

impl From<&Quantity> for WireQuantity {
    fn from(quantity: &Quantity) -> Self {
        Self(quantity.to_string())
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct QuantityVisitor;

        impl Visitor<'_> for QuantityVisitor {
            type Value = Quantity;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a quantity such as \"80Gi\" or a number")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
                Quantity::parse(text.trim()).map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Quantity, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Quantity, E> {
                self.visit_str(&value.to_string())
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Quantity, E> {
                self.visit_str(&value.to_string())
            }
        }

        deserializer.deserialize_any(QuantityVisitor)
    }
}
