//! `discover --index` and `textkin index`.

use crate::support::{Dice, Folder, HARBOUR, Run, record};

fn collection(folder: &Folder) {
    let other =
        "Seven grey geese crossed the frozen lake before the bell of the chapel rang at noon.";
    let documents = [
        record("a", &format!("{HARBOUR} {other}")),
        record("b", HARBOUR),
        record("c", &format!("{other} Then it snowed.")),
        record("copy of b", HARBOUR),
    ];
    folder.write("x.jsonl", documents.concat());
}

#[test]
fn index_shows_shared_chunks_and_document_counts() {
    let folder = Folder::new();
    collection(&folder);
    folder.discover(&["x.jsonl", "--index", "x.tkx", "--index-text"]).expect(0);
    let run = folder.textkin(&["index", "x.tkx"]).expect(0);
    assert!(run.stdout.contains("4 documents, 3 different texts"), "{}", run.stdout);
    assert!(
        run.stdout.contains("--chunk words:8 --normalize nfkc+undisguise+fold"),
        "{}",
        run.stdout
    );
    let rows: Vec<&str> = run.stdout.lines().skip(6).map(|row| &row[..22]).collect();
    assert_eq!(rows, ["        3          3  ", "        2          9  "]);
    let list = folder.textkin(&["index", "x.tkx", "--list"]).expect(0).stdout;
    assert!(list.starts_with("fingerprint,documents,text\n"), "{list}");
    assert!(list.contains(",2,\"seven grey geese crossed the frozen lake before\""), "{list}");
    assert_eq!(
        list.lines().filter(|line| line.contains(",3,")).count(),
        list.lines().count() - 1 - 9
    );
}

#[test]
fn index_find_returns_chunks_and_documents() {
    let folder = Folder::new();
    collection(&folder);
    for text in [&["--index-text"][..], &[]] {
        folder.discover(&[&["x.jsonl", "--index", "x.tkx"], text].concat()).expect(0);
        folder.write(
            "new.txt",
            "I saw: SEVEN grey geese crossed the frozen lake before the bell rang.",
        );
        let run = folder.textkin(&["index", "x.tkx", "--find", "new.txt"]).expect(0);
        let lines: Vec<&str> = run.stdout.lines().collect();
        assert_eq!(lines[0], "3 of 6 chunks of new.txt occur in the index");
        assert_eq!(lines[3..], ["        3  a", "        3  c"]);
        folder.write("new.txt", "Nothing of this was ever written before by anybody else at all.");
        folder.textkin(&["index", "x.tkx", "--find", "new.txt"]).expect(1);
    }
}

#[test]
fn index_does_not_depend_on_performance_options() {
    let folder = Folder::new();
    collection(&folder);
    folder.discover(&["x.jsonl", "--index", "x.tkx"]).expect(0);
    for options in [["--plan", "spill"], ["--plan", "spex"], ["--threads", "1"], ["--max-df", "1"]]
    {
        folder.discover(&[&["x.jsonl", "--index", "y.tkx"], &options[..]].concat());
        assert_eq!(folder.read_bytes("x.tkx"), folder.read_bytes("y.tkx"), "{options:?}");
    }
}

#[test]
fn damaged_or_foreign_index_is_rejected() {
    let folder = Folder::new();
    collection(&folder);
    folder.discover(&["x.jsonl", "--index", "x.tkx"]).expect(0);
    let run = folder.textkin(&["index", "x.jsonl"]).expect(2);
    run.expect_only(
        "x.jsonl: not an index of shared chunks; create one with textkin discover --index",
    );
    let mut bytes = folder.read_bytes("x.tkx");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    folder.write("damaged.tkx", &bytes);
    let run = folder.textkin(&["index", "damaged.tkx"]).expect(2);
    assert!(
        run.stderr.starts_with("textkin: damaged.tkx: the index is corrupt: "),
        "{}",
        run.stderr
    );
    folder.write("cut.tkx", &bytes[..middle]);
    folder.textkin(&["index", "cut.tkx"]).expect(2);
    folder.textkin(&["index", "none.tkx"]).expect(2);
    folder.textkin(&["index", "."]).expect(2);
    folder.write("empty.tkx", "");
    folder.textkin(&["index", "empty.tkx"]).expect(2);
}

#[test]
fn a_missing_index_is_named_once() {
    let folder = Folder::new();
    let run = folder.textkin(&["index", "nosuch.tkx"]).expect(2);
    assert_eq!(run.stderr.matches("nosuch.tkx").count(), 1, "{}", run.stderr);
}

/// 60 documents of 80 words, every second one a copy of the one before with one other word.
fn pairs_of_versions() -> String {
    let mut records = String::new();
    for pair in 0..30 {
        let mut words = Dice::new(pair).words(80);
        records += &record(&format!("a{pair}"), &words.join(" "));
        words[40] = format!("changed{pair}");
        records += &record(&format!("b{pair}"), &words.join(" "));
    }
    records
}

/// The scores and counts of each pair, without its ids.
fn scores(run: &Run) -> Vec<Vec<String>> {
    run.rows().iter().map(|row| row.split(',').skip(2).map(str::to_owned).collect()).collect()
}

/// “A 16-fold reduction in the number of chunks indexed” (Bernstein and Zobel 2006, section 8.5): today's index had
/// every chunk of the pairs found, whatever was selected.
#[test]
fn a_selection_makes_the_index_compact() {
    let folder = Folder::new();
    folder.write("x.jsonl", pairs_of_versions());
    let chunks = |select: &str| {
        let options = ["--score", "s1", "--threshold", "0", "--index", "x.tkx", "--index-text"];
        folder.discover(&[&["x.jsonl", "--select", select], &options[..]].concat());
        let list = folder.textkin(&["index", "x.tkx", "--list"]).expect(0).stdout;
        (list.lines().count() - 1, folder.read_bytes("x.tkx").len())
    };
    let ((all, size), (selected, small)) = (chunks("all"), chunks("spex+modulo:16"));
    assert!(selected > 0 && (8..40).contains(&(all / selected)), "{selected} of {all}");
    assert!(small * 3 < size, "{small} of {size} bytes");
    // A text is cut and selected like those of the index.
    folder.write("new.txt", folder.json_lines("x.jsonl")[0]["text"].as_str().unwrap());
    let found = folder.textkin(&["index", "x.tkx", "--find", "new.txt"]);
    let first = found.stdout.lines().next().unwrap_or_default().to_owned();
    let [shared, _, of] = first.split(' ').take(3).collect::<Vec<_>>()[..] else {
        panic!("{first}")
    };
    let (shared, of): (u32, u32) = (shared.parse().unwrap(), of.parse().unwrap());
    assert!(shared <= of && of < 20, "{first}");
}

/// DECO's scores are those of the chunks in its index: the same as of a repository that stores selected fingerprints.
#[test]
fn scores_on_selected_chunks_equal_those_of_stored_fingerprints() {
    let folder = Folder::new();
    folder.write("x.jsonl", pairs_of_versions());
    let options = ["--score", "s1", "--threshold", "0", "--out", "-"];
    let select = ["--select", "spex+modulo:4"];
    let all = folder.discover(&[&["x.jsonl"], &select[..], &options[..]].concat());
    let scored = ["--score-on", "selected"];
    let selected = folder.discover(&[&["x.jsonl"], &select[..], &scored, &options[..]].concat());
    folder.repo(&["create", "r", "--select", "modulo:4", "--fingerprints-only"]).expect(0);
    folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    let stored = folder.discover(&[&["r"], &options[..]].concat());
    let s1 =
        |run: &Run| scores(run).iter().map(|row| row[0].parse().unwrap()).collect::<Vec<f64>>();
    let (all, selected, stored) = (s1(&all), s1(&selected), s1(&stored));
    assert_eq!(selected, stored);
    let (most, sum): (f64, f64) = (all.iter().sum(), selected.iter().sum());
    assert!(sum > 0.0 && sum < most / 2.5, "{sum} of {most} shared chunks");
    for plan in ["spex", "spill", "sort"] {
        let plan = [&["x.jsonl", "--plan", plan], &select[..], &scored, &options[..]].concat();
        assert_eq!(s1(&folder.discover(&plan)), selected);
    }
    let refused = [&["x.jsonl", "--explain", "e.jsonl"], &select[..], &scored].concat();
    folder.discover(&refused).expect(2).expect_only(
        "--explain, --html and --passage-clusters show passages of all chunks; omit --score-on selected",
    );
}

/// The preprocessing of sections 6.1 and 8.3: exact copies can be indexed like other texts, which changes the size of the
/// index and no score.
#[test]
fn exact_copies_can_be_indexed_like_other_texts() {
    let folder = Folder::new();
    let text = Dice::new(1).text(60);
    let documents = ["a", "b", "c"].map(|id| record(id, &text)).concat();
    folder.write(
        "x.jsonl",
        documents + &record("d", &format!("{text} and a few more words at the end")),
    );
    let run = |policy: &str| {
        let options = ["--exact-copies", policy, "--index", "x.tkx", "--out", "-"];
        let run = folder.discover(&[&["x.jsonl"], &options[..]].concat()).expect(0);
        (run, folder.read_bytes("x.tkx").len())
    };
    let ((merged, small), (indexed, large)) = (run("merge"), run("index"));
    assert!(small < large, "{small} and {large} bytes");
    let without_reason = |run: &Run| {
        let cut = |row: &&str| row.rsplit_once(',').unwrap().0.to_owned();
        let mut rows: Vec<String> = run.rows().iter().map(cut).collect();
        rows.sort();
        rows
    };
    assert_eq!(without_reason(&merged), without_reason(&indexed));
    folder.discover(&["x.jsonl", "--exact-copies", "x"]).expect(2);
}

/// I-Match as a preprocessing stage (section 8.3): only the first of each set is indexed, and the others are listed with
/// it, under its scores.
#[test]
fn near_copies_can_be_merged_before_indexing() {
    let folder = Folder::new();
    folder.write("x.jsonl", pairs_of_versions());
    let options = ["--imatch", "sets.jsonl", "--index", "x.tkx", "--out", "-"];
    let run = |policy: &[&str]| {
        let run = folder.discover(&[&["x.jsonl"], policy, &options[..]].concat()).expect(0);
        let index = folder.textkin(&["index", "x.tkx"]).expect(0).stdout;
        (run, index, folder.json_lines("sets.jsonl"))
    };
    let sorted = |run: &Run| {
        let pairs = run.pairs().into_iter().map(|(a, b)| (a.to_owned(), b.to_owned()));
        pairs.collect::<std::collections::BTreeSet<_>>()
    };
    let (plain, index, sets) = run(&[]);
    assert!(sets.len() > 20, "{} sets", sets.len());
    assert!(index.contains("60 documents, 60 different texts"), "{index}");
    for plan in ["sort", "spex", "spill"] {
        let (merged, index, same) = run(&["--near-copies", "merge", "--plan", plan]);
        assert_eq!(sets, same);
        let n_texts = 60 - sets.len();
        assert!(index.contains(&format!("60 documents, {n_texts} different texts")), "{index}");
        assert_eq!(sorted(&merged), sorted(&plain));
        let n_copies = merged.rows().iter().filter(|row| row.ends_with(",exact copy")).count();
        assert_eq!(n_copies, sets.len());
        assert!(merged.stderr.contains("near-copies have the scores of the first"), "{merged:?}");
    }
}

/// Documents of less than 50 words are discarded (Hoad and Zobel), or 45 (Abdel-Hamid et al.).
#[test]
fn short_documents_can_be_ignored() {
    let folder = Folder::new();
    let (long, short) = (Dice::new(1).text(60), Dice::new(2).text(49));
    let documents = [("a", &long), ("b", &long), ("c", &short), ("d", &short)];
    folder.write("x.jsonl", documents.map(|(id, text)| record(id, text)).concat());
    let pairs = |options: &[&str]| {
        let run = folder.discover(&[&["x.jsonl", "--out", "-"], options].concat());
        run.pairs().len()
    };
    assert_eq!((pairs(&[]), pairs(&["--min-document-words", "50"])), (2, 1));
    let run = folder.textkin(&["trace", "x.jsonl", "--min-document-words", "50"]).expect(0);
    let words: Vec<u64> = run
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["words"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(words, [60, 60, 0, 0]);
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    let hits = |options: &[&str]| {
        let search = ["search", "r", "x.jsonl", "--format", "csv", "--threshold", "90"];
        folder.textkin(&[&search[..], options].concat()).stdout.lines().count() - 1
    };
    assert_eq!((hits(&[]), hits(&["--min-document-words", "50"])), (8, 4));
}
