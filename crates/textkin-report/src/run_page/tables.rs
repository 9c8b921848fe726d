//! Clusters and pairs as tables.

use std::fmt::Write as _;

use super::network::numbers_of_clusters;
use super::pairs::{ROWS, is_whole};
use super::{CLUSTERS, COLOURS, RunPage, shown, write_remainder};
use crate::row::PairRow;
use crate::terminal::{counted, percent_text, score_text, thousands};

/// Members of a cluster that are named.
const MEMBERS: usize = 6;

/// Writes the clusters.
pub(super) fn clusters(run: &RunPage<'_>, page: &mut String) {
    if run.clusters.is_empty() {
        page.push_str("<p>There are no clusters.</p>");
        return;
    }
    let mut order: Vec<usize> = (0..run.clusters.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(run.clusters[number].members.len()));
    page.push_str(
        "<div class=\"box\"><table class=\"sortable\" id=\"clusters-table\"><thead><tr>\
         <th data-kind=\"number\">Cluster</th>\
         <th data-kind=\"number\">Documents</th>\
         <th data-kind=\"number\" title=\"Pairs within it over all that there could be\">Density</th>\
         <th data-kind=\"number\" title=\"The lowest score of a pair within it\">Weakest</th>\
         <th>First documents</th></tr></thead><tbody>",
    );
    for &number in &order[..order.len().min(CLUSTERS)] {
        let cluster = &run.clusters[number];
        let size = cluster.members.len();
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<tr><td data-value=\"{number}\"><a href=\"#pairs\" data-cluster=\"{number}\" \
             class=\"c{}\" title=\"Show its pairs\">{number}</a></td>\
             <td data-value=\"{size}\">{}</td><td data-value=\"{}\">{}</td>\
             <td data-value=\"{}\">{}</td><td><ul class=\"members\">",
            number % COLOURS,
            thousands(size as u64),
            cluster.density,
            score_text(cluster.density),
            cluster.weakest,
            score_text(cluster.weakest)
        );
        for &member in &cluster.members[..size.min(MEMBERS)] {
            page.push_str("<li>");
            shown((run.names.0)(member), page);
            page.push_str("</li>");
        }
        if size > MEMBERS {
            let _ =
                write!(page, "<li class=\"more\">{} more</li>", thousands((size - MEMBERS) as u64));
        }
        page.push_str("</ul></td></tr>");
    }
    page.push_str("</tbody></table></div>");
    let rest: u64 =
        order.iter().skip(CLUSTERS).map(|&number| run.clusters[number].members.len() as u64).sum();
    let place = format!(
        "the smallest, with {} in all; --clusters writes every cluster",
        counted(rest, "document", "documents")
    );
    write_remainder(run.clusters.len(), CLUSTERS, "cluster", "clusters", &place, page);
}

/// Writes the pairs.
pub(super) fn pairs(run: &RunPage<'_>, page: &mut String) {
    if run.pairs.rows.is_empty() {
        page.push_str("<p>No two documents reach the threshold.</p>");
        return;
    }
    let clusters = numbers_of_clusters(run);
    let cluster = |document: u32| clusters.get(document as usize).copied().flatten();
    page.push_str(
        "<div class=\"box tall\"><table class=\"sortable\" id=\"pairs-table\"><thead><tr>\
         <th data-kind=\"number\">Pair</th><th data-kind=\"number\">Score</th>",
    );
    if run.pairs.rows[0].raw_score.is_some() {
        page.push_str(
            "<th data-kind=\"number\" title=\"The score with nothing excluded\">Raw</th>",
        );
    }
    page.push_str(
        "<th>A</th><th>B</th>\
         <th data-kind=\"number\" title=\"Words of A in runs that are in B\">A in B</th>\
         <th data-kind=\"number\" title=\"Words of B in runs that are in A\">B in A</th>\
         <th>Passages</th></tr></thead><tbody>",
    );
    for (number, row) in (1..).zip(&run.pairs.rows) {
        page.push_str("<tr");
        let both = cluster(row.a_index).filter(|&number| cluster(row.b_index) == Some(number));
        if let Some(cluster) = both {
            let _ = write!(page, " data-cluster=\"{cluster}\"");
        }
        page.push('>');
        figures(number, row, page);
        let is_explained =
            run.passages.binary_search_by_key(&number, |passages| passages.number).is_ok();
        if is_explained {
            let _ = write!(page, "<td><a href=\"#p{number}\">show</a></td>");
        } else if is_whole(row) {
            page.push_str("<td><small>all of it</small></td>");
        } else {
            page.push_str("<td></td>");
        }
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div>");
    let count = usize::try_from(run.pairs.count()).unwrap_or(usize::MAX);
    let place = "the weakest; --out pairs.csv writes every pair";
    write_remainder(count, ROWS, "pair", "pairs", place, page);
}

/// Writes the number of a pair, its scores, names and shares.
pub(super) fn figures(number: usize, row: &PairRow<'_>, page: &mut String) {
    let _ = write!(page, "<td data-value=\"{number}\">{}</td>", thousands(number as u64));
    for score in [Some(row.score), row.raw_score].into_iter().flatten() {
        let _ = write!(page, "<td data-value=\"{score}\">{}</td>", score_text(score));
    }
    page.push_str("<td class=\"name\">");
    shown(row.a, page);
    page.push_str("</td><td class=\"name\">");
    shown(row.b, page);
    page.push_str("</td>");
    let overlap = &row.overlap;
    share(overlap.covered_a, overlap.words_a, page);
    share(overlap.covered_b, overlap.words_b, page);
}

/// Writes a share with its word counts.
fn share(covered: u64, words: u64, page: &mut String) {
    let value = if words == 0 { 0.0 } else { covered as f64 / words as f64 };
    let _ = write!(
        page,
        "<td data-value=\"{value}\"><b>{}</b> <small>{} of {} words</small></td>",
        percent_text(covered, words),
        thousands(covered),
        thousands(words)
    );
}
