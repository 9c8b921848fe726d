//! `textkin repo`: creating, changing and inspecting repositories.

use serde_json::Value;

use crate::support::{BAKERY, FERRY, Folder, HARBOUR, record};

/// A repository `r` with three documents.
fn three() -> Folder {
    let folder = Folder::new();
    folder.write("h.txt", HARBOUR);
    folder.write("f.txt", FERRY);
    folder.write("b.txt", BAKERY);
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "h.txt", "f.txt", "b.txt"]).expect(0);
    folder
}

/// Returns the ids of a repository in order.
fn ids(folder: &Folder, repository: &str) -> Vec<String> {
    let run = folder.repo(&["list", repository, "--format", "json"]);
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].clone();
    run.stdout.lines().map(|line| id(line).as_str().unwrap().to_owned()).collect()
}

#[test]
fn create_needs_a_new_or_empty_directory() {
    let folder = Folder::new();
    let run = folder.repo(&["create", "r"]).expect(0);
    assert_eq!(
        run.stdout,
        "created r (--chunk words:8 --select all --normalize nfkc+undisguise+fold --hash polynomial, texts stored)\n"
    );
    assert_eq!(run.stderr, "");
    let run = folder.repo(&["create", "r"]).expect(2);
    run.expect_only("r is already a repository; add documents with: textkin repo add r FILES");
    folder.write("full/x.txt", HARBOUR);
    let run = folder.repo(&["create", "full"]).expect(2);
    run.expect_only("full already exists and is not empty; choose a new or empty folder");
    folder.write("file", HARBOUR);
    let run = folder.repo(&["create", "file"]).expect(2);
    run.expect_only("cannot create the folder file: file exists");
    let run = folder.repo(&["create", "file/r"]).expect(2);
    run.expect_only("cannot create the folder file/r: not a directory");
    std::fs::create_dir(folder.path("empty")).unwrap();
    folder.repo(&["create", "empty"]).expect(0);
    folder.repo(&["create", "no/such/parent"]).expect(0);
    folder.repo(&["check", "no/such/parent"]).expect(0);
    assert_eq!(folder.names(), ["empty", "file", "full", "no", "r"]);
}

#[test]
fn selectors_that_need_the_whole_collection_are_rejected() {
    let folder = Folder::new();
    let run = folder.repo(&["create", "r", "--select", "rarest-collection:3"]).expect(2);
    assert!(run.stderr.contains("rarest-collection:3"), "{run:?}");
    assert!(folder.names().is_empty());
}

#[test]
fn commands_fail_without_a_repository() {
    let folder = Folder::new();
    folder.write("x.txt", HARBOUR);
    std::fs::create_dir(folder.path("d")).unwrap();
    let commands: [&[&str]; 9] = [
        &["repo", "add", "d", "x.txt"],
        &["repo", "replace", "d", "x.txt"],
        &["repo", "remove", "d", "--id", "x"],
        &["repo", "list", "d"],
        &["repo", "info", "d"],
        &["repo", "check", "d"],
        &["repo", "compact", "d"],
        &["repo", "export", "d"],
        &["search", "d", "x.txt"],
    ];
    for command in commands {
        let run = folder.textkin(command).expect(2);
        run.expect_only("d is not a repository; create one with: textkin repo create d");
    }
    assert!(crate::support::names(&folder.path("d")).is_empty(), "and leaves nothing there");
    let run = folder.repo(&["list", "x.txt"]).expect(2);
    assert!(run.stderr.starts_with("textkin: x.txt is not a repository"), "{run:?}");
}

#[test]
fn add_reads_files_records_and_standard_input() {
    let folder = three();
    folder.write("x.jsonl", [record("one", HARBOUR), record("two", BAKERY)].concat());
    let run = folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    assert!(run.stdout.starts_with("added 2 documents with 116 B in "), "{run:?}");
    assert!(run.stdout.ends_with(" s; 5 documents in total\n"), "{run:?}");
    let run = folder.textkin_from(FERRY.as_bytes(), &["repo", "add", "r", "-", "-q"]).expect(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    let records = record("three", FERRY);
    let arguments = ["repo", "add", "r", "-", "--input-format", "jsonl"];
    let run = folder.textkin_from(records.as_bytes(), &arguments).expect(0);
    assert!(run.stdout.starts_with("added 1 document with "), "{run:?}");
    assert_eq!(ids(&folder, "r"), ["h.txt", "f.txt", "b.txt", "one", "two", "-", "three"]);
    let run = folder.textkin_from(b"", &["repo", "add", "r", "-"]).expect(1);
    assert!(run.stderr.contains("standard input is empty"), "{run:?}");
    assert!(run.stdout.starts_with("added 0 documents"), "{run:?}");
}

#[test]
fn unreadable_documents_are_reported() {
    let folder = three();
    let run = folder.repo(&["add", "r", "nix.txt"]).expect(2);
    assert!(run.stderr.starts_with("textkin: nix.txt: no such file"), "{run:?}");
    folder.write("x.jsonl", ["{broken\n".to_owned(), record("one", HARBOUR)].concat());
    let run = folder.repo(&["add", "r", "x.jsonl", "--strict"]).expect(2);
    assert!(run.stderr.starts_with("textkin: x.jsonl:1: invalid JSON"), "{run:?}");
    assert_eq!(ids(&folder, "r").len(), 3, "nothing is added");
    let run = folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    assert!(run.stderr.starts_with("textkin: x.jsonl:1: invalid JSON"), "{run:?}");
    assert!(run.stdout.contains(", 1 problem in "), "{run:?}");
    assert_eq!(ids(&folder, "r").len(), 4);
}

#[test]
fn existing_id_is_refused_skipped_or_replaced() {
    let folder = three();
    folder.write("x.jsonl", [record("h.txt", BAKERY), record("new", FERRY)].concat());
    let run = folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    run.expect_only(
        "h.txt: a document with this id is already in the repository; use --existing replace to \
         replace it, or --existing skip to skip this one",
    );
    assert_eq!(ids(&folder, "r"), ["h.txt", "f.txt", "b.txt", "new"]);
    folder.repo(&["add", "r", "x.jsonl"]).expect(2);
    let run = folder.repo(&["add", "r", "x.jsonl", "--existing", "skip"]).expect(1);
    assert!(run.stdout.contains(", 2 skipped in "), "{run:?}");
    assert_eq!(run.stderr, "");
    let run = folder.repo(&["add", "r", "x.jsonl", "--existing", "replace"]).expect(0);
    assert!(run.stdout.starts_with("added 2 documents with 115 B, 2 replaced in "), "{run:?}");
    assert_eq!(ids(&folder, "r"), ["f.txt", "b.txt", "h.txt", "new"]);
    folder.write("y.jsonl", record("f.txt", "Changed."));
    folder.repo(&["replace", "r", "y.jsonl"]).expect(0);
    let export = folder.repo(&["export", "r"]).expect(0).stdout;
    assert_eq!(
        export,
        [
            record("b.txt", BAKERY),
            record("h.txt", BAKERY),
            record("new", FERRY),
            record("f.txt", "Changed.")
        ]
        .concat()
    );
    folder.repo(&["replace", "r", "y.jsonl", "--existing", "skip"]).expect(2);
}

#[test]
fn first_of_several_documents_with_one_id_is_added() {
    let folder = three();
    folder.write("x.jsonl", [record("one", FERRY), record("one", BAKERY)].concat());
    let run = folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    run.expect_only("one: an earlier document has the same id; ids must be unique");
    for existing in ["skip", "replace"] {
        folder
            .repo(&["add", "r", "x.jsonl", "--existing", existing])
            .expect(i32::from(existing == "skip"));
        let export = folder.repo(&["export", "r", "--where", "id=one"]).expect(0);
        assert_eq!(export.stdout, record("one", FERRY));
    }
}

#[test]
fn remove_by_id_is_all_or_nothing() {
    let folder = three();
    let run = folder.repo(&["remove", "r", "--id", "h.txt", "--id", "nix"]).expect(2);
    run.expect_only("no document has the id 'nix'; nothing was removed");
    assert_eq!(ids(&folder, "r").len(), 3);
    let run =
        folder.repo(&["remove", "r", "--id", "h.txt", "--id", "b.txt", "--dry-run"]).expect(0);
    assert_eq!(run.stdout, "would remove 2 documents\n  h.txt\n  b.txt\n");
    let run = folder.repo(&["remove", "r", "--id", "h.txt", "--id", "h.txt"]).expect(0);
    assert_eq!(run.stdout, "removed 1 document; 2 documents in total\n");
    assert_eq!(ids(&folder, "r"), ["f.txt", "b.txt"]);
    folder.repo(&["add", "r", "h.txt"]).expect(0);
    assert_eq!(ids(&folder, "r"), ["f.txt", "b.txt", "h.txt"]);
    let run = folder.repo(&["remove", "r"]).expect(2);
    assert!(run.stderr.contains("--id <ID>|--where <CONDITION>|--older-than"), "{run:?}");
}

#[test]
fn remove_by_conditions_and_age() {
    let folder = Folder::new();
    let record = |id: &str, time: &str, words: usize| {
        let text = "word ".repeat(words);
        format!("{}\n", serde_json::json!({ "id": id, "time": time, "text": text }))
    };
    let records = [
        record("7", "2019-01-01", 5),
        record("007", "2021-06-01T12:00:00Z", 50),
        record("x", "some day", 500),
        record("y", "2023", 40),
    ];
    folder.write("x.jsonl", records.concat());
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    let found = |conditions: &[&str]| -> Vec<String> {
        let conditions = conditions.iter().flat_map(|condition| ["--where", condition]);
        let arguments: Vec<&str> =
            ["list", "r", "--format", "csv"].into_iter().chain(conditions).collect();
        let run = folder.repo(&arguments);
        let ids: Vec<String> = run
            .stdout
            .lines()
            .skip(1)
            .map(|line| line.split(',').next().unwrap().to_owned())
            .collect();
        run.expect(i32::from(ids.is_empty()));
        ids
    };
    assert_eq!(found(&["id=7"]), ["7"], "ids are not numbers");
    assert_eq!(found(&["id~7"]), ["7", "007"]);
    assert_eq!(found(&["words>=50"]), ["007", "x"]);
    assert_eq!(found(&["words>=50", "time<2022"]), ["007"]);
    assert_eq!(found(&["time>=2021-06-01T14:00:00+02:00", "time<2024"]), ["007", "y"]);
    assert_eq!(found(&["added>2020"]).len(), 4);
    assert!(found(&["author=Swift"]).is_empty());
    for bad in ["words", "=5", ""] {
        let run = folder.repo(&["remove", "r", "--where", bad]).expect(2);
        assert!(run.stderr.contains("is not a condition; write FIELD=VALUE"), "{run:?}");
    }
    let run = folder.repo(&["remove", "r", "--older-than", "2022-01-01", "--dry-run"]).expect(0);
    assert_eq!(run.stdout, "would remove 2 documents\n  7\n  007\n");
    run.expect_only("kept 1 document whose time cannot be parsed");
    let run = folder.repo(&["remove", "r", "--older-than", "1d", "--where", "words<50"]).expect(0);
    assert_eq!(run.stdout, "removed 2 documents; 2 documents in total\n");
    assert_eq!(ids(&folder, "r"), ["007", "x"]);
    let run = folder.repo(&["remove", "r", "--older-than", "gestern"]).expect(2);
    run.expect_only(
        "--older-than: expected an age such as 30d or a date such as 2024-01-31, got 'gestern'",
    );
    folder.repo(&["remove", "r", "--where", "words>5000"]).expect(1);
    folder.repo(&["remove", "r", "--where", "words>5"]).expect(0);
    assert!(ids(&folder, "r").is_empty());
    // The age of a document without a time is the time since it was added.
    folder.write("plain.txt", HARBOUR);
    folder.repo(&["add", "r", "plain.txt"]).expect(0);
    folder.repo(&["remove", "r", "--older-than", "1d"]).expect(1);
    folder.repo(&["remove", "r", "--older-than", "9999-01-01"]).expect(0);
}

#[test]
fn unusual_ids_are_listed() {
    let folder = Folder::new();
    let odd = [
        "comma, and \"quotes\"",
        "two\nlines\r",
        "שלום עולם",
        "👩‍👩‍👧 família",
        "tab\tand \u{1b}[31mred\u{1b}[0m",
        "",
        " spaces ",
        "../../etc/passwd",
        "=1+1",
    ];
    folder.write("x.jsonl", odd.iter().map(|id| record(id, HARBOUR)).collect::<String>());
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    let listed = ids(&folder, "r");
    assert_eq!(listed, odd);
    let csv = folder.repo(&["list", "r", "--format", "csv"]).expect(0).stdout;
    assert!(
        csv.starts_with("id,time,added,words,bytes,metadata\n\"comma, and \"\"quotes\"\"\",,"),
        "{csv}"
    );
    assert!(csv.contains("\n\"two\nlines\r\",,"), "{csv}");
    let table = folder.repo(&["list", "r"]).expect(0).stdout;
    assert_eq!(table.lines().count(), odd.len() + 1, "a line each: {table}");
    assert!(!table.contains('\u{1b}') && !table.contains('\r'), "{table:?}");
    let export = folder.repo(&["export", "r"]).expect(0).stdout;
    assert_eq!(export, folder.read("x.jsonl"));
    for id in odd {
        folder.repo(&["remove", "r", "--id", id]).expect(0);
    }
    assert!(ids(&folder, "r").is_empty());
}

#[test]
fn info_shows_contents() {
    let folder = three();
    folder.repo(&["remove", "r", "--id", "h.txt"]).expect(0);
    let run = folder.repo(&["info", "r"]).expect(0);
    assert!(
        run.stdout.starts_with("r: 2 documents, 1 removed (textkin repo compact erases it)\n"),
        "{run:?}"
    );
    assert!(run.stdout.ends_with("with --chunk words:8 --select all --normalize nfkc+undisguise+fold --hash polynomial, texts stored\n"), "{run:?}");
    let run = folder.repo(&["info", "r", "--format", "json"]).expect(0);
    let info: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&info["documents"], &info["removed"], &info["segments"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!(
        (&info["created_with"]["chunk"], &info["created_with"]["keeps_text"]),
        (&"words:8".into(), &true.into())
    );
    let run = folder.repo(&["compact", "r"]).expect(0);
    assert!(run.stdout.starts_with("compacted 1 segment ("), "{run:?}");
    let info = folder.repo(&["info", "r", "--format", "json"]).expect(0).stdout;
    let info: Value = serde_json::from_str(&info).unwrap();
    assert_eq!((&info["documents"], &info["removed"]), (&2.into(), &0.into()));
    let run = folder.repo(&["compact", "r"]).expect(1);
    assert_eq!(run.stdout, "nothing to compact\n");
    let run = folder.repo(&["check", "r"]).expect(0);
    assert_eq!(run.stdout, "r: 1 segment, 2 documents, no damage\n");
}

#[test]
fn broken_pipe_is_not_an_error() {
    let folder = Folder::new();
    let records = (0..20_000).map(|n| record(&format!("a long enough id {n}"), "text"));
    folder.write("x.jsonl", records.collect::<String>());
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "x.jsonl"]).expect(0);
    for arguments in [&["repo", "list", "r"][..], &["repo", "export", "r"]] {
        let mut command = folder.command(arguments);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn other_fields_are_stored_and_can_be_selected() {
    let folder = Folder::new();
    folder.write(
        "x.jsonl",
        "{\"id\":\"g\",\"author\":\"Swift\",\"year\":1726,\"text\":\"Gulliver\",\"place\":{\"city\":\"Dublin\"}}\n\
         {\"id\":\"h\",\"text\":\"Huck\",\"author\":\"Twain\",\"year\":1884}\n\
         {\"id\":\"n\",\"text\":\"None\"}\n",
    );
    folder.write("y.csv", "author,text,id,year,empty\n\"Sterne, L.\",Tristram,t,1759,\n");
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "x.jsonl", "y.csv"]).expect(0);
    let found = |condition: &str| -> Vec<String> {
        let run = folder.repo(&["list", "r", "--format", "csv", "--where", condition]);
        let rows = run.stdout.lines().skip(1);
        rows.map(|row| row.split(',').next().unwrap().to_owned()).collect()
    };
    assert_eq!(found("author=Swift"), ["g"]);
    assert_eq!(found("author!=Swift"), ["h", "n", "t"]);
    assert_eq!(found("author~, L"), ["t"]);
    assert_eq!(found("year<1800"), ["g", "t"]);
    assert_eq!(found("place.city=Dublin"), ["g"]);
    assert!(found("empty=").is_empty());
    let list = folder.repo(&["list", "r", "--format", "json", "--where", "id=t"]).expect(0);
    let document: Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(document["metadata"], serde_json::json!({ "author": "Sterne, L.", "year": "1759" }));
    // Fields survive exports to another repository, and changes.
    let export = folder.repo(&["export", "r"]).expect(0).stdout;
    folder.write("export.jsonl", &export);
    folder.repo(&["create", "s"]).expect(0);
    folder.repo(&["add", "s", "export.jsonl"]).expect(0);
    folder.repo(&["remove", "s", "--id", "n"]).expect(0);
    folder.repo(&["compact", "s"]).expect(0);
    folder.repo(&["add", "s", "x.jsonl", "--existing", "skip"]).expect(0);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&folder.repo(&["export", "s"]).expect(0).stdout), sorted(&export));
    folder.repo(&["remove", "r", "--where", "author=Swift", "--where", "year<1800"]).expect(0);
    assert_eq!(ids(&folder, "r"), ["h", "n", "t"]);
    // Without texts, what else is known of a document is still kept.
    folder.repo(&["create", "hashes", "--fingerprints-only"]).expect(0);
    let run = folder.repo(&["add", "hashes", "x.jsonl", "y.csv"]).expect(0);
    assert!(run.stdout.starts_with("added 4 documents with 24 B in "), "of text: {run:?}");
    folder.repo(&["list", "hashes", "--where", "author=Swift"]).expect(0);
}

#[test]
fn repository_is_not_read_as_a_directory_of_documents() {
    let folder = Folder::new();
    folder.write("in/h.txt", HARBOUR);
    folder.write("in/f.txt", FERRY);
    // A file of that name does not make a repository.
    folder.write("in/MANIFEST", "the files of this folder");
    folder.repo(&["create", "in/r"]).expect(0);
    let run = folder.repo(&["add", "in/r", "in"]).expect(0);
    run.expect_only("skipped, because it is a repository: in/r");
    assert_eq!(ids(&folder, "in/r"), ["in/MANIFEST", "in/f.txt", "in/h.txt"]);
    let run = folder.discover(&["in", "--out", "-"]).expect(0);
    assert_eq!(run.pairs(), [("in/f.txt", "in/h.txt")]);
    assert!(run.stderr.contains("textkin: skipped, because it is a repository: in/r\n"), "{run:?}");
    folder.repo(&["create", "s"]).expect(0);
    let run = folder.repo(&["add", "s", "in/r"]).expect(2);
    run.expect_only("in/r: this is a repository; textkin repo export writes its documents");
    let run = folder.textkin(&["search", "in/r", "s"]).expect(2);
    run.expect_only("s: this is a repository; textkin repo export writes its documents");
}
