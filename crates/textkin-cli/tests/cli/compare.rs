//! `textkin compare`: inputs, outputs and exit codes.

use serde_json::{Value, json};

use crate::support::{BAKERY, Dice, FERRY, Folder, HARBOUR, Run, record, run};

fn two(a: impl AsRef<[u8]>, b: impl AsRef<[u8]>) -> Folder {
    let folder = Folder::new();
    folder.write("a.txt", a);
    folder.write("b.txt", b);
    folder
}

fn compare(folder: &Folder, arguments: &[&str]) -> Run {
    folder.textkin(&[&["compare"], arguments].concat())
}

fn parsed(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn shared_passages_are_shown_side_by_side() {
    let folder = two(HARBOUR, FERRY);
    let run = compare(&folder, &["a.txt", "b.txt", "--width", "80"]).expect(0);
    let expected = "\
A: a.txt
B: b.txt
90 % — 9 of 10 words of A are in B; 90 % of B (9 of 10 words) are in A
1 passage; ssr 0.50; sscr 0.90

── 1 ── 9 words · A 1–9 · B 2–10 ───────────────────────────────────────────────
At dusk the ferry left the harbour     │ at dusk the ferry left the harbour
without its                            │ without its
";
    assert_eq!(run.stdout, expected);
    assert_eq!(run.stderr, "");
}

#[test]
fn narrow_view_stacks_both_texts() {
    let folder = two(HARBOUR, FERRY);
    let run = compare(&folder, &["a.txt", "b.txt", "--width", "79"]).expect(0);
    let passage = "\nA At dusk the ferry left the harbour without its\n\
                   B at dusk the ferry left the harbour without its\n";
    assert!(run.stdout.ends_with(passage), "{run:?}");
}

#[test]
fn exit_codes_are_0_1_and_2() {
    let folder = two(HARBOUR, BAKERY);
    let run = compare(&folder, &["a.txt", "b.txt"]).expect(1);
    assert!(run.stdout.contains("no matching text of 8 or more words"), "{run:?}");
    compare(&folder, &["a.txt", "a.txt"]).expect(0);
    compare(&folder, &["a.txt", "none.txt"]).expect(2);
    compare(&folder, &["a.txt"]).expect(2);
    let run = compare(&folder, &["a.txt", "b.txt", "--chunk", "sentence"]).expect(2);
    run.expect_only("comparing two texts needs chunks of words: use words:K, not sentence");
    let run = compare(&folder, &["-", "-"]).expect(2);
    run.expect_only("standard input (-) can be only one of the two documents");
}

#[test]
fn empty_texts_share_nothing() {
    let folder = two("", HARBOUR);
    let run = compare(&folder, &["a.txt", "b.txt"]).expect(1);
    assert!(run.stdout.contains("n/a — 0 of 0 words of A are in B; 0 % of B"), "{run:?}");
    let value = parsed(&compare(&folder, &["a.txt", "b.txt", "--format", "json"]).expect(1));
    assert_eq!((&value["a"]["contained"], &value["b"]["contained"]), (&Value::Null, &json!(0.0)));
}

#[test]
fn json_has_spans_of_the_decoded_texts_and_their_digests() {
    let mut latin = b"Caf\xe9 d\xe9j\xe0 vu. ".to_vec();
    latin.extend_from_slice(HARBOUR.as_bytes());
    let folder = two(latin, FERRY);
    let value = parsed(&compare(&folder, &["a.txt", "b.txt", "--format", "json"]).expect(0));
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["a", "b", "passages", "report", "scores", "settings", "textkin"]);
    let text = format!("Café déjà vu. {HARBOUR}");
    let passage = &value["passages"][0];
    let end = |at: usize| usize::try_from(passage["a"]["span"][at].as_u64().unwrap()).unwrap();
    assert_eq!(&text[end(0)..end(1)], passage["a"]["text"].as_str().unwrap());
    assert_eq!(passage["a"]["first_word"], 3);
    assert_eq!(value["a"]["bytes"], text.len());
    assert_eq!(value["a"]["blake3"].as_str().unwrap().len(), 64);
    let settings = json!({
        "chunk": "words:8", "normalize": "nfkc+undisguise+fold", "max_gap": 5, "templates": [],
        "stop_list": null,
    });
    assert_eq!(value["settings"], settings);
}

#[test]
fn counts_equal_those_of_discover_and_are_symmetric() {
    let mut dice = Dice::new(11);
    let a = dice.words(400);
    let mut b = [&a[200..300], &dice.words(50)[..], &a[20..150]].concat();
    b[40] = "changed".into();
    b[200] = "also".into();
    let folder = two(a.join(" "), b.join(" "));
    let rows = folder.discover(&["a.txt", "b.txt", "--out", "-", "--threshold", "0"]).expect(0);
    let columns: Vec<f64> =
        rows.rows()[0].split(',').skip(2).take(12).map(|column| column.parse().unwrap()).collect();
    let value = parsed(&compare(&folder, &["a.txt", "b.txt", "--format", "json"]).expect(0));
    let mirror = parsed(&compare(&folder, &["b.txt", "a.txt", "--format", "json"]).expect(0));
    let number = |value: &Value| value.as_f64().unwrap();
    assert_eq!(number(&value["scores"]["shared_chunks"]), columns[1]);
    assert_eq!(number(&value["scores"]["ssr"]), columns[6]);
    assert_eq!(number(&value["a"]["contained"]), columns[8]);
    assert_eq!(number(&value["b"]["contained"]), columns[9]);
    assert_eq!((&value["a"], &value["b"]), (&mirror["b"], &mirror["a"]));
    assert_eq!(value["passages"].as_array().unwrap().len(), 2);
    assert_eq!(value["passages"][0]["a"], mirror["passages"][1]["b"]);
}

#[test]
fn small_edits_are_bridged_up_to_max_gap() {
    let mut dice = Dice::new(3);
    let a = dice.words(60);
    let mut b = a.clone();
    b.splice(30..32, ["one".into(), "two".into(), "three".into()]);
    let folder = two(a.join(" "), b.join(" "));
    let run = compare(&folder, &["a.txt", "b.txt"]).expect(0);
    assert!(run.stdout.contains("1 passage; [bridged] words: 2 in A, 3 in B"), "{run:?}");
    assert!(run.stdout.contains("[one two three]"), "{run:?}");
    let run = compare(&folder, &["a.txt", "b.txt", "--max-gap", "2"]).expect(0);
    assert!(run.stdout.contains("2 passages; ssr"), "{run:?}");
}

#[test]
fn short_passages_are_dropped_below_min_words() {
    let mut dice = Dice::new(5);
    let (short, long) = (dice.text(9), dice.text(20));
    let a = format!("{short} {} {long}", dice.text(30));
    let b = format!("{long} {} {short}", dice.text(30));
    let folder = two(&a, &b);
    let counts = |options: &[&str]| {
        let arguments = [&["a.txt", "b.txt", "--format", "json"], options].concat();
        let value = parsed(&compare(&folder, &arguments));
        let n_passages = value["passages"].as_array().unwrap().len();
        (n_passages, value["a"]["contained_words"].clone(), value["b"]["contained_words"].clone())
    };
    assert_eq!(counts(&[]), (2, 29.into(), 29.into()));
    assert_eq!(counts(&["--min-words", "9"]), (2, 29.into(), 29.into()));
    assert_eq!(counts(&["--min-words", "10"]), (1, 20.into(), 20.into()));
    compare(&folder, &["a.txt", "b.txt", "--min-words", "21"]).expect(1);
    // The reports name the setting and can be verified.
    for out in [["--html", "r.html"], ["--out", "r.json"]] {
        let options = ["a.txt", "b.txt", "--min-words", "10", "--format", "json"];
        compare(&folder, &[&options, &out[..]].concat()).expect(0);
        folder.textkin(&["verify", out[1], "a.txt", "b.txt"]).expect(0);
    }
    assert!(folder.read("r.html").contains("<dt>Minimum matching words of a passage</dt><dd>10"));
    let discover = ["a.txt", "b.txt", "--min-words", "10", "-q"];
    folder.discover(&[&discover, &["--explain", "e.jsonl", "--html", "run.html"][..]].concat());
    let line = &folder.json_lines("e.jsonl")[0];
    assert_eq!(
        (line["passages"].as_array().unwrap().len(), &line["settings"]["min_words"]),
        (1, &10.into())
    );
    folder.textkin(&["verify", "run.html", "a.txt", "b.txt"]).expect(0);
    folder.discover(&discover).expect(2);
}

#[test]
fn exclusions_reduce_both_counts_and_are_reported() {
    let a = format!("Mine begins here. \"{HARBOUR}\" And mine ends there.");
    let folder = two(a, HARBOUR);
    let arguments = ["a.txt", "b.txt", "--normalize", "no-quotes+nfkc+fold"];
    let run = compare(&folder, &arguments).expect(1);
    assert!(run.stdout.contains("0 % — 0 of 7 words of A are in B"), "{run:?}");
    assert!(run.stdout.contains("before exclusions: 59 % — 10 of 17 words of A"), "{run:?}");
    folder.write("form.txt", HARBOUR);
    let arguments = ["a.txt", "b.txt", "--template", "form.txt", "--format", "json"];
    let value = parsed(&compare(&folder, &arguments).expect(1));
    assert_eq!(value["a"]["excluded"][0]["reason"], "template");
    assert_eq!(value["a"]["before_exclusions"]["contained_words"], 10);
    assert_eq!(value["b"]["contained"], Value::Null);
}

#[test]
fn records_are_addressed_by_file_and_id() {
    let folder = Folder::new();
    folder.write("all.jsonl", record("x", HARBOUR) + &record("y 1", FERRY) + &record("z", BAKERY));
    compare(&folder, &["all.jsonl#x", "all.jsonl#y 1"]).expect(0);
    compare(&folder, &["all.jsonl#x", "all.jsonl#z"]).expect(1);
    let run = compare(&folder, &["all.jsonl#x", "all.jsonl#w"]).expect(2);
    run.expect_only("all.jsonl contains no document 'w'");
    let run = compare(&folder, &["all.jsonl", "all.jsonl#x"]).expect(2);
    run.expect_only("all.jsonl contains several documents; choose one with all.jsonl#ID");
}

#[test]
fn long_passages_are_shortened_unless_full() {
    let text = Dice::new(8).text(500);
    let folder = two(&text, &text);
    let run = compare(&folder, &["a.txt", "b.txt"]).expect(0);
    assert!(run.stdout.contains("(440 more words)"), "{run:?}");
    let run = compare(&folder, &["a.txt", "b.txt", "--full-text", "--width", "60"]).expect(0);
    let words = |text: &str| text.split_whitespace().count();
    assert!(words(&run.stdout) > 1000, "{run:?}");
}

#[test]
fn html_contains_both_texts_and_the_comparison_as_json() {
    let evil = format!("<script>alert('x')</script> </mark> {HARBOUR} </script><!--");
    let folder = two(&evil, FERRY);
    folder.write("a<b>&.txt", &evil);
    let run = compare(&folder, &["a<b>&.txt", "b.txt", "--html", "page.html"]).expect(0);
    assert!(run.stdout.contains("1 passage"), "{run:?}");
    let page = folder.read("page.html");
    assert!(!page.contains("<script>alert") && !page.contains("a<b>"));
    assert!(page.contains("<title>a&lt;b&gt;&amp;.txt ⇄ b.txt</title>"));
    assert_eq!(page.matches("</script>").count(), 2);
    let start = page.find("id=\"report\">").unwrap() + "id=\"report\">".len();
    let json = page[start..].split("</script>").next().unwrap();
    let value: Value = serde_json::from_str(json).unwrap();
    assert_eq!(value["a"]["id"], "a<b>&.txt");
    assert_eq!(value["passages"][0]["matched_words"], 9);
    let run = compare(&folder, &["a.txt", "b.txt", "--html", "-"]).expect(0);
    assert!(run.stdout.starts_with("<!doctype html>") && run.stdout.ends_with("</html>\n"));
}

#[test]
fn html_never_overwrites_an_input() {
    let folder = two(HARBOUR, FERRY);
    let run = compare(&folder, &["a.txt", "b.txt", "--html", "b.txt"]).expect(2);
    run.expect_only("b.txt is an input and would be overwritten; choose another output");
    assert_eq!(folder.read("b.txt"), FERRY);
}

#[test]
fn one_word_repeated_100_000_times_is_fast() {
    let folder = two("word ".repeat(100_000), "word ".repeat(90_000));
    let mut command = folder.command(&["compare", "a.txt", "b.txt", "--html", "page.html"]);
    command.env("NO_COLOR", "1");
    let started = std::time::Instant::now();
    let run = run(command).expect(0);
    assert!(run.stdout.contains("100 % — 100,000 of 100,000 words of A"), "{run:?}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    assert!(folder.read("page.html").len() < 4_000_000);
}

#[test]
fn control_characters_are_escaped() {
    let folder =
        two(format!("{HARBOUR} \u{1b}[2J"), format!("\u{1b}]0;title\u{7} {HARBOUR} \u{1b}[2J x"));
    let run = compare(&folder, &["a.txt", "b.txt", "--chunk", "words:2"]).expect(0);
    assert!(!run.stdout.contains('\u{1b}') && run.stdout.contains('␛'), "{run:?}");
}
