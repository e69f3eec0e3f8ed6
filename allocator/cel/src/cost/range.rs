//! Sizes and costs that are only known within bounds.

/// From, to; both inclusive. Sums and products stop at the largest number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Range {
    pub(super) const ZERO: Self = Self::fixed(0);
    pub(super) const ONE: Self = Self::fixed(1);
    pub(super) const UNKNOWN: Self = Self {
        min: 0,
        max: u64::MAX,
    };

    pub(super) const fn fixed(value: u64) -> Self {
        Self {
            min: value,
            max: value,
        }
    }

    pub(super) fn add(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
        }
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        Self {
            min: self.min.saturating_mul(other.min),
            max: self.max.saturating_mul(other.max),
        }
    }

    pub(super) fn factor(self, factor: f64) -> Self {
        Self {
            min: multiply(self.min, factor),
            max: multiply(self.max, factor),
        }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// Rounded up; the largest number when the product is above it.
#[expect(
    clippy::cast_precision_loss,
    reason = "so does cel-go, and costs must be equal"
)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, saturating"
)]
fn multiply(value: u64, factor: f64) -> u64 {
    let value = value as f64;
    if value > 0.0 && factor > 0.0 && value > u64::MAX as f64 / factor {
        return u64::MAX;
    }
    (value * factor).ceil() as u64
}
