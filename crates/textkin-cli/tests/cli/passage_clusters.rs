//! `discover --passage-clusters`.

use crate::support::{BAKERY, Folder};

/// An article that three papers have.
const ARTICLE: &str = "The keeper of the north light says that on the night of the storm he counted nineteen sails \
    beyond the bar, and that in the morning there were eleven, of which the largest had lost both of her masts";
/// An article that two papers have.
const RECIPE: &str = "Take four pounds of plums, stone them, and boil them with two pounds of sugar until the spoon stands";

/// A newspaper page as a JSON line.
fn page(id: &str, date: Option<&str>, paper: &str, text: &str) -> String {
    let record = serde_json::json!({ "id": id, "time": date, "paper": paper, "text": text });
    format!("{record}\n")
}

/// Three reprints of one article, one of them with an error, and another article in two papers.
fn newspapers(folder: &Folder) {
    let with_error = ARTICLE.replace("sails beyond", "fails beyond");
    let pages = [
        page("post-2", Some("1852-03-04"), "Post", &format!("Ünlike news. {ARTICLE} {RECIPE}")),
        page("times-1", Some("1851"), "Times", &format!("{ARTICLE} So the Herald reports.")),
        page("herald-7", None, "Herald", &with_error),
        page("times-9", Some("1852-03-03"), "Times", &format!("At last! {RECIPE}")),
        page("times-11", Some("1853-01-01"), "Times", BAKERY),
    ];
    folder.write("pages.jsonl", pages.concat());
}

#[test]
fn each_passage_is_listed_with_all_places_in_order_of_time() {
    let folder = Folder::new();
    newspapers(&folder);
    folder.discover(&["pages.jsonl", "--passage-clusters", "p.jsonl"]).expect(0);
    let rows = folder.json_lines("p.jsonl");
    let ids: Vec<_> = rows
        .iter()
        .map(|row| (row["cluster"].as_u64().unwrap(), row["id"].as_str().unwrap()))
        .collect();
    let expected = [(0, "times-1"), (0, "post-2"), (0, "herald-7"), (1, "times-9"), (1, "post-2")];
    assert_eq!(ids, expected);
    let text = |id: &str| {
        let pages = folder.json_lines("pages.jsonl");
        let page = pages.into_iter().find(|page| page["id"] == id).unwrap();
        page["text"].as_str().unwrap().to_owned()
    };
    for row in &rows {
        let number = |name: &str| usize::try_from(row[name].as_u64().unwrap()).unwrap();
        let text = text(row["id"].as_str().unwrap());
        assert_eq!(row["text"].as_str().unwrap(), &text[number("start")..number("end")]);
        assert_eq!(row["text"].as_str().unwrap().split_whitespace().count(), number("words"));
    }
    assert_eq!((&rows[0]["size"], &rows[0]["documents"]), (&3.into(), &3.into()));
    // The error is in the passage, and what follows it only once is not.
    assert!(rows[2]["text"].as_str().unwrap().contains("nineteen fails"));
    assert_eq!(rows[0]["text"].as_str().unwrap(), ARTICLE);
}

#[test]
fn csv_and_columns_of_passim_are_written_too() {
    let folder = Folder::new();
    newspapers(&folder);
    folder.discover(&["pages.jsonl", "--passage-clusters", "p.csv.gz", "-q"]).expect(0);
    let options = ["pages.jsonl", "--passage-clusters", "-", "--passage-columns", "passim", "-q"];
    let run = folder.discover(&options).expect(0);
    let mut lines = run.stdout.lines();
    assert_eq!(lines.next(), Some("uid,cluster,size,id,date,begin,end,text"));
    // The letter Ü is one character.
    let begin = "Ünlike news. ".chars().count();
    let post = lines.find(|line| line.contains("post-2")).unwrap();
    assert!(post.starts_with(&format!("1,0,3,post-2,1852-03-04,{begin},")), "{post}");
}

#[test]
fn passages_obey_the_other_options() {
    let folder = Folder::new();
    newspapers(&folder);
    let ids = |options: &[&str]| -> Vec<String> {
        let run = [&["pages.jsonl", "--passage-clusters", "p.jsonl", "-q"], options].concat();
        folder.discover(&run);
        folder
            .json_lines("p.jsonl")
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(ids(&["--across", "paper"]).len(), 5);
    assert_eq!(ids(&["--min-words", "1000"]), [""; 0]);
    assert_eq!(
        ids(&["--max-df", "2"]),
        ids(&["--max-df", "2", "--plan", "spill", "--threads", "1"])
    );
    folder.write("more.jsonl", page("times-10", None, "Times", &format!("Again! {RECIPE}")));
    let run =
        ["more.jsonl", "pages.jsonl", "--across", "paper", "--passage-clusters", "p.jsonl", "-q"];
    folder.discover(&run).expect(0);
    assert_eq!(folder.json_lines("p.jsonl").len(), 6);
    // Two pages of one newspaper alone are not a reprint.
    folder.write(
        "times.jsonl",
        page("1", None, "Times", RECIPE)
            + &page("2", None, "Times", RECIPE)
            + &page("3", None, "Post", BAKERY),
    );
    folder.discover(&["times.jsonl", "--across", "paper", "--passage-clusters", "p.jsonl", "-q"]);
    assert_eq!(folder.read("p.jsonl"), "");
}

#[test]
fn passages_of_any_chunks_are_found() {
    let folder = Folder::new();
    newspapers(&folder);
    for chunk in ["chars:12", "words:3"] {
        let run = ["pages.jsonl", "--passage-clusters", "p.jsonl", "--chunk", chunk, "-q"];
        folder.discover(&run).expect(0);
        let rows = folder.json_lines("p.jsonl");
        assert!(rows.len() >= 4, "{chunk}: {rows:?}");
    }
}

#[test]
fn passages_fail_early() {
    let folder = Folder::new();
    newspapers(&folder);
    let lines = folder.read("pages.jsonl");
    let run = folder.discover_from(lines.as_bytes(), &["-", "--passage-clusters", "p.jsonl"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("--passage-clusters p.jsonl reads the input twice"),
        "{}",
        run.stderr
    );
    let run = folder.discover(&["pages.jsonl", "--passage-clusters", "p.gexf"]).expect(2);
    assert!(run.stderr.contains("use .jsonl, .csv or .parquet"), "{}", run.stderr);
    folder.discover(&["pages.jsonl", "--passage-columns", "passim"]).expect(2);
    assert_eq!(folder.names(), ["pages.jsonl"]);
}
