//! Limits of an extraction, and the remaining budget.
//!
//! A file and everything nested in it share one [`Budget`], so that many small parts cost no more
//! than one large one.

use std::io::Read;
use std::time::Instant;

use crate::Error;

/// Decompressed data below this size is never a decompression bomb, whatever its ratio.
const DENSITY_GRACE: u64 = 8 << 20;

/// Bytes read between two checks of the deadline.
const STEP: usize = 64 << 10;

/// Limits of an extraction, all nested parts together.
#[derive(Clone, Debug)]
pub struct ExtractLimits {
    /// Maximum bytes of extracted text.
    pub max_text_bytes: usize,
    /// Maximum archive entries, mailbox messages, records and attachments.
    pub max_entries: usize,
    /// Maximum nesting of containers.
    pub max_depth: usize,
    /// Maximum bytes after decompression.
    pub max_expanded_bytes: u64,
    /// Maximum compression ratio; applies above 8 MiB of decompressed data.
    pub max_ratio: u64,
    /// When to stop.
    pub deadline: Option<Instant>,
}

impl Default for ExtractLimits {
    /// Returns 256 MiB of text, 100,000 entries, depth 8, 1 GiB expanded, ratio 500, no deadline.
    fn default() -> Self {
        Self {
            max_text_bytes: 256 << 20,
            max_entries: 100_000,
            max_depth: 8,
            max_expanded_bytes: 1 << 30,
            max_ratio: 500,
            deadline: None,
        }
    }
}

impl ExtractLimits {
    /// Returns the maximum decompressed size of `n_compressed` bytes; more is a decompression bomb.
    #[must_use]
    pub fn max_expanded(&self, n_compressed: u64) -> u64 {
        n_compressed.max(1).saturating_mul(self.max_ratio).max(DENSITY_GRACE)
    }
}

/// The remaining budget.
#[derive(Debug)]
pub(crate) struct Budget {
    limits: ExtractLimits,
    text_left: usize,
    entries_left: usize,
    expanded_left: u64,
}

impl Budget {
    pub(crate) fn new(limits: &ExtractLimits) -> Self {
        Self {
            text_left: limits.max_text_bytes,
            entries_left: limits.max_entries,
            expanded_left: limits.max_expanded_bytes,
            limits: limits.clone(),
        }
    }

    pub(crate) fn limits(&self) -> &ExtractLimits {
        &self.limits
    }

    /// Bytes of text that may still be extracted.
    pub(crate) fn text_left(&self) -> usize {
        self.text_left
    }

    pub(crate) fn take_text(&mut self, n_bytes: usize) -> Result<(), Error> {
        let limit = self.limits.max_text_bytes;
        self.text_left = self.text_left.checked_sub(n_bytes).ok_or(Error::TooMuchText { limit })?;
        self.check_time()
    }

    pub(crate) fn take_entry(&mut self) -> Result<(), Error> {
        let limit = self.limits.max_entries;
        self.entries_left =
            self.entries_left.checked_sub(1).ok_or(Error::TooManyEntries { limit })?;
        self.check_time()
    }

    pub(crate) fn check_time(&self) -> Result<(), Error> {
        match self.limits.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Error::Deadline),
            _ => Ok(()),
        }
    }

    /// Reads all of `reader`, which decompresses `n_compressed` bytes. On a read error, returns the
    /// bytes read so far and the error.
    pub(crate) fn expand(
        &mut self,
        mut reader: impl Read,
        n_compressed: u64,
    ) -> Result<(Vec<u8>, Option<std::io::Error>), Error> {
        let max_expanded = self.limits.max_expanded(n_compressed);
        let mut expanded = Vec::new();
        let mut buffer = vec![0; STEP];
        loop {
            self.check_time()?;
            let n_read = match reader.read(&mut buffer) {
                Ok(0) => return Ok((expanded, None)),
                Ok(n_read) => n_read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Ok((expanded, Some(error))),
            };
            self.expanded_left = self
                .expanded_left
                .checked_sub(n_read as u64)
                .ok_or(Error::TooMuchExpanded { limit: self.limits.max_expanded_bytes })?;
            if (expanded.len() + n_read) as u64 > max_expanded {
                return Err(Error::TooDense { limit: self.limits.max_ratio });
            }
            expanded.extend_from_slice(buffer.get(..n_read).unwrap_or_default());
        }
    }
}
