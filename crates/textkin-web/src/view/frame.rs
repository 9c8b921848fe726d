//! The frame around every page: navigation, top bar, notice.

/// Everything around the content of a page.
#[derive(Clone, Debug, Default)]
pub struct PageFrame {
    /// The token for the hidden field `csrf` of every form.
    pub csrf: String,
    /// The signed-in user. Without one, navigation and search are hidden.
    pub user: Option<User>,
    /// The current entry of the navigation.
    pub nav_item: NavItem,
    /// The repositories that this user can open, for the switch in the top bar.
    pub repositories: Vec<String>,
    /// The repository the page is about, if any.
    pub repository: Option<String>,
    /// The number of open alerts, shown as a badge.
    pub open_alerts: u64,
    /// The outcome of the last action, shown once above the content.
    pub notice: Option<Notice>,
    /// The theme from the cookie `theme`: `light`, `dark`, or neither.
    pub theme: Theme,
    /// The content of the search field.
    pub query: String,
    /// The version of textkin, shown below the navigation.
    pub version: String,
}

/// The signed-in user.
#[derive(Clone, Debug, Default)]
pub struct User {
    /// The account name.
    pub name: String,
    /// Whether the user is an administrator.
    pub is_admin: bool,
}

/// An entry of the navigation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum NavItem {
    Dashboard,
    Probe,
    Results,
    Repositories,
    Graph,
    Origins,
    Alerts,
    Settings,
    /// None of them: search, sign-in, errors.
    #[default]
    Other,
}

/// Light or dark colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// The setting of the reader's system.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// A message about the outcome of an action.
#[derive(Clone, Debug, Default)]
pub struct Notice {
    /// Whether the action succeeded.
    pub kind: NoticeKind,
    /// The message.
    pub text: String,
    /// How to undo the action, if possible.
    pub undo: Option<Undo>,
}

/// Whether an action succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoticeKind {
    /// It succeeded.
    #[default]
    Done,
    /// It failed.
    Problem,
}

/// A form that undoes an action.
#[derive(Clone, Debug, Default)]
pub struct Undo {
    /// The URL it posts to, such as `/alerts/7/undo`.
    pub action: String,
    /// The text of the button; empty for “Undo”.
    pub label: String,
}

impl PageFrame {
    /// Returns the URL of the current screen for another repository.
    #[must_use]
    pub fn switch_to(&self, name: &str) -> String {
        let name = crate::format::segment(name);
        match self.nav_item {
            NavItem::Graph => format!("/graph?repository={name}"),
            NavItem::Origins => format!("/origins?repository={name}"),
            _ => format!("/repositories/{name}"),
        }
    }

    /// Returns the value of the attribute `data-theme` of the root element.
    #[must_use]
    pub fn theme_name(&self) -> &'static str {
        match self.theme {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// Whether an administrator sees the page: notes on the build concern nobody else.
    pub(crate) fn is_for_admin(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user.is_admin)
    }

    /// Returns the value of `aria-current` for an entry of the navigation.
    pub(crate) fn current(&self, item: NavItem) -> &'static str {
        if self.nav_item == item { "page" } else { "false" }
    }
}
