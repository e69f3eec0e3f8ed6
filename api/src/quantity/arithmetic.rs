//! Sums, differences and products, with Go's rules for form and notation.

use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use super::{Form, Quantity};

impl Quantity {
    /// The sum, `None` if it needs over 38 significant digits.
    ///
    /// A sum with zero on the left takes the notation of the right.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        self.combine(other, i128::checked_add)
    }

    /// The difference, `None` if it needs over 38 significant digits.
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        self.combine(other, i128::checked_sub)
    }

    /// The product, `None` if it needs over 38 significant digits.
    pub fn checked_mul(&self, factor: i64) -> Option<Self> {
        let multiply = |operand: &Self| {
            let mantissa = operand.mantissa.checked_mul(i128::from(factor))?;
            Some((mantissa, operand.exponent))
        };
        let (mantissa, exponent) =
            multiply(self).or_else(|| multiply(&self.without_trailing_zeros()))?;
        let mut product = Self {
            mantissa,
            exponent: if self.form == Form::Int64 && factor == 0 && !self.is_zero() {
                0
            } else {
                exponent
            },
            text: None,
            ..self.clone()
        };
        product.settle_form();
        Some(product)
    }

    fn combine(&self, other: &Self, operation: fn(i128, i128) -> Option<i128>) -> Option<Self> {
        let form = if self.form == Form::Int64 && other.form == Form::Int64 {
            Form::Int64
        } else {
            Form::Decimal
        };
        let at_one_exponent = |left: &Self, right: &Self| {
            let exponent = match form {
                // Go leaves the integer form alone when nothing is added to it.
                Form::Int64 if right.is_zero() => left.exponent,
                Form::Int64 if left.is_zero() => right.exponent,
                Form::Int64 | Form::Decimal => left.exponent.min(right.exponent),
            };
            let mantissa = operation(left.scaled_to(exponent)?, right.scaled_to(exponent)?)?;
            Some((mantissa, exponent))
        };
        let (mantissa, exponent) = at_one_exponent(self, other).or_else(|| {
            at_one_exponent(
                &self.without_trailing_zeros(),
                &other.without_trailing_zeros(),
            )
        })?;
        let mut result = Self {
            mantissa,
            exponent,
            form,
            format: if self.is_zero() {
                other.format
            } else {
                self.format
            },
            text: None,
        };
        result.settle_form();
        Some(result)
    }

    fn without_trailing_zeros(&self) -> Self {
        let (mantissa, exponent) = self.normalized();
        Self {
            mantissa,
            exponent,
            ..self.clone()
        }
    }

    /// What leaves 64 bits is a decimal in Go.
    fn settle_form(&mut self) {
        let fits = |value: i128| i64::try_from(value).is_ok();
        let in_units = self.exponent <= 0 || self.scaled_to(0).is_some_and(fits);
        if !fits(self.mantissa) || !in_units {
            self.form = Form::Decimal;
        }
    }

    /// The operand further from zero: what remains of a sum that does not fit.
    fn dominant(&self, other: &Self, negate_other: bool) -> Self {
        let magnitude = |quantity: &Self| {
            if quantity.signum() < 0 {
                -quantity
            } else {
                quantity.clone()
            }
        };
        if magnitude(self) >= magnitude(other) {
            self.clone()
        } else if negate_other {
            -other
        } else {
            other.clone()
        }
    }
}

impl Neg for &Quantity {
    type Output = Quantity;

    fn neg(self) -> Quantity {
        Quantity {
            mantissa: self.mantissa.saturating_neg(),
            text: None,
            ..self.clone()
        }
    }
}

/// Over 38 significant digits the smaller operand is dropped; use
/// [`Quantity::checked_add`] where that matters.
impl Add for &Quantity {
    type Output = Quantity;

    fn add(self, other: &Quantity) -> Quantity {
        self.checked_add(other)
            .unwrap_or_else(|| self.dominant(other, false))
    }
}

/// Over 38 significant digits the smaller operand is dropped; use
/// [`Quantity::checked_sub`] where that matters.
impl Sub for &Quantity {
    type Output = Quantity;

    fn sub(self, other: &Quantity) -> Quantity {
        self.checked_sub(other)
            .unwrap_or_else(|| self.dominant(other, true))
    }
}

impl AddAssign<&Quantity> for Quantity {
    fn add_assign(&mut self, other: &Quantity) {
        *self = &*self + other;
    }
}

impl SubAssign<&Quantity> for Quantity {
    fn sub_assign(&mut self, other: &Quantity) {
        *self = &*self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_too_many_digits_is_refused_or_drops_the_smaller_operand() {
        let quantity = |text| Quantity::parse(text).unwrap();
        let (large, small) = (quantity("1e30"), quantity("1n"));
        assert_eq!(large.checked_add(&small), None);
        assert_eq!(small.checked_sub(&large), None);
        assert_eq!((&small + &large).to_string(), "1e30");
        assert_eq!((&small - &large).to_string(), "-1e30");
        assert_eq!(quantity("1e38").checked_mul(i64::MAX).map(|_| ()), Some(()));
    }
}
