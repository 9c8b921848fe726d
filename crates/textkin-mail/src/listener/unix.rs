//! Unix domain sockets. On a system without them, listening on one is an error.

use std::io;
use std::path::Path;

use crate::Error;

/// Listens on a Unix domain socket. A stale socket is replaced, a live one is not. Only the user and
/// group of the process may connect.
///
/// # Errors
///
/// If the socket cannot be created, or is in use, or the system has no such sockets.
pub fn bind_unix(path: &Path) -> Result<UnixSocket, Error> {
    UnixSocket::bind(path).map_err(|source| Error::Listen { path: path.to_owned(), source })
}

/// A Unix domain socket on which connections are accepted.
#[cfg(unix)]
#[derive(Debug)]
pub struct UnixSocket(tokio::net::UnixListener);

#[cfg(unix)]
impl UnixSocket {
    fn bind(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt};
        let error = |kind, reason: &str| Err(io::Error::new(kind, reason));
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return error(io::ErrorKind::AddrInUse, "another process is listening there");
        }
        match std::fs::symlink_metadata(path) {
            Ok(metadata) if metadata.file_type().is_socket() => std::fs::remove_file(path)?,
            Ok(_) => {
                return error(io::ErrorKind::AlreadyExists, "the file exists and is not a socket");
            }
            Err(_) => {}
        }
        let listener = tokio::net::UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o660))?;
        Ok(Self(listener))
    }

    pub(super) async fn accept(&self) -> io::Result<tokio::net::UnixStream> {
        Ok(self.0.accept().await?.0)
    }
}

/// A Unix domain socket, of which this system has none.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct UnixSocket(std::convert::Infallible);

#[cfg(not(unix))]
impl UnixSocket {
    fn bind(_: &Path) -> io::Result<Self> {
        let reason = "this system has no Unix domain sockets; use a TCP address";
        Err(io::Error::new(io::ErrorKind::Unsupported, reason))
    }

    // Of the type that has the same traits.
    pub(super) async fn accept(&self) -> io::Result<tokio::net::TcpStream> {
        match self.0 {}
    }
}
