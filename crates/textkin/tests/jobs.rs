//! The builders: the programs of the documentation, the engine as their twin, and what they reject.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;
use textkin::{
    Compare, Dedup, Discover, Document, Error, Repository, Search, StageProgress, Tracer,
};

const BOAT: &str = "row row row your boat gently down the stream merrily merrily merrily";
const ESSAY: &str = "As the song goes: row row row your boat gently down the stream merrily merrily merrily, and so on.";
const OTHER: &str = "nothing in this text occurs in any of the other ones that are here";

#[test]
fn the_programs_of_the_documentation_run() -> Result<(), Error> {
    let (text_a, text_b) = (BOAT, ESSAY.to_owned());
    let found = Discover::new().threshold(0.1).run([("a", text_a), ("b", text_b.as_str())])?;
    let mut lines = Vec::new();
    for pair in found.pairs() {
        lines.push(format!("{} {} {:.2}", pair.a, pair.b, pair.score));
    }
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("a b 0."), "{lines:?}");
    assert_eq!(found.clusters()[0].members, ["a", "b"]);
    let explained = found.explain("a", "b")?;
    let passage = explained.passages().next().unwrap();
    assert_eq!(passage.a, BOAT);

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("essays")).unwrap();
    std::fs::write(path("essays/one.txt"), BOAT).unwrap();
    std::fs::write(path("essays/two.txt"), ESSAY).unwrap();
    let records = format!("{}\n", serde_json::json!({ "id": "three", "text": BOAT }));
    std::fs::write(path("dump-1.jsonl.zst"), zstd::encode_all(records.as_bytes(), 1).unwrap())
        .unwrap();
    let found = Discover::new().run_paths([path("essays/"), path("dump-*.jsonl.zst")])?;
    assert_eq!((found.ids().count(), found.n_pairs()), (3, 3));
    let first = found.pairs().next().unwrap();
    assert!(first.a.ends_with("one.txt"), "{first:?}");
    assert_eq!((first.b, first.score), ("three", 1.0));

    let documents = [("a", BOAT), ("b", BOAT), ("c", OTHER)];
    let cleaned = Dedup::new().threshold(0.9).run(documents)?;
    assert_eq!(cleaned.kept().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(cleaned.removed().map(|removed| removed.id).collect::<Vec<_>>(), ["b"]);

    let comparison = Compare::new().run(text_a, text_b)?;
    assert_eq!(comparison.passages().count(), 1);
    assert_eq!((comparison.a_in_b(), comparison.b_in_a()), (1.0, 12.0 / 19.0));

    let mut repository = Repository::create(path("songs"))?;
    repository.add(documents)?;
    let hits = repository.search("row your boat")?;
    assert_eq!(hits.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);

    let mut tracer = Tracer::new("100MiB")?;
    tracer.feed("id", BOAT)?;
    assert_eq!(tracer.feed("later", ESSAY)?.passages().next().unwrap().origin, Some("id"));
    Ok(())
}

/// The examples of the crate run and print what they promise.
#[test]
fn the_examples_run() {
    // `cargo test` builds the examples beside the tests.
    let programs = std::env::current_exe().unwrap().parent().unwrap().join("../examples");
    let notes = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, argument: Option<PathBuf>| {
        let output = Command::new(programs.join(name)).args(argument).output();
        let output = output.unwrap_or_else(|error| {
            panic!("{name}: {error}; `cargo test -p textkin` builds the examples, `--test jobs` does not")
        });
        assert!(output.status.success(), "{name}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let printed = run("discover", Some(notes.join("notes")));
    assert!(printed.contains("1.00") && printed.contains("both contain: "), "{printed}");
    let printed = run("dedup", Some(notes.join("essays.jsonl")));
    assert!(printed.contains("removed fay: 100 % in anna"), "{printed}");
    assert_eq!(printed.matches("kept ").count(), 5);
    assert_eq!(
        run("compare", None),
        "53 % of A is in B\n60 % of B is in A\n9 words: The keeper lit the lamp every evening at six\n"
    );
    assert!(run("search", Some(folder.path().join("songs"))).contains("boat\n"));
    let printed = run("trace", None);
    assert!(printed.contains("wire: 100 % new"), "{printed}");
    assert!(printed.contains("from wire: the council voted on Tuesday"), "{printed}");
}

#[test]
fn documents_are_tuples_of_any_strings() {
    let id = 7.to_string();
    let owned = vec![(id.clone(), BOAT.to_owned()), ("8".to_owned(), ESSAY.to_owned())];
    let found = Discover::new().run(owned).unwrap();
    assert_eq!(found.ids().collect::<Vec<_>>(), [&id, "8"]);
    let dated = [("a", BOAT, "2024-01-01"), ("b", ESSAY, "2025-01-01")];
    let found = Discover::new().run(dated).unwrap();
    assert_eq!(found.details().documents.time(1), Some("2025-01-01"));
    let found = Discover::new().run([Document::new("a", BOAT)]).unwrap();
    assert_eq!(found.n_pairs(), 0);
    let none: [(&str, &str); 0] = [];
    assert_eq!(Discover::new().run(none).unwrap().ids().count(), 0);
}

#[test]
fn invalid_options_are_named() {
    let documents = [("a", BOAT), ("b", ESSAY)];
    let option = |error: Error| match error {
        Error::InvalidOption { option, .. } => option,
        other => panic!("{other}"),
    };
    assert_eq!(option(Discover::new().threshold(50.0).run(documents).unwrap_err()), "threshold");
    assert_eq!(
        option(Discover::new().threshold(f64::NAN).run(documents).unwrap_err()),
        "threshold"
    );
    assert_eq!(option(Discover::new().chunk("words:0").run(documents).unwrap_err()), "chunk");
    assert_eq!(option(Discover::new().memory("lots").run_paths(["x"]).unwrap_err()), "memory");
    assert_eq!(option(Discover::new().score("best").run(documents).unwrap_err()), "score");
    assert_eq!(option(Dedup::new().threshold(1.5).run(documents).unwrap_err()), "threshold");
    assert_eq!(option(Dedup::new().level("word").run(documents).unwrap_err()), "level");
    assert_eq!(option(Dedup::new().keep("some").run(documents).unwrap_err()), "keep");
    let lines = Dedup::new().level("line").threshold(0.5).run(documents);
    assert_eq!(option(lines.unwrap_err()), "threshold");
    assert_eq!(option(Dedup::new().min_words(3).run(documents).unwrap_err()), "min_words");
    assert_eq!(option(Tracer::new("1 spoon").unwrap_err()), "memory");
    let folder = tempfile::tempdir().unwrap();
    let repository = Repository::create(folder.path().join("r")).unwrap();
    assert_eq!(option(Search::new().rank("luck").run(&repository, "x").unwrap_err()), "rank");
    let unknown = Discover::new().run(documents).unwrap().explain("a", "z").unwrap_err();
    assert_eq!(unknown.to_string(), "no document has the id 'z'");
}

#[test]
fn cleaned_documents_lack_what_was_removed() {
    let menu = "home about contact imprint search login help";
    let documents = [("a", format!("{menu}\n{BOAT}")), ("b", format!("{menu}\n{OTHER}"))];
    let cleaned = Dedup::new().level("line").run(documents).unwrap();
    assert_eq!(cleaned.kept().collect::<Vec<_>>(), ["a", "b"]);
    let removed: Vec<_> = cleaned.removed().collect();
    assert_eq!((removed[0].id, removed[0].duplicate_of, removed[0].words), ("b", "a", 7));
    let texts =
        cleaned.documents().unwrap().map(|document| document.unwrap().text().unwrap().to_owned());
    let texts: Vec<String> = texts.collect();
    assert_eq!(texts, [format!("{menu}\n{BOAT}"), OTHER.to_owned()]);
    let whole = Dedup::new().run([("a", BOAT), ("b", BOAT), ("c", OTHER)]).unwrap();
    let ids = whole.documents().unwrap().map(|document| document.unwrap().id.into_owned());
    assert_eq!(ids.collect::<Vec<_>>(), ["a", "c"]);
}

#[test]
fn an_observer_can_stop_a_run() {
    let stop = |_: &StageProgress| ControlFlow::Break(());
    let documents =
        (0..20_000).map(|number| (number.to_string(), format!("{number} {BOAT} {OTHER}")));
    match Discover::new().observer(stop).run(documents) {
        Err(error) => assert!(error.is_stopped(), "{error}"),
        Ok(found) => panic!("{} documents", found.ids().count()),
    }
}

#[test]
fn a_repository_grows_shrinks_and_is_searched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("songs");
    let mut repository = Repository::create(&path).unwrap();
    assert!(repository.is_empty());
    assert!(Repository::create(&path).is_err(), "the folder is not empty");
    repository.add([("a", BOAT), ("b", OTHER)]).unwrap();
    let again = repository.add([("a", ESSAY)]).unwrap();
    assert_eq!((again.problems.len(), repository.len()), (1, 2));
    let replacing = Repository::builder().existing("replace");
    assert_eq!(replacing.add(&mut repository, [("a", ESSAY)]).unwrap().replaced, 1);
    assert_eq!(repository.remove(["b", "unknown"]).unwrap(), 1);
    let reopened = Repository::open(&path).unwrap();
    assert_eq!((repository.len(), reopened.len()), (1, 1));
    assert_eq!(reopened.search(BOAT).unwrap()[0].id, "a");
    assert!(reopened.search("").unwrap().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Documents in memory give the same pairs as the same documents in a file, which is how the command reads them.
    #[test]
    fn memory_and_files_give_the_same_pairs(
        texts in prop::collection::vec(prop::collection::vec(0u8..6, 0..40), 0..12),
        threads in 1usize..4,
    ) {
        let text = |words: &Vec<u8>| words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ");
        let documents: Vec<(String, String)> =
            texts.iter().enumerate().map(|(number, words)| (format!("d{number}"), text(words))).collect();
        let mut lines = String::new();
        for (id, text) in &documents {
            lines += &format!("{}\n", serde_json::json!({ "id": id, "text": text }));
        }
        let file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
        std::fs::write(file.path(), lines).unwrap();
        let job = Discover::new().chunk("words:3").threshold(0.0).threads(threads);
        let memory = job.run(documents.iter().map(|(id, text)| (id.as_str(), text.as_str()))).unwrap();
        let files = job.run_paths([file.path()]).unwrap();
        prop_assert_eq!(memory.pairs().collect::<Vec<_>>(), files.pairs().collect::<Vec<_>>());
        prop_assert_eq!(memory.clusters(), files.clusters());
        prop_assert_eq!(memory.ids().collect::<Vec<_>>(), files.ids().collect::<Vec<_>>());
        for pair in memory.pairs().take(3) {
            let explained = memory.explain(pair.a, pair.b).unwrap();
            prop_assert_eq!(explained.a_in_b(), pair.overlap.a_in_b());
            prop_assert_eq!(explained.b_in_a(), pair.overlap.b_in_a());
        }
    }
}
