//! Canonical text: the largest suffix that needs no fraction.

use std::cmp::Ordering;
use std::fmt;

use super::{Format, Quantity};

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => formatter.pad(text),
            None => formatter.pad(&self.canonical()),
        }
    }
}

impl Quantity {
    /// The canonical text, also where Go would repeat what it has parsed.
    pub fn canonical(&self) -> String {
        if self.is_zero() {
            return "0".to_owned();
        }
        if self.format == Format::BinarySI
            && let Some(whole) = self.whole()
            && whole.unsigned_abs() >= 1024
        {
            return binary(whole);
        }
        self.decimal()
    }

    /// The amount if it is a whole number that fits.
    fn whole(&self) -> Option<i128> {
        let (mantissa, exponent) = self.normalized();
        match exponent.cmp(&0) {
            Ordering::Less => None,
            Ordering::Equal => Some(mantissa),
            Ordering::Greater => self
                .scaled_to(0)
                .or_else(|| mantissa.checked_mul(10_i128.checked_pow(exponent.unsigned_abs())?)),
        }
    }

    fn decimal(&self) -> String {
        let (mantissa, exponent) = self.normalized();
        // Exponents are multiples of three, towards smaller units.
        let zeros = exponent.rem_euclid(3);
        let exponent = exponent - zeros;
        let digits = match zeros {
            0 => mantissa.to_string(),
            1 => format!("{mantissa}0"),
            _ => format!("{mantissa}00"),
        };
        match self.format {
            Format::DecimalExponent if exponent == 0 => digits,
            Format::DecimalExponent => format!("{digits}e{exponent}"),
            Format::BinarySI | Format::DecimalSI => format!("{digits}{}", decimal_suffix(exponent)),
        }
    }
}

fn binary(whole: i128) -> String {
    let (mut mantissa, mut thousands) = (whole, 0);
    while mantissa % 1024 == 0 {
        mantissa /= 1024;
        thousands += 1;
    }
    let suffix = match thousands {
        1 => "Ki",
        2 => "Mi",
        3 => "Gi",
        4 => "Ti",
        5 => "Pi",
        6 => "Ei",
        // Go has no suffix above Ei and prints none.
        _ => "",
    };
    format!("{mantissa}{suffix}")
}

fn decimal_suffix(exponent: i32) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        // Go has no suffix above E and prints none: 1000E becomes 1.
        _ => "",
    }
}
