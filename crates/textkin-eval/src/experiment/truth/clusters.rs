//! Clusters compared with labels: adjusted Rand index and B³.

use textkin::engine::graph::Clustering;
use textkin::engine::types::{Cluster, Measure};
use textkin::engine::{Settings, discover};

use crate::error::Error;
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::metric::{BCubed, adjusted_rand};
use crate::report::{Plot, ReportCell, ReportTable, Series};

pub(in crate::experiment) fn clusters(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let columns =
        ["clusters", "documents in clusters", "ARI", "B³ precision", "B³ recall", "B³ F1"];
    let mut table = ReportTable::new("clusters by", columns);
    let kinds = [(Clustering::Dense, "dense"), (Clustering::Components, "components")];
    let mut series = kinds.map(|(_, name)| Series { name: name.to_owned(), points: Vec::new() });
    let mut runs = vec![("the defaults".to_owned(), Settings::default())];
    for (score, threshold) in [
        (Measure::Kin, 0.05),
        (Measure::Kin, 0.1),
        (Measure::Kin, 0.2),
        (Measure::Kin, 0.3),
        (Measure::Kin, 0.5),
        (Measure::S4, 0.02),
        (Measure::S4, 0.05),
        (Measure::Ssr, 0.2),
        (Measure::Ssr, 0.5),
        (Measure::Ssr, 0.8),
    ] {
        let settings = Settings { score, threshold, rules: None, ..Settings::default() };
        runs.push((format!("{score} ≥ {threshold}"), settings));
    }
    for (label, settings) in runs {
        context.check_stopped()?;
        let found = discover(&mut context.collection().source(), &settings, context.run_control)?;
        for ((kind, name), series) in kinds.into_iter().zip(&mut series) {
            let clusters = found.graph.clusters(kind);
            let items = items(&context.collection().truth.clusters, &clusters);
            let (index, cubed) = (adjusted_rand(&items), BCubed::of(&items));
            let n_inside: usize = clusters.iter().map(|cluster| cluster.members.len()).sum();
            let cells = vec![
                ReportCell::new(clusters.len() as f64, 0),
                ReportCell::new(n_inside as f64, 0),
                ReportCell::new(index, 3),
                ReportCell::new(cubed.map(|cubed| cubed.precision), 3),
                ReportCell::new(cubed.map(|cubed| cubed.recall), 3),
                ReportCell::new(cubed.map(|cubed| cubed.f1()), 3),
            ];
            table.push(format!("{label}, {name}"), cells);
            if settings.score == Measure::Kin && settings.rules.is_none() {
                series.points.push((settings.threshold, index));
            }
        }
    }
    let plots = vec![Plot {
        title: "Clusters by kin".to_owned(),
        x: "threshold".to_owned(),
        y: "adjusted Rand index".to_owned(),
        is_logarithmic: true,
        series: series.to_vec(),
    }];
    let labels: std::collections::BTreeSet<u32> =
        context.collection().truth.clusters.iter().flatten().copied().collect();
    let n_labelled = context.collection().truth.clusters.iter().flatten().count();
    let notes = vec![format!(
        "{n_labelled} documents have one of {} labels; the others are excluded. A document in no cluster counts as a cluster of \
         its own. Dense clusters are merged while at least a fifth of the pairs between them are edges.",
        labels.len()
    )];
    Ok(ExperimentOutput { table, plots, notes })
}

/// Returns the label and the cluster of each labelled document; a document in no cluster is a cluster of its
/// own.
fn items(labels: &[Option<u32>], clusters: &[Cluster]) -> Vec<(u32, u64)> {
    let mut clusters_of: Vec<u64> = (0..labels.len() as u64).map(|number| number << 32).collect();
    for (cluster, number) in clusters.iter().zip(0..) {
        for member in &cluster.members {
            if let Some(cluster_of) = clusters_of.get_mut(*member as usize) {
                *cluster_of = (1 << 63) | number;
            }
        }
    }
    labels
        .iter()
        .zip(clusters_of)
        .filter_map(|(label, cluster_of)| Some(((*label)?, cluster_of)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unclustered_documents_are_separate_and_unlabelled_ones_are_excluded() {
        let cluster = Cluster { members: vec![1, 3], density: 1.0, weakest: 1.0 };
        let items = items(&[Some(7), Some(7), None, Some(8), Some(7)], &[cluster]);
        let of = |index: usize| items[index].1;
        assert_eq!(items.iter().map(|item| item.0).collect::<Vec<_>>(), [7, 7, 8, 7]);
        assert!(of(1) == of(2) && of(0) != of(1) && of(0) != of(3) && of(1) != of(3));
    }
}
