//! Secrets: made at random, shown once, kept as digests.

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::Error;

/// A new secret of 256 bits in letters, digits, `-` and `_`.
pub(crate) fn secret() -> Result<String, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// A new name that nobody can guess, short enough for an address.
pub(crate) fn name() -> Result<String, Error> {
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// What is kept of a secret. It is random, so that nothing slower than a hash is needed.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

/// Passwords take 19 MiB and two passes, as OWASP advises.
fn argon() -> Argon2<'static> {
    let params =
        if cfg!(test) { Params::new(64, 1, 1, None) } else { Params::new(19456, 2, 1, None) };
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.unwrap_or_default())
}

/// What is kept of a password.
pub(crate) fn keep_password(password: &str) -> Result<String, Error> {
    if password.chars().count() < 10 {
        return Err(Error::Invalid("a password has at least 10 characters".to_owned()));
    }
    if password.len() > 1000 {
        return Err(Error::Invalid("a password has at most 1000 bytes".to_owned()));
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    let strange = |error: argon2::password_hash::Error| std::io::Error::other(error.to_string());
    let salt = SaltString::encode_b64(&bytes).map_err(strange)?;
    Ok(argon().hash_password(password.as_bytes(), &salt).map_err(strange)?.to_string())
}

/// Whether a password is the one that is kept. Takes as long where none is kept.
pub(crate) fn is_password(password: &str, kept: Option<&str>) -> bool {
    // Of a password that nobody has.
    const NONE: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                        Yk0rM1VQb2xZUW1xY2hXbDhQZ0RvQ1lXd2dXd2dXd2c";
    let is_known = kept.is_some();
    let Ok(kept) = PasswordHash::new(kept.unwrap_or(NONE)) else { return false };
    let password = &password.as_bytes()[..password.len().min(1000)];
    argon().verify_password(password, &kept).is_ok() && is_known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_secrets() {
        let kept = keep_password("correct horse battery").unwrap();
        assert!(is_password("correct horse battery", Some(&kept)));
        assert!(!is_password("correct horse batterz", Some(&kept)));
        assert!(!is_password("correct horse battery", None));
        assert!(keep_password("short").is_err());
        assert_ne!(secret().unwrap(), secret().unwrap());
        assert_eq!(secret().unwrap().len(), 43);
        assert!(PasswordHash::new(
            "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Yk0rM1VQb2xZUW1xY2hXbDhQZ0RvQ1lXd2dXd2dXd2c"
        )
        .is_ok());
    }
}
