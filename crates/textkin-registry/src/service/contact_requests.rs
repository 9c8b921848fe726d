//! Contact requests: questions to the owner of a private text that matches.
//!
//! The requester does not learn who the owner is or what the text says. The owner's team gets the
//! request in its inbox, with the requester's name and the amount of matching text, and decides
//! whether and how to answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{Action, Actor, ContactRequestId};
use crate::error::Error;
use crate::matching::match_set::MatchedDocument;
use crate::matching::saved_results::SavedResult;
use crate::service::accounts::audit;
use crate::service::{ProbeRequest, Service};
use crate::store::contact_requests::{self, NewContactRequestRow};
use crate::store::now;

/// The maximum number of contact requests of one account per day.
const MAX_PER_DAY: u64 = 50;
/// The maximum number of characters of a note.
const MAX_NOTE: usize = 2000;

/// A new contact request about a text that matches private texts in other accounts.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewContactRequest {
    /// The text. The owners do not see it.
    pub text: String,
    /// Its title; the owners see it.
    #[serde(default)]
    pub title: Option<String>,
    /// A message to the owners.
    #[serde(default)]
    pub note: Option<String>,
}

/// The outcome of a contact request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ContactRequestsSent {
    /// Private texts in other accounts whose owners have received the request, now or earlier.
    pub sent: usize,
}

/// A contact request, as the owners of a document see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ContactRequestView {
    /// Its id.
    pub id: ContactRequestId,
    /// The account that sent it.
    pub from: String,
    /// Its mail address, if it has one.
    pub mail: Option<String>,
    /// The repository of the document it is about, as the account writes it in paths.
    pub repository: String,
    /// The id of that document.
    pub document: String,
    /// The title of that document.
    pub document_title: Option<String>,
    /// The title of the requester's text.
    pub title: String,
    /// The message of the requester.
    pub note: String,
    /// Words of the requester's text.
    pub words: u64,
    /// Those of them that the document contains.
    pub shared_words: u64,
    /// When it was sent, in seconds since 1970.
    pub created: i64,
    /// When somebody marked it as handled, in seconds since 1970.
    pub handled: Option<i64>,
}

impl Service {
    /// Sends a contact request to the owners of private texts in other accounts that match the text, to
    /// each team about its best match; `only` limits it to one of these matches, by its index.
    ///
    /// # Errors
    /// If there is no such match, or the account has sent too many requests today.
    pub fn send_contact_requests(
        &self,
        actor: &Actor,
        new: &NewContactRequest,
        only: Option<usize>,
    ) -> Result<ContactRequestsSent, Error> {
        actor.require(Action::SendContactRequest)?;
        let request = ProbeRequest {
            text: new.text.clone(),
            repositories: None,
            threshold: 0.0,
            limit: None,
            exclude: Vec::new(),
        };
        let (set, _) = self.probe_raw(actor, &request)?;
        let private = set.documents.into_iter().filter(|own| own.in_another_account).collect();
        self.request_contact(actor, new, private, only)
    }

    /// Sends a contact request to the owner of a private text in another account that is in a saved
    /// result, by its index among the private matches.
    ///
    /// # Errors
    /// As [`Service::send_contact_requests`].
    pub fn send_contact_request_of_result(
        &self,
        actor: &Actor,
        saved: SavedResult,
        note: Option<String>,
        index: usize,
    ) -> Result<ContactRequestsSent, Error> {
        actor.require(Action::SendContactRequest)?;
        let private = self.private_sources(actor, &saved)?;
        let new = NewContactRequest { text: saved.text, title: Some(saved.title), note };
        self.request_contact(actor, &new, private, Some(index))
    }

    fn request_contact(
        &self,
        actor: &Actor,
        new: &NewContactRequest,
        mut private: Vec<MatchedDocument>,
        only: Option<usize>,
    ) -> Result<ContactRequestsSent, Error> {
        if let Some(only) = only {
            private = private.into_iter().skip(only).take(1).collect();
        }
        if private.is_empty() {
            return Err(Error::NotFound("private match in another account".to_owned()));
        }
        let plain = |text: Option<&str>, limit: usize| -> String {
            let text = text.unwrap_or_default().trim().chars();
            text.filter(|c| !c.is_control() || *c == '\n').take(limit).collect()
        };
        let (title, note) =
            (plain(new.title.as_deref(), 200), plain(new.note.as_deref(), MAX_NOTE));
        let digest = *blake3::hash(new.text.as_bytes()).as_bytes();
        let account = actor.account;
        self.store.write(move |write| {
            let today = contact_requests::n_since(write, account, now() - 24 * 3600)?;
            let mut sent = 0;
            for own in &private {
                if today + sent as u64 >= MAX_PER_DAY {
                    return Err(Error::Conflict(format!(
                        "an account can send at most {MAX_PER_DAY} contact requests per day"
                    )));
                }
                // A repeated request is stored once; the document may have been deleted meanwhile.
                let row = NewContactRequestRow {
                    account,
                    document: own.number,
                    digest: &digest,
                    title: &title,
                    note: &note,
                    counts: own.text_counts,
                };
                contact_requests::insert(write, &row)?;
                sent += 1;
            }
            // Without the document: the requester may not know which it is.
            audit(write, Some(account), "contact request sent", &title)?;
            Ok(ContactRequestsSent { sent })
        })
    }

    /// Returns the contact requests to the actor's teams, the latest first.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn contact_requests(
        &self,
        actor: &Actor,
        is_open: bool,
        before: Option<ContactRequestId>,
        limit: u32,
    ) -> Result<Vec<ContactRequestView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| contact_requests::list(read, actor, is_open, before, limit))
    }

    /// Marks a contact request as handled.
    ///
    /// # Errors
    /// If it does not exist, or the actor may not see it or may only read it.
    pub fn handle_contact_request(&self, actor: &Actor, id: ContactRequestId) -> Result<(), Error> {
        actor.require(Action::ChangeDocuments)?;
        let by = actor.clone();
        self.store.write(move |write| {
            let missing = || Error::not_found("contact request", &id.to_string());
            let record = contact_requests::repository(write, id)?.ok_or_else(missing)?;
            // The contact requests of a public repository are not public.
            if !by.may_see(record.access()) || by.role(record.team).is_none() {
                return Err(missing());
            }
            by.require_in(Action::ChangeDocuments, record.access())?;
            contact_requests::handle(write, id, by.account)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tests::{POEM, actor, register, repository};
    use crate::service::{RepositoryUpdate, ServiceLimits, Visibility};

    #[test]
    fn an_owner_gets_a_request_once_and_the_requester_learns_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
        repository(&service, &anna, "poems", Visibility::Private);
        register(&service, &anna, "poems", "mercy", POEM);
        let new = NewContactRequest {
            text: format!("They say: {POEM}"),
            title: Some("My essay".to_owned()),
            note: Some("May I quote it?".to_owned()),
        };
        // The repository does not disclose its matches.
        assert!(matches!(service.send_contact_requests(&ben, &new, None), Err(Error::NotFound(_))));
        let change = RepositoryUpdate { disclosed: Some(true), ..Default::default() };
        service.change_repository(&anna, "poems", &change).unwrap();
        for _ in 0..2 {
            assert_eq!(
                service.send_contact_requests(&ben, &new, Some(0)).unwrap(),
                ContactRequestsSent { sent: 1 }
            );
        }
        assert!(service.send_contact_requests(&ben, &new, Some(1)).is_err());
        // The owner's own text is not in another account.
        assert!(service.send_contact_requests(&anna, &new, None).is_err());
        let requests = service.contact_requests(&anna, true, None, 10).unwrap();
        assert_eq!(requests.len(), 1);
        let request = &requests[0];
        assert_eq!((&request.from[..], &request.document[..]), ("ben", "mercy"));
        assert_eq!((request.words, request.shared_words), (48, 46));
        assert!(service.contact_requests(&ben, false, None, 10).unwrap().is_empty());
        assert!(matches!(
            service.handle_contact_request(&ben, request.id),
            Err(Error::NotFound(what)) if what.contains("contact request")
        ));
        service.handle_contact_request(&anna, request.id).unwrap();
        assert!(service.contact_requests(&anna, true, None, 10).unwrap().is_empty());
        assert_eq!(service.contact_requests(&anna, false, None, 10).unwrap().len(), 1);
        service.delete(&anna, "poems", "mercy").unwrap();
        assert!(service.contact_requests(&anna, false, None, 10).unwrap().is_empty());
    }
}
