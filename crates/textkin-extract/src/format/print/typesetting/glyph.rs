//! Glyph names and their characters.
//!
//! Names follow Adobe's rules: accented letters combine both names, `uni0041` and `u1F600` contain
//! the code point, `f_f_i` is three characters, and a suffix after a full stop is a variant.

use std::collections::HashMap;
use std::sync::OnceLock;

/// Names of single characters that do not follow a rule.
const NAMES: &str = "space   nbspace \u{a0} nonbreakingspace \u{a0} exclam ! quotedbl \" numbersign # dollar $ percent % \
ampersand & quotesingle ' quoteright ’ parenleft ( parenright ) asterisk * plus + comma , hyphen - sfthyphen \u{ad} softhyphen \u{ad} \
minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; \
less < equal = greater > question ? at @ bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _ \
grave ` quoteleft ‘ braceleft { bar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £ fraction ⁄ \
yen ¥ florin ƒ section § currency ¤ quotedblleft “ guillemotleft « guillemotright » guilsinglleft ‹ guilsinglright › \
fi fi fl fl ff ff ffi ffi ffl ffl st st IJ IJ ij ij endash – emdash — dagger † daggerdbl ‡ periodcentered · middot · \
paragraph ¶ bullet • quotesinglbase ‚ quotedblbase „ quotedblright ” ellipsis … perthousand ‰ pertenthousand ‱ \
questiondown ¿ acute ´ circumflex ˆ tilde ˜ macron ¯ breve ˘ dotaccent ˙ dieresis ¨ ring ˚ cedilla ¸ hungarumlaut ˝ \
ogonek ˛ caron ˇ AE Æ ae æ OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł germandbls ß Germandbls ẞ dotlessi ı dotlessj ȷ \
Eth Ð eth ð Thorn Þ thorn þ Dcroat Đ dcroat đ Dslash Đ Dbar Đ dmacron đ Hbar Ħ hbar ħ Tbar Ŧ tbar ŧ Eng Ŋ eng ŋ kgreenlandic ĸ \
ordfeminine ª ordmasculine º onesuperior ¹ twosuperior ² threesuperior ³ onehalf ½ onequarter ¼ \
threequarters ¾ onethird ⅓ twothirds ⅔ brokenbar ¦ copyright © registered ® trademark ™ servicemark ℠ degree ° plusminus ± \
multiply × divide ÷ mu µ mu1 µ micro µ logicalnot ¬ longs ſ Euro € euro € estimated ℮ numero № Ldot Ŀ ldot ŀ \
napostrophe ŉ published ℗ careof ℅ \
Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π \
Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η \
theta θ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π rho ρ sigma σ sigma1 ς sigmafinal ς tau τ upsilon υ phi φ \
chi χ psi ψ omega ω theta1 ϑ phi1 ϕ omega1 ϖ pi1 ϖ Upsilon1 ϒ epsilon1 ϵ rho1 ϱ kappa1 ϰ varepsilon ε vartheta ϑ \
varphi φ varrho ϱ varsigma ς varpi ϖ tonos ΄ dieresistonos ΅ anoteleia · \
partialdiff ∂ summation ∑ product ∏ integral ∫ radical √ infinity ∞ approxequal ≈ notequal ≠ \
lessequal ≤ greaterequal ≥ equivalence ≡ congruent ≅ similar ∼ proportional ∝ element ∈ notelement ∉ suchthat ∋ owner ∋ \
universal ∀ existential ∃ emptyset ∅ gradient ∇ nabla ∇ intersection ∩ union ∪ propersubset ⊂ propersuperset ⊃ reflexsubset ⊆ \
reflexsuperset ⊇ notsubset ⊄ logicaland ∧ logicalor ∨ arrowleft ← arrowup ↑ arrowright → arrowdown ↓ arrowboth ↔ \
arrowdblleft ⇐ arrowdblup ⇑ arrowdblright ⇒ arrowdbldown ⇓ arrowdblboth ⇔ angle ∠ perpendicular ⊥ therefore ∴ \
circleplus ⊕ circlemultiply ⊗ dotmath ⋅ asteriskmath ∗ angleleft ⟨ angleright ⟩ lozenge ◊ club ♣ diamond ♦ heart ♥ spade ♠ \
aleph ℵ weierstrass ℘ Ifraktur ℑ Rfraktur ℜ minute ′ second ″ prime ′ carriagereturn ↵ aleph1 ℵ \
visiblespace ␣ compwordmark \u{200c} cwm \u{200c} tie ⁀ lscript ℓ ell ℓ planckover2pi ℏ plusorminus ± minusplus ∓ minusorplus ∓ \
checkmark ✓ square □ H18533 ■ filledbox ■ blacksquare ■ openbullet ◦ triangle △ star ⋆ check ✓ \
similarequal ≃ lessmuch ≪ greatermuch ≫ precedes ≺ follows ≻ turnstileleft ⊢ turnstileright ⊣ floorleft ⌊ floorright ⌋ \
ceilingleft ⌈ ceilingright ⌉ bardbl ∥ latticetop ⊤ backslashbig \\ mapsto ↦ arrownortheast ↗ arrowsoutheast ↘ \
zerooldstyle 0 oneoldstyle 1 twooldstyle 2 threeoldstyle 3 fouroldstyle 4 fiveoldstyle 5 sixoldstyle 6 sevenoldstyle 7 \
eightoldstyle 8 nineoldstyle 9 zerosuperior ⁰ foursuperior ⁴ fivesuperior ⁵ sixsuperior ⁶ sevensuperior ⁷ eightsuperior ⁸ \
ninesuperior ⁹ zeroinferior ₀ oneinferior ₁ twoinferior ₂ threeinferior ₃ fourinferior ₄ fiveinferior ₅ sixinferior ₆ \
seveninferior ₇ eightinferior ₈ nineinferior ₉ dong ₫ lira ₤ peso ₱ won ₩ baht ฿ naira ₦ colonmonetary ₡ guarani ₲ \
lyra ♪ musicalnote ♪ recipe ℞ referencemark ※ interrobang ‽ blank ␢ hyphenchar - hyphenminus - figuredash ‒ afii00208 ― \
horizontalbar ― afii61352 № afii57636 ₪ sheqel ₪ \
Schwa Ə schwa ə Gamma1 Ɣ florin1 ƒ Ohorn Ơ ohorn ơ Uhorn Ư uhorn ư \
Abreve Ă abreve ă Gcommaaccent Ģ gcommaaccent ģ Kcommaaccent Ķ kcommaaccent ķ Lcommaaccent Ļ lcommaaccent ļ \
Ncommaaccent Ņ ncommaaccent ņ Rcommaaccent Ŗ rcommaaccent ŗ Scommaaccent Ș scommaaccent ș Tcommaaccent Ț tcommaaccent ț \
Tcedilla Ţ tcedilla ţ dcaron ď Lcaron Ľ lcaron ľ tcaron ť Iogonek Į iogonek į Odblacute Ő odblacute ő Udblacute Ű udblacute ű \
Aringacute Ǻ aringacute ǻ AEacute Ǽ aeacute ǽ Oslashacute Ǿ oslashacute ǿ iotadieresis ϊ iotadieresistonos ΐ upsilondieresis ϋ \
upsilondieresistonos ΰ";

/// Accents in names, as combining characters.
const ACCENTS: [(&str, char); 19] = [
    ("acute", '\u{301}'),
    ("grave", '\u{300}'),
    ("circumflex", '\u{302}'),
    ("dieresis", '\u{308}'),
    ("tilde", '\u{303}'),
    ("caron", '\u{30c}'),
    ("breve", '\u{306}'),
    ("macron", '\u{304}'),
    ("ring", '\u{30a}'),
    ("cedilla", '\u{327}'),
    ("ogonek", '\u{328}'),
    ("dotaccent", '\u{307}'),
    ("dotbelow", '\u{323}'),
    ("hungarumlaut", '\u{30b}'),
    ("dblgrave", '\u{30f}'),
    ("hookabove", '\u{309}'),
    ("hook", '\u{309}'),
    ("tonos", '\u{301}'),
    ("dot", '\u{307}'),
];

/// Standalone accents and their combining characters, in the order [`compose`] uses them.
const STANDALONE_ACCENTS: [(char, char); 14] = [
    ('´', '\u{301}'),
    ('`', '\u{300}'),
    ('ˆ', '\u{302}'),
    ('¨', '\u{308}'),
    ('˜', '\u{303}'),
    ('ˇ', '\u{30c}'),
    ('˘', '\u{306}'),
    ('¯', '\u{304}'),
    ('˚', '\u{30a}'),
    ('¸', '\u{327}'),
    ('˛', '\u{328}'),
    ('˙', '\u{307}'),
    ('˝', '\u{30b}'),
    ('\u{313}', '\u{313}'),
];

/// Returns the combining character of a standalone accent.
pub(crate) fn combining(character: char) -> Option<char> {
    STANDALONE_ACCENTS
        .iter()
        .find(|(standalone, _)| *standalone == character)
        .map(|(_, mark)| *mark)
}

/// Combines `letter` and `mark` into one character, if there is one.
pub(crate) fn compose(letter: char, mark: char) -> Option<char> {
    let letter = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        other => other,
    };
    unicode_normalization::char::compose(letter, mark)
}

fn names() -> &'static HashMap<&'static str, &'static str> {
    static TABLE: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = HashMap::new();
        // The one name whose character is the separator comes first.
        let rest = NAMES.strip_prefix("space ").unwrap_or(NAMES);
        table.insert("space", " ");
        let mut words = rest.split([' ', '\n']).filter(|word| !word.is_empty());
        while let (Some(name), Some(text)) = (words.next(), words.next()) {
            table.insert(name, text);
        }
        table
    })
}

/// Returns the usual glyph name of `character`; `None` if no rule gives one.
pub(crate) fn name_of(character: char) -> Option<String> {
    static TABLE: OnceLock<HashMap<char, &str>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = HashMap::new();
        let pairs = NAMES.split([' ', '\n']).filter(|word| !word.is_empty()).collect::<Vec<_>>();
        for pair in pairs.get(1..).unwrap_or_default().chunks(2) {
            if let [name, text] = pair
                && let Some(character) = text.chars().next()
                && text.chars().count() == 1
            {
                table.entry(character).or_insert(*name);
            }
        }
        table.insert(' ', "space");
        table
    });
    if character.is_ascii_alphabetic() {
        return Some(character.to_string());
    }
    if let Some(name) = table.get(&character) {
        return Some((*name).to_owned());
    }
    let mut parts = Vec::new();
    unicode_normalization::char::decompose_canonical(character, |part| parts.push(part));
    let [letter, mark] = parts.as_slice() else { return None };
    let (accent, _) = ACCENTS.iter().find(|(_, combining)| combining == mark)?;
    Some(format!("{letter}{accent}"))
}

/// Returns the text of the glyph `name`; `None` if the name is unknown.
pub(crate) fn text_of_name(name: &str) -> Option<String> {
    if name.len() > 200 || name == ".notdef" {
        return None;
    }
    let base = match name.find('.') {
        Some(0) | None => name,
        Some(dot) => name.get(..dot)?,
    };
    let mut text = String::new();
    for part in base.split('_') {
        text.push_str(&text_of_part(part)?);
    }
    (!text.is_empty()).then_some(text)
}

fn text_of_part(name: &str) -> Option<String> {
    if let Some(text) = names().get(name) {
        return Some((*text).to_owned());
    }
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return Some(only.to_string());
    }
    if let Some(digits) = name.strip_prefix("uni") {
        let is_hex = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if digits.len() >= 4 && digits.len().is_multiple_of(4) && is_hex(digits) {
            let units = digits.as_bytes().chunks(4);
            let units = units.filter_map(|unit| hex(std::str::from_utf8(unit).ok()?));
            let units: Vec<u16> = units.filter_map(|unit| u16::try_from(unit).ok()).collect();
            return Some(String::from_utf16_lossy(&units)).filter(|text| is_text(text));
        }
    }
    if let Some(digits) = name.strip_prefix('u')
        && (4..=6).contains(&digits.len())
        && let Some(number) = hex(digits)
    {
        return char::from_u32(number).map(String::from).filter(|text| is_text(text));
    }
    if let Some(number) = name.strip_prefix("afii").and_then(|digits| digits.parse::<u32>().ok()) {
        return afii(number).map(String::from);
    }
    for (accent, mark) in ACCENTS {
        if let Some(letter) = name.strip_suffix(accent)
            && let Some(letter) = text_of_letter(letter)
            && let Some(composed) = compose(letter, mark)
        {
            return Some(composed.to_string());
        }
    }
    if let Some(small) = name.strip_suffix("small") {
        return text_of_part(small).map(|text| text.to_lowercase());
    }
    None
}

/// Returns the letter `name`, which may itself have an accent (`Acircumflexacute`).
fn text_of_letter(name: &str) -> Option<char> {
    let mut characters = name.chars();
    let first = characters.next()?;
    if characters.next().is_none() {
        return Some(first);
    }
    if let Some(text) = names().get(name) {
        return text.chars().next();
    }
    ACCENTS.iter().find_map(|(accent, mark)| {
        let mut letter = name.strip_suffix(accent)?.chars();
        let (first, None) = (letter.next()?, letter.next()) else { return None };
        compose(first, *mark)
    })
}

fn is_text(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_control)
}

fn hex(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits, 16).ok()
}

/// Cyrillic letters in Adobe's `afii` numbering.
fn afii(number: u32) -> Option<char> {
    let letter_at = |index: u32, yo: u32, upper: u32| match index {
        6 => Some(yo),
        0..=5 => Some(upper + index),
        7..=32 => Some(upper + index - 1),
        _ => None,
    };
    let code = match number {
        10017..=10049 => letter_at(number - 10017, 0x401, 0x410)?,
        10065..=10097 => letter_at(number - 10065, 0x451, 0x430)?,
        10050 => 0x490,
        10098 => 0x491,
        10051..=10060 => [0x402, 0x403, 0x404, 0x405, 0x406, 0x407, 0x408, 0x409, 0x40a, 0x40b]
            .get((number - 10051) as usize)
            .copied()?,
        10061 => 0x40c,
        10062 => 0x40e,
        10099..=10108 => [0x452, 0x453, 0x454, 0x455, 0x456, 0x457, 0x458, 0x459, 0x45a, 0x45b]
            .get((number - 10099) as usize)
            .copied()?,
        10109 => 0x45c,
        10110 => 0x45e,
        10145 => 0x40f,
        10193 => 0x45f,
        _ => return None,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> String {
        text_of_name(name).unwrap_or_default()
    }

    #[test]
    fn names_map_to_characters() {
        let cases = [
            ("A", "A"),
            ("space", " "),
            ("quoteright", "’"),
            ("ampersand", "&"),
            ("eacute", "é"),
            ("Scaron", "Š"),
            ("Acircumflexacute", "Ấ"),
            ("uni0416", "Ж"),
            ("uni00660066", "ff"),
            ("u1F600", "😀"),
            ("f_f_i", "ffi"),
            ("ffl", "ffl"),
            ("a.sc", "a"),
            ("Asmall", "a"),
            ("afii10017", "А"),
            ("afii10071", "ё"),
            ("afii10097", "я"),
            ("iotatonos", "ί"),
            ("Euro", "€"),
            (".notdef", ""),
            ("g123", ""),
            ("uniD800", "\u{fffd}"),
        ];
        for (name, expected) in cases {
            assert_eq!(text(name), expected, "{name}");
        }
    }

    #[test]
    fn every_name_of_the_table_has_its_character() {
        assert!(names().len() > 400);
        for (name, text) in names().iter().collect::<std::collections::BTreeMap<_, _>>() {
            assert!(name.is_ascii(), "{name}");
            assert!(text.chars().count() <= 3, "{name}");
        }
    }

    #[test]
    fn names_of_characters_round_trip() {
        for character in ('!'..='~').chain('¡'..='ÿ').filter(|&character| character != '\u{ad}') {
            let name = name_of(character).unwrap_or_default();
            assert_eq!(text(&name), character.to_string(), "{name}");
        }
        assert_eq!(name_of('é').as_deref(), Some("eacute"));
        assert_eq!(name_of(' ').as_deref(), Some("space"));
    }

    #[test]
    fn accents_are_standalone_or_combined() {
        assert_eq!(combining('¨').and_then(|mark| compose('u', mark)), Some('ü'));
        assert_eq!(combining('´').and_then(|mark| compose('ı', mark)), Some('í'));
        assert_eq!(combining('a'), None);
    }
}
