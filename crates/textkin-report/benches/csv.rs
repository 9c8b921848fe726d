//! Rows per second, on one core, formatted as CSV and JSON lines and written in every format.
//!
//! `cargo bench -p textkin-report`

#![expect(clippy::print_stdout, reason = "a benchmark reports on standard output")]

use std::path::Path;
use std::time::Instant;

use textkin_core::{Overlap, Reason};
use textkin_report::{PairRow, WriterSettings, format_csv_rows, format_jsonl_rows, open};

const N_ROWS: u64 = 200_000;

fn main() {
    let ids: Vec<_> = (0..1000).map(|id| format!("docs/v{}/page-{id}.html", id % 7)).collect();
    let rows: Vec<_> = (0..N_ROWS).map(|number| row(&ids, number)).collect();
    let mut out = Vec::new();
    report("csv", || {
        out.clear();
        format_csv_rows(&rows, &mut out);
    });
    report("jsonl", || {
        out.clear();
        format_jsonl_rows(&rows, &mut out);
    });
    let parquet = cfg!(feature = "parquet").then_some("parquet");
    let names = ["csv", "jsonl", "graphml", "gexf", "dot", "mtx"];
    for name in names.into_iter().chain(parquet) {
        let path = std::env::temp_dir().join(format!("textkin-bench.{name}"));
        report(&format!("{name} to a file"), || write(&path, &rows));
        std::fs::remove_file(&path).expect("the file was just written");
    }
}

fn write(path: &Path, rows: &[PairRow<'_>]) {
    let mut writer =
        open(path, &WriterSettings::default()).expect("the temporary directory is writable");
    writer.begin(&mut std::iter::empty()).expect("the disk has room");
    writer.pairs(rows).expect("the disk has room");
    writer.finish().expect("the disk has room");
}

/// A row with counts that give nearly every decimal 16 or 17 digits.
fn row(ids: &[String], number: u64) -> PairRow<'_> {
    let (words_a, words_b) = (300 + number % 4001, 200 + number % 3001);
    let shared = (number % 190) + 1;
    let rarity = shared as f64 / 7.3;
    let overlap = Overlap {
        shared,
        rarity,
        words_a,
        words_b,
        chunks_a: words_a - 7,
        chunks_b: words_b - 7,
        covered_a: shared + 7,
        covered_b: shared + 7,
        longest_run: shared + 7,
    };
    let (a, b) = (&ids[(number % 997) as usize], &ids[(number % 991) as usize]);
    PairRow {
        a,
        b,
        a_index: 0,
        b_index: 1,
        score: overlap.s4(),
        overlap,
        reason: Reason::Score,
        raw_score: None,
        confidence: None,
    }
}

/// Prints the best of seven runs, because other load only adds time.
fn report(name: &str, mut run: impl FnMut()) {
    let best = (0..7)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    println!("{name:<20} {:>6.2} M rows/s", N_ROWS as f64 / best / 1e6);
}
