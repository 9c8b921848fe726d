//! `textkin search` and `textkin measures`.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{BAKERY, Dice, FERRY, Folder, HARBOUR, Run, collection, lines, record};

const MEASURES: &str = "inner,normalised,cosine,identity1,identity2,identity3,identity4,identity5,scam,fingerprint,kin";

fn search(folder: &Folder, arguments: &[&str]) -> Run {
    folder.textkin(&[&["search", "r"], arguments].concat())
}

/// Returns the objects of `--format json`.
fn answers(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let run = search(folder, &[arguments, &["--format", "json"]].concat());
    assert!(run.code < 2, "{run:?}");
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the matching ids, best first.
fn found(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["id"].as_str().unwrap()).collect()
}

/// A repository `r` with these documents.
fn holding(options: &[&str], records: &str) -> Folder {
    let folder = Folder::new();
    folder.repo(&[&["create", "r"], options].concat()).expect(0);
    folder.write("in.jsonl", records);
    folder.repo(&["add", "r", "in.jsonl"]).expect(0);
    folder.write("h.txt", HARBOUR);
    folder
}

fn three(options: &[&str]) -> Folder {
    holding(options, &[record("h", HARBOUR), record("f", FERRY), record("b", BAKERY)].concat())
}

#[test]
fn identical_document_ranks_first_with_100_percent() {
    for options in [&[][..], &["--fingerprints-only"]] {
        let documents: Vec<_> =
            collection(40).into_iter().filter(|(_, text)| text.split(' ').count() > 10).collect();
        let folder = holding(options, &lines(&documents));
        let answers = answers(&folder, &["in.jsonl", "--score", MEASURES, "--top", "60"]);
        let names: Vec<&str> = MEASURES.split(',').collect();
        assert_eq!(answers.len(), documents.len() * names.len());
        for (index, answer) in answers.iter().enumerate() {
            let (document, measure) = (&documents[index / names.len()], names[index % names.len()]);
            assert_eq!(
                (&answer["query"], &answer["measure"]),
                (&document.0.as_str().into(), &measure.into())
            );
            let results = answer["results"].as_array().unwrap();
            let own = results.iter().find(|result| result["id"] == document.0.as_str()).unwrap();
            let percent = own["percent"].as_f64().unwrap();
            assert!((percent - 100.0).abs() < 1e-9, "{measure}: {own}");
            if !["inner", "normalised", "cosine"].contains(&measure) {
                let most = results[0]["percent"].as_f64().unwrap();
                assert!(most <= 100.0 + 1e-9, "{measure}: {answer}");
            }
            for (rank, pair) in (2..).zip(results.windows(2)) {
                assert_eq!(pair[1]["rank"], rank);
                assert!(pair[0]["score"].as_f64() >= pair[1]["score"].as_f64(), "{answer}");
            }
        }
    }
}

#[test]
fn json_has_one_object_per_query_and_measure() {
    let folder = three(&[]);
    let run = search(&folder, &["h.txt", "--score", "fingerprint,identity5", "--format", "json"])
        .expect(0);
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        rows[0],
        r#"{"query":"h.txt","measure":"fingerprint","results":[{"rank":1,"id":"h","score":3.0,"percent":100.0,"words":10},{"rank":2,"id":"f","score":2.0,"percent":66.66666666666666,"words":10}],"words":10}"#
    );
    assert!(
        rows[1].starts_with(
            r#"{"query":"h.txt","measure":"identity5","results":[{"rank":1,"id":"h","score":"#
        ),
        "{run:?}"
    );
    assert_eq!(rows.len(), 2);
    folder.write("nothing.txt", "xyzzy");
    let run = search(&folder, &["nothing.txt", "--format", "json"]).expect(1);
    assert_eq!(
        run.stdout,
        "{\"query\":\"nothing.txt\",\"measure\":\"kin\",\"results\":[],\"words\":1}\n"
    );
    folder.write(
        "t.jsonl",
        "{\"id\":\"t\",\"text\":\"quite other words\",\"time\":\"2020-01-01\"}\n",
    );
    folder.repo(&["add", "r", "t.jsonl"]).expect(0);
    let answers = answers(&folder, &["t.jsonl"]);
    assert_eq!(answers[0]["results"][0]["time"], "2020-01-01");
}

#[test]
fn a_search_without_a_match_says_so_and_exits_with_1() {
    let folder = three(&[]);
    folder
        .write("other.txt", "Of all the lamps in town, none is as bright as the one on the pier.");
    let run = search(&folder, &["other.txt"]).expect(1);
    assert!(run.stdout.contains("\n  no matches; the closest is "), "{run:?}");
    assert!(run.stdout.contains("--threshold 0 shows"), "{run:?}");
    for format in ["json", "csv"] {
        let run = search(&folder, &["other.txt", "--format", format]).expect(1);
        assert!(!run.stdout.contains("\"h\"") && !run.stdout.contains(",h,"), "{run:?}");
    }
    let all = search(&folder, &["other.txt", "--threshold", "0"]).expect(0);
    assert!(!all.stdout.contains("no matches"), "{all:?}");
    // A quotation in a long query is a match, however small its share.
    let long = format!("{} {HARBOUR} {}", Dice::new(7).text(400), Dice::new(8).text(400));
    folder.write("long.txt", long);
    let run = search(&folder, &["long.txt"]).expect(0);
    assert!(run.stdout.contains("  h\n"), "{run:?}");
    // One match among several queries is a match.
    search(&folder, &["other.txt", "h.txt"]).expect(0);
}

#[test]
fn csv_quotes_fields_and_tables_fit() {
    let folder =
        holding(&[], &[record("a,\"b\"\n", HARBOUR), record("שלום \u{1b}[31m", FERRY)].concat());
    let run = search(&folder, &["h.txt", "--format", "csv", "--score", "fingerprint"]).expect(0);
    let expected = "query,measure,rank,id,score,percent\nh.txt,fingerprint,1,\"a,\"\"b\"\"\n\",3,100\nh.txt,fingerprint,2,שלום \u{1b}[31m,2,66.66666666666666\n";
    assert_eq!(run.stdout, expected);
    let run = search(&folder, &["h.txt", "--score", "fingerprint"]).expect(0);
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(rows[0], "h.txt (10 words) by fingerprint");
    assert_eq!(rows[1], " rank   percent         score  document");
    assert!(rows[2].starts_with("    1  100.00 %             3  a,\"b\""), "{run:?}");
    assert!(rows[3].starts_with("    2   66.67 %             2  "), "{run:?}");
    assert!(!run.stdout.contains('\u{1b}'), "{run:?}");
    folder.write("nothing.txt", "xyzzy");
    let run = search(&folder, &["nothing.txt"]).expect(1);
    assert_eq!(run.stdout, "nothing.txt (1 word) by kin\n  no matches\n\n");
}

#[test]
fn top_and_threshold_limit_results() {
    let folder = three(&[]);
    let n = |options: &[&str]| {
        let arguments = [&["h.txt", "--score", "identity2"], options].concat();
        found(&answers(&folder, &arguments)[0]).len()
    };
    assert_eq!(n(&[]), 3);
    assert_eq!((n(&["--top", "2"]), n(&["--top", "1"]), n(&["--threshold", "50"])), (2, 1, 2));
    assert_eq!(n(&["--threshold", "100"]), 1);
    for bad in
        [["--top", "0"], ["--threshold", "x"], ["--threshold", "101"], ["--threshold", "NaN"]]
    {
        search(&folder, &[&["h.txt"], &bad[..]].concat()).expect(2);
    }
}

#[test]
fn unknown_measure_gets_a_suggestion() {
    let folder = three(&[]);
    let run = search(&folder, &["h.txt", "--score", "kin,identity55"]).expect(2);
    assert!(run.stderr.contains("did you mean 'identity5'?"), "{run:?}");
    let run = folder.textkin(&["measures"]).expect(0);
    for measure in MEASURES.split(',') {
        assert!(run.stdout.contains(&format!(" {measure} ")), "{run:?}");
    }
}

#[test]
fn copied_passage_is_found_in_a_long_document() {
    let mut dice = Dice::new(5);
    let passage = dice.text(60);
    let long = format!("{} naïve übung {passage} {}", dice.text(3000), dice.text(2000));
    let query = format!("Ünrelated {} {passage} {}", dice.text(400), dice.text(300));
    let records: String = (0..30).map(|n| record(&format!("other{n}"), &dice.text(500))).collect();
    let folder = holding(&[], &[records, record("long", &long)].concat());
    folder.write("query.txt", &query);
    let answers = answers(&folder, &["query.txt", "--passages"]);
    let passages = answers[0]["passages"].as_array().unwrap();
    assert_eq!(passages.len(), 1, "{passages:?}");
    assert_eq!(passages[0]["id"], "long");
    let results = answers[0]["results"].as_array().unwrap();
    let long_result = results.iter().find(|result| result["id"] == "long").unwrap();
    let pairs = passages[0]["pairs"].as_array().unwrap();
    assert_eq!(long_result["passage_pairs"], pairs.len());
    // Byte and word positions agree.
    let cut = |text: &str, place: &Value| -> BTreeSet<String> {
        let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
        let cut = &text[number(&place["start"])..number(&place["end"])];
        let words = number(&place["words"][0])..number(&place["words"][1]);
        assert_eq!(cut, text.split(' ').collect::<Vec<_>>()[words].join(" "));
        cut.split(' ').map(str::to_owned).collect()
    };
    assert!(!pairs.is_empty());
    for pair in pairs {
        let (query, document) = (cut(&query, &pair["query"]), cut(&long, &pair["document"]));
        let shared = query.intersection(&document).filter(|word| passage.contains(*word)).count();
        assert!(shared >= 20, "{pair}");
        assert!(pair["percent"].as_f64().unwrap() >= 50.0, "{pair}");
    }
    let run = search(&folder, &["query.txt", "--passages"]).expect(0);
    assert!(run.stdout.contains("query.txt by passages\npairs      best  document\n"), "{run:?}");
    let first = passage.split(' ').next().unwrap();
    assert!(run.stdout.contains(first) && run.stdout.contains(" at byte "), "{run:?}");
    // Windows longer than the passage do not find it.
    let arguments = ["query.txt", "--passages", "--window", "400", "--step", "200"];
    assert_eq!(self::answers(&folder, &arguments)[0]["passages"], Value::Array(Vec::new()));
    for bad in [
        ["--window", "0"],
        ["--step", "0"],
        ["--passage-threshold", "nan"],
        ["--passage-threshold", "101"],
    ] {
        search(&folder, &[&["query.txt", "--passages"], &bad[..]].concat()).expect(2);
    }
    search(&folder, &["query.txt", "--window", "40"]).expect(2);
}

#[test]
fn passages_require_stored_texts() {
    let folder = three(&["--fingerprints-only"]);
    let run = search(&folder, &["h.txt", "--passages"]).expect(2);
    assert!(
        run.stderr.starts_with("textkin: r stores only fingerprints, no text: passage"),
        "{run:?}"
    );
}

#[test]
fn stop_words_are_ignored() {
    let records = [
        record("x", "the cat of the house"),
        record("y", "the and of it"),
        record("z", "dog of the garden"),
    ];
    let folder = holding(&[], &records.concat());
    folder.write("q.txt", "the cat and the dog");
    folder.write("words.txt", "cat\nDOG the\n");
    let ids = |options: &[&str]| -> Vec<String> {
        let arguments = [&["q.txt", "--score", "inner"], options].concat();
        let mut ids: Vec<String> =
            found(&answers(&folder, &arguments)[0]).into_iter().map(str::to_owned).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(&[]), ["x", "y", "z"]);
    assert_eq!(ids(&["--stop-list", "en"]), ["x", "z"]);
    assert_eq!(ids(&["--stop-list", "words.txt"]), ["y"]);
    assert!(ids(&["--stop-list", "words.txt", "--stop-list", "en"]).is_empty());
    assert_eq!(ids(&["--stop-frequent", "2"]), ["x", "y", "z"], "of and the");
    assert!(ids(&["--stop-frequent", "100"]).is_empty());
    let run = search(&folder, &["q.txt", "--stop-list", "nix"]).expect(2);
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    assert!(run.stderr.contains("--stop-list nix is neither a language"), "{run:?}");
}

/// An index of few chunks still finds a shifted copy, because all chunks of the query are looked up.
#[test]
fn query_can_use_another_selector_than_the_index() {
    let mut dice = Dice::new(8);
    let text = dice.text(400);
    let folder = holding(
        &["--select", "every:16"],
        &[record("x", &text), record("y", &dice.text(400))].concat(),
    );
    folder.write("q.txt", format!("one {text}"));
    let score = |options: &[&str]| {
        let arguments = [&["q.txt", "--score", "fingerprint"], options].concat();
        answers(&folder, &arguments)[0]["results"][0]["score"].as_f64()
    };
    assert_eq!(score(&[]), None, "anchors of the query occur elsewhere");
    assert!(score(&["--select", "all"]).unwrap() >= 20.0);
    let run = search(&folder, &["q.txt", "--select", "nix"]).expect(2);
    assert!(run.stderr.contains("nix"), "{run:?}");
}

#[test]
fn results_are_in_order_of_queries() {
    let documents = collection(80);
    let folder = holding(&[], &lines(&documents[..20]));
    folder.write("q.jsonl", lines(documents.iter().rev()));
    folder.write("a.txt", HARBOUR);
    let expected: Vec<&str> = ["a.txt"]
        .into_iter()
        .chain(documents.iter().rev().map(|document| document.0.as_str()))
        .collect();
    let run =
        search(&folder, &["a.txt", "q.jsonl", "--format", "json", "--threads", "1"]).expect(0);
    let ids: Vec<String> = run
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["query"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids, expected);
    for threads in ["2", "7"] {
        let other =
            search(&folder, &["a.txt", "q.jsonl", "--format", "json", "--threads", threads]);
        assert_eq!(other.stdout, run.stdout);
    }
    let run =
        folder.textkin_from(HARBOUR.as_bytes(), &["search", "r", "-", "--format", "csv"]).expect(1);
    assert_eq!(run.stdout, "query,measure,rank,id,score,percent\n");
}

#[test]
fn unusual_queries_are_answered() {
    let folder = three(&[]);
    folder.write("empty.txt", "");
    folder.write("blank.txt", " \n\t ");
    folder.write("one.txt", "ferry");
    folder.write("huge.txt", "x".repeat(3_000_000));
    folder.write("nul.txt", "at dusk\0the ferry\0left");
    folder.write("latin.txt", b"at dusk the f\xe4hre left the harbour");
    for (name, code) in
        [("empty.txt", 1), ("blank.txt", 1), ("one.txt", 0), ("huge.txt", 1), ("latin.txt", 0)]
    {
        let run = search(&folder, &[name, "--score", MEASURES, "--passages"]).expect(code);
        assert!(run.stdout.contains(name), "{run:?}");
        let answers = answers(&folder, &[name, "--score", MEASURES, "--passages"]);
        assert_eq!(answers.len(), 11);
        for answer in &answers {
            for result in answer["results"].as_array().unwrap() {
                assert!(result["percent"].as_f64().is_some_and(f64::is_finite), "{answer}");
            }
        }
    }
    let run = search(&folder, &["nul.txt"]);
    assert!(!run.stderr.contains("panicked"), "{run:?}");
    let run = search(&folder, &["nix.txt"]).expect(2);
    assert!(run.stderr.starts_with("textkin: nix.txt: no such file"), "{run:?}");
    let run = search(&folder, &["nix.txt", "h.txt"]).expect(0);
    assert!(run.stderr.starts_with("textkin: nix.txt: no such file"), "{run:?}");
    search(&folder, &["nix.txt", "h.txt", "--strict"]).expect(2);
}

#[test]
fn empty_repository_has_no_matches() {
    let folder = Folder::new();
    folder.repo(&["create", "r"]).expect(0);
    folder.write("h.txt", HARBOUR);
    let run = search(&folder, &["h.txt", "--score", MEASURES, "--passages"]).expect(1);
    assert_eq!(run.stdout.matches("no matches").count(), 11, "{run:?}");
    assert_eq!(run.stderr, "");
}

const KEEPER: &str = "The lighthouse keeper counted forty ships before the storm broke over the harbour. He had lit \
    the great lamp early, because the fishermen had warned him that gulls were flying far inland.";
const REWRITTEN: &str = "Before the storm reached the harbour, the keeper of the lighthouse counted some forty ships. \
    As gulls flew inland, which the fishermen had warned of, he lit the big lamp early.";

#[test]
fn rewritten_text_is_found_with_its_passages() {
    let records = [record("keeper", KEEPER), record("b", BAKERY), record("f", FERRY)].concat();
    let folder = holding(&["--rewritten"], &records);
    folder.write("q.txt", REWRITTEN);
    let run = search(&folder, &["q.txt", "--rewritten"]).expect(0);
    assert!(
        run.stdout.starts_with("q.txt (31 words) by rewritten passages\n rank  confidence"),
        "{run:?}"
    );
    assert!(run.stdout.contains(" %       31  keeper\n"), "{run:?}");
    assert!(
        run.stdout.contains("“Before the storm reached") && run.stdout.contains("(rewritten, "),
        "{run:?}"
    );
    let answers = answers(&folder, &["q.txt", "--rewritten"]);
    let result = &answers[0]["results"][0];
    assert_eq!(
        (&result["id"], &result["query_words"], &result["words"]),
        (&"keeper".into(), &31.into(), &32.into())
    );
    let passage = &result["passages"][0];
    assert_eq!(
        (&passage["kind"], &passage["query"]["words"]),
        (&"rewritten".into(), &serde_json::json!([0, 31]))
    );
    let [from, to] = [&passage["same_words"][0][0][0], &passage["same_words"][0][0][1]]
        .map(|at| usize::try_from(at.as_u64().unwrap()).unwrap());
    assert_eq!(&REWRITTEN[from..to], "Before");
    let run = search(&folder, &["q.txt", "--rewritten", "--format", "csv"]).expect(0);
    assert!(
        run.stdout.starts_with("query,rank,id,confidence,query_words,passages\nq.txt,1,keeper,0."),
        "{run:?}"
    );
    search(&folder, &["q.txt", "--rewritten", "--min-confidence", "100"]).expect(1);
    let run = search(&folder, &["h.txt", "--rewritten"]).expect(1);
    assert!(run.stdout.contains("  no matches\n"), "{run:?}");
    search(&folder, &["q.txt", "--rewritten", "--score", "kin"]).expect(2);
    search(&folder, &["q.txt"]).expect(1);
}

#[test]
fn rewritten_text_needs_an_index() {
    let folder = three(&[]);
    let run = search(&folder, &["h.txt", "--rewritten"]).expect(2);
    assert!(run.stderr.contains("create a repository with --rewritten"), "{run:?}");
    folder.repo(&["create", "s", "--rewritten", "--fingerprints-only"]).expect(2);
    let run = folder.repo(&["create", "s", "--rewritten"]).expect(0);
    assert!(run.stdout.contains("texts stored, rewritten text indexed"), "{run:?}");
}

#[test]
fn discover_lists_rewritten_pairs_beside_the_others() {
    let folder = Folder::new();
    let copy = format!("{FERRY} And one more sentence at the end.");
    let records = [
        record("keeper", KEEPER),
        record("b", BAKERY),
        record("retold", REWRITTEN),
        record("f", FERRY),
        record("g", &copy),
    ];
    folder.write("in.jsonl", records.concat());
    let discover = |arguments: &[&str]| {
        folder.textkin(&[&["discover", "in.jsonl", "--out", "p.csv"], arguments].concat())
    };
    discover(&["--html", "plain.html"]).expect(0);
    let plain = folder.read("p.csv");
    assert_eq!(plain.lines().count(), 2);
    let run = discover(&[
        "--rewritten",
        "--clusters",
        "c.jsonl",
        "--html",
        "p.html",
        "--stats",
        "s.json",
    ])
    .expect(0);
    let table = "\nRewritten text\nconfidence    words  document\n";
    assert!(run.stdout.contains(table), "{run:?}");
    let rows: Vec<String> = folder.read("p.csv").lines().map(str::to_owned).collect();
    let exact: Vec<&str> = plain.lines().collect();
    assert_eq!(rows[0], format!("{},kind,confidence", exact[0]));
    assert_eq!(rows[1], format!("{},exact,1.0", exact[1]), "identical text counts as before");
    assert!(rows[2].starts_with("keeper,retold,0."), "{rows:?}");
    assert!(rows[2].contains(",passages in other words,rewritten,0."), "{rows:?}");
    assert_eq!(rows.len(), 3);
    assert_eq!(folder.read("c.jsonl").matches("\"size\":2").count(), 2);
    let stats: Value = serde_json::from_str(&folder.read("s.json")).unwrap();
    assert_eq!(stats["rewritten_pairs"], 1);
    let page = folder.read("p.html");
    assert!(page.contains("<h3>keeper ⇄ retold</h3>") && page.contains(">lighthouse</i>"));
    assert!(!folder.read("plain.html").contains("id=\"rewritten\""));
    folder.textkin(&["verify", "p.html", "in.jsonl"]).expect(0);
    folder.write("changed.html", page.replace(">lighthouse</i>", ">lightship</i>"));
    let run = folder.textkin(&["verify", "changed.html", "in.jsonl"]).expect(1);
    assert!(run.stdout.contains("the rewritten text on the page does not match"), "{run:?}");
    let run = discover(&["--rewritten", "--format", "json"]).expect(0);
    let value: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["top_rewritten"][0]["kind"], "rewritten");
    discover(&["--rewritten", "--against", "in.jsonl"]).expect(2);
}

/// The document most similar to the query has 100 % whatever is selected, if it is the query (Hoad and Zobel express each
/// score as a percentage of that).
#[test]
fn the_identical_document_has_100_percent_if_selections_differ() {
    let text = Dice::new(3).text(400);
    for (index, query) in [("anchor", "all"), ("all", "anchor"), ("modulo:8", "all")] {
        let folder = holding(&["--select", index, "--chunk", "words:3"], &record("t", &text));
        folder.write("t.txt", &text);
        let answers = answers(&folder, &["t.txt", "--score", "fingerprint", "--select", query]);
        assert_eq!(answers[0]["results"][0]["percent"], 100.0, "{index}, {query}: {answers:?}");
    }
}

/// “Document redundancy is a significant problem for search engines” (Bernstein and Zobel 2006, section 9): a set of copies
/// and near-copies is one row with its others.
#[test]
fn copies_of_a_document_collapse_into_one_row() {
    let mut dice = Dice::new(4);
    let words = dice.words(120);
    let mut edited = words.clone();
    edited[119] = "otherwise".to_owned();
    let half = format!("{} {}", words[..60].join(" "), dice.text(60));
    let (text, edited) = (words.join(" "), edited.join(" "));
    let records = [("a", &text), ("b", &text), ("c", &edited), ("d", &half)];
    let folder = holding(&[], &records.map(|(id, text)| record(id, text)).concat());
    folder.write("t.txt", &text);
    assert_eq!(found(&answers(&folder, &["t.txt"])[0]).len(), 4);
    for options in [&[][..], &["--score", "fingerprint"], &["--top", "2"]] {
        let answers = answers(&folder, &[&["t.txt", "--collapse"], options].concat());
        assert_eq!(found(&answers[0]), ["a", "d"], "{options:?}");
        assert_eq!(answers[0]["results"][0]["copies"], serde_json::json!(["b", "c"]));
        assert_eq!(answers[0]["results"][1]["copies"], serde_json::json!([]));
    }
    let table = search(&folder, &["t.txt", "--collapse"]).expect(0).stdout;
    assert!(table.contains("+ 2 copies: b, c\n"), "{table}");
    let first = answers(&folder, &["t.txt", "--collapse", "--top", "1"]);
    assert_eq!(found(&first[0]), ["a"]);
}
