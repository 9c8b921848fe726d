//! Plain text of any encoding.

use crate::{Context, Error, Extracted, Extractor, Kind, encoding, tidy_pages};

/// Reads plain text. Text of pages loses its running heads; other text stays as it is.
pub(crate) struct Text;

impl Extractor for Text {
    fn kind(&self) -> Kind {
        Kind::Text
    }

    fn extract(&self, bytes: &[u8], context: &mut Context<'_>) -> Result<(), Error> {
        let text = encoding::decode(bytes)?;
        let limit = context.limits().max_text_bytes;
        if text.len() > context.text_left() {
            return Err(Error::TooMuchText { limit });
        }
        let text = if text.contains('\u{c}') { tidy_pages(&text) } else { text.into_owned() };
        context.document(Extracted { text, ..Extracted::default() })
    }
}
