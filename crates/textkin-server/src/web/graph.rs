//! The graph of a repository: all clusters, or one of them.

use hashbrown::{HashMap, HashSet};
use textkin_web::format::segment;
use textkin_web::page::GraphPage;
use textkin_web::view::{
    Bar, Bridge, Choice, ClusterDetail, Colour, GraphCluster, GraphData, GraphEdge, GraphExplorer,
    GraphMode, GraphNode, Histogram, NavItem, NearMiss,
};

use super::fields::Fields;
use super::links::{compare, document_at};
use super::origins::source;
use super::response::{PageResult, download, html, json};
use super::results::cell;
use super::visitor::Visitor;
use textkin_registry::{Actor, DocumentEdge, DocumentView, Error, RepositoryGraph, Service};

/// Limits of the drawing.
const MAX_NODES: usize = 2000;
const MAX_CLUSTERS: usize = 500;
const MAX_OUTSIDE: usize = 20;
/// The default threshold in percent.
const DEFAULT_THRESHOLD: u32 = 5;

/// `GET /graph`.
pub(super) async fn page(visitor: Visitor) -> PageResult {
    let (view, omitted) = view(&visitor).await?;
    let view = GraphExplorer { omitted, ..view };
    Ok(html(GraphPage { frame: &visitor.frame(NavItem::Graph), view: &view }.render()?))
}

/// `GET /graph/data`.
pub(super) async fn data(visitor: Visitor) -> PageResult {
    let (view, _) = view(&visitor).await?;
    Ok(json(serde_json::to_string(&view.data).map_err(Error::from)?))
}

/// Returns all pairs of the view, with both documents.
async fn pairs(
    visitor: &Visitor,
) -> Result<Vec<(DocumentView, DocumentView, DocumentEdge)>, Error> {
    let query = visitor.query.clone();
    visitor
        .run(move |service, actor| {
            let repository_graph = service.repository_graph(actor, query.get("repository"))?;
            let min_score =
                f64::from(query.number("threshold").unwrap_or(DEFAULT_THRESHOLD).clamp(1, 100))
                    / 100.0;
            let edges = repository_graph.edges.iter().filter(|edge| edge.score >= min_score);
            let document = |number: usize| repository_graph.documents[number].clone();
            Ok(edges.map(|edge| (document(edge.a), document(edge.b), *edge)).collect())
        })
        .await
}

/// `GET /graph/export.csv`.
pub(super) async fn export_csv(visitor: Visitor) -> PageResult {
    let mut text = String::from("a,b,a_title,b_title,score,words\r\n");
    for (a, b, edge) in pairs(&visitor).await? {
        let cells = [
            a.id,
            b.id,
            a.title.unwrap_or_default(),
            b.title.unwrap_or_default(),
            edge.score.to_string(),
            edge.words.to_string(),
        ];
        text += &cells.map(|value| cell(&value)).join(",");
        text += "\r\n";
    }
    Ok(download("graph.csv", "text/csv; charset=utf-8", text.into_bytes()))
}

/// `GET /graph/export.graphml`.
pub(super) async fn export_graphml(visitor: Visitor) -> PageResult {
    let escape = |text: &str| {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let (mut nodes, mut edges) = (String::new(), String::new());
    let mut known: HashSet<usize> = HashSet::new();
    for (a, b, edge) in pairs(&visitor).await? {
        for (number, document) in [(edge.a, &a), (edge.b, &b)] {
            if known.insert(number) {
                nodes += &format!(
                    "<node id=\"n{number}\"><data key=\"id\">{}</data><data key=\"title\">{}</data>\
                     <data key=\"words\">{}</data></node>\n",
                    escape(&document.id),
                    escape(document.title.as_deref().unwrap_or_default()),
                    document.words
                );
            }
        }
        edges += &format!(
            "<edge source=\"n{}\" target=\"n{}\"><data key=\"score\">{}</data>\
             <data key=\"shared\">{}</data></edge>\n",
            edge.a, edge.b, edge.score, edge.words
        );
    }
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"id\" for=\"node\" attr.name=\"id\" attr.type=\"string\"/>\n\
         <key id=\"title\" for=\"node\" attr.name=\"title\" attr.type=\"string\"/>\n\
         <key id=\"words\" for=\"node\" attr.name=\"words\" attr.type=\"long\"/>\n\
         <key id=\"score\" for=\"edge\" attr.name=\"score\" attr.type=\"double\"/>\n\
         <key id=\"shared\" for=\"edge\" attr.name=\"shared\" attr.type=\"long\"/>\n\
         <graph edgedefault=\"undirected\">\n{nodes}{edges}</graph>\n</graphml>\n"
    );
    Ok(download("graph.graphml", "application/xml", text.into_bytes()))
}

/// Returns the view, and the number of documents that it does not include.
async fn view(visitor: &Visitor) -> Result<(GraphExplorer, u64), Error> {
    let query = visitor.query.clone();
    visitor.run(move |service, actor| graph(service, actor, &query)).await
}

fn graph(service: &Service, actor: &Actor, query: &Fields) -> Result<(GraphExplorer, u64), Error> {
    let own = service.repositories(actor)?;
    let names: Vec<&str> =
        own.iter().filter(|own| own.keep_text).map(|own| own.name.as_str()).collect();
    let wanted = query.get("repository");
    // Without a choice, take the first repository that has documents.
    let filled = own.iter().find(|own| own.keep_text && own.documents > 0);
    let chosen = names.iter().find(|name| **name == wanted).copied();
    let chosen = chosen.or(filled.map(|own| own.name.as_str()));
    let threshold = query.number("threshold").unwrap_or(DEFAULT_THRESHOLD).clamp(1, 100);
    let mode = GraphMode::ALL.iter().find(|mode| mode.name() == query.get("mode")).copied();
    let colour = Colour::ALL.iter().find(|own| own.name() == query.get("colour")).copied();
    let mut view = GraphExplorer {
        repositories: names.iter().map(|name| Choice::new(*name, Some(*name) == chosen)).collect(),
        threshold,
        mode: mode.unwrap_or_default(),
        colour: colour.unwrap_or_default(),
        ..GraphExplorer::default()
    };
    let Some(chosen) = chosen else { return Ok((view, 0)) };
    let cuts: Vec<(usize, usize)> = query
        .all("cut")
        .filter_map(|cut| cut.split_once('-'))
        .filter_map(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)))
        .collect();
    let mut base = format!("repository={}&threshold={threshold}", segment(chosen));
    if view.colour != Colour::default() {
        base += &format!("&colour={}", view.colour.name());
    }
    if view.mode != GraphMode::default() {
        base += &format!("&mode={}", view.mode.name());
    }
    for (a, b) in &cuts {
        base += &format!("&cut={a}-{b}");
    }
    let repository_graph = service.repository_graph(actor, chosen)?;
    view.histogram = histogram(&repository_graph, threshold);
    let min_score = f64::from(threshold) / 100.0;
    let is_cut =
        |edge: &DocumentEdge| cuts.contains(&(edge.a, edge.b)) || cuts.contains(&(edge.b, edge.a));
    let edges: Vec<DocumentEdge> = repository_graph
        .edges
        .iter()
        .filter(|edge| edge.score >= min_score && !is_cut(edge))
        .copied()
        .collect();
    let clusters = repository_graph.clusters_of(&edges);
    let drawn: Vec<GraphCluster> = clusters
        .iter()
        .take(MAX_CLUSTERS)
        .map(|members| cluster(&repository_graph, &edges, members, &base))
        .collect();
    // Cluster numbers depend on the repository, so the form names the one the number belongs to.
    let is_same_repository = query.non_empty("of").is_none_or(|of| of == chosen);
    let open = query.number::<usize>("cluster").filter(|_| is_same_repository).and_then(|first| {
        let members = clusters.iter().find(|members| members.first() == Some(&first))?;
        Some(detail(&repository_graph, &edges, members, &base, view.colour))
    });
    view.query = match query.non_empty("cluster") {
        Some(cluster) => format!("{base}&cluster={}", segment(cluster)),
        None => base,
    };
    view.data = GraphData {
        documents: repository_graph.documents.len() as u64,
        edges: edges.len() as u64,
        more_clusters: clusters.len().saturating_sub(MAX_CLUSTERS) as u64,
        clusters: drawn,
        open,
    };
    Ok((view, repository_graph.omitted))
}

/// Returns documents by their best match.
fn histogram(repository_graph: &RepositoryGraph, threshold: u32) -> Histogram {
    let mut best = vec![0.0f64; repository_graph.documents.len()];
    for edge in &repository_graph.edges {
        best[edge.a] = best[edge.a].max(edge.score);
        best[edge.b] = best[edge.b].max(edge.score);
    }
    let bar = |from: u32| {
        let (low, high) = (f64::from(from) / 100.0, f64::from(from + 10) / 100.0);
        let is_in = |score: &&f64| **score >= low && (**score < high || from == 90);
        let documents = best.iter().filter(|score| **score > 0.0).filter(is_in).count() as u64;
        Bar { from, to: from + 10, documents, href: None }
    };
    Histogram { bars: (0..10).map(|tenth| bar(tenth * 10)).collect(), threshold }
}

/// Returns the title, or the ID if the title is missing or blank: a link needs a name.
fn name(document: &DocumentView) -> String {
    let title = document.title.clone().filter(|title| !title.trim().is_empty());
    title.unwrap_or_else(|| document.id.clone())
}

fn cluster(
    repository_graph: &RepositoryGraph,
    edges: &[DocumentEdge],
    members: &[usize],
    base: &str,
) -> GraphCluster {
    let inside: HashSet<usize> = members.iter().copied().collect();
    let own = edges_within(edges, &inside);
    let mut degrees: HashMap<usize, usize> = HashMap::new();
    for edge in &own {
        *degrees.entry(edge.a).or_default() += 1;
        *degrees.entry(edge.b).or_default() += 1;
    }
    let middle = members.iter().max_by_key(|member| degrees.get(*member).copied().unwrap_or(0));
    let possible = members.len() * (members.len() - 1) / 2;
    GraphCluster {
        id: members[0].to_string(),
        label: middle.map_or(String::new(), |&member| name(&repository_graph.documents[member])),
        size: members.len() as u64,
        density: own.len() as f64 / possible.max(1) as f64,
        weakest: weakest_bridge(members, &own).map(|(edge, ..)| edge.score),
        href: format!("/graph?{base}&cluster={}", members[0]),
    }
}

/// Returns the edges between documents of a cluster.
fn edges_within(edges: &[DocumentEdge], members: &HashSet<usize>) -> Vec<DocumentEdge> {
    let is_within = |edge: &&DocumentEdge| members.contains(&edge.a) && members.contains(&edge.b);
    edges.iter().filter(is_within).copied().collect()
}

/// Returns the weakest bridge of a cluster, and the sizes of its two sides.
fn weakest_bridge(
    members: &[usize],
    edges: &[DocumentEdge],
) -> Option<(DocumentEdge, usize, usize)> {
    let mut next: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    for (number, edge) in edges.iter().enumerate() {
        next.entry(edge.a).or_default().push((edge.b, number));
        next.entry(edge.b).or_default().push((edge.a, number));
    }
    // Depth-first search without recursion: an edge is a bridge if nothing below it links above it.
    let first = *members.first()?;
    let (mut order, mut low): (HashMap<usize, usize>, HashMap<usize, usize>) = Default::default();
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    let mut stack: Vec<(usize, Option<usize>, usize)> = vec![(first, None, 0)];
    let mut best: Option<(DocumentEdge, usize, usize)> = None;
    order.insert(first, 0);
    low.insert(first, 0);
    while let Some((node, by, at)) = stack.pop() {
        let neighbours = next.get(&node).map_or(&[][..], |all| &all[..]);
        if let Some(&(other, number)) = neighbours.get(at) {
            stack.push((node, by, at + 1));
            if Some(number) == by {
                continue;
            }
            match order.get(&other) {
                Some(&seen) => {
                    let own = low[&node].min(seen);
                    low.insert(node, own);
                }
                None => {
                    let time = order.len();
                    order.insert(other, time);
                    low.insert(other, time);
                    stack.push((other, Some(number), 0));
                }
            }
            continue;
        }
        let size = sizes.get(&node).copied().unwrap_or(0) + 1;
        if let (Some(number), Some(&(above, ..))) = (by, stack.last()) {
            let own = low[&above].min(low[&node]);
            low.insert(above, own);
            *sizes.entry(above).or_default() += size;
            let edge = edges[number];
            let is_bridge = low[&node] > order[&above];
            if is_bridge && best.is_none_or(|(other, ..)| edge.score < other.score) {
                let (a, b) = match edge.b == node {
                    true => (members.len() - size, size),
                    false => (size, members.len() - size),
                };
                best = Some((edge, a, b));
            }
        }
    }
    best
}

/// Returns the value that determines the colour of a document.
fn group(document: &DocumentView, colour: Colour) -> String {
    match colour {
        Colour::Source => source(&document.id, &document.repository).to_owned(),
        Colour::Repository => document.repository.clone(),
        Colour::Date => match &document.time {
            Some(time) => time.split('-').next().unwrap_or(time).to_owned(),
            None => "undated".to_owned(),
        },
        Colour::Author => document.author.clone().unwrap_or_else(|| "unknown".to_owned()),
        Colour::Label => document.label.clone().unwrap_or_else(|| "none".to_owned()),
    }
}

fn detail(
    repository_graph: &RepositoryGraph,
    edges: &[DocumentEdge],
    members: &[usize],
    base: &str,
    colour: Colour,
) -> ClusterDetail {
    let drawn: HashSet<usize> = members.iter().take(MAX_NODES).copied().collect();
    let all: HashSet<usize> = members.iter().copied().collect();
    let own = edges_within(edges, &all);
    let documents = &repository_graph.documents;
    let address = |document: &DocumentView| document_at(&document.repository, &document.id);
    let nodes = members.iter().take(MAX_NODES).map(|&member| {
        let document = &documents[member];
        let is_own = |edge: &&DocumentEdge| edge.a == member || edge.b == member;
        GraphNode {
            id: member.to_string(),
            label: name(document),
            repository: document.repository.clone(),
            group: group(document, colour),
            time: document.time.clone(),
            words: u64::from(document.words),
            degree: own.iter().filter(is_own).count() as u64,
            href: Some(address(document)),
        }
    });
    let shown = own.iter().filter(|edge| drawn.contains(&edge.a) && drawn.contains(&edge.b));
    let shown = shown.map(|edge| {
        let (a, b) = (&documents[edge.a], &documents[edge.b]);
        let is_dated = a.time.is_some() && b.time.is_some() && a.time != b.time;
        // From the older to the newer document.
        let is_reversed = is_dated && a.time > b.time;
        let (from, to) = if is_reversed { (edge.b, edge.a) } else { (edge.a, edge.b) };
        GraphEdge {
            from: from.to_string(),
            to: to.to_string(),
            score: edge.score,
            words: edge.words,
            is_dated,
            href: Some(compare(a, b)),
        }
    });
    let bridge = weakest_bridge(members, &own).map(|(edge, from_size, to_size)| Bridge {
        from: edge.a.to_string(),
        to: edge.b.to_string(),
        from_label: name(&documents[edge.a]),
        to_label: name(&documents[edge.b]),
        score: edge.score,
        from_size: from_size as u64,
        to_size: to_size as u64,
        split: format!("/graph?{base}&cut={}-{}", edge.a, edge.b),
    });
    // Also edges over the threshold: too few of them to join the documents with the cluster.
    let near = repository_graph.edges.iter();
    let near = near.filter(|edge| all.contains(&edge.a) != all.contains(&edge.b));
    let near_misses = near.take(MAX_OUTSIDE).map(|edge| {
        let (inside, outside) =
            if all.contains(&edge.a) { (edge.a, edge.b) } else { (edge.b, edge.a) };
        NearMiss {
            label: name(&documents[outside]),
            nearest: name(&documents[inside]),
            score: edge.score,
            href: Some(compare(&documents[inside], &documents[outside])),
        }
    });
    ClusterDetail {
        cluster: cluster(repository_graph, edges, members, base),
        nodes: nodes.collect(),
        edges: shown.collect(),
        more_nodes: members.len().saturating_sub(MAX_NODES) as u64,
        bridge,
        near_misses: near_misses.collect(),
        back: format!("/graph?{base}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(a: usize, b: usize, score: f64) -> DocumentEdge {
        DocumentEdge { a, b, score, words: 10 }
    }

    #[test]
    fn the_weakest_bridge_splits_a_cluster() {
        // Two triangles joined by one edge.
        let edges = [
            edge(0, 1, 0.9),
            edge(1, 2, 0.8),
            edge(0, 2, 0.1),
            edge(2, 3, 0.3),
            edge(3, 4, 0.7),
            edge(4, 5, 0.7),
            edge(3, 5, 0.2),
        ];
        let (bridge, a, b) = weakest_bridge(&[0, 1, 2, 3, 4, 5], &edges).unwrap();
        assert_eq!((bridge.a, bridge.b, a, b), (2, 3, 3, 3));
        let pair = [edge(6, 7, 0.5)];
        let (bridge, a, b) = weakest_bridge(&[6, 7], &pair).unwrap();
        assert_eq!((bridge.a, bridge.b, a, b), (6, 7, 1, 1));
        assert!(weakest_bridge(&[0, 1, 2], &edges[..3]).is_none());
        assert_eq!(edges_within(&edges, &[0, 1, 2].into()).len(), 3);
    }
}
