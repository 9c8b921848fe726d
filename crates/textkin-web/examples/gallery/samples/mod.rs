//! Made-up data for every page, in several flavours.

mod account;
mod found;
mod kept;
mod settings;

use textkin_web::page::*;
use textkin_web::view::*;

/// What the texts of the made-up data are like.
#[derive(Clone, Debug)]
pub(crate) enum Flavour {
    /// As they mostly are.
    Ordinary,
    /// There is nothing yet.
    Empty,
    /// Very long titles and names.
    Long,
    /// Markup and script in every field.
    Hostile,
    /// Written from right to left.
    RightToLeft,
    /// This, in every field.
    #[allow(dead_code, reason = "tests use it")]
    Given(String),
}

impl Flavour {
    /// Those that are worth a look.
    pub(crate) const ALL: [Self; 5] =
        [Self::Ordinary, Self::Empty, Self::Long, Self::Hostile, Self::RightToLeft];

    /// Its name in file names.
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

    /// A text of a person or of a file.
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

    /// A list that is empty where there is nothing yet.
    pub(crate) fn list<T>(&self, items: Vec<T>) -> Vec<T> {
        if self.is_empty() { Vec::new() } else { items }
    }

    /// Something that is missing where there is nothing yet.
    pub(crate) fn maybe<T>(&self, item: T) -> Option<T> {
        (!self.is_empty()).then_some(item)
    }

    /// Whether there is nothing yet.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }
}

/// What stands around a page.
pub(crate) fn frame(flavour: &Flavour, place: Place) -> Frame {
    Frame {
        csrf: flavour.text("token"),
        user: Some(User { name: flavour.text("maria"), is_admin: true }),
        place,
        repositories: flavour.list(vec![
            "reports".to_owned(),
            flavour.text("theses"),
            "news".to_owned(),
        ]),
        repository: flavour.maybe("reports".to_owned()),
        open_alerts: if flavour.is_empty() { 0 } else { 1203 },
        notice: flavour.maybe(Notice {
            kind: NoticeKind::Done,
            text: flavour.text("The alert is handled."),
            undo: Some(Undo { action: "/alerts/7/undo".to_owned(), label: String::new() }),
        }),
        theme: Theme::System,
        query: flavour.text(""),
        version: "0.1.0".to_owned(),
    }
}

/// A document as a link.
pub(crate) fn link(flavour: &Flavour, title: &str, id: &str, time: Option<&str>) -> DocumentLink {
    DocumentLink {
        title: flavour.text(title),
        id: flavour.text(id),
        repository: flavour.text("reports"),
        href: Some("/origins/reports/1".to_owned()),
        time: time.map(str::to_owned),
    }
}

/// A score.
pub(crate) fn score(shared: u64, words: u64, other_shared: u64, other_words: u64) -> Score {
    Score::new(Share::new(shared, words), Share::new(other_shared, other_words))
}

/// Bars of a histogram.
pub(crate) fn histogram(flavour: &Flavour, threshold: u32) -> Histogram {
    let bars = (0..20_u32).map(|at| Bar {
        from: at * 5,
        to: at * 5 + 5,
        documents: if flavour.is_empty() { 0 } else { u64::from(900 / (at + 1) + (at % 4) * 40) },
        href: Some(format!("/matches?from={}&to={}", at * 5, at * 5 + 5)),
    });
    Histogram { bars: bars.collect(), threshold }
}

/// Every page of a flavour, by name.
pub(crate) fn pages(flavour: &Flavour) -> Result<Vec<(&'static str, String)>, textkin_web::Error> {
    let mut pages = Vec::new();
    macro_rules! page {
        ($name:literal, $page:ident, $place:ident, $view:expr) => {{
            let (frame, view) = (frame(flavour, Place::$place), $view);
            pages.push(($name, $page { frame: &frame, view: &view }.render()?));
        }};
    }
    let alone = Frame { csrf: flavour.text("token"), ..Frame::default() };
    let (login, setup) = (account::login(flavour), account::setup(flavour));
    pages.push(("login", LoginPage { frame: &alone, view: &login }.render()?));
    pages.push(("setup", SetupPage { frame: &alone, view: &setup }.render()?));
    page!("failure", FailurePage, Elsewhere, account::failure(flavour));
    page!("search", SearchPage, Elsewhere, account::search(flavour));
    page!("dashboard", DashboardPage, Dashboard, kept::dashboard(flavour));
    page!("matches", MatchesPage, Dashboard, kept::matches(flavour));
    page!("repositories", RepositoriesPage, Repositories, kept::repositories(flavour));
    page!("repository", RepositoryPage, Repositories, kept::repository(flavour));
    page!("probe", ProbePage, Probe, found::probe(flavour));
    page!("batch", BatchPage, Probe, found::batch(flavour));
    page!("results", ResultsPage, Probe, found::results(flavour));
    page!(
        "waiting",
        ResultsPage,
        Probe,
        Results { state: ResultState::Running, ..found::results(flavour) }
    );
    let reason = flavour.text("encrypted: a password is needed");
    page!(
        "failed",
        ResultsPage,
        Probe,
        Results { state: ResultState::Failed(reason), ..found::results(flavour) }
    );
    page!("compare", ComparePage, Probe, found::compare(flavour));
    page!("graph", GraphPage, Graph, found::graph(flavour, false));
    page!("cluster", GraphPage, Graph, found::graph(flavour, true));
    page!("origins", OriginsPage, Origins, kept::origins(flavour));
    page!("origin-document", OriginDocumentPage, Origins, kept::origin_document(flavour));
    page!("fragment", FragmentPage, Origins, kept::fragment(flavour));
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
    let frame = frame(flavour, Place::Settings);
    pages.push(("api", ApiPage { frame: &frame }.render()?));
    Ok(pages)
}

/// What `/results/{id}/data` would answer.
#[allow(dead_code, reason = "tests use it")]
pub(crate) fn results_json(flavour: &Flavour) -> Result<String, textkin_web::Error> {
    let (frame, view) = (frame(flavour, Place::Probe), found::results(flavour));
    ResultsPage { frame: &frame, view: &view }.data()
}

/// What `/graph/data` would answer.
#[allow(dead_code, reason = "the example uses it")]
pub(crate) fn graph_json(is_open: bool) -> Result<String, serde_json::Error> {
    serde_json::to_string(&found::graph(&Flavour::Ordinary, is_open).data)
}
