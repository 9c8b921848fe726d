//! The state file of a trace: everything that a later run needs to continue.
//!
//! Layout, little-endian: magic (8 bytes), version (4); length (4) and text of the head, which is
//! JSON: settings, progress of the run, counters of copies; the names; BLAKE3 of everything before;
//! then the state of the tracer (`textkin-trace`), which has its own checksum. The head is parsed
//! only after its checksum has been verified. States are written and read as streams, without a
//! second copy in memory.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use textkin_trace::{ChecksumStream, Error as TraceError, Tracer};

use super::copied::{CopyCounters, SavedCounters};
use super::names::NameRing;
use super::{StreamTracer, TraceSettings, TraceTimes};
use crate::compare::digest;
use crate::error::Error;

const MAGIC: [u8; 8] = *b"tkstream";
const VERSION: u32 = 1;
/// Maximum bytes of the head of a state.
const MAX_HEAD: u32 = 1 << 26;

/// The progress of a run over a stream, stored in the state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceProgress {
    /// The inputs of the run, as given.
    pub inputs: Vec<String>,
    /// Whether documents are sorted by time.
    pub is_sorted: bool,
    /// Number of documents of these inputs that have been traced.
    pub documents: u64,
    /// The id of the last one.
    pub last_id: Option<String>,
    /// Whether any copied words were found so far.
    #[serde(rename = "is_found")]
    pub has_copies: bool,
    /// Statistics of the times of all documents so far.
    pub times: TraceTimes,
    /// The output file, and how much of it belongs to the traced documents.
    #[serde(rename = "written")]
    pub output: Option<TraceOutput>,
}

/// The output of a trace and its progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceOutput {
    /// The path, as given.
    pub path: String,
    /// The format of the results.
    pub format: String,
    /// Bytes of the results of the traced documents.
    pub bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct StateHead {
    /// Name and value of each setting.
    settings: Vec<(String, String)>,
    progress: TraceProgress,
    counters: SavedCounters,
}

impl StreamTracer {
    /// Writes the state of the tracer and the progress of the run.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, progress: &TraceProgress, writer: &mut dyn Write) -> Result<(), Error> {
        let (settings, progress) = (self.entries.clone(), progress.clone());
        let head = StateHead { settings, progress, counters: self.counters.to_saved() };
        let head = serde_json::to_vec(&head).map_err(io::Error::from).map_err(TraceError::Io)?;
        let mut summed = ChecksumStream { inner: writer, sum: blake3::Hasher::new() };
        self.save_head(&head, &mut summed).map_err(TraceError::Io)?;
        Ok(self.tracer.save(summed.inner)?)
    }

    fn save_head(
        &self,
        head: &[u8],
        writer: &mut ChecksumStream<&mut dyn Write, blake3::Hasher>,
    ) -> io::Result<()> {
        let length = u32::try_from(head.len()).ok().filter(|length| *length <= MAX_HEAD);
        let length = length.ok_or(io::ErrorKind::FileTooLarge)?;
        writer.write_all(&MAGIC)?;
        writer.write_all(&VERSION.to_le_bytes())?;
        writer.write_all(&length.to_le_bytes())?;
        writer.write_all(head)?;
        self.names.save(writer)?;
        let sum = writer.sum.finalize();
        writer.inner.write_all(sum.as_bytes())
    }

    /// Restores a tracer and the progress of its run from a state, which must have the same
    /// settings.
    ///
    /// # Errors
    /// If the state cannot be read, is corrupt, or has another version or other settings.
    pub fn load(
        settings: &TraceSettings,
        reader: &mut dyn Read,
    ) -> Result<(Self, TraceProgress), Error> {
        let mut loaded = Self::new(settings)?;
        let mut summed = ChecksumStream { inner: reader, sum: blake3::Hasher::new() };
        let (head, names) = read_head(settings, &mut summed)?;
        check(&head.settings, &loaded.entries)?;
        loaded.names = names;
        loaded.counters = CopyCounters::from_saved(settings.shares().counters, head.counters);
        // Free the empty table before the saved one is allocated.
        let table = settings.shares().table;
        drop(std::mem::replace(
            &mut loaded.tracer,
            Tracer::new(&textkin_trace::Settings::exact())?,
        ));
        loaded.tracer = Tracer::load(&table, summed.inner)?;
        Ok((loaded, head.progress))
    }
}

fn read_head(
    settings: &TraceSettings,
    reader: &mut ChecksumStream<&mut dyn Read, blake3::Hasher>,
) -> Result<(StateHead, NameRing), TraceError> {
    let read_error = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => TraceError::Corrupt("unexpected end of data"),
        _ => TraceError::Io(error),
    };
    let mut magic = [0; 8];
    match reader.read_exact(&mut magic) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            return Err(read_error(error));
        }
        _ if magic != MAGIC => return Err(TraceError::NotATraceState),
        _ => {}
    }
    let mut number = [0; 4];
    reader.read_exact(&mut number).map_err(read_error)?;
    let version = u32::from_le_bytes(number);
    if version != VERSION {
        return Err(TraceError::Version { found: version, expected: VERSION });
    }
    reader.read_exact(&mut number).map_err(read_error)?;
    let length = u32::from_le_bytes(number);
    if length > MAX_HEAD {
        return Err(TraceError::Corrupt("the head is too long"));
    }
    let mut head = Vec::new();
    let n = reader.by_ref().take(u64::from(length)).read_to_end(&mut head).map_err(read_error)?;
    if n < length as usize {
        return Err(TraceError::Corrupt("unexpected end of data"));
    }
    let names = NameRing::load(settings.shares().names, reader).map_err(read_error)?;
    let sum = reader.sum.finalize();
    let mut found = [0; 32];
    reader.inner.read_exact(&mut found).map_err(read_error)?;
    if found != *sum.as_bytes() {
        return Err(TraceError::Corrupt("checksum mismatch"));
    }
    let head = serde_json::from_slice(&head);
    Ok((head.map_err(|_| TraceError::Corrupt("the head is invalid"))?, names))
}

/// Returns name and value of every setting that affects results.
pub(super) fn entries(settings: &TraceSettings) -> Vec<(String, String)> {
    let TraceSettings { analysis, table } = settings;
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| entries.push((name.to_owned(), value));
    table.entries().into_iter().for_each(|(name, value)| add(name, value));
    add("normalize", analysis.normalization.to_string());
    add("chunk", analysis.chunk.to_string());
    add("hash", analysis.hash.to_string());
    add("select", analysis.select.to_string());
    if analysis.min_words > 0 {
        add("min-document-words", analysis.min_words.to_string());
    }
    let stop_list = analysis.normalization.stop_list();
    if !stop_list.is_empty() {
        add("stop-list", digest(&stop_list.join("\n")));
    }
    for template in &analysis.templates {
        add("template", digest(template));
    }
    let mut lists: Vec<_> = analysis.resources.lists.iter().collect();
    lists.sort();
    for (_, words) in lists {
        add("list", digest(&words.join("\n")));
    }
    entries
}

/// Returns an error that names the first setting that differs.
fn check(found: &[(String, String)], expected: &[(String, String)]) -> Result<(), TraceError> {
    let mismatch = |name: &str, found: &str, expected: &str| TraceError::SettingsMismatch {
        name: name.to_owned(),
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    // Compared by name, so that a setting that only one side has does not hide the one that
    // differs.
    let values = |entries: &[(String, String)], name: &str| -> String {
        let values: Vec<&str> =
            entries.iter().filter(|(other, _)| other == name).map(|(_, v)| v.as_str()).collect();
        if values.is_empty() { "unset".to_owned() } else { values.join(", ") }
    };
    for (name, _) in expected.iter().chain(found) {
        let (a, b) = (values(found, name), values(expected, name));
        if a != b {
            return Err(mismatch(name, &a, &b));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use textkin_trace::{Memory, Preset};

    fn settings(memory: u64) -> TraceSettings {
        TraceSettings::new(Preset::Kin, Memory::Bytes(memory)).unwrap()
    }

    fn text(number: u32) -> String {
        let words: Vec<String> =
            (0..40).map(|word| format!("w{}", (number / 2) * 50 + word % 37)).collect();
        words.join(" ")
    }

    fn state(settings: &TraceSettings, n: u32) -> (StreamTracer, Vec<u8>) {
        let mut tracer = StreamTracer::new(settings).unwrap();
        (0..n).for_each(|number| drop(tracer.trace(&format!("d{number}"), &text(number))));
        let mut bytes = Vec::new();
        let progress = TraceProgress { documents: u64::from(n), ..TraceProgress::default() };
        tracer.save(&progress, &mut bytes).unwrap();
        (tracer, bytes)
    }

    #[test]
    fn a_restored_tracer_continues_like_the_original() {
        for settings in
            [settings(5_000), TraceSettings::new(Preset::Paper, Memory::Unlimited).unwrap()]
        {
            let (mut tracer, bytes) = state(&settings, 31);
            let (mut loaded, progress) =
                StreamTracer::load(&settings, &mut bytes.as_slice()).unwrap();
            assert_eq!(progress.documents, 31);
            for number in 10..60 {
                let id = format!("e{number}");
                assert_eq!(loaded.trace(&id, &text(number)), tracer.trace(&id, &text(number)));
            }
            assert_eq!(loaded.top_origins(9), tracer.top_origins(9));
        }
    }

    #[test]
    fn changed_or_missing_bytes_are_detected() {
        let settings = settings(5_000);
        let (_, bytes) = state(&settings, 9);
        for position in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[position] ^= 0x10;
            assert!(StreamTracer::load(&settings, &mut changed.as_slice()).is_err(), "{position}");
            assert!(StreamTracer::load(&settings, &mut &bytes[..position]).is_err(), "{position}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(StreamTracer::load(&settings, &mut longer.as_slice()).is_err());
    }

    #[test]
    fn states_with_other_settings_are_rejected_by_name() {
        let message = |settings: &TraceSettings, bytes: &[u8]| {
            StreamTracer::load(settings, &mut &*bytes).unwrap_err().to_string()
        };
        let own = settings(5_000);
        let (_, bytes) = state(&own, 3);
        assert_eq!(
            message(&settings(6_000), &bytes),
            "the state was created with memory 5000 bytes, but 6000 bytes was requested"
        );
        let mut other = own.clone();
        other.analysis.select = "winnow:4".parse().unwrap();
        assert_eq!(
            message(&other, &bytes),
            "the state was created with select hailstorm+no-overlap, but winnow:4 was requested"
        );
        let mut other = own.clone();
        other.analysis.templates.push("a template".to_owned());
        assert!(message(&other, &bytes).contains("with template unset, but"));
        assert_eq!(message(&own, b"PK\x03\x04 something else"), "not the state of a trace");
        assert_eq!(message(&own, b""), "not the state of a trace");
        let mut newer = bytes.clone();
        newer[8] = 2;
        assert!(message(&own, &newer).contains("unsupported state version 2"));
    }
}
