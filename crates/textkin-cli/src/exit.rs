//! Exit codes.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Something was found.
    Found,
    /// Nothing was found.
    Nothing,
    /// Something failed.
    Failed,
    /// The user stopped it.
    Interrupted,
    /// A message was not taken: a code that mail systems know.
    #[cfg(feature = "server")]
    Mail(u8),
}

impl Exit {
    /// What an error means for the exit code. A reader that closed the pipe has seen enough.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        let is_closed = |error: &textkin::report::Error| error.is_broken_pipe();
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
