//! Views of `GET /settings/…`: users, teams, audit log, retention, backups, about.

use super::{Choice, Paging, Retention, Role};

/// Accounts. Posts to `/settings/users`: `action` = `add` (`name`, `email`, `password`, `is_admin`),
/// `disable`, `enable`, `make_admin`, `unmake_admin` (`user`), `password` (`current`, `password`,
/// `password_again`: of the signed-in user).
#[derive(Clone, Debug, Default)]
pub struct Users {
    /// All accounts for administrators, otherwise only the user's own.
    pub rows: Vec<UserRow>,
    /// Whether this user may add and change accounts.
    pub can_change: bool,
    /// Why a form failed.
    pub problem: Option<String>,
    /// A name and the link that sets its new password; it is shown once.
    pub reset: Option<(String, String)>,
}

/// An account.
#[derive(Clone, Debug, Default)]
pub struct UserRow {
    /// The account name.
    pub name: String,
    /// The mail address.
    pub email: String,
    /// Whether the user is an administrator.
    pub is_admin: bool,
    /// Whether the user can sign in.
    pub is_active: bool,
    /// Whether this is the current user.
    pub is_self: bool,
    /// When their last visit began.
    pub last_seen: Option<String>,
}

/// Teams. Posts to `/settings/teams`: `action` = `add` (`team`), `set` (`team`, `name`, `role`),
/// `remove` (`team`, `name`), `leave`, `accept`, `decline` (`team`).
#[derive(Clone, Debug, Default)]
pub struct Teams {
    /// The teams that this user can see.
    pub rows: Vec<TeamRow>,
    /// Invitations that this user has not answered.
    pub invitations: Vec<InvitationRow>,
    /// Why a form failed.
    pub problem: Option<String>,
}

/// A team.
#[derive(Clone, Debug, Default)]
pub struct TeamRow {
    /// Its name.
    pub name: String,
    /// Its members.
    pub members: Vec<TeamMemberRow>,
    /// Accounts that are invited and have not answered; for owners.
    pub invited: Vec<TeamMemberRow>,
    /// Whether it is this user's own team, which cannot be left.
    pub is_own: bool,
    /// The number of its repositories.
    pub repositories: u64,
    /// Whether this user may change it.
    pub can_change: bool,
}

/// A member of a team.
#[derive(Clone, Debug, Default)]
pub struct TeamMemberRow {
    /// The account name.
    pub name: String,
    /// The role in the team.
    pub role: Role,
    /// Whether this is the current user.
    pub is_self: bool,
}

/// An invitation to a team. `action` = `accept` or `decline` of `/settings/teams` answers it.
#[derive(Clone, Debug, Default)]
pub struct InvitationRow {
    /// The team.
    pub team: String,
    /// The role in the team.
    pub role: Role,
    /// The account that sent it, if it still exists.
    pub invited_by: Option<String>,
    /// When it was sent.
    pub time: String,
}

/// The audit log. Filter: `GET /settings/audit?who=&what=`.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// The entries, newest first.
    pub rows: Vec<AuditRow>,
    /// The position of `rows` in the whole list.
    pub paging: Paging,
    /// The filter by account.
    pub who: String,
    /// The filter by action.
    pub what: Vec<Choice>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, Default)]
pub struct AuditRow {
    /// When it happened.
    pub time: String,
    /// The account, key or mail address that acted.
    pub who: String,
    /// The action: `register`, `delete`, `sign in`.
    pub what: String,
    /// The object of the action.
    pub object: String,
    /// The network address of the request.
    pub address: String,
}

/// Retention rules of all repositories that this user can see. Posts `repository`, `days`, `count`
/// to `/settings/retention`.
#[derive(Clone, Debug, Default)]
pub struct RetentionRules {
    /// One row per repository.
    pub rows: Vec<RetentionRow>,
    /// Why the form failed.
    pub problem: Option<String>,
}

/// The retention rule of a repository.
#[derive(Clone, Debug, Default)]
pub struct RetentionRow {
    /// The repository.
    pub repository: String,
    /// When documents are deleted automatically.
    pub retention: Retention,
    /// The number of documents that will be deleted next.
    pub next_documents: u64,
    /// When they will be deleted.
    pub next_time: Option<String>,
    /// Whether this user may change the rule.
    pub can_change: bool,
}

/// Backups. `POST /settings/backup` creates one.
#[derive(Clone, Debug, Default)]
pub struct Backups {
    /// The existing backups, newest first.
    pub rows: Vec<BackupRow>,
    /// The folder with the backups, on the server.
    pub folder: String,
    /// The command that restores a backup.
    pub restore_command: String,
    /// Whether a backup is being created.
    pub is_running: bool,
    /// Why the last backup failed.
    pub problem: Option<String>,
}

/// A backup.
#[derive(Clone, Debug, Default)]
pub struct BackupRow {
    /// The file or folder name.
    pub name: String,
    /// When it was created.
    pub time: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Information about the server: `GET /settings/about`.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The version of textkin.
    pub version: String,
    /// The minimum length of a match, in words.
    pub k: u32,
    /// Other facts by name: index format, data folder, uptime.
    pub facts: Vec<(String, String)>,
}
