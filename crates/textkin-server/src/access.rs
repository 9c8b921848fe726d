//! Who may do what: the one place where that is decided.
//!
//! An [`Actor`] is an account as it comes by a session or by an API key, which may be allowed less
//! than the account is. What an actor may not know of does not exist for it: it gets the same answer
//! as for a name that nobody ever used.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::Error;

/// What a member of a team may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read and probe.
    Reader,
    /// Also register and delete documents, and watch.
    Writer,
    /// Also change repositories, members and rules.
    Owner,
}

impl Role {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Owner => "owner",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Reader, Self::Writer, Self::Owner].into_iter().find(|role| role.name() == name)
    }
}

/// What an API key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Compare texts with repositories.
    Probe,
    /// Register and delete documents, and watch.
    Register,
    /// Read documents, repositories, jobs and alerts.
    Read,
    /// All that the account may do.
    Admin,
}

impl Scope {
    pub(crate) const ALL: [Self; 4] = [Self::Probe, Self::Register, Self::Read, Self::Admin];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Register => "register",
            Self::Read => "read",
            Self::Admin => "admin",
        }
    }

    /// Reads names separated by commas or spaces.
    ///
    /// # Errors
    /// If there is another name among them, or none.
    pub fn parse_all(names: &str) -> Result<Vec<Self>, Error> {
        let mut scopes = Vec::new();
        for name in names.split([',', ' ']).filter(|name| !name.is_empty()) {
            let scope =
                Self::ALL.into_iter().find(|scope| scope.name() == name).ok_or_else(|| {
                    Error::Invalid(format!(
                        "there is no scope '{name}'; scopes are probe, register, read and admin"
                    ))
                })?;
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        match scopes.is_empty() {
            true => Err(Error::Invalid("a key needs at least one scope".to_owned())),
            false => Ok(scopes),
        }
    }

    pub(crate) fn join(scopes: &[Self]) -> String {
        scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(",")
    }
}

/// Whoever asks.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The account.
    pub account: i64,
    /// Its name.
    pub name: String,
    /// Whether it looks after the server.
    pub is_admin: bool,
    /// Its role in each of its teams.
    pub teams: Vec<(i64, Role)>,
    /// What it came for; `None`: by a session, for everything.
    pub scopes: Option<Vec<Scope>>,
    /// The only repository it came for.
    pub only: Option<i64>,
}

/// What a repository says about access to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guarded {
    pub(crate) id: i64,
    pub(crate) team: i64,
    pub(crate) is_public: bool,
}

impl Actor {
    /// Fails unless the actor came for `scope`.
    pub(crate) fn needs(&self, scope: Scope) -> Result<(), Error> {
        let Some(scopes) = &self.scopes else { return Ok(()) };
        if scopes.contains(&scope) || scopes.contains(&Scope::Admin) {
            return Ok(());
        }
        Err(Error::Forbidden(format!("this key is not for '{}'", scope.name())))
    }

    /// Fails unless the actor looks after the server.
    pub(crate) fn needs_admin(&self) -> Result<(), Error> {
        self.needs(Scope::Admin)?;
        match self.is_admin && self.only.is_none() {
            true => Ok(()),
            false => Err(Error::Forbidden("only administrators may do this".to_owned())),
        }
    }

    /// Fails for keys that are for one repository only.
    pub(crate) fn needs_whole_account(&self) -> Result<(), Error> {
        match self.only {
            None => Ok(()),
            Some(_) => Err(Error::Forbidden("this key is for one repository only".to_owned())),
        }
    }

    /// The role of the actor in a team.
    pub(crate) fn role(&self, team: i64) -> Option<Role> {
        self.teams.iter().find(|(own, _)| *own == team).map(|(_, role)| *role)
    }

    /// Whether the actor may know of a repository.
    pub(crate) fn sees(&self, repository: Guarded) -> bool {
        self.only.is_none_or(|only| only == repository.id)
            && (repository.is_public || self.role(repository.team).is_some())
    }

    /// Fails unless the actor, who sees the repository, has at least `role` in its team.
    pub(crate) fn needs_role(&self, repository: Guarded, role: Role) -> Result<(), Error> {
        match self.role(repository.team) {
            Some(own) if own >= role => Ok(()),
            _ => Err(Error::Forbidden(format!(
                "this needs the role '{}' in the team of the repository",
                role.name()
            ))),
        }
    }
}
