//! Where the documents of a picture stand: near what they share text with.
//!
//! In: nodes and weighted edges. Out: a place for each node. Connected parts are laid out one by
//! one, by forces, and set side by side, the largest first. The same graph is always drawn the same.

/// Steps in which the forces settle.
const STEPS: usize = 120;
/// Nodes whose forces are summed pair by pair in all steps; larger parts take fewer steps.
const ALL_STEPS: usize = 500;
/// The room around a part.
const MARGIN: f64 = 14.0;

/// The room that a picture takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayoutSettings {
    /// How wide it is where it can be.
    pub(super) width: f64,
    /// The distance of two nodes that are next to each other.
    pub(super) unit: f64,
    /// How many times wider than high a distance is: names take room to the right.
    pub(super) stretch: f64,
    /// Room to the right of each part, for names.
    pub(super) names: f64,
}

/// An edge between two nodes, with its weight from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) weight: f64,
}

/// A place, from the upper left corner.
pub(super) type Point = [f64; 2];

/// The places of `n_nodes` nodes and the size of the whole.
pub(super) fn place(n_nodes: usize, edges: &[Edge], room: LayoutSettings) -> (Vec<Point>, Point) {
    let mut points = vec![[0.0; 2]; n_nodes];
    let parts = parts(n_nodes, edges);
    let mut size = [0.0f64; 2];
    let (mut left, mut top, mut shelf) = (0.0, 0.0, 0.0f64);
    for (nodes, edges) in &parts {
        let (places, [part_width, part_height]) = part(nodes.len(), edges, room);
        if left > 0.0 && left + part_width > room.width {
            (left, top, shelf) = (0.0, top + shelf, 0.0);
        }
        for (&node, [x, y]) in nodes.iter().zip(places) {
            points[node] = [left + x, top + y];
        }
        left += part_width;
        shelf = shelf.max(part_height);
        size = [size[0].max(left), size[1].max(top + shelf)];
    }
    (points, size)
}

/// The connected parts, the largest first: their nodes, and their edges between places in that list.
fn parts(n_nodes: usize, edges: &[Edge]) -> Vec<(Vec<usize>, Vec<Edge>)> {
    let mut union = Union::new(n_nodes);
    for edge in edges {
        union.join(edge.a, edge.b);
    }
    let mut parts: Vec<(Vec<usize>, Vec<Edge>)> = vec![Default::default(); n_nodes];
    let mut places = vec![0; n_nodes];
    for node in 0..n_nodes {
        let nodes = &mut parts[union.root(node)].0;
        places[node] = nodes.len();
        nodes.push(node);
    }
    for edge in edges {
        let edges = &mut parts[union.root(edge.a)].1;
        edges.push(Edge { a: places[edge.a], b: places[edge.b], weight: edge.weight });
    }
    parts.retain(|(nodes, _)| !nodes.is_empty());
    parts.sort_by_key(|(nodes, _)| (std::cmp::Reverse(nodes.len()), nodes[0]));
    parts
}

/// The places within one connected part, and its size with a margin.
fn part(n_nodes: usize, edges: &[Edge], room: LayoutSettings) -> (Vec<Point>, Point) {
    let mut points = if n_nodes <= 2 { line(n_nodes) } else { settle(n_nodes, edges) };
    let low = points.iter().fold([f64::MAX; 2], |low, [x, y]| [low[0].min(*x), low[1].min(*y)]);
    let high = points.iter().fold([f64::MIN; 2], |high, [x, y]| [high[0].max(*x), high[1].max(*y)]);
    // Forces give a shape, not a size: a part has room by its number of nodes.
    let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-9);
    let scale =
        if n_nodes < 2 { 1.0 } else { room.unit * (n_nodes as f64 - 1.0).sqrt() * 1.2 / extent };
    let scales = [scale * room.stretch, scale];
    for point in &mut points {
        for axis in 0..2 {
            point[axis] = (point[axis] - low[axis]) * scales[axis] + MARGIN;
        }
    }
    let [width, height] = [0, 1].map(|axis| (high[axis] - low[axis]) * scales[axis] + 2.0 * MARGIN);
    (points, [width + room.names, height])
}

fn line(n_nodes: usize) -> Vec<Point> {
    (0..n_nodes).map(|node| [node as f64, 0.0]).collect()
}

/// Nodes push each other away, edges pull, and all is drawn to the middle (Fruchterman and Reingold).
fn settle(n_nodes: usize, edges: &[Edge]) -> Vec<Point> {
    let mut points = spiral(n_nodes);
    let radius = (n_nodes as f64).sqrt();
    let steps = STEPS * ALL_STEPS / n_nodes.max(ALL_STEPS);
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
        let reach = 0.3 * radius * (1.0 - step as f64 / steps as f64) + 0.01;
        for (point, [x, y]) in points.iter_mut().zip(forces) {
            let length = (x * x + y * y).sqrt().max(1e-9);
            let share = length.min(reach) / length;
            point[0] += x * share;
            point[1] += y * share;
        }
    }
    points
}

/// A start in which no two nodes are at one place: seeds of a sunflower.
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

/// Sets of nodes that are joined.
#[derive(Debug)]
pub(super) struct Union(Vec<usize>);

impl Union {
    pub(super) fn new(n_nodes: usize) -> Self {
        Self((0..n_nodes).collect())
    }

    /// Adds a node of its own.
    pub(super) fn push(&mut self) {
        self.0.push(self.0.len());
    }

    pub(super) fn root(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    /// Whether they were apart.
    pub(super) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: LayoutSettings =
        LayoutSettings { width: 300.0, unit: 26.0, stretch: 1.0, names: 0.0 };

    fn edge(a: usize, b: usize) -> Edge {
        Edge { a, b, weight: 0.5 }
    }

    #[test]
    fn every_node_is_inside_and_no_two_are_at_one_place() {
        let mut edges = vec![edge(0, 1), edge(2, 3), edge(3, 4), edge(4, 2)];
        edges.extend((6..30).map(|node| edge(5, node)));
        let (points, [width, height]) = place(31, &edges, ROOM);
        for (at, [x, y]) in points.iter().enumerate() {
            assert!((0.0..=width).contains(x) && (0.0..=height).contains(y), "{x} {y}");
            for other in &points[..at] {
                assert!((x - other[0]).abs() + (y - other[1]).abs() > 1.0);
            }
        }
    }

    #[test]
    fn the_same_graph_is_drawn_the_same() {
        let edges: Vec<Edge> = (1..50).map(|node| edge(node, node / 3)).collect();
        assert_eq!(place(50, &edges, ROOM), place(50, &edges, ROOM));
    }
}
