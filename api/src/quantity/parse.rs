//! Text to quantity.

use std::str::FromStr;

use super::{Form, Format, Quantity};

/// Go's error texts, word for word: users see them in API server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// Not a number followed by a suffix.
    #[error(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    )]
    FormatWrong,
    /// The number is no number, or (other than in Go) has over 38 significant digits.
    #[error("unable to parse numeric part of quantity")]
    Numeric,
    /// Right characters, but no suffix that exists.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

/// Smallest unit, as a power of ten.
const NANO: i32 = -9;

/// Digits that surely fit an `i64`: Go's limit for its integer form.
const INT64_DIGITS: i64 = 18;

/// Digits that surely fit an `i128`.
const MAX_DIGITS: usize = 38;

impl Quantity {
    /// Parses as Go's `ParseQuantity`; white space is not accepted.
    pub fn parse(text: &str) -> Result<Self, ParseQuantityError> {
        let parts = Parts::split(text)?;
        let suffix = Suffix::interpret(parts.suffix).ok_or(ParseQuantityError::Suffix)?;
        if let Some(quantity) = parts.as_int64(suffix, text)? {
            return Ok(quantity);
        }
        parts.as_decimal(suffix)
    }
}

impl FromStr for Quantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

#[derive(Clone, Copy)]
struct Suffix {
    format: Format,
    /// Power of two for [`Format::BinarySI`], of ten otherwise.
    exponent: i32,
}

impl Suffix {
    fn interpret(text: &str) -> Option<Self> {
        let (format, exponent) = match text {
            "n" => (Format::DecimalSI, -9),
            "u" => (Format::DecimalSI, -6),
            "m" => (Format::DecimalSI, -3),
            "" => (Format::DecimalSI, 0),
            "k" => (Format::DecimalSI, 3),
            "M" => (Format::DecimalSI, 6),
            "G" => (Format::DecimalSI, 9),
            "T" => (Format::DecimalSI, 12),
            "P" => (Format::DecimalSI, 15),
            "E" => (Format::DecimalSI, 18),
            "Ki" => (Format::BinarySI, 10),
            "Mi" => (Format::BinarySI, 20),
            "Gi" => (Format::BinarySI, 30),
            "Ti" => (Format::BinarySI, 40),
            "Pi" => (Format::BinarySI, 50),
            "Ei" => (Format::BinarySI, 60),
            _ => {
                let exponent: i64 = text.strip_prefix(['e', 'E'])?.parse().ok()?;
                #[expect(clippy::cast_possible_truncation, reason = "Go truncates too")]
                let exponent = exponent as i32;
                (Format::DecimalExponent, exponent)
            }
        };
        Some(Self { format, exponent })
    }
}

struct Parts<'a> {
    negative: bool,
    /// Digits before the point, without leading zeros.
    whole: &'a str,
    /// Digits after the point.
    fraction: &'a str,
    suffix: &'a str,
    /// There is not one digit in the number: `.`
    no_digits: bool,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Self, ParseQuantityError> {
        if text.is_empty() {
            return Err(ParseQuantityError::FormatWrong);
        }
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (all_whole, rest) = leading_digits(unsigned);
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => leading_digits(rest),
            None => ("", rest),
        };
        let exponent = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if !leading_digits(exponent).1.is_empty() {
            return Err(ParseQuantityError::FormatWrong);
        }
        Ok(Self {
            negative: text.starts_with('-'),
            whole: all_whole.trim_start_matches('0'),
            fraction,
            suffix,
            no_digits: all_whole.is_empty() && fraction.is_empty(),
        })
    }

    /// Go's fast path, with its conditions.
    fn as_int64(&self, suffix: Suffix, text: &str) -> Result<Option<Quantity>, ParseQuantityError> {
        let whole = if self.whole.is_empty() {
            "0"
        } else {
            self.whole
        };
        let digits = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX);
        let count = digits(whole).saturating_add(digits(self.fraction));
        let (room, scale, factor) = match suffix.format {
            Format::DecimalExponent | Format::DecimalSI => {
                (INT64_DIGITS - count, suffix.exponent, 1)
            }
            Format::BinarySI if self.fraction.is_empty() => (
                15 - count - i64::from(suffix.exponent) * 3 / 10 - 1,
                0,
                1_i64 << suffix.exponent,
            ),
            Format::BinarySI => return Ok(None),
        };
        if room < 0 {
            return Ok(None);
        }
        // `room` bounds the length of the fraction.
        let scale = scale.wrapping_sub(i32::try_from(self.fraction.len()).unwrap_or(i32::MAX));
        if scale < NANO {
            return Ok(None);
        }
        let shifted = format!("{whole}{}", self.fraction);
        let value: i64 = shifted.parse().map_err(|_| ParseQuantityError::Numeric)?;
        let Some(amount) = value.checked_mul(factor) else {
            return Ok(None);
        };
        let kept_by_go = match suffix.format {
            Format::BinarySI => value & 7 != 0,
            Format::DecimalExponent | Format::DecimalSI => {
                scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0')
            }
        };
        let signed = if self.negative { -amount } else { amount };
        let mut quantity = Quantity::scaled(signed, scale, suffix.format);
        if kept_by_go && quantity.to_string() != text {
            quantity.text = Some(text.into());
        }
        Ok(Some(quantity))
    }

    fn as_decimal(&self, suffix: Suffix) -> Result<Quantity, ParseQuantityError> {
        if self.no_digits {
            return Err(ParseQuantityError::Numeric);
        }
        let mut decimal = Digits::new(self.whole, self.fraction);
        let mut format = suffix.format;
        if format == Format::BinarySI {
            for _ in 0..suffix.exponent {
                decimal.double();
            }
        } else {
            decimal.exponent += i64::from(suffix.exponent);
        }
        decimal.round_up_to_nano();
        let (mut mantissa, mut exponent) = decimal.amount(format)?;
        if format == Format::BinarySI && exponent < 0 && mantissa > 0 {
            let below_one = 10_i128
                .checked_pow(exponent.unsigned_abs())
                .is_some_and(|one| mantissa < one);
            if below_one {
                format = Format::DecimalSI;
            }
        }
        // Go holds what it rounded, and did not cut off, at nine decimal places.
        if !(format == Format::BinarySI && exponent == 0 && mantissa == i128::from(i64::MAX))
            && let Some(shift) = exponent.checked_sub(NANO)
            && let Ok(shift) = u32::try_from(shift)
            && let Some(nano) = 10_i128
                .checked_pow(shift)
                .and_then(|power| mantissa.checked_mul(power))
        {
            (mantissa, exponent) = (nano, NANO);
        }
        Ok(Quantity {
            mantissa: if self.negative { -mantissa } else { mantissa },
            exponent,
            form: Form::Decimal,
            format,
            text: None,
        })
    }
}

fn leading_digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// An unsigned decimal number of any length.
struct Digits {
    /// Most significant first, each 0 to 9.
    digits: Vec<u8>,
    /// Power of ten of the last digit.
    exponent: i64,
}

impl Digits {
    fn new(whole: &str, fraction: &str) -> Self {
        let digits = whole.bytes().chain(fraction.bytes());
        Self {
            digits: digits.map(|byte| byte - b'0').collect(),
            exponent: -i64::try_from(fraction.len()).unwrap_or(i64::MAX),
        }
    }

    fn double(&mut self) {
        let mut carry = 0;
        for digit in self.digits.iter_mut().rev() {
            let doubled = *digit * 2 + carry;
            (*digit, carry) = (doubled % 10, doubled / 10);
        }
        if carry > 0 {
            self.digits.insert(0, carry);
        }
    }

    fn round_up_to_nano(&mut self) {
        let excess = i64::from(NANO).saturating_sub(self.exponent);
        let Ok(excess) = usize::try_from(excess) else {
            return;
        };
        let keep = self.digits.len().saturating_sub(excess);
        let lost = self.digits.split_off(keep);
        self.exponent = i64::from(NANO);
        if lost.iter().all(|digit| *digit == 0) {
            return;
        }
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
    }

    /// Mantissa and exponent; a binary amount above `i64::MAX` becomes that.
    fn amount(&self, format: Format) -> Result<(i128, i32), ParseQuantityError> {
        let start = self.digits.iter().position(|digit| *digit != 0);
        let Some(start) = start else {
            return Ok((0, 0));
        };
        let end = self.digits.iter().rposition(|digit| *digit != 0);
        let end = end.map_or(self.digits.len(), |last| last + 1);
        let dropped = i64::try_from(self.digits.len() - end).unwrap_or(i64::MAX);
        let exponent = i32::try_from(self.exponent.saturating_add(dropped))
            .map_err(|_| ParseQuantityError::Numeric)?;
        let significant = &self.digits[start..end];
        if format == Format::BinarySI && self.exceeds_i64(start) {
            return Ok((i128::from(i64::MAX), 0));
        }
        if significant.len() > MAX_DIGITS {
            return Err(ParseQuantityError::Numeric);
        }
        let mantissa = significant
            .iter()
            .fold(0_i128, |value, digit| value * 10 + i128::from(*digit));
        Ok((mantissa, exponent))
    }

    /// Whether the whole part is above `i64::MAX`, or equal with a fraction.
    fn exceeds_i64(&self, start: usize) -> bool {
        let fraction = usize::try_from(-self.exponent).unwrap_or(0);
        let point = self.digits.len().saturating_sub(fraction).max(start);
        let whole = &self.digits[start..point];
        if whole.len() > 19 {
            return true;
        }
        let value = whole
            .iter()
            .fold(0_i128, |value, digit| value * 10 + i128::from(*digit));
        let rest = self.digits[point..].iter().any(|digit| *digit != 0);
        value > i128::from(i64::MAX) || (value == i128::from(i64::MAX) && rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extreme_exponents_and_lengths_are_answered_at_once() {
        let many = "9".repeat(100_000);
        let numbers = ["0", "1", "10", "-1000", "1.5", ".1", many.as_str()];
        let suffixes = [
            "",
            "n",
            "E",
            "Ki",
            "Ei",
            "e2147483647",
            "e-2147483648",
            "e4294967295",
        ];
        let one = Quantity::from(1);
        for number in numbers {
            for suffix in suffixes {
                if let Ok(quantity) = Quantity::parse(&format!("{number}{suffix}")) {
                    let _ = (
                        quantity.to_string(),
                        quantity.value(),
                        quantity.milli_value(),
                    );
                    let _ = (
                        quantity.as_i64(),
                        quantity.as_approximate_f64(),
                        quantity.cmp(&one),
                    );
                    let _ = (
                        &quantity + &one,
                        &one - &quantity,
                        quantity.checked_mul(i64::MIN),
                    );
                }
            }
        }
    }

    #[test]
    fn more_digits_than_can_be_held_are_refused_unless_they_round_away() {
        let digits = "1234567890".repeat(4);
        assert_eq!(Quantity::parse(&digits), Err(ParseQuantityError::Numeric));
        let rounded = Quantity::parse(&format!("0.{digits}")).unwrap();
        assert_eq!(rounded.to_string(), "123456790n");
    }
}
