//! Typefaces: two within the program, and those of the system for characters that these lack.
//!
//! Ours are DejaVu Sans Condensed, regular and bold. Their licence (that of Bitstream Vera; changes
//! are in the public domain) lets them be handed on with other programs and embedded in documents;
//! the notice it asks for is within the files.

use std::sync::OnceLock;

use hashbrown::HashMap;
use rustybuzz::ttf_parser;

use crate::Error;

/// The place of a typeface among [`Fonts`].
pub(crate) type FontId = u16;

pub(crate) const REGULAR: FontId = 0;
pub(crate) const BOLD: FontId = 1;

/// Typefaces of the system that are looked at; those of one style come first.
const MAX_SYSTEM_FONTS: usize = 400;
/// Typefaces in one document.
const MAX_FONTS: usize = 60;

/// A typeface, ready to shape and to be written.
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
    /// Typefaces of the system that are among them, by their place in [`system_fonts`].
    taken: HashMap<usize, FontId>,
    known: HashMap<(char, FontId), FontId>,
}

impl Fonts {
    pub(crate) fn new() -> Result<Self, Error> {
        let face = |data, name| Typeface::new(data, 0).ok_or(Error::Font(name));
        let regular = face(dejavu::sans_condensed::regular(), "DejaVu Sans Condensed")?;
        let bold = face(dejavu::sans_condensed::bold(), "DejaVu Sans Condensed Bold")?;
        Ok(Self { faces: vec![regular, bold], taken: HashMap::new(), known: HashMap::new() })
    }

    pub(crate) fn face(&self, font: FontId) -> &Typeface {
        &self.faces[usize::from(font)]
    }

    /// The typeface for a character, `wanted` if it has it or none has.
    pub(crate) fn for_character(&mut self, character: char, wanted: FontId) -> FontId {
        if character.is_ascii() {
            return wanted;
        }
        if let Some(font) = self.known.get(&(character, wanted)) {
            return *font;
        }
        let font = self.find(character, wanted);
        self.known.insert((character, wanted), font);
        font
    }

    fn find(&mut self, character: char, wanted: FontId) -> FontId {
        if self.face(wanted).has(character) {
            return wanted;
        }
        let own = (0..).zip(&self.faces).find(|(_, face)| face.has(character));
        if let Some((font, _)) = own {
            return font;
        }
        let other = system_fonts().iter().position(|other| other.has(character));
        other.and_then(|place| self.take(place)).unwrap_or(wanted)
    }

    fn take(&mut self, place: usize) -> Option<FontId> {
        if let Some(font) = self.taken.get(&place) {
            return Some(*font);
        }
        if self.faces.len() >= MAX_FONTS {
            return None;
        }
        let font = FontId::try_from(self.faces.len()).ok()?;
        self.faces.push(system_fonts()[place].load()?);
        self.taken.insert(place, font);
        Some(font)
    }
}

/// A typeface of the system, and what it has.
struct SystemFont {
    path: std::path::PathBuf,
    index: u32,
    /// Characters: first and last of each run, ascending.
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
        // Read once and kept as long as the program runs, since faces borrow it.
        let read = || std::fs::read(&self.path).ok().map(|bytes| &*Vec::leak(bytes));
        let data = *self.data.get_or_init(read);
        Typeface::new(data?, self.index)
    }
}

/// The typefaces of the system with outlines, those that look plain first; looked for once, and only
/// if a text has a character that our own lack.
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
        let other = |(_, path, face): (_, std::path::PathBuf, &fontdb::FaceInfo)| {
            let runs = database.with_face_data(face.id, runs)??;
            Some(SystemFont { path, index: face.index, runs, data: OnceLock::new() })
        };
        faces.into_iter().filter_map(other).collect()
    })
}

fn rank(face: &fontdb::FaceInfo) -> (bool, u16, bool) {
    let is_slanted = face.style != fontdb::Style::Normal;
    (is_slanted, face.weight.0.abs_diff(400), face.monospaced)
}

/// The characters of a typeface with outlines.
fn runs(data: &[u8], index: u32) -> Option<Vec<(u32, u32)>> {
    let face = ttf_parser::Face::parse(data, index).ok()?;
    let tables = face.tables();
    if tables.glyf.is_none() && tables.cff.is_none() {
        return None;
    }
    let mut characters = Vec::new();
    for table in tables.cmap?.subtables.into_iter().filter(ttf_parser::cmap::Subtable::is_unicode) {
        table.codepoints(|character| {
            // Some tables name whole ranges, with gaps in them.
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
    fn our_own_typefaces_have_many_scripts_and_unknown_characters_have_some_typeface() {
        let mut fonts = Fonts::new().unwrap();
        for character in "aßЯλאبՀქ–€→ﬁ".chars() {
            let font = fonts.for_character(character, BOLD);
            assert!(font <= BOLD && fonts.face(font).has(character), "{character}");
        }
        let nobody = '\u{10fffd}';
        let font = fonts.for_character(nobody, REGULAR);
        assert!(usize::from(font) < fonts.faces.len());
    }

    #[test]
    fn runs_of_characters_are_found_by_their_ends() {
        let runs = runs(dejavu::sans_condensed::regular(), 0).unwrap();
        let other = SystemFont { path: "".into(), index: 0, runs, data: OnceLock::new() };
        assert!(other.has('a') && other.has('א') && !other.has('日'));
    }
}
