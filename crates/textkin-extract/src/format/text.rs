//! Plain text in any encoding.

use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, encoding, tidy_pages};

/// Reads plain text. Removes running heads from paginated text; other text is unchanged.
pub(crate) struct Text;

impl Extractor for Text {
    fn kind(&self) -> FileKind {
        FileKind::Text
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let text = encoding::decode(bytes)?;
        let limit = context.limits().max_text_bytes;
        if text.len() > context.text_left() {
            return Err(Error::TooMuchText { limit });
        }
        let text = if text.contains('\u{c}') { tidy_pages(&text) } else { text.into_owned() };
        context.document(ExtractedDocument { text, ..ExtractedDocument::default() })
    }
}
