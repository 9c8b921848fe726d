//! Made-up data for every page, in several flavours.

mod account;
mod checks;
mod collections;
mod settings;

use textkin_web::page::*;
use textkin_web::view::*;

/// The kind of texts in the made-up data.
#[derive(Clone, Debug)]
pub(crate) enum Flavour {
    /// Ordinary texts.
    Ordinary,
    /// No data yet.
    Empty,
    /// Very long titles and names.
    Long,
    /// Markup and script in every field.
    Hostile,
    /// Text written from right to left.
    RightToLeft,
    /// This text in every field.
    #[allow(dead_code, reason = "tests use it")]
    Given(String),
}

impl Flavour {
    /// The flavours in the gallery.
    pub(crate) const ALL: [Self; 5] =
        [Self::Ordinary, Self::Empty, Self::Long, Self::Hostile, Self::RightToLeft];

    /// Returns its name in file names.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Ordinary => "ordinary",
            Self::Empty => "empty",
            Self::Long => "long",
            Self::Hostile => "hostile",
            Self::RightToLeft => "rtl",
            Self::Given(_) => "given",
        }
    }

    /// Returns a text in this flavour.
    pub(crate) fn text(&self, text: &str) -> String {
        match self {
            Self::Ordinary | Self::Empty => text.to_owned(),
            Self::Long => format!(
                "{text} and what followed from it in the years after that, with notes, tables, an index of persons and a very_long_word_without_any_place_to_break_it_anywhere_at_all"
            ),
            Self::Hostile => format!(
                "{text}<script>alert(1)</script>\"'><img src=x onerror=alert(2)> style=\u{202e}&amp;"
            ),
            Self::RightToLeft => format!("דוח שנתי על מצב הספריות {text}"),
            Self::Given(given) => given.clone(),
        }
    }

    /// Returns the list, or an empty one in the flavour `Empty`.
    pub(crate) fn list<T>(&self, items: Vec<T>) -> Vec<T> {
        if self.is_empty() { Vec::new() } else { items }
    }

    /// Returns the item, or `None` in the flavour `Empty`.
    pub(crate) fn maybe<T>(&self, item: T) -> Option<T> {
        (!self.is_empty()).then_some(item)
    }

    /// Returns whether the flavour is `Empty`.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }
}

/// Returns the frame around a page.
pub(crate) fn frame(flavour: &Flavour, nav_item: NavItem) -> PageFrame {
    PageFrame {
        csrf: flavour.text("token"),
        user: Some(User { name: flavour.text("maria"), is_admin: true }),
        nav_item,
        repositories: flavour.list(vec![
            "reports".to_owned(),
            flavour.text("theses"),
            "news".to_owned(),
        ]),
        repository: flavour.maybe("reports".to_owned()),
        open_alerts: if flavour.is_empty() { 0 } else { 1203 },
        notice: flavour.maybe(Notice {
            kind: NoticeKind::Done,
            text: flavour.text("Alert handled."),
            undo: Some(Undo { action: "/alerts/7/undo".to_owned(), label: String::new() }),
        }),
        theme: Theme::System,
        query: flavour.text(""),
        version: "0.1.0".to_owned(),
    }
}

/// Returns a link to a document.
pub(crate) fn link(flavour: &Flavour, title: &str, id: &str, time: Option<&str>) -> DocumentLink {
    DocumentLink {
        title: flavour.text(title),
        id: flavour.text(id),
        repository: flavour.text("reports"),
        href: Some("/origins/reports/1".to_owned()),
        time: time.map(str::to_owned),
    }
}

/// Returns a score.
pub(crate) fn score(shared: u64, words: u64, other_shared: u64, other_words: u64) -> Score {
    Score::new(Share::new(shared, words), Share::new(other_shared, other_words))
}

/// Returns a histogram.
pub(crate) fn histogram(flavour: &Flavour, threshold: u32) -> Histogram {
    let bars = (0..20_u32).map(|at| Bar {
        from: at * 5,
        to: at * 5 + 5,
        documents: if flavour.is_empty() { 0 } else { u64::from(900 / (at + 1) + (at % 4) * 40) },
        href: Some(format!("/matches?from={}&to={}", at * 5, at * 5 + 5)),
    });
    Histogram { bars: bars.collect(), threshold }
}

/// Renders every page of a flavour, by name.
pub(crate) fn pages(flavour: &Flavour) -> Result<Vec<(&'static str, String)>, textkin_web::Error> {
    let mut pages = Vec::new();
    macro_rules! page {
        ($name:literal, $page:ident, $item:ident, $view:expr) => {{
            let (frame, view) = (frame(flavour, NavItem::$item), $view);
            pages.push(($name, $page { frame: &frame, view: &view }.render()?));
        }};
    }
    let signed_out = PageFrame { csrf: flavour.text("token"), ..PageFrame::default() };
    let (login, setup) = (account::login(flavour), account::setup(flavour));
    pages.push(("login", LoginPage { frame: &signed_out, view: &login }.render()?));
    pages.push(("setup", SetupPage { frame: &signed_out, view: &setup }.render()?));
    let reset = account::reset(flavour);
    pages.push(("reset", ResetPage { frame: &signed_out, view: &reset }.render()?));
    page!("error", ErrorPage, Other, account::error(flavour));
    page!("search", SearchPage, Other, account::search(flavour));
    page!("dashboard", DashboardPage, Dashboard, collections::dashboard(flavour));
    page!("matches", MatchesPage, Dashboard, collections::matches(flavour));
    page!("repositories", RepositoriesPage, Repositories, collections::repositories(flavour));
    page!("repository", RepositoryPage, Repositories, collections::repository(flavour));
    page!("probe", ProbePage, Probe, checks::probe(flavour));
    page!("result-list", ResultListPage, Results, checks::result_list(flavour));
    page!("numbers", NumbersPage, Other, checks::numbers());
    page!("batch", BatchPage, Results, checks::batch(flavour));
    page!("results", ResultsPage, Results, checks::results(flavour));
    page!(
        "waiting",
        ResultsPage,
        Probe,
        Results { state: ResultState::Running, ..checks::results(flavour) }
    );
    let reason = flavour.text("This PDF is password-protected");
    page!(
        "failed",
        ResultsPage,
        Probe,
        Results { state: ResultState::Failed(reason), ..checks::results(flavour) }
    );
    page!("compare", ComparePage, Probe, checks::compare(flavour));
    page!("graph", GraphPage, Graph, checks::graph(flavour, false));
    page!("cluster", GraphPage, Graph, checks::graph(flavour, true));
    page!("origins", OriginsPage, Origins, collections::origins(flavour));
    page!("origin-document", OriginDocumentPage, Origins, collections::origin_document(flavour));
    page!("fragment", FragmentPage, Origins, collections::fragment(flavour));
    page!("alerts", AlertsPage, Alerts, account::alerts(flavour));
    page!("rules", RulesPage, Alerts, account::rules(flavour));
    page!("keys", KeysPage, Settings, settings::keys(flavour));
    page!("webhooks", WebhooksPage, Settings, settings::webhooks(flavour));
    page!("users", UsersPage, Settings, settings::users(flavour));
    page!("teams", TeamsPage, Settings, settings::teams(flavour));
    page!("audit", AuditPage, Settings, settings::audit(flavour));
    page!("retention", RetentionPage, Settings, settings::retention(flavour));
    page!("backup", BackupPage, Settings, settings::backup(flavour));
    page!("about", AboutPage, Settings, settings::about(flavour));
    let frame = frame(flavour, NavItem::Settings);
    pages.push(("api", ApiPage { frame: &frame }.render()?));
    Ok(pages)
}

/// Returns the response of `/results/{id}/data`.
#[allow(dead_code, reason = "tests use it")]
pub(crate) fn results_json(flavour: &Flavour) -> Result<String, textkin_web::Error> {
    let (frame, view) = (frame(flavour, NavItem::Probe), checks::results(flavour));
    ResultsPage { frame: &frame, view: &view }.data()
}

/// Returns the response of `/graph/data`.
#[allow(dead_code, reason = "the example uses it")]
pub(crate) fn graph_json(is_open: bool) -> Result<String, serde_json::Error> {
    serde_json::to_string(&checks::graph(&Flavour::Ordinary, is_open).data)
}
