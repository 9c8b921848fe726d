//! Pages in the making: what stands where, from the top down.

use std::rc::Rc;

use hashbrown::HashMap;
use krilla::color::rgb::Color;

use crate::line::Line;

/// The most pages of a report. What does not fit is left out, which the last page says.
pub const MAX_PAGES: usize = 2000;

/// A4, in points.
pub(crate) const PAGE: (f32, f32) = (595.28, 841.89);
/// Left and right.
pub(crate) const MARGIN: f32 = 56.0;
/// What lies between the margins.
pub(crate) const WIDTH: f32 = PAGE.0 - 2.0 * MARGIN;
const TOP: f32 = 66.0;
const BOTTOM: f32 = PAGE.1 - 60.0;

/// Something on a page. Places are points from the left and the top.
#[derive(Clone, Debug)]
pub(crate) enum PageItem {
    /// A line of text: its left, its baseline, the size of its type.
    Text { x: f32, y: f32, size: f32, line: Rc<Line> },
    /// A filled rectangle, perhaps with an edge.
    Box { x: f32, y: f32, width: f32, height: f32, fill: Color, edge: Option<Color> },
    /// A line from left to right, whole or in dashes.
    Rule { x: f32, y: f32, width: f32, colour: Color, dash: &'static [f32] },
}

/// Pages.
#[derive(Debug)]
pub(crate) struct PageLayout {
    pub(crate) pages: Vec<Vec<PageItem>>,
    /// Where each source is told of: page and height.
    pub(crate) sources: HashMap<usize, (usize, f32)>,
    /// Headings, for the outline: page, height and words.
    pub(crate) headings: Vec<(usize, f32, String)>,
    /// Where the next thing goes.
    pub(crate) y: f32,
}

impl PageLayout {
    pub(crate) fn new() -> Self {
        let (sources, headings) = (HashMap::new(), Vec::new());
        Self { pages: vec![Vec::new()], sources, headings, y: TOP }
    }

    /// Makes room for something of this height, on a new page if need be. False if there are no
    /// more pages.
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

    /// Whether nothing stands on the page yet.
    pub(crate) fn is_at_top(&self) -> bool {
        self.y <= TOP
    }

    /// Goes down, but not at the top of a page.
    pub(crate) fn space(&mut self, height: f32) {
        if !self.is_at_top() {
            self.y += height;
        }
    }

    /// The page in the making, from 0 on.
    pub(crate) fn page(&self) -> usize {
        self.pages.len() - 1
    }

    pub(crate) fn put(&mut self, mark: PageItem) {
        let page = self.page();
        self.pages[page].push(mark);
    }
}
