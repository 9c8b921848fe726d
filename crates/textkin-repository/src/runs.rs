//! Which segments become one.

use std::ops::Range;
use std::sync::Arc;

use crate::segment::Segment;

/// So many small segments side by side become one.
const MANY: usize = 8;

/// Runs of segments worth writing again: neighbours that fit one together, or have lost documents.
pub(crate) fn worn(segments: &[Arc<Segment>], memory: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    while start < segments.len() {
        let mut end = start;
        let mut size = 0usize;
        while end < segments.len() {
            size = segments[end].live_memory().saturating_add(size);
            if end > start && size > memory {
                break;
            }
            end += 1;
        }
        let has_lost = segments[start..end].iter().any(|segment| segment.removed().len() > 0);
        if end - start > 1 || has_lost {
            runs.push(start..end);
        }
        start = end;
    }
    runs
}

/// The longest run of at least [`MANY`] segments at the end, each at most an eighth of all of them
/// together, that fits into `memory`.
pub(crate) fn small(segments: &[Arc<Segment>], memory: usize) -> Option<Range<usize>> {
    let mut best = None;
    let (mut sum, mut largest) = (0usize, 0);
    for (start, segment) in segments.iter().enumerate().rev() {
        sum = sum.saturating_add(segment.live_memory());
        largest = largest.max(segment.live_memory());
        if sum > memory {
            break;
        }
        let n = segments.len() - start;
        if n >= MANY && largest <= (sum / MANY).saturating_mul(2) {
            best = Some(start..segments.len());
        }
    }
    best
}
