//! An address that deliveries go to, checked as far as it can be without asking for its host.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use crate::Reach;

/// Longer addresses are none.
const MAX_URL_BYTES: usize = 2048;

/// An address that deliveries go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: Url,
}

/// Why an address cannot be delivered to. Shown to whoever gave it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejected {
    /// It cannot be read.
    #[error("this is no address of the web")]
    NotAUrl,
    /// It is neither `https` nor, where that is allowed, `http`.
    #[error("the address must begin with https://")]
    Scheme,
    /// It holds a name or a password.
    #[error("the address must not hold a name or a password; requests are signed instead")]
    Credentials,
    /// Its port is not of the web.
    #[error("port {0} is not allowed: 80, 443 and those from 1024 on are")]
    Port(u16),
    /// It leads to a machine that is not of the public Internet.
    #[error("the address leads into a network that is not public")]
    NotPublic,
}

impl Target {
    /// Reads an address. Hosts written as addresses are checked now, others when they are looked
    /// up for each delivery.
    ///
    /// # Errors
    ///
    /// If nothing may be delivered there.
    pub fn new(text: &str, reach: &Reach) -> Result<Self, Rejected> {
        if text.len() > MAX_URL_BYTES {
            return Err(Rejected::NotAUrl);
        }
        let mut url = Url::parse(text.trim()).map_err(|_| Rejected::NotAUrl)?;
        match url.scheme() {
            "https" => {}
            "http" if reach.allow_http => {}
            _ => return Err(Rejected::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Rejected::Credentials);
        }
        let port = url.port_or_known_default().ok_or(Rejected::NotAUrl)?;
        if !reach.allows_port(port) {
            return Err(Rejected::Port(port));
        }
        let is_allowed = match url.host().ok_or(Rejected::NotAUrl)? {
            Host::Ipv4(address) => reach.allows(IpAddr::V4(address)),
            Host::Ipv6(address) => reach.allows(IpAddr::V6(address)),
            Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                let is_local = name == "localhost" || name.ends_with(".localhost");
                !name.is_empty() && (!is_local || reach.allows(IpAddr::from([127, 0, 0, 1])))
            }
        };
        if !is_allowed {
            return Err(Rejected::NotPublic);
        }
        url.set_fragment(None);
        Ok(Self { url })
    }

    /// The address that this one leads to by `location`, which may be relative to it.
    ///
    /// # Errors
    ///
    /// If nothing may be asked for there.
    pub fn lead(&self, location: &str, reach: &Reach) -> Result<Self, Rejected> {
        let url = self.url.join(location).map_err(|_| Rejected::NotAUrl)?;
        Self::new(url.as_str(), reach)
    }

    /// The address, as it is asked for.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The host, for people.
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ways_of_writing_this_machine_are_known() {
        let reach = Reach { allow_http: true, ..Reach::default() };
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://a.localhost/",
            "http://0/",
            "http://169.254.169.254/",
            "http://[fe80::1]/",
            "http://\u{ff11}\u{ff12}\u{ff17}.0.0.1/",
            "http://127\u{3002}0.0.1/",
            "http:127.0.0.1",
        ] {
            assert_eq!(Target::new(url, &reach), Err(Rejected::NotPublic), "{url}");
        }
    }

    #[test]
    fn other_faults_are_named() {
        let reach = Reach::default();
        let of = |url: &str| Target::new(url, &reach).map(|target| target.to_string());
        assert_eq!(of("http://a.example/"), Err(Rejected::Scheme));
        assert_eq!(of("file:///etc/passwd"), Err(Rejected::Scheme));
        assert_eq!(of("gopher://a.example/"), Err(Rejected::Scheme));
        assert_eq!(of("https://ann:x@a.example/"), Err(Rejected::Credentials));
        assert_eq!(of("https://a.example:25/"), Err(Rejected::Port(25)));
        assert_eq!(of("a.example"), Err(Rejected::NotAUrl));
        assert_eq!(of(""), Err(Rejected::NotAUrl));
        assert_eq!(
            of(" https://A.example/x y?q=1#z "),
            Ok("https://a.example/x%20y?q=1".to_owned())
        );
    }

    proptest! {
        #[test]
        fn no_address_is_too_strange(text in "(https?:|//|\\[|\\]|@|:|\\.|[0-9a-fx]{1,4}|\\PC){0,20}") {
            if let Ok(target) = Target::new(&text, &Reach::default()) {
                prop_assert!(target.as_str().starts_with("https://"));
                prop_assert!(target.as_str().is_ascii() && !target.as_str().contains(['\r', '\n', ' ']));
                prop_assert_eq!(Target::new(target.as_str(), &Reach::default()), Ok(target));
            }
        }
    }
}
