//! Address ranges, and which of them are public.
//!
//! Follows the IANA registries of special-purpose addresses (RFC 6890 and its successors).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// An address range, such as `10.0.0.0/8` or `fd00::/8`.
///
/// ```
/// use textkin_registry::webhook::Network;
///
/// let network: Network = "10.1.0.0/16".parse()?;
/// assert!(network.contains("10.1.2.3".parse()?));
/// assert!(!network.contains("10.2.2.3".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    n_bits: u32,
}

impl Network {
    /// Whether `address` is in the range. IPv4-mapped IPv6 addresses count as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let shift = 32 - self.n_bits;
                first.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let shift = 128 - self.n_bits;
                first.to_bits().checked_shr(shift) == address.to_bits().checked_shr(shift)
            }
            _ => false,
        }
    }
}

/// The text is not an address range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an address range; write it like 10.0.0.0/8")]
pub struct ParseNetworkError(String);

impl FromStr for Network {
    type Err = ParseNetworkError;

    fn from_str(text: &str) -> Result<Self, ParseNetworkError> {
        let error = || ParseNetworkError(text.chars().take(100).collect());
        let (first, n_bits) = match text.split_once('/') {
            Some((first, n_bits)) => (first, Some(n_bits.parse().map_err(|_| error())?)),
            None => (text, None),
        };
        let first: IpAddr = first.parse().map_err(|_| error())?;
        let max_bits = if first.is_ipv4() { 32 } else { 128 };
        let n_bits = n_bits.unwrap_or(max_bits);
        if n_bits > max_bits {
            return Err(error());
        }
        Ok(Self { first, n_bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.first, self.n_bits)
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, n_bits: u32) -> Network {
    Network { first: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), n_bits }
}

const fn v6(a: u16, b: u16, c: u16, n_bits: u32) -> Network {
    Network { first: IpAddr::V6(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)), n_bits }
}

/// IPv4 ranges that are not on the public Internet.
const SPECIAL_V4: [Network; 17] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    // Link-local, including cloud metadata services.
    v4(169, 254, 0, 0, 16),
    // Metadata service of one cloud, at an address that looks public.
    v4(168, 63, 129, 16, 32),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
    v4(255, 255, 255, 255, 32),
];

/// Global unicast addresses …
const GLOBAL_V6: Network = v6(0x2000, 0, 0, 3);

/// … without these: protocols, tunnels, documentation.
const SPECIAL_V6: [Network; 4] =
    [v6(0x2001, 0, 0, 23), v6(0x2001, 0xdb8, 0, 32), v6(0x2002, 0, 0, 16), v6(0x3fff, 0, 0, 20)];

/// IPv4 addresses translated for networks that only have IPv6 (RFC 6052).
const TRANSLATED: Network = v6(0x64, 0xff9b, 0, 96);

/// Whether `address` is on the public Internet.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => !SPECIAL_V4.iter().any(|range| range.contains(v4.into())),
        IpAddr::V6(v6) if TRANSLATED.contains(v6.into()) => {
            let [.., a, b, c, d] = v6.octets();
            is_public(Ipv4Addr::new(a, b, c, d).into())
        }
        IpAddr::V6(v6) => {
            let [_, _, _, _, e, f, _, _] = v6.segments();
            // An IPv4 address in an ISATAP tunnel (RFC 5214).
            let is_tunnel = matches!(e, 0 | 0x200) && f == 0x5efe;
            let is_special = SPECIAL_V6.iter().any(|range| range.contains(v6.into()));
            GLOBAL_V6.contains(v6.into()) && !is_special && !is_tunnel
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn public_and_special_addresses_are_distinguished() {
        let public = [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "172.15.0.1",
            "172.32.0.1",
            "100.63.0.1",
            "2606:4700::1111",
            "2a00:1450:4001::1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2001:4860:4860::8888",
        ];
        for address in public {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        let special = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "168.63.129.16",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::808:808",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "100::1",
            "5f00::1",
            "2606:4700::5efe:a00:1",
            "2606:4700::200:5efe:a00:1",
        ];
        for address in special {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn ranges_are_parsed() {
        let network: Network = "10.0.0.0/8".parse().unwrap();
        assert!(network.contains("::ffff:10.9.9.9".parse().unwrap()));
        assert!(!network.contains("::1".parse().unwrap()));
        assert_eq!(network.to_string(), "10.0.0.0/8");
        assert!("0.0.0.0/0".parse::<Network>().unwrap().contains("9.9.9.9".parse().unwrap()));
        assert!("::1".parse::<Network>().unwrap().contains("::1".parse().unwrap()));
        for invalid in ["", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10/8", "x/8", "10.0.0.0/"] {
            assert!(invalid.parse::<Network>().is_err(), "{invalid}");
        }
    }

    proptest! {
        #[test]
        fn a_range_contains_addresses_with_the_same_prefix(first: u32, other: u32, n_bits in 0u32..=32) {
            let network = Network { first: Ipv4Addr::from(first).into(), n_bits };
            let same = (0..n_bits).all(|bit| (first ^ other) & (1 << (31 - bit)) == 0);
            prop_assert_eq!(network.contains(Ipv4Addr::from(other).into()), same);
        }

        #[test]
        fn no_ipv6_form_makes_an_ipv4_address_public(bits: u32) {
            let v4 = Ipv4Addr::from(bits);
            let mapped = v4.to_ipv6_mapped();
            prop_assert_eq!(is_public(v4.into()), is_public(mapped.into()));
            let translated = Ipv6Addr::from_bits(0x64_ff9b_u128 << 96 | u128::from(bits));
            prop_assert_eq!(is_public(v4.into()), is_public(translated.into()));
            prop_assert!(!is_public(v4.to_ipv6_compatible().into()));
        }
    }
}
