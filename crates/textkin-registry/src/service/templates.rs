//! Templates and stop phrases of repositories: text that everybody uses, which therefore says nothing
//! about where a text comes from.

use std::fmt::Display;

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{Action, Actor, RepositoryId, StopPhraseId, TemplateId};
use crate::error::Error;
use crate::matching::index::CHUNK_WORDS;
use crate::service::accounts::audit;
use crate::service::repositories::RepositoryRecord;
use crate::service::{Service, pack};
use crate::store::templates::{self, ExcludedText};

/// The maximum number of templates of one repository, and the maximum bytes of one.
const MAX_TEMPLATES: u64 = 100;
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of stop phrases of one repository, and the maximum words of one.
const MAX_PHRASES: u64 = 1000;
const MAX_WORDS: u32 = 50;

/// A new template text.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTemplate {
    /// Its name.
    #[schema(min_length = 1, max_length = 200)]
    pub name: String,
    /// Its text, at least 8 words.
    #[schema(min_length = 1)]
    pub text: String,
}

/// A template text of a repository.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TemplateView {
    /// Its id.
    pub id: TemplateId,
    /// Its name.
    pub name: String,
    /// Its number of words.
    pub words: u32,
    /// When it was added, in seconds since 1970.
    pub created: i64,
}

/// A new stop phrase.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewStopPhrase {
    /// The phrase, 1 to 50 words.
    #[schema(min_length = 1, max_length = 1000)]
    pub phrase: String,
}

/// A stop phrase of a repository.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StopPhraseView {
    /// Its id.
    pub id: StopPhraseId,
    /// The phrase.
    pub phrase: String,
    /// When it was added, in seconds since 1970.
    pub created: i64,
}

impl Service {
    /// Returns the templates of a repository, without their texts.
    ///
    /// # Errors
    /// If the actor may not see the repository.
    pub fn templates(&self, actor: &Actor, repository: &str) -> Result<Vec<TemplateView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            templates::templates(read, record.id)
        })
    }

    /// Adds a template text to a repository.
    ///
    /// # Errors
    /// If the actor lacks the permission, the text is too short or too long, or there are too many.
    pub fn new_template(
        &self,
        actor: &Actor,
        repository: &str,
        new: &NewTemplate,
    ) -> Result<TemplateView, Error> {
        actor.require(Action::ManageRepository)?;
        if new.text.len() > MAX_BYTES {
            return Err(Error::TooLarge("a template can have at most 1 MiB".to_owned()));
        }
        let name = one_line("the name of a template", &new.name, 200)?;
        let words = self.count_words(&new.text);
        let text = pack(&new.text)?;
        let (by, repository) = (actor.clone(), repository.to_owned());
        self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_in(Action::ManageRepository, record.access())?;
            if words < CHUNK_WORDS.get() {
                return Err(Error::Invalid(format!(
                    "a template must have at least {CHUNK_WORDS} words; add shorter text as a stop phrase"
                )));
            }
            check_limit(write, ExcludedText::Template, record.id, MAX_TEMPLATES, "templates")?;
            let view = templates::insert_template(write, record.id, &name, words, &text)?;
            let Some(view) = view else {
                return Err(Error::Conflict(format!("a template '{name}' already exists")));
            };
            audit(
                write,
                Some(by.account),
                "template added",
                &format!("{name} of {}", record.name),
            )?;
            Ok(view)
        })
    }

    /// Removes a template text of a repository.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the template does not exist.
    pub fn delete_template(
        &self,
        actor: &Actor,
        repository: &str,
        id: TemplateId,
    ) -> Result<(), Error> {
        self.delete_of(actor, repository, ExcludedText::Template, id, templates::delete_template)
    }

    /// Returns the stop phrases of a repository.
    ///
    /// # Errors
    /// If the actor may not see the repository.
    pub fn stop_phrases(
        &self,
        actor: &Actor,
        repository: &str,
    ) -> Result<Vec<StopPhraseView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            templates::stop_phrases(read, record.id)
        })
    }

    /// Adds a stop phrase to a repository.
    ///
    /// # Errors
    /// If the actor lacks the permission, the phrase has no words or too many, or there are too many phrases.
    pub fn new_stop_phrase(
        &self,
        actor: &Actor,
        repository: &str,
        new: &NewStopPhrase,
    ) -> Result<StopPhraseView, Error> {
        actor.require(Action::ManageRepository)?;
        let phrase = one_line("a stop phrase", &new.phrase, 1000)?;
        let words = self.count_words(&phrase);
        let (by, repository) = (actor.clone(), repository.to_owned());
        self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_in(Action::ManageRepository, record.access())?;
            if !(1..=MAX_WORDS).contains(&words) {
                return Err(Error::Invalid(format!(
                    "a stop phrase must have 1 to {MAX_WORDS} words; add longer text as a template"
                )));
            }
            check_limit(write, ExcludedText::StopPhrase, record.id, MAX_PHRASES, "stop phrases")?;
            let Some(view) = templates::insert_stop_phrase(write, record.id, &phrase)? else {
                return Err(Error::Conflict(format!("the stop phrase '{phrase}' already exists")));
            };
            let object = format!("{phrase} of {}", record.name);
            audit(write, Some(by.account), "stop phrase added", &object)?;
            Ok(view)
        })
    }

    /// Removes a stop phrase of a repository.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the phrase does not exist.
    pub fn delete_stop_phrase(
        &self,
        actor: &Actor,
        repository: &str,
        id: StopPhraseId,
    ) -> Result<(), Error> {
        let what = ExcludedText::StopPhrase;
        self.delete_of(actor, repository, what, id, templates::delete_stop_phrase)
    }

    fn delete_of<Id: Copy + Display + Send + 'static>(
        &self,
        actor: &Actor,
        repository: &str,
        what: ExcludedText,
        id: Id,
        delete: fn(&Transaction<'_>, RepositoryId, Id) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        actor.require(Action::ManageRepository)?;
        let (by, repository) = (actor.clone(), repository.to_owned());
        self.store.write(move |write| {
            let record = Self::resolve(write, &by, &repository)?;
            by.require_in(Action::ManageRepository, record.access())?;
            let name = what.name();
            if !delete(write, record.id, id)? {
                return Err(Error::not_found(name, &id.to_string()));
            }
            let object = format!("{id} of {}", record.name);
            audit(write, Some(by.account), &format!("{name} removed"), &object)
        })
    }
}

/// Returns a text on one line, with single spaces.
fn one_line(what: &str, text: &str, limit: usize) -> Result<String, Error> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    let line = words.join(" ");
    match line.chars().count() {
        0 => Err(Error::Invalid(format!("{what} cannot be empty"))),
        n if n > limit => {
            Err(Error::Invalid(format!("{what} can have at most {limit} characters")))
        }
        _ => Ok(line),
    }
}

/// Fails if a repository has reached a limit.
fn check_limit(
    read: &Transaction<'_>,
    what: ExcludedText,
    repository: RepositoryId,
    limit: u64,
    name: &str,
) -> Result<(), Error> {
    match templates::count(read, what, repository)? >= limit {
        true => Err(Error::Conflict(format!("a repository can have at most {limit} {name}"))),
        false => Ok(()),
    }
}

/// Returns the texts of the templates of a repository.
pub(crate) fn texts(
    read: &Transaction<'_>,
    record: &RepositoryRecord,
) -> Result<Vec<String>, Error> {
    templates::texts(read, record.id)
}

/// Returns the stop phrases of a repository.
pub(crate) fn phrases(
    read: &Transaction<'_>,
    record: &RepositoryRecord,
) -> Result<Vec<String>, Error> {
    templates::phrases(read, record.id)
}
