//! Scan: scores the documents of one range of one segment, and skips those that cannot be among the best.
//!
//! Documents are processed in blocks whose sums fit the cache. The terms of the query are ordered by the most
//! they can add. Once k documents are known, the last terms together cannot lift a document among them. Only
//! documents with one of the other terms, the *essential* terms, are candidates (MaxScore of Turtle and Flood
//! 1995). The sum of a candidate is completed term by term, by skipping in the postings, and the candidate is
//! dropped once the remaining terms cannot lift it to the threshold.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::cursor::Cursor;
use crate::stop_words::StopWords;
use crate::top::{Scored, Top};
use crate::weights::{TermWeights, reaches};
use textkin_core::DocumentAddress;

/// Number of documents whose sums are held at a time: 256 KiB, half of a typical second-level cache.
const BLOCK: u32 = 1 << 15;

/// Number of sums that are cleared and examined together.
const GROUP: usize = 64;

/// If at least one in this many documents is a candidate, it is cheaper to add more terms for all.
const MANY: usize = 32;

/// The best score that at least k documents are known to reach, across threads.
///
/// It only rises. How soon other threads see it affects how much they read, but not what they find.
#[derive(Debug)]
pub(crate) struct Threshold(AtomicU64);

impl Threshold {
    pub(crate) fn new(score: f64) -> Self {
        Self(AtomicU64::new(score.to_bits()))
    }

    /// Raises it to `score` and returns the highest known value. Scores are not negative, so their bits
    /// have the same order as the scores.
    fn raise(&self, score: f64) -> f64 {
        f64::from_bits(self.0.fetch_max(score.to_bits(), Ordering::Relaxed)).max(score)
    }
}

/// A range of documents of one segment.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) segment: u32,
    pub(crate) documents: Range<u32>,
}

/// The data that all jobs of a search share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a, P> {
    pub(crate) segments: &'a [P],
    pub(crate) weights: &'a TermWeights,
    pub(crate) stop_words: &'a [u64],
    pub(crate) top: usize,
    pub(crate) threshold: &'a Threshold,
}

impl<'a, P: IndexSegment> Search<'a, P> {
    /// Finds the best documents of a range.
    pub(crate) fn best(&self, job: &Job) -> Result<Top, CorruptionError> {
        let mut top = Top::new(self.top);
        let mut threshold = self.threshold.raise(0.0);
        let Some(mut scan) = Scan::open(self, job)? else { return Ok(top) };
        while scan.next_block(threshold)? {
            scan.offer_to(&mut top)?;
            threshold = self.threshold.raise(top.threshold());
        }
        Ok(top)
    }

    /// Finds all documents of a range that reach the threshold; `None` if there are more than
    /// `max_documents`. Only for bounded weights without stop words.
    pub(crate) fn all(
        &self,
        job: &Job,
        max_documents: usize,
    ) -> Result<Option<Vec<DocumentAddress>>, CorruptionError> {
        let mut addresses = Vec::new();
        let threshold = self.threshold.raise(0.0);
        let Some(mut scan) = Scan::open(self, job)? else { return Ok(Some(addresses)) };
        while scan.next_block(threshold)? {
            let reach = scan.candidates.drain(..).filter(|found| reaches(found.sum, threshold));
            addresses.extend(
                reach.map(|found| DocumentAddress {
                    segment: job.segment,
                    document: found.document,
                }),
            );
            if addresses.len() > max_documents {
                return Ok(None);
            }
        }
        Ok(Some(addresses))
    }
}

/// A document that may be among the best.
#[derive(Clone, Debug)]
struct Candidate {
    document: u32,
    sum: f64,
    length: Length,
    /// Lower bound of the divisor of its sum.
    divisor: f64,
}

struct Scan<'a, P> {
    segment: &'a P,
    number: u32,
    /// The next document, and the end of the range.
    next: u32,
    end: u32,
    weights: &'a TermWeights,
    /// In the order in which terms are added.
    cursors: Vec<Cursor<'a>>,
    /// `rest[i]`: the maximum that the terms of cursors `i..` can add.
    rest: Vec<f64>,
    /// Number of terms that are treated as essential although they are not.
    extra: usize,
    stop_words: StopWords<'a>,
    sums: Vec<f64>,
    /// Whether each group of sums has a sum other than 0.
    touched: Vec<bool>,
    /// Touched documents that may be candidates, with their sums.
    kept: Vec<(u32, f64)>,
    candidates: Vec<Candidate>,
}

impl<'a, P: IndexSegment> Scan<'a, P> {
    fn open(search: &Search<'a, P>, job: &Job) -> Result<Option<Self>, CorruptionError> {
        let Some(segment) = search.segments.get(job.segment as usize) else { return Ok(None) };
        let weights = search.weights;
        let mut cursors = Vec::with_capacity(weights.terms().len());
        for (term, weighted) in weights.terms().iter().enumerate() {
            if weighted.counts() {
                cursors.extend(Cursor::of(segment, term, weighted)?);
            }
        }
        let counts_stop_words = weights.stops() && !cursors.is_empty();
        let stop_words =
            StopWords::open(segment, if counts_stop_words { search.stop_words } else { &[] })?;
        let mut rest = vec![0.0; cursors.len() + 1];
        for (number, cursor) in cursors.iter().enumerate().rev() {
            rest[number] = rest[number + 1] + weights.term(cursor.term).own();
        }
        let n_sums = BLOCK.min(segment.n_documents()) as usize;
        Ok(Some(Self {
            segment,
            number: job.segment,
            next: job.documents.start,
            end: job.documents.end.min(segment.n_documents()),
            weights,
            cursors,
            rest,
            stop_words,
            sums: vec![0.0; n_sums],
            touched: vec![false; n_sums.div_ceil(GROUP)],
            extra: 0,
            kept: Vec::new(),
            candidates: Vec::new(),
        }))
    }

    /// Moves to the next documents that may reach `threshold` and adds up their terms. Returns false if
    /// there are none.
    fn next_block(&mut self, threshold: f64) -> Result<bool, CorruptionError> {
        let n_essential = self.n_essential(threshold);
        let Some(start) = self.first_document(n_essential)? else { return Ok(false) };
        if start >= self.end {
            return Ok(false);
        }
        self.next = self.end.min(start.saturating_add(BLOCK));
        self.add_up(n_essential, start..self.next)?;
        self.select(n_essential, start..self.next, threshold)?;
        self.complete(n_essential, threshold)?;
        Ok(true)
    }

    /// Number of leading terms of which a document must have at least one to reach `threshold`.
    fn n_essential(&self, threshold: f64) -> usize {
        if !self.weights.is_bounded() {
            return self.cursors.len();
        }
        let n_essential = self.rest.partition_point(|rest| reaches(*rest, threshold));
        (n_essential + self.extra).min(self.cursors.len())
    }

    /// The next document that has an essential term.
    fn first_document(&mut self, n_essential: usize) -> Result<Option<u32>, CorruptionError> {
        let mut first = None;
        for cursor in &mut self.cursors[..n_essential] {
            let document = cursor.seek(self.next)?;
            first = [first, document].into_iter().flatten().min();
        }
        Ok(first)
    }

    /// Adds up the essential terms for all documents of a range.
    fn add_up(&mut self, n_essential: usize, range: Range<u32>) -> Result<(), CorruptionError> {
        let (sums, touched) = (&mut self.sums, &mut self.touched);
        for cursor in &mut self.cursors[..n_essential] {
            let term = self.weights.term(cursor.term);
            cursor.for_each_before(range.end, |document, count| {
                let slot = document.wrapping_sub(range.start) as usize;
                if let (Some(sum), Some(touched)) =
                    (sums.get_mut(slot), touched.get_mut(slot / GROUP))
                {
                    *sum += term.adds(count);
                    *touched = true;
                }
            })?;
        }
        Ok(())
    }

    /// Collects the documents of a range that may reach `threshold` as candidates, in order, and clears
    /// the sums.
    fn select(
        &mut self,
        n_essential: usize,
        range: Range<u32>,
        threshold: f64,
    ) -> Result<(), CorruptionError> {
        let bounded = self.weights.is_bounded();
        let rest = self.rest[n_essential];
        let may = |sum: f64| sum > 0.0 && (!bounded || reaches(sum + rest, threshold));
        self.kept.clear();
        let groups = self.sums.chunks_mut(GROUP).zip(&mut self.touched);
        for ((sums, touched), first) in groups.zip((range.start..).step_by(GROUP)) {
            if std::mem::take(touched) {
                let documents = (first..).zip(sums.iter().copied());
                self.kept.extend(documents.filter(|(_, sum)| may(*sum)));
                sums.fill(0.0);
            }
        }
        self.candidates.clear();
        for (document, sum) in self.kept.iter().copied() {
            if !self.segment.is_live(document) {
                continue;
            }
            let length = self.segment.length(document)?;
            let (divisor, _) = self.weights.divisors(&length);
            if !bounded || reaches((sum + rest) / divisor, threshold) {
                self.candidates.push(Candidate { document, sum, length, divisor });
            }
        }
        let many = self.candidates.len() > range.len() / MANY;
        self.extra = if many { (self.extra * 2).max(8) } else { self.extra / 2 };
        Ok(())
    }

    /// Adds the other terms to the candidates, and drops candidates that cannot reach `threshold`.
    fn complete(&mut self, n_essential: usize, threshold: f64) -> Result<(), CorruptionError> {
        for number in n_essential..self.cursors.len() {
            if self.candidates.is_empty() {
                return Ok(());
            }
            let cursor = &mut self.cursors[number];
            for candidate in &mut self.candidates {
                let count = cursor.count_in(candidate.document)?;
                candidate.sum += self.weights.term(cursor.term).adds(count);
            }
            let rest = self.rest[number + 1];
            self.candidates
                .retain(|candidate| reaches((candidate.sum + rest) / candidate.divisor, threshold));
        }
        Ok(())
    }

    /// Subtracts stop words from the lengths of the candidates, and scores them.
    fn offer_to(&mut self, top: &mut Top) -> Result<(), CorruptionError> {
        let documents: Vec<u32> = self.candidates.iter().map(|found| found.document).collect();
        let stop_counts = self.stop_words.count(&documents)?;
        for (candidate, stop_counts) in self.candidates.iter_mut().zip(&stop_counts) {
            candidate.length = stop_counts.subtract_from(&candidate.length);
        }
        for Candidate { document, sum, length, .. } in self.candidates.drain(..) {
            let address = DocumentAddress { segment: self.number, document };
            top.offer(Scored { score: self.weights.score(sum, &length), address });
        }
        Ok(())
    }
}
