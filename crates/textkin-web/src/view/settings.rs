//! `GET /settings/…` for the whole server: users, teams, audit, retention, backup, about.

use super::{Choice, Paging, Retention, Role};

/// Accounts. Posts to `/settings/users`: `action` = `add` (`name`, `email`, `password`, `is_admin`),
/// `disable`, `enable`, `make_admin`, `unmake_admin` (`user`), `password` (`current`, `password`,
/// `password_again`: of the person who is signed in).
#[derive(Clone, Debug, Default)]
pub struct Users {
    /// All accounts, for administrators; otherwise the person's own.
    pub rows: Vec<UserRow>,
    /// Whether this person may add and change accounts.
    pub can_change: bool,
    /// Why a form failed.
    pub problem: Option<String>,
}

/// An account.
#[derive(Clone, Debug, Default)]
pub struct UserRow {
    /// Its name.
    pub name: String,
    /// Where mail goes and comes from.
    pub email: String,
    /// Whether settings of the whole server are theirs to change.
    pub is_admin: bool,
    /// Whether it can sign in.
    pub is_active: bool,
    /// Whether it is the person who looks at the page.
    pub is_self: bool,
    /// When their last visit began.
    pub last_seen: Option<String>,
}

/// Teams. Posts to `/settings/teams`: `action` = `add` (`team`), `set` (`team`, `name`, `role`),
/// `remove` (`team`, `name`).
#[derive(Clone, Debug, Default)]
pub struct Teams {
    /// Teams that this person can see.
    pub rows: Vec<TeamRow>,
    /// Why a form failed.
    pub problem: Option<String>,
}

/// A team.
#[derive(Clone, Debug, Default)]
pub struct TeamRow {
    /// Its name.
    pub name: String,
    /// Who is in it.
    pub members: Vec<TeamMember>,
    /// Its repositories.
    pub repositories: u64,
    /// Whether this person may change it.
    pub can_change: bool,
}

/// Someone in a team.
#[derive(Clone, Debug, Default)]
pub struct TeamMember {
    /// The name of the account.
    pub name: String,
    /// What they may do.
    pub role: Role,
}

/// What was done, by whom. Filter: `GET /settings/audit?who=&what=`.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Newest first.
    pub rows: Vec<AuditRow>,
    /// Which part of all rows they are.
    pub paging: Paging,
    /// The filter by account.
    pub who: String,
    /// The filter by what was done.
    pub what: Vec<Choice>,
}

/// Something that was done.
#[derive(Clone, Debug, Default)]
pub struct AuditRow {
    /// When.
    pub time: String,
    /// The account, key or mail address.
    pub who: String,
    /// What was done: `register`, `delete`, `sign in`.
    pub what: String,
    /// With what.
    pub object: String,
    /// From where.
    pub address: String,
}

/// Purge rules of all repositories that this person can see. Posts `repository`, `days`, `count`
/// to `/settings/retention`.
#[derive(Clone, Debug, Default)]
pub struct RetentionRules {
    /// One row per repository.
    pub rows: Vec<RetentionRow>,
    /// Why the form failed.
    pub problem: Option<String>,
}

/// The purge rule of a repository.
#[derive(Clone, Debug, Default)]
pub struct RetentionRow {
    /// The repository.
    pub repository: String,
    /// What goes by itself.
    pub retention: Retention,
    /// Documents that will go next, if any will.
    pub next_documents: u64,
    /// When.
    pub next_time: Option<String>,
    /// Whether this person may change it.
    pub can_change: bool,
}

/// Backups. `POST /settings/backup` makes one.
#[derive(Clone, Debug, Default)]
pub struct Backup {
    /// Backups that there are, newest first.
    pub rows: Vec<BackupRow>,
    /// Where they are kept, as the server sees it.
    pub folder: String,
    /// The command that brings one back.
    pub restore_command: String,
    /// Whether one is being made.
    pub is_running: bool,
    /// Why the last one failed.
    pub problem: Option<String>,
}

/// A backup.
#[derive(Clone, Debug, Default)]
pub struct BackupRow {
    /// Its file or folder.
    pub name: String,
    /// When it was made.
    pub time: String,
    /// Its bytes.
    pub bytes: u64,
}

/// What runs here: `GET /settings/about`.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The version of textkin.
    pub version: String,
    /// Words in the shortest run that counts.
    pub k: u32,
    /// Other things worth knowing, by name: index format, data folder, uptime.
    pub facts: Vec<(String, String)>,
}
