//! Forms with files.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Multipart, Request};
use axum::http::{StatusCode, header};
use tokio::io::AsyncWriteExt;

use super::fields::Fields;
use super::reply::{LINES, Trouble};
use super::visitor::{Visitor, from_own_page};
use crate::api::App;
use crate::error::Error;
use crate::service::Upload;

/// Files in one form.
pub(super) const MAX_FILES: usize = 100;

/// A form with files that a visitor sent from a page of this server.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) visitor: Visitor,
    pub(super) fields: Fields,
    /// Files by the names that they came with.
    pub(super) files: Vec<(String, Upload)>,
    /// Whether the answer is read line by line, by a script.
    pub(super) wants_lines: bool,
}

impl FromRequest<Arc<App>> for Sent {
    type Rejection = Trouble;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Trouble> {
        let (mut parts, body) = request.into_parts();
        from_own_page(&parts.headers)?;
        let visitor = Visitor::from_request_parts(&mut parts, app).await?;
        let accept = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        let wants_lines = accept.is_some_and(|accept| accept.contains(LINES));
        let trouble = |error| match wants_lines {
            true => Trouble::Line(error),
            false => Trouble::Error(error),
        };
        let form = Multipart::from_request(Request::from_parts(parts, body), app)
            .await
            .map_err(|fault| trouble(Error::Invalid(fault.body_text())))?;
        let sent = read(visitor, form).await.map_err(trouble)?;
        Ok(Self { wants_lines, ..sent })
    }
}

async fn read(visitor: Visitor, mut form: Multipart) -> Result<Sent, Error> {
    let mut sent =
        Sent { visitor, fields: Fields::default(), files: Vec::new(), wants_lines: false };
    let broken = |error: axum::extract::multipart::MultipartError| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Error::TooLarge(error.body_text()),
        _ => Error::Invalid(error.body_text()),
    };
    let mut is_checked = false;
    while let Some(mut field) = form.next_field().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "csrf" {
            sent.visitor.check(&field.text().await.map_err(broken)?)?;
            is_checked = true;
            continue;
        }
        if !is_checked {
            return Err(Error::Forbidden("this form is of another session".to_owned()));
        }
        match field.file_name().map(str::to_owned) {
            Some(file_name) if name == "file" => {
                if file_name.is_empty() {
                    continue;
                }
                if sent.files.len() >= MAX_FILES {
                    return Err(Error::TooLarge(format!(
                        "at most {MAX_FILES} files are taken at once; put more into a ZIP"
                    )));
                }
                let asked = file_name.clone();
                let upload: Upload =
                    sent.visitor.app.run(move |service| service.new_upload(&asked)).await?;
                let mut file = tokio::fs::File::create(upload.path()).await?;
                while let Some(bytes) = field.chunk().await.map_err(broken)? {
                    file.write_all(&bytes).await?;
                }
                file.flush().await?;
                sent.files.push((file_name, upload));
            }
            _ => {
                let value = field.text().await.map_err(broken)?;
                sent.fields.0.push((name, value));
            }
        }
    }
    match is_checked {
        true => Ok(sent),
        false => Err(Error::Forbidden("this form is of another session".to_owned())),
    }
}
