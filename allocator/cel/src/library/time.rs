//! Durations and timestamps.

use std::fmt;

use super::Outcome;
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;

/// First and last second that CEL knows: years 1 to 9999.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
const NANOS: i64 = 1_000_000_000;

/// A point in time, in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Timestamp(jiff::Timestamp);

impl Timestamp {
    pub(super) fn seconds(self) -> i64 {
        self.0.as_second() - i64::from(self.0.subsec_nanosecond() < 0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn out_of_range() -> EvalError {
    EvalError::other("timestamp overflow")
}

fn checked<'a>(time: Option<jiff::Timestamp>) -> Outcome<'a> {
    match time {
        Some(time) if SECONDS.contains(&time.as_second()) => Ok(Value::Timestamp(Timestamp(time))),
        _ => Err(out_of_range()),
    }
}

pub(super) fn timestamp_from_seconds<'a>(seconds: i64) -> Outcome<'a> {
    checked(jiff::Timestamp::from_second(seconds).ok())
}

/// RFC 3339.
pub(crate) fn parse_timestamp(text: &str) -> Option<Timestamp> {
    let shape = text.len() >= 20 && text.as_bytes()[10] == b'T' && !text.contains('[');
    let time: jiff::Timestamp = text.parse().ok().filter(|_| shape)?;
    SECONDS
        .contains(&time.as_second())
        .then_some(Timestamp(time))
}

pub(super) fn add_to_timestamp<'a>(time: Timestamp, nanos: i64) -> Outcome<'a> {
    checked(
        time.0
            .checked_add(jiff::SignedDuration::from_nanos(nanos))
            .ok(),
    )
}

pub(super) fn timestamp_difference<'a>(one: Timestamp, other: Timestamp) -> Outcome<'a> {
    let nanos = one.0.as_nanosecond() - other.0.as_nanosecond();
    i64::try_from(nanos)
        .map(Value::Duration)
        .map_err(|_| EvalError::other("integer overflow"))
}

/// Seconds with as many decimals as needed.
#[expect(
    clippy::cast_precision_loss,
    reason = "Go's Duration.Seconds gives a double too"
)]
pub(super) fn duration_text(nanos: i64) -> String {
    let seconds = (nanos / NANOS) as f64 + (nanos % NANOS) as f64 / NANOS as f64;
    format!("{seconds}s")
}

/// A duration as Go writes it (`1h30m`, `1.5s`, `-3ms`), in nanoseconds.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let at = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(at);
        let end = tail
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(end);
        total = total.checked_add(in_nanos(number, unit)?)?;
        rest = tail;
    }
    if text.len() == usize::from(text.starts_with(['-', '+'])) {
        return None;
    }
    i64::try_from(if negative { -total } else { total }).ok()
}

fn in_nanos(number: &str, unit: &str) -> Option<i128> {
    let scale: i128 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && decimals.is_empty() {
        return None;
    }
    let whole: i128 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let decimals = decimals.get(..decimals.len().min(18))?;
    let part: i128 = if decimals.is_empty() {
        0
    } else {
        decimals.parse().ok()?
    };
    let divisor = 10_i128.pow(u32::try_from(decimals.len()).ok()?);
    whole
        .checked_mul(scale)?
        .checked_add(part.checked_mul(scale)? / divisor)
}

/// The civil time of a timestamp in UTC or at a fixed offset such as `+02:00`. Names of time zones
/// would need a database, which an allocation must not depend on.
fn civil(args: &[Value<'_>]) -> Result<jiff::civil::DateTime, EvalError> {
    match args {
        [Value::Timestamp(time)] => Ok(jiff::tz::Offset::UTC.to_datetime(time.0)),
        [Value::Timestamp(time), Value::String(zone)] => match offset(zone) {
            Some(offset) => Ok(offset.to_datetime(time.0)),
            None => Err(EvalError::other(format!(
                "time zone {zone} is not emulated"
            ))),
        },
        _ => Err(EvalError::no_such_overload()),
    }
}

fn offset(zone: &str) -> Option<jiff::tz::Offset> {
    if zone == "UTC" || zone.is_empty() {
        return Some(jiff::tz::Offset::UTC);
    }
    let (hours, minutes) = zone.split_once(':')?;
    let negative = hours.starts_with('-');
    let hours: i32 = hours.parse().ok()?;
    let minutes: i32 = minutes.parse().ok()?;
    let minutes = if negative { -minutes } else { minutes };
    jiff::tz::Offset::from_seconds(hours * 3600 + minutes * 60).ok()
}

fn part<'a>(args: &[Value<'a>], part: fn(jiff::civil::DateTime) -> i64) -> Outcome<'a> {
    civil(args).map(|time| Value::Int(part(time)))
}

/// A part of a timestamp, or a whole duration in a unit.
fn part_or_length<'a>(
    args: &[Value<'a>],
    unit: i64,
    of: fn(jiff::civil::DateTime) -> i64,
) -> Outcome<'a> {
    match args {
        [Value::Duration(nanos)] => Ok(Value::Int(nanos / unit)),
        _ => part(args, of),
    }
}

pub(super) fn full_year<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part(args, |time| i64::from(time.year()))
}

pub(super) fn month<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part(args, |time| i64::from(time.month()) - 1)
}

pub(super) fn date<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part(args, |time| i64::from(time.day()))
}

pub(super) fn day_of_month<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part(args, |time| i64::from(time.day()) - 1)
}

pub(super) fn day_of_week<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part(args, |time| {
        i64::from(time.weekday().to_sunday_zero_offset())
    })
}

pub(super) fn day_of_year<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part(args, |time| i64::from(time.day_of_year()) - 1)
}

pub(super) fn hours<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part_or_length(args, 3600 * NANOS, |time| i64::from(time.hour()))
}

pub(super) fn minutes<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part_or_length(args, 60 * NANOS, |time| i64::from(time.minute()))
}

pub(super) fn seconds<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part_or_length(args, NANOS, |time| i64::from(time.second()))
}

pub(super) fn milliseconds<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    part_or_length(args, 1_000_000, |time| i64::from(time.millisecond()))
}
