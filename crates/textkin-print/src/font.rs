//! Typefaces: two embedded ones, and those of the system for characters that these lack.
//!
//! The embedded ones are DejaVu Sans Condensed, regular and bold. Their licence (that of Bitstream
//! Vera; changes are in the public domain) allows redistribution with other programs and embedding
//! in documents; the required notice is in the font files. The build script compresses them.

use std::io::Read;
use std::sync::{LazyLock, OnceLock};

use hashbrown::HashMap;
use rustybuzz::ttf_parser;

use crate::Error;

/// Index of a typeface in [`Fonts`].
pub(crate) type FontId = u16;

pub(crate) const REGULAR: FontId = 0;
pub(crate) const BOLD: FontId = 1;

/// Maximum number of system typefaces considered; upright regular ones come first.
const MAX_SYSTEM_FONTS: usize = 400;
/// Maximum number of typefaces in one document.
const MAX_FONTS: usize = 60;

static REGULAR_BYTES: LazyLock<Vec<u8>> =
    LazyLock::new(|| decompress(include_bytes!(concat!(env!("OUT_DIR"), "/regular.zlib"))));
static BOLD_BYTES: LazyLock<Vec<u8>> =
    LazyLock::new(|| decompress(include_bytes!(concat!(env!("OUT_DIR"), "/bold.zlib"))));

/// Decompresses an embedded typeface. What is left of a damaged one is not a typeface, which is reported.
fn decompress(compressed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(compressed)
        .read_to_end(&mut bytes)
        .map(|_| bytes)
        .unwrap_or_default()
}

/// A typeface, loaded for shaping and for the PDF.
pub(crate) struct Typeface {
    pub(crate) shaper: rustybuzz::Face<'static>,
    pub(crate) pdf: krilla::text::Font,
}

impl Typeface {
    fn new(data: &'static [u8], index: u32) -> Option<Self> {
        let shaper = rustybuzz::Face::from_slice(data, index)?;
        let pdf = krilla::text::Font::new(data.into(), index)?;
        Some(Self { shaper, pdf })
    }

    fn has(&self, character: char) -> bool {
        self.shaper.glyph_index(character).is_some()
    }
}

/// The typefaces of one document.
pub(crate) struct Fonts {
    faces: Vec<Typeface>,
    /// System typefaces in use, by their index in [`system_fonts`].
    loaded: HashMap<usize, FontId>,
    chosen: HashMap<(char, FontId), FontId>,
}

impl Fonts {
    pub(crate) fn new() -> Result<Self, Error> {
        let face = |data: &'static [u8], name| Typeface::new(data, 0).ok_or(Error::Font(name));
        let regular = face(&REGULAR_BYTES, "DejaVu Sans Condensed")?;
        let bold = face(&BOLD_BYTES, "DejaVu Sans Condensed Bold")?;
        Ok(Self { faces: vec![regular, bold], loaded: HashMap::new(), chosen: HashMap::new() })
    }

    pub(crate) fn face(&self, font: FontId) -> &Typeface {
        &self.faces[usize::from(font)]
    }

    /// The typeface for a character: `preferred` if it has the character or none does.
    pub(crate) fn for_character(&mut self, character: char, preferred: FontId) -> FontId {
        if character.is_ascii() {
            return preferred;
        }
        if let Some(font) = self.chosen.get(&(character, preferred)) {
            return *font;
        }
        let font = self.find(character, preferred);
        self.chosen.insert((character, preferred), font);
        font
    }

    fn find(&mut self, character: char, preferred: FontId) -> FontId {
        if self.face(preferred).has(character) {
            return preferred;
        }
        let in_use = (0..).zip(&self.faces).find(|(_, face)| face.has(character));
        if let Some((font, _)) = in_use {
            return font;
        }
        let other = system_fonts().iter().position(|font| font.has(character));
        other.and_then(|index| self.load(index)).unwrap_or(preferred)
    }

    fn load(&mut self, index: usize) -> Option<FontId> {
        if let Some(font) = self.loaded.get(&index) {
            return Some(*font);
        }
        if self.faces.len() >= MAX_FONTS {
            return None;
        }
        let font = FontId::try_from(self.faces.len()).ok()?;
        self.faces.push(system_fonts()[index].load()?);
        self.loaded.insert(index, font);
        Some(font)
    }
}

/// A typeface of the system and its characters.
struct SystemFont {
    path: std::path::PathBuf,
    index: u32,
    /// Character ranges: first and last, ascending.
    runs: Vec<(u32, u32)>,
    data: OnceLock<Option<&'static [u8]>>,
}

impl SystemFont {
    fn has(&self, character: char) -> bool {
        let character = u32::from(character);
        let after = self.runs.partition_point(|(first, _)| *first <= character);
        after > 0 && self.runs[after - 1].1 >= character
    }

    fn load(&self) -> Option<Typeface> {
        // Read once and leaked, because faces borrow it.
        let read = || std::fs::read(&self.path).ok().map(|bytes| &*Vec::leak(bytes));
        let data = *self.data.get_or_init(read);
        Typeface::new(data?, self.index)
    }
}

/// The system typefaces with outlines, upright regular ones first; loaded once, and only if a text has
/// a character that the embedded ones lack.
fn system_fonts() -> &'static [SystemFont] {
    static SYSTEM_FONTS: OnceLock<Vec<SystemFont>> = OnceLock::new();
    SYSTEM_FONTS.get_or_init(|| {
        let mut database = fontdb::Database::new();
        database.load_system_fonts();
        let mut faces: Vec<_> = database
            .faces()
            .filter_map(|face| match &face.source {
                fontdb::Source::File(path) => Some((rank(face), path.clone(), face)),
                _ => None,
            })
            .collect();
        faces.sort_by(|a, b| (&a.0, &a.1, a.2.index).cmp(&(&b.0, &b.1, b.2.index)));
        faces.truncate(MAX_SYSTEM_FONTS);
        let system_font = |(_, path, face): (_, std::path::PathBuf, &fontdb::FaceInfo)| {
            let runs = database.with_face_data(face.id, runs)??;
            Some(SystemFont { path, index: face.index, runs, data: OnceLock::new() })
        };
        faces.into_iter().filter_map(system_font).collect()
    })
}

fn rank(face: &fontdb::FaceInfo) -> (bool, u16, bool) {
    let is_slanted = face.style != fontdb::Style::Normal;
    (is_slanted, face.weight.0.abs_diff(400), face.monospaced)
}

/// The character ranges of a typeface, if it has outlines.
fn runs(data: &[u8], index: u32) -> Option<Vec<(u32, u32)>> {
    let face = ttf_parser::Face::parse(data, index).ok()?;
    let tables = face.tables();
    if tables.glyf.is_none() && tables.cff.is_none() {
        return None;
    }
    let mut characters = Vec::new();
    for table in tables.cmap?.subtables.into_iter().filter(ttf_parser::cmap::Subtable::is_unicode) {
        table.codepoints(|character| {
            // Some tables list ranges that contain gaps.
            let glyph = table.glyph_index(character).filter(|glyph| glyph.0 != 0);
            characters.extend(glyph.map(|_| character));
        });
    }
    characters.sort_unstable();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for character in characters {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 >= character => *last = character,
            _ => runs.push((character, character)),
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn embedded_typefaces_cover_many_scripts_and_any_character_gets_a_typeface() {
        let mut fonts = Fonts::new().unwrap();
        for character in "aßЯλאبՀქ–€→ﬁ".chars() {
            let font = fonts.for_character(character, BOLD);
            assert!(font <= BOLD && fonts.face(font).has(character), "{character}");
        }
        let private_use = '\u{10fffd}';
        let font = fonts.for_character(private_use, REGULAR);
        assert!(usize::from(font) < fonts.faces.len());
    }

    #[test]
    fn embedded_typefaces_are_unchanged_by_compression() {
        assert!(*REGULAR_BYTES == dejavu::sans_condensed::regular());
        assert!(*BOLD_BYTES == dejavu::sans_condensed::bold());
    }

    #[test]
    fn characters_are_found_in_their_ranges() {
        let runs = runs(&REGULAR_BYTES, 0).unwrap();
        let font = SystemFont { path: "".into(), index: 0, runs, data: OnceLock::new() };
        assert!(font.has('a') && font.has('א') && !font.has('日'));
    }
}
