//! Results do not depend on threads, plan, memory, counting or how the input is split.

use crate::support::{Dice, Folder, collection, lines, undirected};

/// A collection in several files, so that it is read in several pieces.
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

/// Returns the CSV and the clusters of a run.
fn answer(folder: &Folder, input: &str, options: &[&str]) -> (String, String) {
    let outs = [input, "--out", "-", "--clusters", "c.jsonl", "--quiet"];
    let run = folder.discover(&[&outs, options].concat()).expect(0);
    assert_eq!(run.stderr, "");
    (run.stdout, folder.read("c.jsonl"))
}

#[test]
fn threads_plan_memory_and_counting_do_not_affect_results() {
    let folder = parts();
    let comparisons: [&[&str]; 3] =
        [&[], &["--score", "s4", "--threshold", "0.05"], &["--score", "sscr", "--threshold", "0"]];
    for comparison in comparisons {
        let expected = answer(&folder, "part-*.jsonl", &[comparison, &["--threads", "1"]].concat());
        assert!(expected.0.lines().count() > 100, "there is something to compare");
        assert!(expected.1.lines().count() > 10, "there is something to compare");
        for plan in ["auto", "sort", "spex", "spill"] {
            for threads in ["1", "2", "8"] {
                let options = ["--plan", plan, "--threads", threads];
                let found = answer(&folder, "part-*.jsonl", &[comparison, &options].concat());
                assert!(found == expected, "{comparison:?} {options:?}");
            }
            for memory in ["8MiB", "1GiB"] {
                let options = ["--plan", plan, "--memory", memory];
                let found = answer(&folder, "part-*.jsonl", &[comparison, &options].concat());
                assert!(found == expected, "{comparison:?} {options:?}");
            }
        }
        for count in ["exact", "probabilistic", "probabilistic:16"] {
            for threads in ["1", "8"] {
                let options = ["--count", count, "--threads", threads];
                let found = answer(&folder, "part-*.jsonl", &[comparison, &options].concat());
                assert!(found == expected, "{comparison:?} {options:?}");
            }
        }
    }
}

#[test]
fn splitting_the_input_does_not_affect_results() {
    let folder = parts();
    let expected = answer(&folder, "whole.jsonl", &[]);
    assert!(answer(&folder, "part-*.jsonl", &[]) == expected);
}

#[test]
fn input_order_does_not_affect_pairs_and_scores() {
    let folder = parts();
    let forwards = answer(&folder, "whole.jsonl", &["--threshold", "0"]).0;
    let backwards = answer(&folder, "backwards.jsonl", &["--threshold", "0"]).0;
    assert!(undirected(&forwards) == undirected(&backwards));
    assert_eq!(forwards.lines().count(), backwards.lines().count());
}

#[test]
fn data_over_the_memory_limit_is_spilled_and_removed() {
    let folder = parts();
    std::fs::create_dir(folder.path("temporary")).unwrap();
    let options = ["--plan", "spill", "--temp-dir", "temporary"];
    let found = answer(&folder, "part-*.jsonl", &options);
    assert!(found == answer(&folder, "part-*.jsonl", &[]));
    assert!(crate::support::names(&folder.path("temporary")).is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn a_huge_document_takes_at_most_three_times_its_size_beyond_the_memory_limit() {
    const SIZE: usize = 48 << 20;
    let folder = Folder::new();
    let mut dice = Dice::new(5);
    let words = dice.words(5_000);
    let mut text = String::with_capacity(SIZE + 100);
    while text.len() < SIZE {
        text.push_str(&words[dice.roll(words.len())]);
        text.push(if dice.roll(12) == 0 { '\n' } else { ' ' });
    }
    folder.write("huge.txt", &text);
    folder.write("part.txt", &text[1_000_000..1_050_000]);
    let stats = |input: &str| {
        let options = ["--memory", "8MiB", "--threads", "1", "--stats", "s.json", "-q"];
        folder.discover(&[&[input, "part.txt"], &options[..]].concat());
        folder.json("s.json")
    };
    let memory = |stats: &serde_json::Value| stats["peak_rss_bytes"].as_u64().unwrap();
    let (base, huge) = (stats("part.txt"), stats("huge.txt"));
    assert_eq!((&huge["documents"], &huge["edges"]), (&2.into(), &1.into()));
    let beyond = memory(&huge) - memory(&base);
    // The allocator may hold some megabytes more.
    let limit = (8 << 20) + 3 * text.len() as u64 + (8 << 20);
    assert!(beyond <= limit, "{beyond} bytes for {}", text.len());
}
