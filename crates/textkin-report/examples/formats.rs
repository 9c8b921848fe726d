//! Writes one small graph, with awkward ids, in every format.
//!
//! `cargo run -p textkin-report --example formats DIRECTORY`

use std::error::Error;
use std::path::PathBuf;

use textkin_core::{Overlap, Reason};
use textkin_report::{PairRow, Vertex, WriterSettings, open};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).ok_or("usage: formats DIRECTORY")?);
    let ids = ["plain.txt", "<a> & \"b\",\n\u{1b}\\N", "文書館/目録.txt", "plain.txt"];
    let vertices = ids.iter().zip(0..).map(|(id, index)| {
        let time = (index == 0).then_some("2001-02-03");
        Vertex { index, id, words: 412, time }
    });
    let overlap = Overlap {
        shared: 405,
        rarity: 1e-7,
        words_a: 412,
        words_b: 1030,
        chunks_a: 405,
        chunks_b: 1023,
        covered_a: 412,
        covered_b: 412,
        longest_run: 412,
    };
    let row = |a_index: u32, b_index: u32, score| {
        let (a, b) = (ids[a_index as usize], ids[b_index as usize]);
        PairRow {
            a,
            b,
            a_index,
            b_index,
            score,
            overlap,
            reason: Reason::Score,
            raw_score: None,
            confidence: None,
        }
    };
    let rows = [row(0, 1, 1.0), row(1, 2, 0.75), row(0, 3, 1e-6)];
    for name in ["csv", "csv.gz", "jsonl.zst", "parquet", "graphml", "gexf", "dot", "mtx"] {
        let path = directory.join("pairs").with_extension(name);
        let mut writer = open(&path, &WriterSettings::default())?;
        writer.begin(&mut vertices.clone())?;
        writer.pairs(&rows)?;
        writer.finish()?;
    }
    Ok(())
}
