//! What stands around every page: rail, top bar, notice.

/// Everything around the page itself.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The token that goes into the hidden field `csrf` of every form.
    pub csrf: String,
    /// Who is signed in. Without, there is neither rail nor search.
    pub user: Option<User>,
    /// Which entry of the rail is the current one.
    pub place: Place,
    /// Names of the repositories that this person can open, for the switch in the top bar.
    pub repositories: Vec<String>,
    /// The repository the page is about, if it is about one.
    pub repository: Option<String>,
    /// Open alerts, shown as a badge.
    pub open_alerts: u64,
    /// What the last action did, shown once above the page.
    pub notice: Option<Notice>,
    /// From the cookie `theme`: `light`, `dark`, or neither.
    pub theme: Theme,
    /// What stands in the search field.
    pub query: String,
    /// The version of textkin, in the foot of the rail.
    pub version: String,
}

/// Who is signed in.
#[derive(Clone, Debug, Default)]
pub struct User {
    /// The name of the account.
    pub name: String,
    /// Whether settings of the whole server are theirs to change.
    pub is_admin: bool,
}

/// Entries of the rail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the entries say it")]
pub enum Place {
    Dashboard,
    Probe,
    Repositories,
    Graph,
    Origins,
    Alerts,
    Settings,
    /// None of them: search, sign-in, errors.
    #[default]
    Elsewhere,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system of the reader says.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// A message about what was just done.
#[derive(Clone, Debug, Default)]
pub struct Notice {
    /// Whether it went well.
    pub kind: NoticeKind,
    /// What is said.
    pub text: String,
    /// How to take it back, if it can be.
    pub undo: Option<Undo>,
}

/// Whether what was done went well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoticeKind {
    /// It went well.
    #[default]
    Done,
    /// It did not.
    Problem,
}

/// A form that takes back what was done.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// Where it is posted to, such as `/alerts/7/undo`.
    pub action: String,
    /// What the button says; empty for “Undo”.
    pub label: String,
}

impl Frame {
    /// Where a name in the repository switch leads: the same screen, for that repository.
    #[must_use]
    pub fn switch_to(&self, name: &str) -> String {
        let name = crate::format::segment(name);
        match self.place {
            Place::Graph => format!("/graph?repository={name}"),
            Place::Origins => format!("/origins?repository={name}"),
            _ => format!("/repositories/{name}"),
        }
    }

    /// The attribute of the root element that fixes a theme.
    #[must_use]
    pub fn theme_name(&self) -> &'static str {
        match self.theme {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// `page` for the entry of the rail where the page is, which is what `aria-current` wants.
    pub(crate) fn current(&self, place: Place) -> &'static str {
        if self.place == place { "page" } else { "false" }
    }
}
