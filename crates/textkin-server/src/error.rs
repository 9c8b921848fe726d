//! Errors of the registry, as HTTP shows them.

use axum::http::StatusCode;
use textkin_registry::Error;

/// How an error is shown to the client.
pub(crate) trait ErrorResponse {
    /// Returns the HTTP status for the error.
    fn status(&self) -> StatusCode;

    /// Returns after how many seconds the client should try again, if that helps.
    fn retry_after(&self) -> Option<u64>;

    /// Returns the message for the client. Details of internal errors go to the log only.
    fn public_message(&self) -> String;
}

impl ErrorResponse for Error {
    fn status(&self) -> StatusCode {
        match self {
            Self::Unauthenticated => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::DiskFull => StatusCode::INSUFFICIENT_STORAGE,
            Self::Timeout(_) => StatusCode::REQUEST_TIMEOUT,
            Self::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Stopped | Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::TooManyRequests(seconds) | Self::Busy(seconds) => Some(*seconds),
            _ => None,
        }
    }

    fn public_message(&self) -> String {
        if self.status() != StatusCode::INTERNAL_SERVER_ERROR {
            return self.to_string();
        }
        tracing::error!(error = %self, "request failed");
        "internal error; see the server log for details".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_not_an_internal_error() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let error = Error::from(full);
        assert_eq!(error.status(), StatusCode::INSUFFICIENT_STORAGE);
        assert!(error.public_message().contains("disk of the server is full"));
    }
}
