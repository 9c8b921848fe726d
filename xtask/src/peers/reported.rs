//! Output of a program: pairs, clusters, or documents without their partners; and its accuracy.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::table::thousands;
use super::truth::{Classes, GOALS, Similarity, Truth};

/// Duplicates that a program reports, as numbers of documents.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReportedDuplicates {
    /// Pairs, each once.
    Pairs(Vec<(u32, u32)>),
    /// Clusters: every two documents of a cluster are a pair.
    Clusters(Vec<Vec<u32>>),
    /// Documents that are similar to another one, which is not reported.
    Flags(Vec<u32>),
    /// Documents to remove because they are similar to an earlier one, which is not reported.
    Dropped(Vec<u32>),
}

impl ReportedDuplicates {
    /// Reads the output of a script: a line with the kind, then numbers.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let file =
            std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(BufReader::new(file))
            .with_context(|| format!("cannot parse {}", path.display()))
    }

    fn parse(reader: impl BufRead) -> Result<Self> {
        let mut lines = reader.lines();
        let kind = lines.next().context("the file is empty")??;
        let mut flags = Vec::new();
        let mut pairs = Vec::new();
        for line in lines {
            let line = line?;
            let number = |text: &str| {
                text.parse::<u32>()
                    .with_context(|| format!("expected numbers of documents, got '{line}'"))
            };
            match line.split_once(' ') {
                Some((a, b)) => pairs.push((number(a)?, number(b)?)),
                None => flags.push(number(&line)?),
            }
        }
        Ok(match kind.as_str() {
            "flags" => Self::Flags(flags),
            "dropped" => Self::Dropped(flags),
            "clusters" => {
                let mut clusters: HashMap<u32, Vec<u32>> = HashMap::new();
                for (document, cluster) in pairs {
                    clusters.entry(cluster).or_default().push(document);
                }
                let mut clusters: Vec<Vec<u32>> = clusters.into_values().collect();
                clusters.sort_unstable();
                Self::Clusters(clusters)
            }
            "pairs" => {
                for pair in &mut pairs {
                    *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
                }
                pairs.sort_unstable();
                pairs.dedup();
                Self::Pairs(pairs)
            }
            other => bail!("unknown kind of output '{other}'"),
        })
    }

    /// Reads the pairs of a CSV file of textkin, whose first two columns are ids.
    pub(crate) fn read_csv(path: &Path, numbers: &HashMap<&str, u32>) -> Result<Self> {
        let mut pairs = Vec::new();
        let mut rows = csv::Reader::from_path(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let mut row = csv::StringRecord::new();
        while rows.read_record(&mut row)? {
            let number = |column: usize| {
                let id = row.get(column).unwrap_or_default();
                numbers
                    .get(id)
                    .copied()
                    .with_context(|| format!("{}: unknown document '{id}'", path.display()))
            };
            let (a, b) = (number(0)?, number(1)?);
            pairs.push((a.min(b), a.max(b)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(Self::Pairs(pairs))
    }

    /// Calls `each` with every reported pair.
    fn pairs(&self, mut each: impl FnMut(u32, u32)) {
        match self {
            Self::Pairs(pairs) => pairs.iter().for_each(|(a, b)| each(*a, *b)),
            Self::Clusters(clusters) => {
                for cluster in clusters {
                    for (index, a) in cluster.iter().enumerate() {
                        cluster[index + 1..].iter().for_each(|b| each(*a, *b));
                    }
                }
            }
            Self::Flags(_) | Self::Dropped(_) => {}
        }
    }

    /// Returns what is reported; `None` if partners are missing, so that no pair can be judged.
    pub(crate) fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Pairs(_) => Some("pairs"),
            Self::Clusters(_) => Some("clusters"),
            Self::Flags(_) | Self::Dropped(_) => None,
        }
    }

    /// Returns a note on the accuracy of documents without partners.
    pub(crate) fn note(&self, truth: &Truth) -> Option<String> {
        let (documents, has_partner, verb, partner) = match self {
            Self::Flags(documents) => (documents, &truth.has_partner, "flags", "a partner"),
            Self::Dropped(documents) => {
                (documents, &truth.has_earlier_partner, "drops", "an earlier partner")
            }
            Self::Pairs(_) | Self::Clusters(_) => return None,
        };
        let all = has_partner.iter().filter(|has_partner| **has_partner).count() as u64;
        let is_right = |document: &&u32| has_partner.get(**document as usize) == Some(&true);
        let right = documents.iter().filter(is_right).count() as u64;
        Some(format!(
            "{verb} {} documents: {} of the {} that have {partner} with J ≥ 0.8, and {} that have none",
            thousands(documents.len() as u64),
            thousands(right),
            thousands(all),
            thousands(documents.len() as u64 - right),
        ))
    }

    /// Returns the similarity of each pair of classes, with the number of its reported pairs of documents.
    fn judged(&self, classes: &Classes) -> Vec<(Similarity, u64)> {
        let mut counts: HashMap<(u32, u32), u64> = HashMap::new();
        self.pairs(|a, b| {
            let [a, b] = [a, b].map(|document| classes.of.get(document as usize).copied());
            if let (Some(a), Some(b)) = (a, b) {
                *counts.entry((a.min(b), a.max(b))).or_default() += 1;
            }
        });
        counts
            .into_iter()
            .map(|((a, b), n)| (classes.similarity(a, b, classes.shared(a, b)), n))
            .collect()
    }
}

/// Accuracy of the reported duplicates.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Accuracy {
    /// Number of reported pairs.
    pub(crate) n_pairs: u64,
    /// Share of the exact pairs of each goal that are reported, if there are any.
    pub(crate) recall: [Option<f64>; 3],
    /// Reported pairs below the threshold, by the sets that the program compares, if known.
    pub(crate) false_by_its_sets: Option<u64>,
    /// Reported pairs below the threshold, by runs of eight words.
    pub(crate) false_by_chunks: u64,
}

impl Accuracy {
    /// Compares pairs with the exact pairs by runs of eight words, and with the sets that the program compares.
    pub(crate) fn new(
        reported: &ReportedDuplicates,
        (truth, chunks): (&Truth, &Classes),
        compared_sets: Option<&Classes>,
        is_false: impl Fn(Similarity) -> bool,
    ) -> Self {
        let judged = reported.judged(chunks);
        let count = |pairs: &[(Similarity, u64)], is_counted: &dyn Fn(Similarity) -> bool| -> u64 {
            pairs.iter().filter(|(similarity, _)| is_counted(*similarity)).map(|(_, n)| n).sum()
        };
        let mut recall = [None; 3];
        for ((recall, reaches), all) in recall.iter_mut().zip(GOALS).zip(truth.pairs) {
            if all > 0 {
                *recall = Some(count(&judged, &reaches) as f64 / all as f64);
            }
        }
        Self {
            n_pairs: count(&judged, &|_| true),
            recall,
            false_by_its_sets: compared_sets
                .map(|compared_sets| count(&reported.judged(compared_sets), &is_false)),
            false_by_chunks: count(&judged, &is_false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::SetKind;

    fn parse(text: &str) -> Result<ReportedDuplicates> {
        ReportedDuplicates::parse(text.as_bytes())
    }

    #[test]
    fn the_output_of_scripts_is_read() {
        assert_eq!(
            parse("pairs\n2 1\n1 2\n0 3\n").unwrap(),
            ReportedDuplicates::Pairs(vec![(0, 3), (1, 2)])
        );
        assert_eq!(parse("flags\n1\n").unwrap(), ReportedDuplicates::Flags(vec![1]));
        let clusters = parse("clusters\n0 0\n1 7\n2 0\n").unwrap();
        assert_eq!(clusters, ReportedDuplicates::Clusters(vec![vec![0, 2], vec![1]]));
        for wrong in ["", "stars\n", "pairs\n1 x\n", "flags\n-1\n"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn flags_are_judged_by_partners() {
        let has_partner = vec![true, true, false];
        let truth = Truth {
            has_partner,
            has_earlier_partner: vec![false, true, false],
            ..Truth::default()
        };
        let note = |reported: ReportedDuplicates| reported.note(&truth).unwrap();
        let flags =
            "flags 2 documents: 1 of the 2 that have a partner with J ≥ 0.8, and 1 that have none";
        assert_eq!(note(ReportedDuplicates::Flags(vec![1, 2])), flags);
        let dropped = note(parse("dropped\n1\n").unwrap());
        assert!(
            dropped.starts_with("drops 1 documents: 1 of the 1 that have an earlier"),
            "{dropped}"
        );
        assert_eq!(ReportedDuplicates::Pairs(Vec::new()).note(&truth), None);
    }

    #[test]
    fn recall_and_false_pairs_are_counted() {
        let same = "a b c d e f g h i j";
        let texts = [same, same, "a b c d e f g h i x", "j i h g f e d c b a"];
        let chunks = Classes::new(SetKind::EightWords, texts);
        let compared_sets = Classes::new(SetKind::Words, texts);
        let truth = Truth::new(&chunks, |_| {});
        assert_eq!(truth.pairs, [1, 3, 3]);
        let reported = ReportedDuplicates::Pairs(vec![(0, 1), (0, 2), (1, 3)]);
        let accuracy =
            Accuracy::new(&reported, (&truth, &chunks), Some(&compared_sets), |similarity| {
                similarity.jaccard < 0.8
            });
        assert_eq!(accuracy.n_pairs, 3);
        assert_eq!(accuracy.recall, [Some(1.0), Some(2.0 / 3.0), Some(2.0 / 3.0)]);
        assert_eq!((accuracy.false_by_its_sets, accuracy.false_by_chunks), (Some(0), 2));
        let clusters = ReportedDuplicates::Clusters(vec![vec![0, 1, 2], vec![3]]);
        let accuracy = Accuracy::new(&clusters, (&truth, &chunks), None, |_| false);
        assert_eq!((accuracy.n_pairs, accuracy.recall), (3, [Some(1.0); 3]));
    }
}
