//! The state of a trace as bytes: all that is remembered, with what it takes to go on.
//!
//! Layout, little-endian: magic (8 bytes), version (4); length (4) and text of the head, which is JSON:
//! the settings, how far the run is, the counters of copies; the names; BLAKE3 of all before; then the state of the
//! tracer (`textkin-trace`), which has a checksum of its own. Nothing is made of a head before its
//! checksum is known to be right. TraceOutput and read as a stream: no second copy is made.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};
use textkin_trace::{Error as TraceError, Tracer};

use super::copied::{Counters, KeptCounters};
use super::names::Names;
use super::{StreamTracer, TraceSettings, TraceTimes};
use crate::{Error, digest};

const MAGIC: [u8; 8] = *b"tkstream";
const VERSION: u32 = 1;
/// The head of a state is never longer than this.
const MAX_HEAD: u32 = 1 << 26;

/// How far a run over a stream is: what a state says beside what is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceProgress {
    /// The inputs of the run, as they were named.
    pub inputs: Vec<String>,
    /// Whether they are taken in the order of time.
    pub is_sorted: bool,
    /// Documents taken of these inputs.
    pub documents: u64,
    /// The id of the last of them.
    pub last_id: Option<String>,
    /// Whether anything was copied so far.
    #[serde(rename = "is_found")]
    pub has_copies: bool,
    /// How the times of all documents so far go.
    pub times: TraceTimes,
    /// Where results go and how many bytes of them belong to the documents taken.
    #[serde(rename = "written")]
    pub output: Option<TraceOutput>,
}

/// How far results are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceOutput {
    /// The file, as it was named.
    pub path: String,
    /// How results are written there.
    pub format: String,
    /// Bytes of the results of the documents taken.
    pub bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    /// Names and values.
    settings: Vec<(String, String)>,
    progress: TraceProgress,
    counters: KeptCounters,
}

impl StreamTracer {
    /// Writes everything it remembers, and how far the run is.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, progress: &TraceProgress, writer: &mut dyn Write) -> Result<(), Error> {
        let (settings, progress) = (self.entries.clone(), progress.clone());
        let head = Head { settings, progress, counters: self.counters.to_kept() };
        let head = serde_json::to_vec(&head).map_err(io::Error::from).map_err(TraceError::Io)?;
        let mut summed = Summed { inner: writer, sum: blake3::Hasher::new() };
        self.save_head(&head, &mut summed).map_err(TraceError::Io)?;
        Ok(self.tracer.save(summed.inner)?)
    }

    fn save_head(&self, head: &[u8], writer: &mut Summed<&mut dyn Write>) -> io::Result<()> {
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

    /// The tracer whose state was saved, which must have had the same settings, and how far its run
    /// was.
    ///
    /// # Errors
    /// If it cannot be read, is no state or a damaged one, of another version or of other settings.
    pub fn load(
        settings: &TraceSettings,
        reader: &mut dyn Read,
    ) -> Result<(Self, TraceProgress), Error> {
        let mut loaded = Self::new(settings)?;
        let mut summed = Summed { inner: reader, sum: blake3::Hasher::new() };
        let (head, names) = read_head(settings, &mut summed)?;
        check(&head.settings, &loaded.entries)?;
        loaded.names = names;
        loaded.counters = Counters::from_kept(settings.shares().counters, head.counters);
        // The table that was made for a beginning goes before another takes its place.
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
    reader: &mut Summed<&mut dyn Read>,
) -> Result<(Head, Names), TraceError> {
    let early = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => TraceError::Corrupt("unexpected end of data"),
        _ => TraceError::Io(error),
    };
    let mut magic = [0; 8];
    match reader.read_exact(&mut magic) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(early(error)),
        _ if magic != MAGIC => return Err(TraceError::NotATraceState),
        _ => {}
    }
    let mut number = [0; 4];
    reader.read_exact(&mut number).map_err(early)?;
    let version = u32::from_le_bytes(number);
    if version != VERSION {
        return Err(TraceError::Version { found: version, expected: VERSION });
    }
    reader.read_exact(&mut number).map_err(early)?;
    let length = u32::from_le_bytes(number);
    if length > MAX_HEAD {
        return Err(TraceError::Corrupt("its head is too long"));
    }
    let mut head = Vec::new();
    let n = reader.by_ref().take(u64::from(length)).read_to_end(&mut head).map_err(early)?;
    if n < length as usize {
        return Err(TraceError::Corrupt("unexpected end of data"));
    }
    let names = Names::load(settings.shares().names, reader).map_err(early)?;
    let sum = reader.sum.finalize();
    let mut found = [0; 32];
    reader.inner.read_exact(&mut found).map_err(early)?;
    if found != *sum.as_bytes() {
        return Err(TraceError::Corrupt("checksum mismatch"));
    }
    let head = serde_json::from_slice(&head);
    Ok((head.map_err(|_| TraceError::Corrupt("its head cannot be read"))?, names))
}

/// Every setting that results depend on, by name and value.
pub(super) fn entries(settings: &TraceSettings) -> Vec<(String, String)> {
    let TraceSettings { analysis, table } = settings;
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut say = |name: &str, value: String| entries.push((name.to_owned(), value));
    table.entries().into_iter().for_each(|(name, value)| say(name, value));
    say("normalize", analysis.normalization.to_string());
    say("chunk", analysis.chunk.to_string());
    say("hash", analysis.hash.to_string());
    say("select", analysis.select.to_string());
    let stop_list = analysis.normalization.stop_list();
    if !stop_list.is_empty() {
        say("stop-list", digest(&stop_list.join("\n")));
    }
    for template in &analysis.templates {
        say("template", digest(template));
    }
    let mut lists: Vec<_> = analysis.resources.lists.iter().collect();
    lists.sort();
    for (_, words) in lists {
        say("list", digest(&words.join("\n")));
    }
    entries
}

/// Says which setting is another.
fn check(found: &[(String, String)], expected: &[(String, String)]) -> Result<(), TraceError> {
    let other = |name: &str, found: &str, expected: &str| TraceError::SettingsMismatch {
        name: name.to_owned(),
        found: found.to_owned(),
        expected: expected.to_owned(),
    };
    // By name, so that a setting that only one of them has does not hide the one that is another.
    let values = |entries: &[(String, String)], name: &str| -> String {
        let values: Vec<&str> =
            entries.iter().filter(|(other, _)| other == name).map(|(_, v)| v.as_str()).collect();
        if values.is_empty() { "unset".to_owned() } else { values.join(", ") }
    };
    for (name, _) in expected.iter().chain(found) {
        let (a, b) = (values(found, name), values(expected, name));
        if a != b {
            return Err(other(name, &a, &b));
        }
    }
    Ok(())
}

/// Sums up what passes.
struct Summed<T> {
    inner: T,
    sum: blake3::Hasher,
}

impl Write for Summed<&mut dyn Write> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Read for Summed<&mut dyn Read> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(bytes)?;
        self.sum.update(&bytes[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Memory, Preset};

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
    fn what_was_saved_goes_on_as_if_nothing_had_been() {
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
    fn any_byte_that_is_changed_or_lost_is_noticed() {
        let settings = settings(5_000);
        let (_, bytes) = state(&settings, 9);
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            assert!(StreamTracer::load(&settings, &mut changed.as_slice()).is_err(), "{place}");
            assert!(StreamTracer::load(&settings, &mut &bytes[..place]).is_err(), "{place}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(StreamTracer::load(&settings, &mut longer.as_slice()).is_err());
    }

    #[test]
    fn states_of_others_are_told_by_what_is_other() {
        let said = |settings: &TraceSettings, bytes: &[u8]| {
            StreamTracer::load(settings, &mut &*bytes).unwrap_err().to_string()
        };
        let own = settings(5_000);
        let (_, bytes) = state(&own, 3);
        assert_eq!(
            said(&settings(6_000), &bytes),
            "the state was created with memory 5000 bytes, but 6000 bytes was requested"
        );
        let mut other = own.clone();
        other.analysis.select = "winnow:4".parse().unwrap();
        assert_eq!(
            said(&other, &bytes),
            "the state was created with select hailstorm+no-overlap, but winnow:4 was requested"
        );
        let mut other = own.clone();
        other.analysis.templates.push("a template".to_owned());
        assert!(said(&other, &bytes).contains("with template unset, and"));
        assert_eq!(said(&own, b"PK\x03\x04 something else"), "not the state of a trace");
        assert_eq!(said(&own, b""), "not the state of a trace");
        let mut newer = bytes.clone();
        newer[8] = 2;
        assert!(said(&own, &newer).contains("a state of version 2 cannot be read"));
    }
}
