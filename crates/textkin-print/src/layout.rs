//! Pages and the items on them, filled from top to bottom.

use std::rc::Rc;

use hashbrown::HashMap;
use krilla::color::rgb::Color;

use crate::line::Line;

/// Maximum number of pages. Longer text is cut, which the last page states.
pub const MAX_PAGES: usize = 2000;

/// A4, in points.
pub(crate) const PAGE: (f32, f32) = (595.28, 841.89);
/// Left and right margin.
pub(crate) const MARGIN: f32 = 56.0;
/// Width between the margins.
pub(crate) const WIDTH: f32 = PAGE.0 - 2.0 * MARGIN;
const TOP: f32 = 66.0;
const BOTTOM: f32 = PAGE.1 - 60.0;

/// An item on a page. Positions are in points from the left and the top.
#[derive(Clone, Debug)]
pub(crate) enum PageItem {
    /// A line of text: left edge, baseline, font size.
    Text { x: f32, y: f32, size: f32, line: Rc<Line> },
    /// A filled rectangle, optionally with an edge.
    Box { x: f32, y: f32, width: f32, height: f32, fill: Color, edge: Option<Color> },
    /// A horizontal line, solid or dashed.
    Rule { x: f32, y: f32, width: f32, colour: Color, dash: &'static [f32] },
}

/// The pages of a report.
#[derive(Debug)]
pub(crate) struct PageLayout {
    pub(crate) pages: Vec<Vec<PageItem>>,
    /// Position of each source in the table: page and height.
    pub(crate) sources: HashMap<usize, (usize, f32)>,
    /// Headings for the outline: page, height and text.
    pub(crate) headings: Vec<(usize, f32, String)>,
    /// Vertical position of the next item.
    pub(crate) y: f32,
}

impl PageLayout {
    pub(crate) fn new() -> Self {
        let (sources, headings) = (HashMap::new(), Vec::new());
        Self { pages: vec![Vec::new()], sources, headings, y: TOP }
    }

    /// Makes room for an item of this height, on a new page if necessary. Returns false if the page
    /// limit is reached.
    pub(crate) fn reserve(&mut self, height: f32) -> bool {
        if self.y + height <= BOTTOM || self.is_at_top() {
            return true;
        }
        if self.pages.len() >= MAX_PAGES {
            return false;
        }
        self.pages.push(Vec::new());
        self.y = TOP;
        true
    }

    /// Whether the page is still empty.
    pub(crate) fn is_at_top(&self) -> bool {
        self.y <= TOP
    }

    /// Adds vertical space, except at the top of a page.
    pub(crate) fn space(&mut self, height: f32) {
        if !self.is_at_top() {
            self.y += height;
        }
    }

    /// Index of the current page.
    pub(crate) fn page(&self) -> usize {
        self.pages.len() - 1
    }

    pub(crate) fn put(&mut self, mark: PageItem) {
        let page = self.page();
        self.pages[page].push(mark);
    }
}
