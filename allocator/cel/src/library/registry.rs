//! Which code a function name stands for.

use super::{
    Outcome, convert, format, lists, named_format, net, operators, optional, quantity, regexes,
    semver, strings, time, url,
};
use crate::EvalError;
use crate::plan::{Call, Implementation};
use crate::value::Value;

/// The code of the function with this name.
pub(crate) fn implementation(name: &str) -> Implementation {
    operator(name)
        .or_else(|| text(name))
        .or_else(|| collection(name))
        .or_else(|| kubernetes(name))
        .or_else(|| times(name))
        .unwrap_or(unavailable)
}

/// For functions that are declared but have no value they could be called on, as those on an
/// authorizer.
fn unavailable<'a>(_: &Call, _: &mut [Value<'a>]) -> Outcome<'a> {
    Err(EvalError::no_such_overload())
}

fn operator(name: &str) -> Option<Implementation> {
    Some(match name {
        "!_" => operators::not,
        "-_" => operators::negate,
        "_+_" => operators::add,
        "_-_" => operators::subtract,
        "_*_" => operators::multiply,
        "_/_" => operators::divide,
        "_%_" => operators::modulo,
        "_<_" => operators::less,
        "_<=_" => operators::less_equals,
        "_>_" => operators::greater,
        "_>=_" => operators::greater_equals,
        "@in" => operators::contained,
        "size" => operators::size,
        "bool" => convert::to_bool,
        "bytes" => convert::to_bytes,
        "double" => convert::to_double,
        "dyn" => convert::to_dyn,
        "int" => convert::to_int,
        "string" => convert::to_string,
        "type" => convert::to_type,
        "uint" => convert::to_uint,
        "duration" => convert::to_duration,
        "timestamp" => convert::to_timestamp,
        _ => return None,
    })
}

fn text(name: &str) -> Option<Implementation> {
    Some(match name {
        "contains" => strings::contains,
        "startsWith" => strings::starts_with,
        "endsWith" => strings::ends_with,
        "charAt" => strings::char_at,
        "indexOf" => strings::index_of,
        "lastIndexOf" => strings::last_index_of,
        "lowerAscii" => strings::lower_ascii,
        "upperAscii" => strings::upper_ascii,
        "replace" => strings::replace,
        "split" => strings::split,
        "substring" => strings::substring,
        "trim" => strings::trim,
        "join" => strings::join,
        "strings.quote" => strings::quote,
        "format" => format::format,
        "matches" => regexes::matches,
        "find" => regexes::find,
        "findAll" => regexes::find_all,
        _ => return None,
    })
}

fn collection(name: &str) -> Option<Implementation> {
    Some(match name {
        "isSorted" => lists::is_sorted,
        "sum" => lists::sum,
        "min" => lists::min,
        "max" => lists::max,
        "includes" => lists::includes,
        "distinct" => lists::distinct,
        "flatten" => lists::flatten,
        "lists.range" => lists::range,
        "reverse" => lists::reverse,
        "slice" => lists::slice,
        "sort" => lists::sort,
        "@sortByAssociatedKeys" => lists::sort_by_keys,
        "sets.contains" => lists::set_contains,
        "sets.equivalent" => lists::set_equivalent,
        "sets.intersects" => lists::set_intersects,
        "cel.@mapInsert" => lists::map_insert,
        "first" => optional::first,
        "last" => optional::last,
        "hasValue" => optional::has_value,
        "value" => optional::value,
        "optional.none" => optional::none,
        "optional.of" => optional::of,
        "optional.ofNonZeroValue" => optional::of_non_zero,
        "optional.unwrap" | "unwrapOpt" => optional::unwrap,
        _ => return None,
    })
}

fn kubernetes(name: &str) -> Option<Implementation> {
    Some(match name {
        "quantity" => quantity::quantity,
        "isQuantity" => quantity::is_quantity,
        "sign" => quantity::sign,
        "isInteger" => quantity::is_integer,
        "asInteger" => quantity::as_integer,
        "asApproximateFloat" => quantity::as_approximate_float,
        "add" => quantity::add,
        "sub" => quantity::sub,
        "isGreaterThan" => semver::is_greater_than,
        "isLessThan" => semver::is_less_than,
        "compareTo" => semver::compare_to,
        "semver" => semver::semver,
        "isSemver" => semver::is_semver,
        "major" => semver::major,
        "minor" => semver::minor,
        "patch" => semver::patch,
        "ip" => net::ip,
        "isIP" => net::is_ip,
        "ip.isCanonical" => net::is_canonical,
        "family" => net::family,
        "isUnspecified" => net::is_unspecified,
        "isLoopback" => net::is_loopback,
        "isLinkLocalMulticast" => net::is_link_local_multicast,
        "isLinkLocalUnicast" => net::is_link_local_unicast,
        "isGlobalUnicast" => net::is_global_unicast,
        "cidr" => net::cidr,
        "isCIDR" => net::is_cidr,
        "containsIP" => net::contains_ip,
        "containsCIDR" => net::contains_cidr,
        "prefixLength" => net::prefix_length,
        "masked" => net::masked,
        "url" => url::url,
        "isURL" => url::is_url,
        "getScheme" => url::scheme,
        "getHost" => url::host,
        "getHostname" => url::hostname,
        "getPort" => url::port,
        "getEscapedPath" => url::escaped_path,
        "getQuery" => url::query,
        "validate" => named_format::validate,
        "format.named" => named_format::named_call,
        name if name.starts_with("format.") => named_format::constant,
        _ => return None,
    })
}

fn times(name: &str) -> Option<Implementation> {
    Some(match name {
        "getFullYear" => time::full_year,
        "getMonth" => time::month,
        "getDate" => time::date,
        "getDayOfMonth" => time::day_of_month,
        "getDayOfWeek" => time::day_of_week,
        "getDayOfYear" => time::day_of_year,
        "getHours" => time::hours,
        "getMinutes" => time::minutes,
        "getSeconds" => time::seconds,
        "getMilliseconds" => time::milliseconds,
        _ => return None,
    })
}
