//! Exit codes.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded and found or did something.
    Found,
    /// The command succeeded and found nothing.
    Nothing,
    /// The command failed.
    Failed,
    /// The user interrupted the command.
    Interrupted,
    /// A message was not delivered; the code is one of sysexits.h, which mail systems understand.
    #[cfg(feature = "server")]
    Mail(u8),
}

impl Exit {
    /// Returns the exit code of an error. A broken pipe is not a failure.
    pub(crate) fn from_error(error: &anyhow::Error) -> Self {
        let is_closed = |error: &textkin::engine::report::Error| error.is_broken_pipe();
        if error.downcast_ref().is_some_and(is_closed) {
            return Self::Found;
        }
        match error.downcast_ref::<textkin::Error>() {
            Some(error) if error.is_stopped() => Self::Interrupted,
            _ => Self::Failed,
        }
    }
}

impl From<Exit> for u8 {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Found => 0,
            Exit::Nothing => 1,
            Exit::Failed => 2,
            Exit::Interrupted => 130,
            #[cfg(feature = "server")]
            Exit::Mail(code) => code,
        }
    }
}
