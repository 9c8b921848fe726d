//! The merge policy: chooses the segments that are merged.

use std::ops::Range;
use std::sync::Arc;

use crate::segment::Segment;

/// Minimum number of adjacent small segments that are merged.
const MIN_MERGED: usize = 8;

/// Returns the runs of segments that a compaction rewrites: neighbours that fit into one segment,
/// or segments with removed documents.
pub(crate) fn compaction_runs(segments: &[Arc<Segment>], memory: usize) -> Vec<Range<usize>> {
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
        let has_removed = segments[start..end].iter().any(|segment| segment.removed().len() > 0);
        if end - start > 1 || has_removed {
            runs.push(start..end);
        }
        start = end;
    }
    runs
}

/// Returns the runs of segments that are rewritten to erase removed documents: each segment that has
/// some, together with neighbours if all of them are small. Large segments are rewritten alone, so that
/// removing one document does not rewrite the whole repository.
pub(crate) fn erasure_runs(segments: &[Arc<Segment>], memory: usize) -> Vec<Range<usize>> {
    let mut runs = compaction_runs(segments, memory / MIN_MERGED);
    runs.retain(|run| segments[run.clone()].iter().any(|segment| segment.removed().len() > 0));
    runs
}

/// Returns the longest run of at least [`MIN_MERGED`] segments at the end that fits into `memory`,
/// with no segment larger than a quarter of the run.
pub(crate) fn small_tail(segments: &[Arc<Segment>], memory: usize) -> Option<Range<usize>> {
    let mut best = None;
    let (mut sum, mut largest) = (0usize, 0);
    for (start, segment) in segments.iter().enumerate().rev() {
        sum = sum.saturating_add(segment.live_memory());
        largest = largest.max(segment.live_memory());
        if sum > memory {
            break;
        }
        let n = segments.len() - start;
        if n >= MIN_MERGED && largest <= (sum / MIN_MERGED).saturating_mul(2) {
            best = Some(start..segments.len());
        }
    }
    best
}
