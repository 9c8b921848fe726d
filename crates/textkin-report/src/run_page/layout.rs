//! Force-directed layout of a graph: documents that share text are near each other.
//!
//! In: nodes and weighted edges. Out: a position for each node. Connected components are laid out one
//! by one and placed side by side, largest first. The layout is deterministic.

use textkin_core::DisjointSets;

/// Iterations of the force simulation.
const STEPS: usize = 120;
/// Components with more nodes than this take fewer iterations.
const MAX_NODES_ALL_STEPS: usize = 500;
/// Margin around a component.
const MARGIN: f64 = 14.0;

/// Dimensions of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayoutSettings {
    /// Preferred width.
    pub(super) width: f64,
    /// Distance of neighbouring nodes.
    pub(super) unit: f64,
    /// Horizontal stretch, because names need space on the right.
    pub(super) stretch: f64,
    /// Space on the right of each component, for names.
    pub(super) names: f64,
}

/// An edge between two nodes, with its weight from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) weight: f64,
}

/// A position, relative to the upper left corner.
pub(super) type Point = [f64; 2];

/// Returns the positions of `n_nodes` nodes and the size of the picture.
pub(super) fn layout(
    n_nodes: usize,
    edges: &[Edge],
    settings: LayoutSettings,
) -> (Vec<Point>, Point) {
    let mut points = vec![[0.0; 2]; n_nodes];
    let components = components(n_nodes, edges);
    let mut size = [0.0f64; 2];
    let (mut left, mut top, mut row_height) = (0.0, 0.0, 0.0f64);
    for (nodes, edges) in &components {
        let (positions, [width, height]) = component(nodes.len(), edges, settings);
        if left > 0.0 && left + width > settings.width {
            (left, top, row_height) = (0.0, top + row_height, 0.0);
        }
        for (&node, [x, y]) in nodes.iter().zip(positions) {
            points[node] = [left + x, top + y];
        }
        left += width;
        row_height = row_height.max(height);
        size = [size[0].max(left), size[1].max(top + row_height)];
    }
    (points, size)
}

/// The connected components, largest first: their nodes, and their edges by index in that list.
#[expect(clippy::cast_possible_truncation, reason = "pictures have few nodes")]
fn components(n_nodes: usize, edges: &[Edge]) -> Vec<(Vec<usize>, Vec<Edge>)> {
    let mut sets = DisjointSets::new(n_nodes);
    for edge in edges {
        sets.union(edge.a as u32, edge.b as u32);
    }
    let roots = sets.into_roots();
    let mut components: Vec<(Vec<usize>, Vec<Edge>)> = vec![Default::default(); n_nodes];
    let mut indexes = vec![0; n_nodes];
    for node in 0..n_nodes {
        let nodes = &mut components[roots[node] as usize].0;
        indexes[node] = nodes.len();
        nodes.push(node);
    }
    for edge in edges {
        let edges = &mut components[roots[edge.a] as usize].1;
        edges.push(Edge { a: indexes[edge.a], b: indexes[edge.b], weight: edge.weight });
    }
    components.retain(|(nodes, _)| !nodes.is_empty());
    components.sort_by_key(|(nodes, _)| (std::cmp::Reverse(nodes.len()), nodes[0]));
    components
}

/// Returns the positions within one component, and its size with margin.
fn component(n_nodes: usize, edges: &[Edge], settings: LayoutSettings) -> (Vec<Point>, Point) {
    let mut points = if n_nodes <= 2 { line(n_nodes) } else { simulate(n_nodes, edges) };
    let low = points.iter().fold([f64::MAX; 2], |low, [x, y]| [low[0].min(*x), low[1].min(*y)]);
    let high = points.iter().fold([f64::MIN; 2], |high, [x, y]| [high[0].max(*x), high[1].max(*y)]);
    // The simulation gives a shape; the number of nodes determines the size.
    let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-9);
    let scale = if n_nodes < 2 {
        1.0
    } else {
        settings.unit * (n_nodes as f64 - 1.0).sqrt() * 1.2 / extent
    };
    let scales = [scale * settings.stretch, scale];
    for point in &mut points {
        for axis in 0..2 {
            point[axis] = (point[axis] - low[axis]) * scales[axis] + MARGIN;
        }
    }
    let [width, height] = [0, 1].map(|axis| (high[axis] - low[axis]) * scales[axis] + 2.0 * MARGIN);
    (points, [width + settings.names, height])
}

fn line(n_nodes: usize) -> Vec<Point> {
    (0..n_nodes).map(|node| [node as f64, 0.0]).collect()
}

/// Runs the simulation: nodes repel, edges attract, and everything is pulled to the centre
/// (Fruchterman and Reingold).
fn simulate(n_nodes: usize, edges: &[Edge]) -> Vec<Point> {
    let mut points = spiral(n_nodes);
    let radius = (n_nodes as f64).sqrt();
    let steps = STEPS * MAX_NODES_ALL_STEPS / n_nodes.max(MAX_NODES_ALL_STEPS);
    for step in 0..steps {
        let mut forces: Vec<Point> =
            points.iter().map(|[x, y]| [-x * 0.25 / radius, -y * 0.25 / radius]).collect();
        for a in 0..n_nodes {
            for b in a + 1..n_nodes {
                let (x, y) = (points[a][0] - points[b][0], points[a][1] - points[b][1]);
                let push = 1.0 / (x * x + y * y).max(1e-4);
                forces[a][0] += x * push;
                forces[a][1] += y * push;
                forces[b][0] -= x * push;
                forces[b][1] -= y * push;
            }
        }
        for edge in edges {
            let (x, y) =
                (points[edge.a][0] - points[edge.b][0], points[edge.a][1] - points[edge.b][1]);
            let pull = (x * x + y * y).sqrt() * (0.3 + 0.7 * edge.weight);
            forces[edge.a][0] -= x * pull;
            forces[edge.a][1] -= y * pull;
            forces[edge.b][0] += x * pull;
            forces[edge.b][1] += y * pull;
        }
        let max_move = 0.3 * radius * (1.0 - step as f64 / steps as f64) + 0.01;
        for (point, [x, y]) in points.iter_mut().zip(forces) {
            let length = (x * x + y * y).sqrt().max(1e-9);
            let share = length.min(max_move) / length;
            point[0] += x * share;
            point[1] += y * share;
        }
    }
    points
}

/// Start positions on a spiral, like sunflower seeds, so that no two nodes coincide.
fn spiral(n_nodes: usize) -> Vec<Point> {
    // The cosine and the sine of the golden angle.
    const TURN: Point = [-0.737_368_878_078_320_2, 0.675_490_294_261_523_8];
    let mut direction = [1.0, 0.0];
    (0..n_nodes)
        .map(|node| {
            let [x, y] = direction;
            direction = [x * TURN[0] - y * TURN[1], x * TURN[1] + y * TURN[0]];
            let radius = (node as f64 + 0.5).sqrt();
            [x * radius, y * radius]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: LayoutSettings =
        LayoutSettings { width: 300.0, unit: 26.0, stretch: 1.0, names: 0.0 };

    fn edge(a: usize, b: usize) -> Edge {
        Edge { a, b, weight: 0.5 }
    }

    #[test]
    fn every_node_is_inside_and_no_two_coincide() {
        let mut edges = vec![edge(0, 1), edge(2, 3), edge(3, 4), edge(4, 2)];
        edges.extend((6..30).map(|node| edge(5, node)));
        let (points, [width, height]) = layout(31, &edges, SETTINGS);
        for (at, [x, y]) in points.iter().enumerate() {
            assert!((0.0..=width).contains(x) && (0.0..=height).contains(y), "{x} {y}");
            for other in &points[..at] {
                assert!((x - other[0]).abs() + (y - other[1]).abs() > 1.0);
            }
        }
    }

    #[test]
    fn the_layout_is_deterministic() {
        let edges: Vec<Edge> = (1..50).map(|node| edge(node, node / 3)).collect();
        assert_eq!(layout(50, &edges, SETTINGS), layout(50, &edges, SETTINGS));
    }
}
