//! Commands that a build without their feature does not contain: they accept any arguments and fail with the
//! command that builds them.

use std::ffi::OsString;
use std::fmt;

use clap::Args;

/// Not in this build
#[derive(Debug, Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct Missing {
    /// Ignored
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

/// A feature of this crate; as an error, it says how to get the feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    any(feature = "client", feature = "lab"),
    allow(dead_code, reason = "only features that this build does not have are reported")
)]
pub(crate) enum Feature {
    /// `textkin serve`, `admin` and `mail`.
    Server,
    /// `textkin client`.
    Client,
    /// `textkin eval`.
    Lab,
}

impl Feature {
    /// Returns the name in the manifest.
    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Lab => "lab",
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self {
            Self::Server => "the server",
            Self::Client => "the client of the server",
            Self::Lab => "the experiments",
        };
        write!(
            f,
            "this build of textkin does not contain {part}; build it with: \
             cargo install --locked --path crates/textkin-cli --features {}",
            self.name()
        )
    }
}

impl std::error::Error for Feature {}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    enum Without {
        Serve(Missing),
    }

    #[test]
    fn missing_commands_accept_any_arguments() {
        for line in ["serve", "serve --data registry", "serve --help", "serve -x -- --listen=a b"] {
            let parsed = Without::try_parse_from(["textkin"].into_iter().chain(line.split(' ')));
            assert!(matches!(parsed, Ok(Without::Serve(_))), "{line}: {parsed:?}");
        }
    }

    #[test]
    fn missing_commands_name_the_command_that_builds_them() {
        let manifest = include_str!("../../Cargo.toml");
        for feature in [Feature::Server, Feature::Client, Feature::Lab] {
            let message = feature.to_string();
            let build = format!(
                "; build it with: cargo install --locked --path crates/textkin-cli --features {}",
                feature.name()
            );
            assert!(
                message.starts_with("this build of textkin does not contain the "),
                "{message}"
            );
            assert!(message.ends_with(&build), "{message}");
            assert!(manifest.contains(&format!("\n{} = [", feature.name())), "{message}");
        }
    }
}
