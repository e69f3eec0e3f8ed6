//! Addresses of network interfaces. Source: `apimachinery/pkg/util/validation/ip.go`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What is wrong with an address such as `10.9.8.7/24`, if anything.
pub(super) fn problem(text: &str) -> Option<String> {
    let Some(canonical) = canonical(text) else {
        return Some(
            "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)".to_owned(),
        );
    };
    (text != canonical).then(|| format!("must be in canonical form (\"{canonical}\")"))
}

fn canonical(text: &str) -> Option<String> {
    let (address, mask) = text.split_once('/')?;
    let is_number = !mask.is_empty() && mask.bytes().all(|byte| byte.is_ascii_digit());
    let mask: u32 = if is_number {
        mask.parse().ok()?
    } else {
        return None;
    };
    let address = parse(address)?;
    if mask > if address.is_ipv4() { 32 } else { 128 } {
        return None;
    }
    let mapped = match address {
        IpAddr::V6(address) => address.to_ipv4_mapped(),
        IpAddr::V4(_) => None,
    };
    Some(match mapped {
        Some(address) if mask > 32 => format!("{address}/{}", mask.saturating_sub(96)),
        Some(address) => format!("{address}/{mask}"),
        None => format!("{address}/{mask}"),
    })
}

/// An address, where parts of an IPv4 address may start with zeros.
fn parse(text: &str) -> Option<IpAddr> {
    if text.contains(':') {
        let (head, tail) = text.rsplit_once(':')?;
        let tail = if tail.contains('.') {
            parse_v4(tail)?.to_string()
        } else {
            tail.to_owned()
        };
        return format!("{head}:{tail}")
            .parse::<Ipv6Addr>()
            .ok()
            .map(IpAddr::V6);
    }
    parse_v4(text).map(IpAddr::V4)
}

fn parse_v4(text: &str) -> Option<Ipv4Addr> {
    let part = |part: &str| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            part.parse::<u8>().ok()
        } else {
            None
        }
    };
    let parts: Option<Vec<u8>> = text.split('.').map(part).collect();
    let octets: [u8; 4] = parts?.try_into().ok()?;
    Some(Ipv4Addr::from(octets))
}
