//! `textkin eval`: experiments and generated collections.

use crate::support::Folder;

#[test]
#[cfg_attr(not(feature = "lab"), ignore = "needs --features lab")]
fn list_shows_experiments_and_requirements() {
    let run = Folder::new().textkin(&["eval", "list"]).expect(0);
    for name in [
        "deco.table3",
        "hoad.table4",
        "ids.figure1",
        "origin.table9-10",
        "scam.figure5",
        "synthetic.edits",
    ] {
        assert!(run.stdout.contains(name), "{name} in {}", run.stdout);
    }
    assert!(run.stdout.contains("needs related pairs"));
}

#[test]
#[cfg_attr(not(feature = "lab"), ignore = "needs --features lab")]
fn experiment_runs_on_a_generated_collection() {
    let folder = Folder::new();
    let make =
        ["eval", "generate", "versions", "--documents", "60", "--words", "100", "--out", "v"];
    let made = folder.textkin(&make).expect(0);
    assert!(made.stderr.contains("wrote 60 documents with 150 related pairs"), "{}", made.stderr);
    let run = folder
        .textkin(&["eval", "run", "deco.table3", "--collection", "v", "--out", "r"])
        .expect(0);
    assert!(run.stdout.starts_with("deco.table3: Coverage"), "{}", run.stdout);
    assert!(run.stdout.contains("versions (60 documents"), "{}", run.stdout);
    assert!(run.stdout.contains("Figures in brackets are from the paper"));
    for file in [
        "r/deco.table3.csv",
        "r/deco.table3.json",
        "r/deco.table3.md",
        "r/deco.table3.html",
        "r/deco.table3.svg",
    ] {
        assert!(!folder.read(file).is_empty(), "{file}");
    }
    assert!(run.stderr.contains("results are in r/index.html"), "{}", run.stderr);
    let quiet = ["eval", "run", "ids.figure1", "--collection", "v", "--out", "r", "--quick", "-q"];
    folder.textkin(&quiet).expect(0);
    let index = folder.read("r/index.html");
    for name in ["deco.table3", "ids.figure1"] {
        assert!(index.contains(&format!("<a href=\"{name}.html\">{name}</a>")), "{index}");
    }
    let again = folder.textkin(&make).expect(2);
    assert!(again.stderr.contains("choose a new folder"), "{}", again.stderr);
}

#[test]
#[cfg_attr(not(feature = "lab"), ignore = "needs --features lab")]
fn errors_are_reported() {
    let folder = Folder::new();
    let unknown = folder.textkin(&["eval", "run", "deco.table9"]).expect(2);
    assert!(unknown.stderr.contains("unknown experiment 'deco.table9'"), "{}", unknown.stderr);
    folder.write("c/x.txt", "x");
    let none = folder.textkin(&["eval", "run", "deco", "--collection", "c"]).expect(2);
    assert!(none.stderr.contains("has no collection.toml"), "{}", none.stderr);
    folder.write("c/collection.toml", "name = \"c\"\ndocuments = [\"x.txt\"]\n");
    let lacks = folder.textkin(&["eval", "run", "deco.table2", "--collection", "c"]).expect(2);
    assert!(
        lacks.stderr.contains("deco.table2 needs related pairs, which c does not have"),
        "{}",
        lacks.stderr
    );
    let rate =
        folder.textkin(&["eval", "generate", "copies", "--rate", "2", "--out", "o"]).expect(2);
    assert!(rate.stderr.contains("between 0 and 1"), "{}", rate.stderr);
}

#[test]
#[cfg_attr(not(feature = "lab"), ignore = "needs --features lab")]
fn evaluation_items_need_documents_to_be_planted_in() {
    let folder = Folder::new();
    folder.write("quiz.jsonl", "{\"question\":\"Which bird can fly backwards?\"}\n");
    let run =
        folder.textkin(&["eval", "run", "synthetic.decontaminate", "--against", "quiz.jsonl"]);
    run.expect(2).expect_only("--against plants items in the documents of a --collection; add one");
}
