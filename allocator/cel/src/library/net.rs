//! Kubernetes' `ip` and `cidr` libraries.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

use super::Outcome;
use crate::EvalError;
use crate::plan::Call;
use crate::value::Value;

/// A network prefix; bits after the prefix are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cidr {
    pub(crate) address: IpAddr,
    pub(crate) bits: u8,
}

impl Cidr {
    fn network(self) -> Option<IpNet> {
        IpNet::new(self.address, self.bits)
            .ok()
            .map(|network| network.trunc())
    }

    fn contains(self, address: IpAddr) -> bool {
        self.network()
            .is_some_and(|network| network.contains(&address))
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", address_text(self.address), self.bits)
    }
}

/// The canonical form as Go prints it.
pub(super) fn address_text(address: IpAddr) -> String {
    address.to_string()
}

fn parse_address(text: &str) -> Result<IpAddr, EvalError> {
    let problem = |reason: String| Err(EvalError::other(reason));
    let (plain, zone) = match text.split_once('%') {
        Some((plain, zone)) => (plain, Some(zone)),
        None => (text, None),
    };
    let Ok(address) = plain.parse::<IpAddr>() else {
        return problem(format!(
            "IP Address {text:?} parse error during conversion from string: ParseAddr({text:?}): unable to parse IP"
        ));
    };
    if zone.is_some_and(|zone| !zone.is_empty() && address.is_ipv6()) {
        return problem(format!(
            "IP address {text:?} with zone value is not allowed"
        ));
    }
    if zone.is_some() {
        return problem(format!(
            "IP Address {text:?} parse error during conversion from string: ParseAddr({text:?}): zone must be a non-empty string"
        ));
    }
    match address {
        IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some() => {
            problem(format!("IPv4-mapped IPv6 address {text:?} is not allowed"))
        }
        address => Ok(address),
    }
}

fn parse_cidr(text: &str) -> Result<Cidr, EvalError> {
    let problem = |reason: &str| {
        let twice = "network address parse error during conversion from string: ";
        let reason = format!("{twice}{twice}netip.ParsePrefix({text:?}): {reason}");
        Err(EvalError::other(reason))
    };
    let Some((address, bits)) = text.rsplit_once('/') else {
        return problem("no '/'");
    };
    if address.contains('%') {
        return problem("IPv6 zones cannot be present in a prefix");
    }
    let Ok(address) = address.parse::<IpAddr>() else {
        return problem(&format!("ParseAddr({address:?}): unable to parse IP"));
    };
    let plain = !bits.is_empty() && bits.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = bits.len() > 1 && bits.starts_with('0');
    let Some(bits) = bits.parse::<u8>().ok().filter(|_| plain && !leading_zero) else {
        return problem(&format!("bad bits after slash: {bits:?}"));
    };
    if bits > if address.is_ipv4() { 32 } else { 128 } {
        return problem("prefix length out of range");
    }
    if let IpAddr::V6(v6) = address
        && v6.to_ipv4_mapped().is_some()
    {
        return Err(EvalError::other(format!(
            "network address parse error during conversion from string: IPv4-mapped IPv6 address {text:?} is not allowed"
        )));
    }
    Ok(Cidr { address, bits })
}

/// `ip(string)` and `cidr.ip()`.
pub(super) fn ip<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => parse_address(text).map(Value::Ip),
        [Value::Cidr(cidr)] => Ok(Value::Ip(cidr.address)),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn is_ip<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => Ok(Value::Bool(parse_address(text).is_ok())),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn is_canonical<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => {
            let address = parse_address(text)?;
            Ok(Value::Bool(address_text(address) == **text))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

fn address(args: &[Value<'_>]) -> Result<IpAddr, EvalError> {
    match args {
        [Value::Ip(address)] => Ok(*address),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn family<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Int(if address(args)?.is_ipv4() { 4 } else { 6 }))
}

pub(super) fn is_unspecified<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(address(args)?.is_unspecified()))
}

pub(super) fn is_loopback<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(address(args)?.is_loopback()))
}

pub(super) fn is_link_local_multicast<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(match address(args)? {
        IpAddr::V4(v4) => v4.octets()[..3] == [224, 0, 0],
        IpAddr::V6(v6) => v6.segments()[0] & 0xff0f == 0xff02,
    }))
}

fn link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.segments()[0] & 0xffc0 == 0xfe80,
    }
}

pub(super) fn is_link_local_unicast<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    Ok(Value::Bool(link_local(address(args)?)))
}

pub(super) fn is_global_unicast<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let address = address(args)?;
    let special = address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || link_local(address)
        || matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
    Ok(Value::Bool(!special))
}

pub(super) fn cidr<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => parse_cidr(text).map(Value::Cidr),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn is_cidr<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::String(text)] => Ok(Value::Bool(parse_cidr(text).is_ok())),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// A string that is no address gives cel-go's error for a wrong argument, not the parser's.
pub(super) fn contains_ip<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Cidr(cidr), Value::Ip(address)] => Ok(Value::Bool(cidr.contains(*address))),
        [Value::Cidr(cidr), Value::String(text)] => {
            let address = parse_address(text).map_err(|_| EvalError::no_such_overload())?;
            Ok(Value::Bool(cidr.contains(address)))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn contains_cidr<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    let (outer, inner) = match args {
        [Value::Cidr(outer), Value::Cidr(inner)] => (*outer, *inner),
        [Value::Cidr(outer), Value::String(text)] => (*outer, parse_cidr(text)?),
        _ => return Err(EvalError::no_such_overload()),
    };
    let inside = outer.bits <= inner.bits && outer.contains(inner.address);
    Ok(Value::Bool(inside))
}

pub(super) fn prefix_length<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Cidr(cidr)] => Ok(Value::Int(i64::from(cidr.bits))),
        _ => Err(EvalError::no_such_overload()),
    }
}

pub(super) fn masked<'a>(_: &Call, args: &mut [Value<'a>]) -> Outcome<'a> {
    match args {
        [Value::Cidr(cidr)] => {
            let network = cidr
                .network()
                .map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |n| n.addr());
            Ok(Value::Cidr(Cidr {
                address: network,
                bits: cidr.bits,
            }))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}
