//! The scan: scores the documents of one range of one part, and passes over those that cannot be
//! among the best.
//!
//! Documents are taken in blocks whose sums fit the cache. The terms of the query stand in order
//! of what they can add at most. As soon as k documents are known, the last terms together
//! cannot lift a document among them: only documents with one of the others, the *essential*
//! terms, are candidates (MaxScore of Turtle and Flood 1995). A candidate's sum is completed term
//! by term, by skipping in the postings, and dropped once what is left cannot save it.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use textkin_core::{CorruptionError, IndexSegment, Length};

use crate::cursor::Cursor;
use crate::stop::StopWords;
use crate::top::{Scored, Top};
use crate::weights::{TermWeights, reaches};
use textkin_core::DocumentAddress;

/// Documents whose sums are held at a time: 256 KiB, half of a usual second-level cache.
const BLOCK: u32 = 1 << 15;

/// Sums that are cleared and looked through together.
const GROUP: usize = 64;

/// From one candidate in so many documents on, it is cheaper to add more terms up for all.
const MANY: usize = 32;

/// The best score that at least k documents are known to reach, across threads.
///
/// It only rises. How soon others see it changes how much they read, never what they find.
#[derive(Debug)]
pub(crate) struct Threshold(AtomicU64);

impl Threshold {
    pub(crate) fn new(score: f64) -> Self {
        Self(AtomicU64::new(score.to_bits()))
    }

    /// Raises it to `score` and gives the highest that is known. Scores are not negative, so
    /// that their bits are ordered as they are.
    fn raise(&self, score: f64) -> f64 {
        f64::from_bits(self.0.fetch_max(score.to_bits(), Ordering::Relaxed)).max(score)
    }
}

/// A range of documents of one part.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) segment: u32,
    pub(crate) documents: Range<u32>,
}

/// What all jobs of a search share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<'a, P> {
    pub(crate) segments: &'a [P],
    pub(crate) weights: &'a TermWeights,
    pub(crate) stop: &'a [u64],
    pub(crate) top: usize,
    pub(crate) threshold: &'a Threshold,
}

impl<'a, P: IndexSegment> Search<'a, P> {
    /// The best documents of a range.
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

    /// All documents of a range that reach the threshold, unless they are more than `most`. Only
    /// for bounded weighings without words that do not count.
    pub(crate) fn all(
        &self,
        job: &Job,
        most: usize,
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
            if addresses.len() > most {
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
    /// The least that its sum can be divided by.
    divisor: f64,
}

struct Scan<'a, P> {
    segment: &'a P,
    number: u32,
    /// The first document ahead, and the end of the range.
    next: u32,
    end: u32,
    weights: &'a TermWeights,
    /// In the order in which terms are added.
    cursors: Vec<Cursor<'a>>,
    /// `rest[i]`: the most that the terms of the cursors from `i` on can add.
    rest: Vec<f64>,
    /// Terms that are treated as essential though they are not.
    extra: usize,
    stop: StopWords<'a>,
    sums: Vec<f64>,
    /// Which groups of sums are not all 0.
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
        let counts_stop = weights.stops() && !cursors.is_empty();
        let stop = StopWords::open(segment, if counts_stop { search.stop } else { &[] })?;
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
            stop,
            sums: vec![0.0; n_sums],
            touched: vec![false; n_sums.div_ceil(GROUP)],
            extra: 0,
            kept: Vec::new(),
            candidates: Vec::new(),
        }))
    }

    /// Goes on to the next documents that may reach `threshold` and adds their terms up, until
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

    /// The number of leading terms of which a document must have one to reach `threshold`.
    fn n_essential(&self, threshold: f64) -> usize {
        if !self.weights.is_bounded() {
            return self.cursors.len();
        }
        let n_essential = self.rest.partition_point(|rest| reaches(*rest, threshold));
        (n_essential + self.extra).min(self.cursors.len())
    }

    /// The first document ahead that has an essential term.
    fn first_document(&mut self, n_essential: usize) -> Result<Option<u32>, CorruptionError> {
        let mut first = None;
        for cursor in &mut self.cursors[..n_essential] {
            let document = cursor.seek(self.next)?;
            first = [first, document].into_iter().flatten().min();
        }
        Ok(first)
    }

    /// Adds the essential terms up for all documents of a range.
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

    /// Makes candidates of the documents of a range that may reach `threshold`, in order, and
    /// clears the sums.
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

    /// Adds the terms that are not essential to the candidates, which become fewer meanwhile.
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

    /// Takes the words that do not count from the lengths of the candidates, and scores them.
    fn offer_to(&mut self, top: &mut Top) -> Result<(), CorruptionError> {
        let documents: Vec<u32> = self.candidates.iter().map(|found| found.document).collect();
        let stopped = self.stop.count(&documents)?;
        for (candidate, stopped) in self.candidates.iter_mut().zip(&stopped) {
            candidate.length = stopped.taken_from(&candidate.length);
        }
        for Candidate { document, sum, length, .. } in self.candidates.drain(..) {
            let address = DocumentAddress { segment: self.number, document };
            top.offer(Scored { score: self.weights.score(sum, &length), address });
        }
        Ok(())
    }
}
