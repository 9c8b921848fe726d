//! Tests that a figure is the same wherever it is shown: results, batches, lists, exports, comparisons,
//! origins, the dashboard and the API.

use serde_json::{Value, json};

use crate::results::visitor;
use crate::support::{TestSite, actor, key};

/// Returns `count` words that only this passage has.
fn passage(name: &str, count: usize) -> String {
    (0..count).map(|number| format!("{name}{number}")).collect::<Vec<_>>().join(" ")
}

/// Returns the text of a page, without markup.
fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut is_markup = false;
    for letter in html.chars() {
        match letter {
            '<' => is_markup = true,
            '>' => {
                is_markup = false;
                text.push(' ');
            }
            _ if !is_markup => text.push(letter),
            _ => {}
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Case {
    site: TestSite,
    _folder: tempfile::TempDir,
    /// The session and the form token of Ben.
    ben: (String, String),
    key: String,
}

fn case() -> Case {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::open(folder.path());
    let admin = key(&site.service, "root", true, "admin");
    let ben = visitor(&site, &admin, "ben");
    let own = key(&site.service, "ben", false, "admin");
    site.new_repository(&own, "web", "public", "ben");
    Case { site, _folder: folder, ben, key: own }
}

impl Case {
    fn page(&self, path: &str) -> String {
        let (status, _, bytes) = self.site.visit("GET", path, Some(&self.ben.0), String::new());
        assert_eq!(status, 200, "{path}");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.page(path)).unwrap()
    }

    /// Submits files like the form does; returns the address of the result.
    fn submit(&self, files: &[(&str, &str)], fields: &[(&str, &str)]) -> String {
        let field = |name: &str, value: &str| {
            format!("--x\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let file = |(name, text): &(&str, &str)| {
            let kind = "content-type: text/plain";
            format!(
                "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n{kind}\r\n\r\n{text}\r\n"
            )
        };
        let mut body = field("csrf", &self.ben.1);
        body.extend(fields.iter().map(|(name, value)| field(name, value)));
        body.extend(files.iter().map(file));
        let (status, to, bytes) =
            self.site.visit("POST", "/probe", Some(&self.ben.0), body + "--x--\r\n");
        assert_eq!(status, 303, "{}", String::from_utf8_lossy(&bytes));
        to
    }

    fn register(&self, id: &str, text: &str, time: &str) {
        let new =
            json!({ "id": id, "title": format!("Title of {id}"), "text": text, "time": time });
        self.site.ask("POST", "/api/v1/repositories/web/documents", &self.key, &new);
    }
}

/// Registers sources, and returns an essay that copies from them: 60 words of one, 12 of another, which
/// has no more, and 10 in quotation marks of a third.
fn essay(case: &Case) -> String {
    let (book, note, quoted) = (passage("book", 60), passage("note", 12), passage("said", 10));
    case.register("book", &format!("{book} {}", passage("rest", 540)), "2001");
    case.register("note", &note, "2002");
    case.register("talk", &format!("{quoted} {}", passage("talk", 90)), "2003");
    format!("{} {book} {note} \u{201c}{quoted}\u{201d} {}", passage("own", 20), passage("mine", 18))
}

#[test]
fn every_figure_of_a_result_is_the_same_everywhere() {
    let case = case();
    let essay = essay(&case);
    let files = [("essay.txt", &essay[..]), ("other.txt", &passage("other", 30))];
    let batch = case.submit(&files, &[]);
    for (query, shared, words, percent, documents) in
        [("", 82, 120, "68%", 3), ("quotes=1", 72, 110, "65%", 2)]
    {
        let counts = format!("{shared} of {words} words");
        let found = format!("{percent} — {counts} found in {documents} documents");
        let with = |address: &str| match query {
            "" => address.to_owned(),
            query => format!("{address}?{query}"),
        };
        // The batch and its table.
        let page = case.page(&with(&batch));
        let row = page.split("<tr>").find(|row| row.contains("essay.txt")).unwrap();
        let expected = format!("essay.txt {percent} {counts} Title of book");
        assert!(text_of(row).starts_with(&expected), "{}", text_of(row));
        let csv = case.page(&with(&format!("{batch}/export.csv")));
        let line = csv.lines().find(|line| line.starts_with("essay.txt")).unwrap();
        assert!(line.starts_with(&format!("essay.txt,{words},{shared},")), "{line}");
        // The result that the row links to, and its exports.
        let href = row.split("href=\"").nth(1).unwrap().split('"').next().unwrap();
        let href = href.split('?').next().unwrap();
        assert!(text_of(&case.page(&with(href))).contains(&found), "{found}");
        let data = case.json(&with(&format!("{href}/data")));
        assert_eq!(data["summary"], format!("{counts} ({percent})"));
        assert!(text_of(&case.page(&with(&format!("{href}/export.html")))).contains(&found));
        let export = case.json(&with(&format!("{href}/export.json")));
        assert_eq!(export["share"], json!({ "shared": shared, "words": words }));
        let sources = export["sources"].as_array().unwrap();
        assert_eq!(sources.len(), documents);
        let csv = case.page(&with(&format!("{href}/export.csv")));
        for (source, line) in sources.iter().zip(csv.lines().skip(1)) {
            let (here, there) = (&source["here"], &source["there"]);
            let counts = format!(
                "{},{},{},{}",
                here["words"], here["shared"], there["words"], there["shared"]
            );
            assert!(line.contains(&counts), "{line} {counts}");
            // The comparison with the source, from the result and of two documents.
            let pane = |address: String| {
                let text = text_of(&case.page(&address));
                let [of_a, of_b] = [here, there]
                    .map(|share| format!("({} of {} words)", share["shared"], share["words"]));
                assert!(text.contains(&of_a) && text.contains(&of_b), "{text}");
            };
            pane(with(&format!("{href}/compare/{}", source["number"])));
        }
        // The largest share of this text comes first, although the note is here whole.
        assert_eq!((&sources[0]["id"], &sources[1]["id"]), (&json!("book"), &json!("note")));
        // The API.
        let exclude = if query.is_empty() { json!([]) } else { json!(["quotes"]) };
        let probe = json!({ "text": essay, "threshold": 0, "exclude": exclude });
        let probe = case.site.ask("POST", "/api/v1/probe", &case.key, &probe);
        assert_eq!(probe["shared_words"], shared);
        let counted = probe["words"].as_u64().unwrap() - probe["excluded_words"].as_u64().unwrap();
        assert_eq!((counted, &probe["total"]), (words, &json!(documents)));
        for (matched, source) in probe["matches"].as_array().unwrap().iter().zip(sources) {
            assert_eq!(
                (&matched["id"], &matched["shared_words"]),
                (&source["id"], &source["here"]["shared"])
            );
        }
    }
    // The list of results counts the batch once, and finds its members by title.
    let list = text_of(&case.page("/results"));
    assert!(list.contains("2 documents") && !list.contains("essay"), "{list}");
    let list = text_of(&case.page("/results?q=ESSAY"));
    assert!(list.contains("68% 82 of 120 words 3"), "{list}");
}

#[test]
fn a_batch_is_sorted_filtered_and_exported() {
    let case = case();
    let essay = essay(&case);
    let book = passage("book", 60);
    let files = [
        ("nothing.txt", &passage("nothing", 40)[..]),
        ("essay.txt", &essay),
        ("copy.txt", &book),
        ("empty.txt", ""),
    ];
    let batch = case.submit(&files, &[("quotes", "1")]);
    // What the sender excluded holds at first.
    assert!(batch.ends_with("?quotes=1"), "{batch}");
    let address = batch.split('?').next().unwrap();
    let names = |path: &str| -> Vec<String> {
        let page = case.page(path);
        let rows = page.split("<tbody>").nth(1).unwrap().split("<tr>").skip(1);
        rows.map(|row| text_of(row).split(' ').next().unwrap().to_owned()).collect()
    };
    let all = ["empty.txt", "copy.txt", "essay.txt", "nothing.txt"];
    assert_eq!(names(address), all);
    assert_eq!(
        names(&format!("{address}?sort=name")),
        ["copy.txt", "empty.txt", "essay.txt", "nothing.txt"]
    );
    assert_eq!(
        names(&format!("{address}?sort=sent")),
        ["nothing.txt", "essay.txt", "copy.txt", "empty.txt"]
    );
    assert_eq!(names(&format!("{address}?min=50")), ["copy.txt", "essay.txt"]);
    assert_eq!(names(&format!("{address}?q=COPY")), ["copy.txt"]);
    assert!(text_of(&case.page(address)).contains("65% 72 of 110 words"));
    let csv = case.page(&format!("{address}/export.csv?q=empty"));
    assert!(csv.lines().count() == 2 && csv.contains("no text found"), "{csv}");
    let zip = format!("{address}/export.zip?min=50&sort=sent");
    let (status, _, zip) = case.site.visit("GET", &zip, Some(&case.ben.0), String::new());
    assert_eq!(status, 200);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
    let names: Vec<String> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert_eq!(names, ["1 essay.pdf", "2 copy.pdf"]);
    let mut pdf = Vec::new();
    std::io::Read::read_to_end(&mut zip.by_index(1).unwrap(), &mut pdf).unwrap();
    assert!(pdf.starts_with(b"%PDF"));
}

#[test]
fn files_sent_one_by_one_are_one_batch() {
    let case = case();
    let essay = essay(&case);
    let send = |name: &str, text: &str, batch: &str| -> Value {
        let fields = [("batch", batch), ("batch_size", "3")];
        let to = case.submit(&[(name, text)], &fields);
        json!(to)
    };
    send("one.txt", &essay, "new");
    let list = case.page("/results");
    let href = list.split("<tbody>").nth(1).unwrap().split("href=\"").nth(1).unwrap();
    let href = href.split('"').next().unwrap().to_owned();
    let page = text_of(&case.page(&href));
    assert!(
        page.contains("1 of 3 files checked") && page.contains("68% 82 of 120 words"),
        "{page}"
    );
    let id = href.rsplit('/').next().unwrap().to_owned();
    send("two.txt", "", &id);
    send("three.txt", &passage("book", 60), &id);
    let page = text_of(&case.page(&href));
    assert!(!page.contains("files checked") && page.contains("3 of 3 files shown"), "{page}");
    // Nobody adds to what is not their own batch.
    let root = actor(&case.site.service, &case.key);
    let query = textkin_registry::SavedQuery::default();
    let add = |id: &str| case.site.service.add_to_batch(&root, Some(id), 1, Vec::new(), &query);
    assert!(add("unknown").is_err() && add(&id).is_ok());
    let eve = actor(&case.site.service, &key(&case.site.service, "eve", false, "admin"));
    assert!(case.site.service.add_to_batch(&eve, Some(&id), 1, Vec::new(), &query).is_err());
}

#[test]
fn every_figure_of_a_document_is_the_same_everywhere() {
    let case = case();
    let essay = essay(&case);
    case.register("essay", &essay, "2026");
    case.register("same-date", &format!("{} {}", passage("mine", 18), passage("late", 20)), "2026");
    let admin = key(&case.site.service, "root", true, "admin");
    case.site.work(&admin);
    let list = case.page("/origins?repository=web");
    let repository = case.page("/repositories/web");
    for (id, reused, words, percent, origins) in
        [("essay", 100, 120, "83%", 4), ("same-date", 18, 38, "47%", 1)]
    {
        let row =
            list.split("<tr>").skip(1).find(|row| row.contains(&format!("Title of {id}"))).unwrap();
        let documents = if origins == 1 { "document" } else { "documents" };
        let expected = format!("{percent} {reused} of {words} words {origins} {documents}");
        assert!(text_of(row).contains(&expected), "{}", text_of(row));
        let row = repository
            .split("<tr>")
            .skip(1)
            .find(|row| row.contains(&format!("Title of {id}")))
            .unwrap();
        assert!(row.contains(&format!("{reused} of {words} words")), "{row}");
        assert!(text_of(row).contains(percent));
        let page = text_of(&case.page(&format!("/origins/web/{id}")));
        let original = format!("Original: {} of {words} words", words - reused);
        assert!(page.contains(&original), "{page}");
        assert_eq!(page.matches(" Compare").count(), origins, "{page}");
        let path = format!("/api/v1/repositories/web/documents/{id}/passages");
        let passages = case.site.ask("GET", &path, &case.key, &Value::Null);
        let passages = passages.as_array().unwrap().iter();
        assert_eq!(passages.map(|own| own["words"].as_u64().unwrap()).sum::<u64>(), reused);
    }
    // The dashboard, the repository and the API.
    let api = case.site.ask("GET", "/api/v1/repositories/web", &case.key, &Value::Null);
    let words = api["words"].as_u64().unwrap();
    assert_eq!((words, &api["documents"]), (600 + 12 + 100 + 120 + 38, &json!(5)));
    assert!(text_of(&repository).contains(&format!("5 documents {words} words")));
    let dashboard = text_of(&case.page("/"));
    assert!(
        dashboard.contains(&format!("5 documents in 1 repository {words} words")),
        "{dashboard}"
    );
}

#[test]
fn the_page_about_the_numbers_names_the_limits_in_effect() {
    let case = case();
    let page = text_of(&case.page("/numbers"));
    for expected in ["at least 8 words", "at least 5% of either", "at least 50% of either", "5,000"]
    {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    let result = case.submit(&[("essay.txt", &essay(&case))], &[]);
    for path in [&result[..], "/results", "/alerts", "/graph?repository=web", "/origins/web/book"] {
        assert!(case.page(path).contains("href=\"/numbers"), "{path}");
    }
}
