use textkin_core::Source;
use textkin_source::{Error, Inputs, SourceSettings};

use crate::support::{Folder, drain, settings};

#[test]
fn files_are_read_in_path_order() {
    let folder = Folder::new();
    for name in ["b/2.txt", "b/10.txt", "a.txt", "b.txt", "c/d/e.md", "b/r.jsonl"] {
        let content = match name.ends_with(".jsonl") {
            true => format!("{{\"text\": \"{name}\"}}"),
            false => name.to_owned(),
        };
        folder.write(name, content);
    }
    let read = folder.read(&[""], &settings());
    assert_eq!(read.ids(), ["a.txt", "b/10.txt", "b/2.txt", "b/r.jsonl:1", "b.txt", "c/d/e.md"]);
    assert!(read.problems.is_empty());
}

#[test]
fn missing_paths_are_problems_and_the_rest_is_read() {
    let folder = Folder::new();
    folder.write("a.txt", "a");
    let read = folder.read(&["gone.txt", "a.txt", "gone.jsonl", "gone*.txt"], &settings());
    assert_eq!(read.ids(), ["a.txt"]);
    assert_eq!(
        read.problems,
        [
            "gone.txt: no such file or directory",
            "gone.jsonl: no such file or directory",
            "gone*.txt: no file matches"
        ]
    );
}

#[test]
fn a_file_that_vanishes_after_listing_is_a_problem() {
    let folder = Folder::new();
    let paths =
        [folder.write("a.txt", "a"), folder.write("b.jsonl", "{}"), folder.write("c.parquet", "")];
    let mut inputs = Inputs::open(&paths, &settings()).unwrap();
    for path in &paths {
        std::fs::remove_file(path).unwrap();
    }
    let read = folder.relative(drain(&mut inputs));
    let expected =
        ["a.txt", "b.jsonl", "c.parquet"].map(|name| format!("{name}: no such file or directory"));
    assert_eq!(read.problems, expected);
}

#[test]
fn hidden_entries_are_counted_or_read() {
    let folder = Folder::new();
    folder.write(".git/config", "x");
    folder.write(".hidden.txt", "h");
    folder.write("seen.txt", "s");
    let inputs = Inputs::open(&[folder.root()], &settings()).unwrap();
    assert_eq!((inputs.n_files(), inputs.skipped_hidden()), (1, 2));
    let all = SourceSettings { hidden: true, ..settings() };
    assert_eq!(folder.read(&[""], &all).ids(), [".git/config", ".hidden.txt", "seen.txt"]);
    assert_eq!(folder.read(&[".hidden.txt"], &settings()).ids(), [".hidden.txt"]);
}

#[test]
fn excludes_use_gitignore_syntax_but_gitignore_files_are_not_applied() {
    let folder = Folder::new();
    folder.write(".gitignore", "*.txt");
    for name in ["a.txt", "b.log", "build/c.txt", "deep/build/d.txt", "deep/keep.log"] {
        folder.write(name, name);
    }
    let with = |patterns: &[&str]| SourceSettings {
        exclude: patterns.iter().map(|&pattern| pattern.to_owned()).collect(),
        ..settings()
    };
    assert_eq!(folder.read(&[""], &with(&[])).documents.len(), 5);
    assert_eq!(
        folder.read(&[""], &with(&["/build/", "*.log", "!keep.log"])).ids(),
        ["a.txt", "deep/build/d.txt", "deep/keep.log"]
    );
    let inputs = Inputs::open(&[folder.root()], &with(&["build"])).unwrap();
    assert_eq!((inputs.n_files(), inputs.excluded()), (3, 2));
    assert_eq!(folder.read(&["**/*.txt"], &with(&["build"])).ids(), ["a.txt"]);
    assert_eq!(folder.read(&["b.log"], &with(&["*.log"])).ids(), ["b.log"]);
}

#[test]
fn patterns_are_expanded_unless_a_file_has_that_name() {
    let folder = Folder::new();
    for name in ["a1.txt", "a2.txt", "b.md", "d/a3.txt", "d/e/a4.txt", "[x].txt", "x.txt"] {
        folder.write(name, name);
    }
    assert_eq!(folder.read(&["a?.txt"], &settings()).ids(), ["a1.txt", "a2.txt"]);
    assert_eq!(folder.read(&["a[2-9].txt"], &settings()).ids(), ["a2.txt"]);
    assert_eq!(
        folder.read(&["**/a*.txt"], &settings()).ids(),
        ["a1.txt", "a2.txt", "d/a3.txt", "d/e/a4.txt"]
    );
    assert_eq!(folder.read(&["d/**"], &settings()).ids(), ["d/a3.txt", "d/e/a4.txt"]);
    assert_eq!(folder.read(&["d*"], &settings()).ids(), ["d/a3.txt", "d/e/a4.txt"]);
    assert_eq!(folder.read(&["[x].txt"], &settings()).ids(), ["[x].txt"]);
    assert_eq!(folder.read(&["[x"], &settings()).problems.len(), 1);
}

#[cfg(unix)]
#[test]
fn links_are_counted_and_loops_are_problems() {
    let folder = Folder::new();
    folder.write("d/a.txt", "a");
    std::os::unix::fs::symlink(folder.path("d"), folder.path("d/loop")).unwrap();
    std::os::unix::fs::symlink(folder.path("d/a.txt"), folder.path("link.txt")).unwrap();
    std::os::unix::fs::symlink(folder.path("nowhere"), folder.path("broken.txt")).unwrap();
    std::os::unix::fs::symlink(folder.path("d"), folder.path("way")).unwrap();
    let inputs = Inputs::open(&[folder.root()], &settings()).unwrap();
    assert_eq!((inputs.n_files(), inputs.skipped_links()), (1, 4));
    let follow = SourceSettings { follow_links: true, ..settings() };
    let read = folder.read(&[""], &follow);
    assert_eq!(read.ids(), ["d/a.txt"]);
    assert_eq!(read.problems.len(), 3, "{:?}", read.problems);
    assert_eq!(read.problems[0], "broken.txt: no such file or directory");
    assert!(
        read.problems[1].starts_with("d/loop: symbolic link loop back to "),
        "{}",
        read.problems[1]
    );
    assert_eq!(folder.read(&["way", "link.txt"], &settings()).ids(), ["way/a.txt"]);
    assert_eq!(folder.read(&["link.txt"], &settings()).ids(), ["link.txt"]);
}

#[cfg(unix)]
#[test]
fn files_without_permission_are_problems() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("a.txt", "a");
    folder.write("closed/b.txt", "b");
    folder.write("locked.txt", "c");
    let forbid = std::fs::Permissions::from_mode(0o000);
    std::fs::set_permissions(folder.path("closed"), forbid.clone()).unwrap();
    std::fs::set_permissions(folder.path("locked.txt"), forbid).unwrap();
    let may_read_all = std::fs::read(folder.path("locked.txt")).is_ok();
    let read = folder.read(&[""], &settings());
    std::fs::set_permissions(folder.path("closed"), std::fs::Permissions::from_mode(0o700))
        .unwrap();
    if !may_read_all {
        assert_eq!(read.ids(), ["a.txt"]);
        assert_eq!(read.problems, ["closed: permission denied", "locked.txt: permission denied"]);
    }
}

#[cfg(unix)]
#[test]
fn sockets_in_folders_are_problems() {
    let folder = Folder::new();
    let _socket = std::os::unix::net::UnixListener::bind(folder.path("s")).unwrap();
    assert_eq!(folder.read(&[""], &settings()).problems, ["s: not a regular file"]);
}

#[test]
fn invalid_settings_are_errors() {
    let none: [&str; 0] = [];
    assert!(matches!(Inputs::open(&none, &settings()), Err(Error::NoInput)));
    assert!(matches!(Inputs::open(&["-", "-"], &settings()), Err(Error::StandardInputTwice)));
    let bad = SourceSettings { exclude: vec!["[z-a]".to_owned()], ..settings() };
    assert!(matches!(Inputs::open(&["x"], &bad), Err(Error::Exclude { .. })));
    let bad = SourceSettings { text_field: String::new(), ..settings() };
    assert!(matches!(Inputs::open(&["x"], &bad), Err(Error::EmptyField { field: "text" })));
}

#[test]
fn inputs_are_read_again_from_the_same_list() {
    let folder = Folder::new();
    folder.write("a.txt", "a");
    folder.write("b.jsonl", "{\"text\":\"b\"}");
    let mut inputs = Inputs::open(&[folder.root()], &settings()).unwrap();
    assert!(inputs.is_rewindable());
    assert_eq!(inputs.total_bytes(), Some(13));
    let first = drain(&mut inputs);
    folder.write("c.txt", "c");
    assert_eq!(drain(&mut inputs.reopen().unwrap()), first);
    assert_eq!(first.documents.len(), 2);
}

#[test]
fn many_small_files_are_grouped_in_order() {
    let folder = Folder::new();
    for number in 0..200 {
        folder.write(&format!("{number:03}.txt"), format!("text {number}"));
    }
    let mut inputs = Inputs::open(&[folder.root()], &settings()).unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = inputs.next_piece() {
        bytes.push(piece.bytes());
    }
    assert_eq!(bytes.len(), 4);
    assert_eq!(Some(bytes.iter().sum()), inputs.total_bytes());
    let whole = folder.read(&[""], &settings());
    assert_eq!(whole.documents.len(), 200);
    for piece_bytes in [0, 1, 10, 100] {
        assert_eq!(folder.read(&[""], &SourceSettings { piece_bytes, ..settings() }), whole);
    }
}

#[test]
fn a_file_is_read_once_however_often_it_is_found() {
    let folder = Folder::new();
    folder.write("docs/a.txt", "a");
    folder.write("docs/b.txt", "b");
    let read = |names: &[&str]| {
        let paths: Vec<_> = names.iter().map(|name| folder.path(name)).collect();
        let mut inputs = Inputs::open(&paths, &settings()).unwrap();
        let read = folder.relative(drain(&mut inputs));
        assert!(read.problems.is_empty(), "{read:?}");
        let ids: Vec<String> = read.ids().iter().map(|id| (*id).to_owned()).collect();
        (ids.join(" "), inputs.repeated())
    };
    let expect = |ids: &str, n: u64| (ids.to_owned(), n);
    assert_eq!(read(&["docs/a.txt", "docs/a.txt"]), expect("docs/a.txt", 1));
    assert_eq!(read(&["docs", "docs/a.txt"]), expect("docs/a.txt docs/b.txt", 1));
    assert_eq!(read(&["docs/b.txt", "docs"]), expect("docs/b.txt docs/a.txt", 1));
    assert_eq!(read(&["docs", "docs/../docs"]), expect("docs/a.txt docs/b.txt", 2));
    assert_eq!(read(&["docs/*.txt", "docs/?.txt"]), expect("docs/a.txt docs/b.txt", 2));
    // A pattern that matches folders and their contents lists each file once.
    assert_eq!(read(&["**/*"]), expect("docs/a.txt docs/b.txt", 0));
}

#[cfg(unix)]
#[test]
fn a_link_is_the_same_file_and_a_hard_link_another() {
    let folder = Folder::new();
    folder.write("docs/a.txt", "a");
    std::os::unix::fs::symlink("a.txt", folder.path("docs/link.txt")).unwrap();
    std::fs::hard_link(folder.path("docs/a.txt"), folder.path("docs/twin.txt")).unwrap();
    let follow = SourceSettings { follow_links: true, ..settings() };
    let mut inputs = Inputs::open(&[folder.path("docs")], &follow).unwrap();
    assert_eq!(inputs.repeated(), 1);
    assert_eq!(folder.relative(drain(&mut inputs)).ids(), ["docs/a.txt", "docs/twin.txt"]);
    let named = ["docs/link.txt", "docs/a.txt", "docs/twin.txt", "docs/twin.txt"];
    assert_eq!(folder.read(&named, &settings()).ids(), ["docs/link.txt", "docs/twin.txt"]);
}

#[test]
fn outputs_are_skipped_wherever_they_are_found() {
    let folder = Folder::new();
    folder.write("a.txt", "a");
    let output = folder.write("deep/pairs.csv", "a,b\n");
    let missing = folder.path("clusters.jsonl");
    let set = SourceSettings { outputs: vec![output.clone(), missing], ..settings() };
    for name in ["", "**/*", "deep/../deep"] {
        let mut inputs = Inputs::open(&[folder.path("a.txt"), folder.path(name)], &set).unwrap();
        assert_eq!(inputs.skipped_outputs().len(), 1, "{name}");
        assert_eq!(inputs.skipped_outputs()[0].canonicalize().unwrap(), output);
        assert_eq!(folder.relative(drain(&mut inputs)).ids(), ["a.txt"]);
    }
}

#[cfg(unix)]
#[test]
fn a_hard_link_of_an_output_is_read() {
    let folder = Folder::new();
    let output = folder.write("new.txt", "old");
    std::fs::hard_link(&output, folder.path("kept.txt")).unwrap();
    let set = SourceSettings { outputs: vec![output], ..settings() };
    assert_eq!(folder.read(&[""], &set).ids(), ["kept.txt"]);
}
