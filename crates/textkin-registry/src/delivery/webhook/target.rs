//! Target URLs, checked as far as possible without resolving the host.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

use super::NetworkPolicy;

/// Maximum length of a URL.
const MAX_URL_BYTES: usize = 2048;

/// A URL that requests may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    url: Url,
}

/// Why a URL is rejected. Shown to the user who entered it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// It is not a URL.
    #[error("not a valid URL")]
    NotAUrl,
    /// The scheme is neither `https` nor, where allowed, `http`.
    #[error("the address must start with https://")]
    Scheme,
    /// It contains a user name or a password.
    #[error("the address must not contain a user name or password; requests are signed instead")]
    Credentials,
    /// The port is not allowed.
    #[error("port {0} is not allowed; use 80, 443 or a port from 1024 up")]
    Port(u16),
    /// The host is not on the public Internet.
    #[error("the address is not on the public Internet")]
    NotPublic,
}

impl Target {
    /// Parses and checks a URL. IP addresses are checked now, host names when they are resolved for
    /// each request.
    ///
    /// # Errors
    ///
    /// If the URL is invalid or not allowed.
    pub fn new(text: &str, network_policy: &NetworkPolicy) -> Result<Self, TargetError> {
        if text.len() > MAX_URL_BYTES {
            return Err(TargetError::NotAUrl);
        }
        let mut url = Url::parse(text.trim()).map_err(|_| TargetError::NotAUrl)?;
        match url.scheme() {
            "https" => {}
            "http" if network_policy.allow_http => {}
            _ => return Err(TargetError::Scheme),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Credentials);
        }
        let port = url.port_or_known_default().ok_or(TargetError::NotAUrl)?;
        if !network_policy.allows_port(port) {
            return Err(TargetError::Port(port));
        }
        let is_allowed = match url.host().ok_or(TargetError::NotAUrl)? {
            Host::Ipv4(address) => network_policy.allows(IpAddr::V4(address)),
            Host::Ipv6(address) => network_policy.allows(IpAddr::V6(address)),
            Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                let is_local = name == "localhost" || name.ends_with(".localhost");
                !name.is_empty()
                    && (!is_local || network_policy.allows(IpAddr::from([127, 0, 0, 1])))
            }
        };
        if !is_allowed {
            return Err(TargetError::NotPublic);
        }
        url.set_fragment(None);
        Ok(Self { url })
    }

    /// Returns the target of a redirect to `location`, which may be relative.
    ///
    /// # Errors
    ///
    /// If the URL is invalid or not allowed.
    pub fn redirect(
        &self,
        location: &str,
        network_policy: &NetworkPolicy,
    ) -> Result<Self, TargetError> {
        let url = self.url.join(location).map_err(|_| TargetError::NotAUrl)?;
        Self::new(url.as_str(), network_policy)
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// The host, for display.
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
    fn every_spelling_of_the_local_machine_is_rejected() {
        let network_policy = NetworkPolicy { allow_http: true, ..NetworkPolicy::default() };
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
            assert_eq!(Target::new(url, &network_policy), Err(TargetError::NotPublic), "{url}");
        }
    }

    #[test]
    fn other_errors_are_distinguished() {
        let network_policy = NetworkPolicy::default();
        let parse = |url: &str| Target::new(url, &network_policy).map(|target| target.to_string());
        assert_eq!(parse("http://a.example/"), Err(TargetError::Scheme));
        assert_eq!(parse("file:///etc/passwd"), Err(TargetError::Scheme));
        assert_eq!(parse("gopher://a.example/"), Err(TargetError::Scheme));
        assert_eq!(parse("https://ann:x@a.example/"), Err(TargetError::Credentials));
        assert_eq!(parse("https://a.example:25/"), Err(TargetError::Port(25)));
        assert_eq!(parse("a.example"), Err(TargetError::NotAUrl));
        assert_eq!(parse(""), Err(TargetError::NotAUrl));
        assert_eq!(
            parse(" https://A.example/x y?q=1#z "),
            Ok("https://a.example/x%20y?q=1".to_owned())
        );
    }

    proptest! {
        #[test]
        fn any_input_gives_a_valid_target_or_an_error(text in "(https?:|//|\\[|\\]|@|:|\\.|[0-9a-fx]{1,4}|\\PC){0,20}") {
            if let Ok(target) = Target::new(&text, &NetworkPolicy::default()) {
                prop_assert!(target.as_str().starts_with("https://"));
                prop_assert!(target.as_str().is_ascii() && !target.as_str().contains(['\r', '\n', ' ']));
                prop_assert_eq!(Target::new(target.as_str(), &NetworkPolicy::default()), Ok(target));
            }
        }
    }
}
