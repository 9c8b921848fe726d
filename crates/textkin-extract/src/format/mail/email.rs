//! E-mail messages: the body is a document, attachments are parts.
//!
//! [`Entity`] reads header fields, multiparts and content encodings. Multiparts are processed with a
//! work list instead of recursion. Among alternatives, plain text takes precedence over HTML.

use super::mime::{Entity, iso_time};
use crate::context::ContainerPart;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, Note};

/// Maximum nesting of multiparts: each one is searched for the boundaries of the next.
const MAX_MULTIPARTS: usize = 32;

/// Reads messages.
pub(crate) struct Email;

impl Extractor for Email {
    fn kind(&self) -> FileKind {
        FileKind::Email
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let message = Entity::read(bytes);
        let title = message.decoded_field("subject");
        let time = message.field("date").and_then(iso_time);
        let mut body = Body { text: String::new(), notes: Vec::new(), attachments: Vec::new() };
        body.read(message, context)?;
        let Body { text, notes, attachments } = body;
        context.document(ExtractedDocument {
            text,
            title,
            time: time.clone(),
            notes,
            ..ExtractedDocument::default()
        })?;
        for (number, attachment) in attachments.iter().enumerate() {
            let name = attachment.name().unwrap_or_default();
            let label = if name.is_empty() { format!("part {}", number + 1) } else { name.clone() };
            let content = attachment.content();
            let is_message = attachment.media_type() == "message/rfc822";
            let part = ContainerPart {
                label: &label,
                name: Some(&name),
                kind: is_message.then_some(FileKind::Email),
                time: time.as_deref(),
            };
            context.nested_part(&part, &content)?;
        }
        Ok(())
    }
}

/// Collects the text, notes and attachments of a message.
struct Body<'a> {
    text: String,
    notes: Vec<Note>,
    attachments: Vec<Entity<'a>>,
}

impl<'a> Body<'a> {
    fn read(&mut self, message: Entity<'a>, context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let max_parts = context.limits().max_entries.saturating_add(1);
        let mut work = vec![(message, 0usize)];
        while let Some((entity, depth)) = work.pop() {
            context.check_time()?;
            let media_type = entity.media_type();
            if let Some(parts) = entity.parts(max_parts) {
                if depth >= MAX_MULTIPARTS {
                    let reason =
                        format!("multiparts nested more than {MAX_MULTIPARTS} levels deep");
                    self.notes.push(Note::Incomplete { reason });
                    continue;
                }
                for _ in 0..parts.found {
                    context.take_entry()?;
                }
                let parts = parts.chosen.into_iter().rev();
                work.extend(parts.map(|part| (part, depth + 1)));
            } else if entity.is_attachment() {
                self.attachments.push(entity);
            } else {
                self.text(&entity, &media_type, context)?;
            }
        }
        Ok(())
    }

    fn text(
        &mut self,
        entity: &Entity<'_>,
        media_type: &str,
        context: &ExtractContext<'_>,
    ) -> Result<(), Error> {
        let text = match entity.text() {
            Ok(text) => text,
            Err(error) => {
                self.notes.push(Note::Incomplete { reason: error.to_string() });
                return Ok(());
            }
        };
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        if media_type == "text/html" {
            let page = crate::format::web::html::read(
                &text,
                context.writer(),
                context.options().keep_hidden,
            )?;
            self.text.push_str(&page.text);
            self.notes.extend(page.notes);
        } else {
            self.text.push_str(text.trim_end());
        }
        if self.text.len() > context.text_left() {
            return Err(Error::TooMuchText { limit: context.limits().max_text_bytes });
        }
        Ok(())
    }
}
