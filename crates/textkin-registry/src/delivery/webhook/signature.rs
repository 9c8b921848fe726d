//! Signatures, by which receivers check that a delivery is authentic, unaltered and recent.
//!
//! `X-Textkin-Signature: t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256, under the shared secret,
//! of the seconds since 1970, a dot, and the body.

use std::fmt;
use std::time::Duration;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The key that sender and receiver share. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Wraps the bytes of a secret.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// Returns the value of `X-Textkin-Signature` for `body`, sent at `time` (since 1970).
pub fn sign(secret: &Secret, time: Duration, body: &[u8]) -> String {
    let seconds = time.as_secs();
    let code = mac(secret, seconds, body).finalize().into_bytes();
    let hex: String = code.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("t={seconds},v1={hex}")
}

/// Why a signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// The header cannot be parsed.
    #[error("the signature is malformed")]
    Malformed,
    /// It was made with another secret or for another body.
    #[error("the signature does not match")]
    Mismatch,
    /// It is too old, or from the future.
    #[error("the signature has expired")]
    Expired,
}

/// Checks a signature as receivers should: first the code, in constant time, then the time.
///
/// # Errors
///
/// If the signature is malformed, does not match, or has expired.
pub fn verify(
    secret: &Secret,
    field: &str,
    body: &[u8],
    now: Duration,
    tolerance: Duration,
) -> Result<(), SignatureError> {
    let value = |name: &str| {
        let mut parts = field.split(',').filter_map(|part| part.trim().split_once('='));
        parts.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let seconds: u64 = value("t").and_then(|t| t.parse().ok()).ok_or(SignatureError::Malformed)?;
    let code = value("v1").and_then(from_hex).ok_or(SignatureError::Malformed)?;
    mac(secret, seconds, body).verify_slice(&code).map_err(|_| SignatureError::Mismatch)?;
    if now.as_secs().abs_diff(seconds) > tolerance.as_secs() {
        return Err(SignatureError::Expired);
    }
    Ok(())
}

fn mac(secret: &Secret, seconds: u64, body: &[u8]) -> Hmac<Sha256> {
    // HMAC accepts keys of any length, including the empty key.
    let mut mac =
        Hmac::<Sha256>::new_from_slice(&secret.0).expect("HMAC accepts keys of any length");
    mac.update(seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    mac
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let digits = |at| text.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    (0..text.len()).step_by(2).map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Duration = Duration::from_secs(1_700_000_000);
    const FIVE: Duration = Duration::from_secs(300);

    #[test]
    fn a_signature_matches_openssl() {
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac kin
        let expected =
            "t=1700000000,v1=61cf5d7f184082d477e886de51e9686432a3690aa8f03fb1c3f5bc962097de7c";
        assert_eq!(sign(&Secret::new("kin"), NOW, b"{}"), expected);
        assert_eq!(format!("{:?}", Secret::new("kin")), "Secret(…)");
    }

    #[test]
    fn expired_wrong_and_malformed_signatures_are_distinguished() {
        let secret = Secret::new("kin");
        let field = sign(&secret, NOW, b"{}");
        assert_eq!(verify(&secret, &field, b"{}", NOW + FIVE, FIVE), Ok(()));
        assert_eq!(
            verify(&secret, &field, b"{}", NOW + FIVE * 2, FIVE),
            Err(SignatureError::Expired)
        );
        assert_eq!(verify(&secret, &field, b"{ }", NOW, FIVE), Err(SignatureError::Mismatch));
        assert_eq!(
            verify(&Secret::new("other"), &field, b"{}", NOW, FIVE),
            Err(SignatureError::Mismatch)
        );
        let later = field.replace("t=1700000000", "t=1700000300");
        assert_eq!(verify(&secret, &later, b"{}", NOW + FIVE, FIVE), Err(SignatureError::Mismatch));
        for broken in ["", "t=1", "t=x,v1=00", "t=1,v1=00", "v1=", "t=1,v1=+f"] {
            assert_eq!(
                verify(&secret, broken, b"{}", NOW, FIVE),
                Err(SignatureError::Malformed),
                "{broken}"
            );
        }
    }

    proptest! {
        #[test]
        fn signed_bodies_verify(secret: Vec<u8>, body: Vec<u8>, seconds in 0u64..1 << 40) {
            let (secret, time) = (Secret::new(secret), Duration::from_secs(seconds));
            prop_assert_eq!(verify(&secret, &sign(&secret, time, &body), &body, time, Duration::ZERO), Ok(()));
        }
    }
}
