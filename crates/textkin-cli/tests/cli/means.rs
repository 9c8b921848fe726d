//! The answer does not depend on the means: threads, plan, memory, counting, cut of the input.

use crate::support::{Folder, collection, lines, undirected};

/// A collection in several files, so that there are several pieces to read.
fn parts() -> Folder {
    let folder = Folder::new();
    let documents = collection(400);
    for (number, part) in documents.chunks(25).enumerate() {
        folder.write(&format!("part-{number:02}.jsonl"), lines(part));
    }
    folder.write("whole.jsonl", lines(&documents));
    folder.write("backwards.jsonl", lines(documents.iter().rev()));
    folder
}

/// CSV and clusters of a run.
fn answer(folder: &Folder, input: &str, options: &[&str]) -> (String, String) {
    let outs = [input, "--out", "-", "--clusters", "c.jsonl", "--quiet"];
    let run = folder.discover(&[&outs, options].concat()).expect(0);
    assert_eq!(run.stderr, "");
    (run.stdout, folder.read("c.jsonl"))
}

#[test]
fn threads_plans_memory_and_counting_do_not_change_a_byte() {
    let folder = parts();
    let comparisons: [&[&str]; 3] =
        [&[], &["--score", "s4", "--threshold", "0.05"], &["--score", "sscr", "--threshold", "0"]];
    for comparison in comparisons {
        let expected = answer(&folder, "part-*.jsonl", &[comparison, &["--threads", "1"]].concat());
        assert!(expected.0.lines().count() > 100, "there is something to compare");
        assert!(expected.1.lines().count() > 10, "there is something to compare");
        for plan in ["auto", "sort", "spex", "spill"] {
            for threads in ["1", "2", "8"] {
                let means = ["--plan", plan, "--threads", threads];
                let found = answer(&folder, "part-*.jsonl", &[comparison, &means].concat());
                assert!(found == expected, "{comparison:?} {means:?}");
            }
            for memory in ["8MiB", "1GiB"] {
                let means = ["--plan", plan, "--memory", memory];
                let found = answer(&folder, "part-*.jsonl", &[comparison, &means].concat());
                assert!(found == expected, "{comparison:?} {means:?}");
            }
        }
        for count in ["exact", "probabilistic", "probabilistic:16"] {
            for threads in ["1", "8"] {
                let means = ["--count", count, "--threads", threads];
                let found = answer(&folder, "part-*.jsonl", &[comparison, &means].concat());
                assert!(found == expected, "{comparison:?} {means:?}");
            }
        }
    }
}

#[test]
fn the_cut_into_files_does_not_change_a_byte() {
    let folder = parts();
    let expected = answer(&folder, "whole.jsonl", &[]);
    assert!(answer(&folder, "part-*.jsonl", &[]) == expected);
}

#[test]
fn the_order_of_the_input_does_not_change_the_pairs_and_their_scores() {
    let folder = parts();
    let forwards = answer(&folder, "whole.jsonl", &["--threshold", "0"]).0;
    let backwards = answer(&folder, "backwards.jsonl", &["--threshold", "0"]).0;
    assert!(undirected(&forwards) == undirected(&backwards));
    assert_eq!(forwards.lines().count(), backwards.lines().count());
}

#[test]
fn more_memory_than_was_allowed_goes_to_disk_and_is_gone_afterwards() {
    let folder = parts();
    std::fs::create_dir(folder.path("temporary")).unwrap();
    let means = ["--plan", "spill", "--temp-dir", "temporary"];
    let found = answer(&folder, "part-*.jsonl", &means);
    assert!(found == answer(&folder, "part-*.jsonl", &[]));
    assert!(crate::support::names(&folder.path("temporary")).is_empty());
}
