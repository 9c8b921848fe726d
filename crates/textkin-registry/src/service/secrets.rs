//! Secrets: random, shown once, stored as digests; and password hashes.

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::Error;

/// Generates a secret of 256 bits in letters, digits, `-` and `_`.
pub(crate) fn secret() -> Result<String, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Generates a name that cannot be guessed, short enough for an address.
pub(crate) fn name() -> Result<String, Error> {
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns the stored form of a secret. Secrets are random, so a fast hash is enough.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

/// Returns the password hasher: 19 MiB and two passes, as OWASP recommends.
fn argon() -> Argon2<'static> {
    let params =
        if cfg!(test) { Params::new(64, 1, 1, None) } else { Params::new(19456, 2, 1, None) };
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params.unwrap_or_default())
}

/// Returns the stored form of a password.
pub(crate) fn hash_password(password: &str) -> Result<String, Error> {
    if password.chars().count() < 10 {
        return Err(Error::Invalid("the password must have at least 10 characters".to_owned()));
    }
    if password.len() > 1000 {
        return Err(Error::Invalid("the password can have at most 1,000 bytes".to_owned()));
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    let failed = |error: argon2::password_hash::Error| std::io::Error::other(error.to_string());
    let salt = SaltString::encode_b64(&bytes).map_err(failed)?;
    Ok(argon().hash_password(password.as_bytes(), &salt).map_err(failed)?.to_string())
}

/// Whether a password matches its stored form. Takes equally long if nothing is stored.
pub(crate) fn is_password(password: &str, stored: Option<&str>) -> bool {
    // The hash of a password that nobody has.
    const NONE: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                        Yk0rM1VQb2xZUW1xY2hXbDhQZ0RvQ1lXd2dXd2dXd2c";
    let is_stored = stored.is_some();
    let Ok(stored) = PasswordHash::new(stored.unwrap_or(NONE)) else { return false };
    let password = &password.as_bytes()[..password.len().min(1000)];
    argon().verify_password(password, &stored).is_ok() && is_stored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_secrets() {
        let stored = hash_password("correct horse battery").unwrap();
        assert!(is_password("correct horse battery", Some(&stored)));
        assert!(!is_password("correct horse batterz", Some(&stored)));
        assert!(!is_password("correct horse battery", None));
        assert!(hash_password("short").is_err());
        assert_ne!(secret().unwrap(), secret().unwrap());
        assert_eq!(secret().unwrap().len(), 43);
        assert!(PasswordHash::new(
            "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Yk0rM1VQb2xZUW1xY2hXbDhQZ0RvQ1lXd2dXd2dXd2c"
        )
        .is_ok());
    }
}
