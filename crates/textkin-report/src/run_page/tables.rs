//! Clusters and pairs as tables.

use std::fmt::Write as _;

use super::network::cluster_numbers;
use super::pairs::{MAX_ROWS, is_fully_shared};
use super::{COLOURS, MAX_CLUSTERS, RunPage, write_remainder, write_text};
use crate::row::PairRow;
use crate::terminal::{counted, percent_text, score_text, thousands};

/// Maximum members listed per cluster.
const MAX_MEMBERS: usize = 6;

/// Writes the clusters.
pub(super) fn clusters(run: &RunPage<'_>, page: &mut String) {
    if run.clusters.is_empty() {
        page.push_str("<p>No clusters: no documents are connected by pairs.</p>");
        return;
    }
    let mut order: Vec<usize> = (0..run.clusters.len()).collect();
    order.sort_by_key(|&number| std::cmp::Reverse(run.clusters[number].members.len()));
    page.push_str(
        "<div class=\"box\"><table class=\"sortable\" id=\"clusters-table\"><thead><tr>\
         <th data-kind=\"number\">Cluster</th>\
         <th data-kind=\"number\">Documents</th>\
         <th data-kind=\"number\" title=\"Share of all possible pairs within the cluster\">Density</th>\
         <th data-kind=\"number\" title=\"Lowest score of a pair within the cluster\">Lowest score</th>\
         <th>First documents</th></tr></thead><tbody>",
    );
    for &number in &order[..order.len().min(MAX_CLUSTERS)] {
        let cluster = &run.clusters[number];
        let size = cluster.members.len();
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<tr><td data-value=\"{number}\"><a href=\"#pairs\" data-cluster=\"{number}\" \
             class=\"c{}\" title=\"Show the pairs of this cluster\">{number}</a></td>\
             <td data-value=\"{size}\">{}</td><td data-value=\"{}\">{}</td>\
             <td data-value=\"{}\">{}</td><td><ul class=\"members\">",
            number % COLOURS,
            thousands(size as u64),
            cluster.density,
            score_text(cluster.density),
            cluster.weakest,
            score_text(cluster.weakest)
        );
        for &member in &cluster.members[..size.min(MAX_MEMBERS)] {
            page.push_str("<li>");
            write_text((run.names.0)(member), page);
            page.push_str("</li>");
        }
        if size > MAX_MEMBERS {
            let _ = write!(
                page,
                "<li class=\"more\">{} more</li>",
                thousands((size - MAX_MEMBERS) as u64)
            );
        }
        page.push_str("</ul></td></tr>");
    }
    page.push_str("</tbody></table></div>");
    let rest: u64 = order
        .iter()
        .skip(MAX_CLUSTERS)
        .map(|&number| run.clusters[number].members.len() as u64)
        .sum();
    let hint = format!(
        "the smallest ones, with {} in total; use --clusters to write all of them",
        counted(rest, "document", "documents")
    );
    write_remainder(run.clusters.len(), MAX_CLUSTERS, "cluster", "clusters", &hint, page);
}

/// Writes the pairs: partial copies, near-duplicates, and documents with the same words.
pub(super) fn pairs(run: &RunPage<'_>, page: &mut String) {
    if run.pairs.count() == 0 {
        page.push_str("<p>No pairs. Use a lower --threshold to see weaker ones.</p>");
        return;
    }
    let n_partial = run.pairs.n_partial;
    let kinds = [
        (
            "partial",
            "Partial copies",
            "The two documents have less than half of their text in common.",
            0..n_partial,
        ),
        (
            "near",
            "Near-duplicates",
            "The two documents have at least half of their text in common.",
            n_partial..run.pairs.rows.len(),
        ),
    ];
    let clusters = cluster_numbers(run);
    for ((id, heading, note, rows), count) in kinds.into_iter().zip(run.pairs.counts) {
        if rows.is_empty() {
            continue;
        }
        let _ = write!(
            page,
            "<div class=\"kind\" data-kind=\"{id}\"><h3>{heading}</h3>\
             <p class=\"note\">{}. {note}</p>",
            counted(count, "pair", "pairs")
        );
        table(run, &clusters, id, rows, page);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let hint = "the weakest ones; use --out pairs.csv to write all of them";
        write_remainder(count, MAX_ROWS, "pair", "pairs", hint, page);
        page.push_str("</div>");
    }
    copies(run, page);
}

/// Writes documents with the same words, one row for each set.
fn copies(run: &RunPage<'_>, page: &mut String) {
    let sets = &run.pairs.copies;
    if sets.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<div class=\"kind\" data-kind=\"copies\"><h3>Exact copies</h3><p class=\"note\">{}. \
         The documents of a row have the same words.</p>\
         <div class=\"box\"><table class=\"sortable\" id=\"copies-table\"><thead><tr>\
         <th data-kind=\"number\">Documents</th><th>Names</th></tr></thead><tbody>",
        counted(sets.len() as u64, "set", "sets")
    );
    for ids in &sets[..sets.len().min(MAX_ROWS)] {
        let _ = write!(
            page,
            "<tr><td data-value=\"{0}\">{1}</td><td><ul class=\"members\">",
            ids.len(),
            thousands(ids.len() as u64)
        );
        for id in &ids[..ids.len().min(MAX_MEMBERS)] {
            page.push_str("<li class=\"name\">");
            write_text(id, page);
            page.push_str("</li>");
        }
        if ids.len() > MAX_MEMBERS {
            let more = thousands((ids.len() - MAX_MEMBERS) as u64);
            let _ = write!(page, "<li class=\"more\">{more} more</li>");
        }
        page.push_str("</ul></td></tr>");
    }
    page.push_str("</tbody></table></div>");
    let hint = "those with the fewest documents; use --out pairs.csv to write all of them";
    write_remainder(sets.len(), MAX_ROWS, "set", "sets", hint, page);
    page.push_str("</div>");
}

/// Writes the pairs `rows` as a table.
fn table(
    run: &RunPage<'_>,
    clusters: &[Option<usize>],
    id: &str,
    rows: std::ops::Range<usize>,
    page: &mut String,
) {
    let cluster = |document: u32| clusters.get(document as usize).copied().flatten();
    let _ = write!(
        page,
        "<div class=\"box tall\"><table class=\"sortable pairs\" id=\"{id}-table\"><thead><tr>\
         <th data-kind=\"number\">Pair</th><th data-kind=\"number\">Score</th>"
    );
    if run.pairs.rows[0].raw_score.is_some() {
        page.push_str(
            "<th data-kind=\"number\" title=\"Score with nothing excluded\">Raw score</th>",
        );
    }
    page.push_str(
        "<th>A</th><th>B</th>\
         <th data-kind=\"number\" title=\"Share of the words of A that are also in B\">A in B</th>\
         <th data-kind=\"number\" title=\"Share of the words of B that are also in A\">B in A</th>\
         <th data-kind=\"number\" title=\"Words of the longest stretch of shared text\">Longest run</th>\
         <th>Listed because</th><th>Shared text</th></tr></thead><tbody>",
    );
    let numbered = (rows.start + 1..).zip(&run.pairs.rows[rows]);
    for (number, row) in numbered {
        page.push_str("<tr");
        let both = cluster(row.a_index).filter(|&number| cluster(row.b_index) == Some(number));
        if let Some(cluster) = both {
            let _ = write!(page, " data-cluster=\"{cluster}\"");
        }
        page.push('>');
        figures(number, row, page);
        let explained = run.passages.binary_search_by_key(&number, |passages| passages.number);
        if let Ok(index) = explained {
            let snippet = &run.passages[index].snippet;
            page.push_str("<td class=\"snippet\">");
            write_text(snippet, page);
            let _ = write!(page, " <a href=\"#p{number}\">show</a></td>");
        } else if is_fully_shared(row) {
            page.push_str("<td><small>all words match</small></td>");
        } else {
            page.push_str("<td></td>");
        }
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div>");
}

/// Writes the number, scores, names and shares of a pair.
pub(super) fn figures(number: usize, row: &PairRow<'_>, page: &mut String) {
    let _ = write!(page, "<td data-value=\"{number}\">{}</td>", thousands(number as u64));
    for score in [Some(row.score), row.raw_score].into_iter().flatten() {
        let _ = write!(page, "<td data-value=\"{score}\">{}</td>", score_text(score));
    }
    page.push_str("<td class=\"name\">");
    write_text(row.a, page);
    page.push_str("</td><td class=\"name\">");
    write_text(row.b, page);
    page.push_str("</td>");
    let overlap = &row.overlap;
    share(overlap.covered_a, overlap.words_a, page);
    share(overlap.covered_b, overlap.words_b, page);
    let longest = overlap.longest_run;
    let _ = write!(
        page,
        "<td data-value=\"{longest}\">{}</td><td><small>{}</small></td>",
        thousands(longest),
        row.reason
    );
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
