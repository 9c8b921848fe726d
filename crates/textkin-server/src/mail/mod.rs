//! Inbound mail: maps messages to calls of the service, and writes the replies.
//!
//! A message acts with the rights of the account that has the sender's address. Failures are
//! reported in the reply; only if the database fails is the message kept and retried.

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use textkin::engine::types::number::counted;
use textkin_mail::notice::WordShare;
use textkin_mail::{
    Address, DropReason, IncomingMessage, Limits, Listener, MailConfig, MailHandler, Mailboxes,
    Protocol, Refusal, ReplyContent, Request, SubmittedDocument, UnavailableError, UnknownSenders,
    Verb, bind_unix,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::serve::bind;
use textkin_registry::{
    Actor, Channel, Error, ExistingPolicy, MatchLevel, NewDocument, NewWatch, ProbeMatch,
    ProbeRequest, ProbeResult, RepositoryView, Role, SavedQuery, Service, Visibility,
};

/// Maximum number of documents in one message.
const MAX_DOCUMENTS: usize = 1000;
/// Maximum number of matches or problems listed per document.
const MAX_LISTED: usize = 10;
/// Maximum number of documents described in a reply.
const MAX_LINES: usize = 50;

/// Configuration of inbound mail.
#[derive(Clone, Debug, Default)]
pub struct InboundMail {
    /// The hosts that mail is accepted for.
    pub hosts: Vec<String>,
    /// The address of the SMTP listener.
    pub smtp: Option<SocketAddr>,
    /// The address of the LMTP listener.
    pub lmtp: Option<LmtpAddress>,
    /// The name under which the upstream mail system verifies senders, if it does.
    pub authority: Option<String>,
    /// Whether mail from unknown senders is accepted and discarded instead of rejected.
    pub discards_unknown: bool,
}

/// The address of an LMTP listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LmtpAddress {
    /// A TCP address.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// The mail handler that calls the service.
#[derive(Debug)]
pub(crate) struct ServiceMailHandler {
    service: Arc<Service>,
}

impl ServiceMailHandler {
    pub(crate) fn new(service: Arc<Service>) -> Self {
        Self { service }
    }
}

/// The mail listeners and the thread that handles messages.
pub(crate) struct MailServer {
    tasks: Vec<JoinHandle<()>>,
    /// The thread that handles messages.
    pub(crate) worker: std::thread::JoinHandle<()>,
}

impl MailServer {
    /// Starts the listeners of `mail`, which run until `stop` is set, and the handling thread.
    pub(crate) async fn open(
        service: &Arc<Service>,
        mail: &InboundMail,
        stop: &watch::Receiver<bool>,
    ) -> Result<Self, Error> {
        let invalid = |error: textkin_mail::Error| Error::Invalid(error.to_string());
        if !service.sends_mail() {
            return Err(Error::Invalid(
                "inbound mail needs a way to send replies; set --smtp-relay".to_owned(),
            ));
        }
        if mail.authority.is_none() {
            tracing::warn!(
                "mail is accepted without --mail-authority: senders are not verified, and anyone who can \
                 connect to the mail port acts as any account; let only your mail system connect"
            );
        }
        let config = Arc::new(MailConfig {
            authority: mail.authority.clone(),
            site: Some(service.site().to_owned()),
            ..MailConfig::new(Mailboxes::new(&mail.hosts, "textkin").map_err(invalid)?)
        });
        let handler = Arc::new(ServiceMailHandler::new(Arc::clone(service)));
        let unknown = match mail.discards_unknown {
            true => UnknownSenders::Discard,
            false => UnknownSenders::Refuse,
        };
        let listener = |protocol| {
            let handler = Arc::clone(&handler) as Arc<dyn MailHandler>;
            Listener::new(handler, Arc::clone(&config), protocol, Limits::default())
                .unknown_senders(unknown)
        };
        let stopped = || {
            let mut stop = stop.clone();
            async move {
                let _ = stop.wait_for(|is_stopping| *is_stopping).await;
            }
        };
        let mut tasks = Vec::new();
        let mut ports = Vec::new();
        ports.extend(mail.smtp.map(|address| (Protocol::Smtp, address)));
        if let Some(LmtpAddress::Tcp(address)) = mail.lmtp {
            ports.push((Protocol::Lmtp, address));
        }
        for (protocol, address) in ports {
            let socket = bind(address).await?;
            let address = socket.local_addr()?;
            tracing::info!(%address, ?protocol, "accepting mail");
            let (listener, stopped) = (listener(protocol), stopped());
            tasks.push(tokio::spawn(async move { listener.serve(socket, stopped).await }));
        }
        if let Some(LmtpAddress::Unix(path)) = &mail.lmtp {
            let socket = bind_unix(path).map_err(invalid)?;
            tracing::info!(path = %path.display(), "accepting mail");
            let (listener, stopped) = (listener(Protocol::Lmtp), stopped());
            tasks.push(tokio::spawn(async move { listener.serve_unix(socket, stopped).await }));
        }
        let worker = start_worker(service, handler, config)?;
        Ok(Self { tasks, worker })
    }

    /// Waits for open connections and returns the handling thread.
    pub(crate) async fn close(self) -> std::thread::JoinHandle<()> {
        for task in self.tasks {
            let _ = task.await;
        }
        self.worker
    }
}

/// Starts the thread that handles messages.
pub(crate) fn start_worker(
    service: &Arc<Service>,
    handler: Arc<ServiceMailHandler>,
    config: Arc<MailConfig>,
) -> Result<std::thread::JoinHandle<()>, Error> {
    let service = Arc::clone(service);
    let builder = std::thread::Builder::new().name("mail".to_owned());
    Ok(builder.spawn(move || service.run_mail(&*handler, &config))?)
}

impl MailHandler for ServiceMailHandler {
    fn is_known_sender(&self, sender: &Address) -> Result<bool, UnavailableError> {
        let found = self.service.account_of(sender).map_err(unavailable)?;
        Ok(found.is_some())
    }

    fn accept(&self, message: IncomingMessage) -> Result<(), Refusal> {
        match self.service.store_message(&message) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refusal::Temporary("too many messages within one hour".to_owned())),
            Err(error) => {
                tracing::error!(%error, "could not store a message");
                Err(Refusal::Temporary("try again later".to_owned()))
            }
        }
    }

    fn record_dropped(&self, _: &IncomingMessage, why: DropReason) {
        tracing::info!(%why, "message dropped");
    }

    fn handle(&self, request: Request) -> Result<ReplyContent, UnavailableError> {
        let actor = self.service.account_of(&request.sender).map_err(unavailable)?;
        let Some(actor) = actor else {
            return Ok(nothing_done("There is no longer an account with your address."));
        };
        let done = match request.verb {
            Verb::Register => self.register(&actor, &request, false),
            Verb::Watch => self.register(&actor, &request, true),
            Verb::Probe => self.probe(&actor, &request),
            Verb::Status => self.status(&actor, &request),
            Verb::Remove => self.remove(&actor, &request),
        };
        match done {
            Ok(outcome) => Ok(outcome),
            // Internal errors are retried; all others are reported to the sender.
            Err(
                error @ (Error::Store { .. }
                | Error::Sqlite(_)
                | Error::Io(_)
                | Error::DiskFull
                | Error::Stopped
                | Error::Commit(_)
                | Error::TooManyRequests(_)),
            ) => Err(unavailable(error)),
            Err(error) => Ok(failed(&error)),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn unavailable(error: Error) -> UnavailableError {
    UnavailableError(error.to_string())
}

fn nothing_done(why: &str) -> ReplyContent {
    let text = format!("Nothing was done. {why}");
    ReplyContent { subject: "Nothing was done".to_owned(), text, ..ReplyContent::default() }
}

fn failed(error: &Error) -> ReplyContent {
    let text = format!("Nothing was done: {error}.");
    ReplyContent { subject: "Nothing was done".to_owned(), text, ..ReplyContent::default() }
}

/// The documents of a message, and the problems with reading them.
struct MessageDocuments {
    documents: Vec<NewDocument>,
    problems: Vec<String>,
}

impl ServiceMailHandler {
    fn site(&self) -> &str {
        self.service.site()
    }

    fn register(
        &self,
        actor: &Actor,
        request: &Request,
        is_watched: bool,
    ) -> Result<ReplyContent, Error> {
        let name = match self.repository(actor, request)? {
            Ok(name) => name,
            Err(question) => return Ok(question),
        };
        self.service.may_load(actor, &name)?;
        let MessageDocuments { documents, mut problems } = self.read(request)?;
        let (mut lines, mut n, mut last) = (String::new(), 0usize, None);
        for (at, document) in documents.into_iter().enumerate() {
            let document_name = document.id.clone().unwrap_or_else(|| "the text".to_owned());
            let digest = *blake3::hash(document.text.as_bytes()).as_bytes();
            // Retrying the same message after a crash registers nothing twice.
            let key = Some((format!("mail {} {at}", request.identity), digest));
            match self.service.register(actor, &name, document, ExistingPolicy::Refuse, key) {
                Ok(registered) => {
                    n += 1;
                    if n <= MAX_LINES {
                        let words = counted(u64::from(registered.words), "word", "words");
                        let note = if registered.existed { ", already registered" } else { "" };
                        let _ = writeln!(lines, "* {}: {words}{note}", registered.id);
                    }
                    last = Some(registered.id);
                }
                Err(error @ (Error::Conflict(_) | Error::Invalid(_) | Error::TooLarge(_))) => {
                    problems.push(format!("{document_name}: {error}"));
                }
                Err(error) => return Err(error),
            }
        }
        if n == 0 {
            return Ok(nothing_done(&format!("No documents could be read.{}", listed(&problems))));
        }
        if n > MAX_LINES {
            let _ = writeln!(lines, "* and {} more", n - MAX_LINES);
        }
        let documents = counted(n as u64, "document", "documents");
        let mut text = format!("{documents} registered in {name}.\n\n{lines}");
        let mut subject = format!("{documents} registered in {name}");
        if is_watched {
            self.watch(actor, &name)?;
            text.push_str("\nYou will be notified by mail when they reappear.\n");
            subject = format!("{documents} watched in {name}");
        }
        text.push_str(&listed(&problems));
        let withdraw = last.filter(|id| n == 1 && !id.contains(char::is_whitespace));
        Ok(ReplyContent {
            subject,
            text,
            link: Some(format!("{}/repositories/{name}", self.site())),
            withdraw: withdraw
                .map(|id| format!("send a message with the subject REMOVE {name}/{id}")),
        })
    }

    /// Starts watching a repository, unless the account already watches it.
    fn watch(&self, actor: &Actor, repository: &str) -> Result<(), Error> {
        let watches = self.service.watches(actor)?;
        if watches
            .iter()
            .any(|watch| watch.repository == repository && watch.channels.contains(&Channel::Mail))
        {
            return Ok(());
        }
        let new = NewWatch {
            repository: repository.to_owned(),
            min_level: MatchLevel::Some,
            min_words: 0,
            channels: vec![Channel::Inbox, Channel::Mail],
            levels: textkin_registry::LevelThresholds::default(),
            webhook: None,
            quiet_from: None,
            quiet_to: None,
            digest_hours: 0,
        };
        self.service.new_watch(actor, &new).map(drop)
    }

    fn probe(&self, actor: &Actor, request: &Request) -> Result<ReplyContent, Error> {
        let MessageDocuments { documents, problems } = self.read(request)?;
        let (mut text, mut n_found, n) = (String::new(), 0usize, documents.len());
        let mut results: Vec<(String, Result<String, String>)> = Vec::new();
        if n == 0 {
            return Ok(nothing_done(&format!("No documents could be read.{}", listed(&problems))));
        }
        for (at, document) in documents.into_iter().enumerate() {
            let name = document.title.or(document.id).unwrap_or_else(|| "Your text".to_owned());
            let against = request.repository.clone().map(|name| vec![name]);
            let probe = ProbeRequest {
                text: document.text,
                repositories: against.clone(),
                threshold: textkin_registry::LevelThresholds::default().some,
                limit: Some(MAX_LISTED),
                exclude: Vec::new(),
            };
            let answer = self.service.probe(actor, &probe)?;
            n_found += usize::from(answer.total > 0);
            if at < MAX_LINES {
                text.push_str(&describe(&name, &answer));
            }
            let query = SavedQuery { against, ..SavedQuery::default() };
            let result_id = self.service.save_result(actor, &name, &probe.text, &query)?;
            results.push((name, Ok(result_id)));
        }
        let result = match &results[..] {
            [(_, Ok(only))] => only.clone(),
            _ => {
                let title = format!("{n} documents by mail");
                let against = request.repository.clone().map(|name| vec![name]);
                let query = SavedQuery { against, batch: results, ..SavedQuery::default() };
                self.service.save_result(actor, &title, "", &query)?
            }
        };
        let link = Some(format!("{}/results/{result}", self.site()));
        if n > MAX_LINES {
            let _ = writeln!(text, "And {} more documents.\n", n - MAX_LINES);
        }
        text.push_str(
            "Your text was not registered. Only the result was saved, and only you can see it.\n",
        );
        text.push_str(&listed(&problems));
        let subject = match (n, n_found) {
            (1, 0) => "No matching text found".to_owned(),
            (1, _) => "Matching text found".to_owned(),
            (n, found) => format!("Matching text found in {found} of {n} documents"),
        };
        Ok(ReplyContent { subject, text, link, ..ReplyContent::default() })
    }

    fn status(&self, actor: &Actor, request: &Request) -> Result<ReplyContent, Error> {
        if let Some(id) = &request.id {
            let name = match self.repository_of(actor, request.repository.as_deref(), id)? {
                Ok(name) => name,
                Err(question) => return Ok(question),
            };
            let document = self.service.document(actor, &name, id, false)?;
            let words = counted(u64::from(document.words), "word", "words");
            let title =
                document.title.map_or(String::new(), |title| format!("\u{201c}{title}\u{201d}, "));
            let alerts = self.service.alerts(actor, None, false, None, 1000)?;
            let of_it =
                |side: &textkin_registry::AlertSide| side.repository == name && side.id == *id;
            let alerts: Vec<_> = alerts.iter().filter(|alert| of_it(&alert.registered)).collect();
            let mut text = format!("{name}/{id}: {title}{words}.\n\n");
            match alerts.len() {
                0 => text.push_str("It has not reappeared in a repository that you watch.\n"),
                n => {
                    let _ = writeln!(
                        text,
                        "It reappeared {}:\n",
                        if n == 1 { "once".to_owned() } else { format!("{n} times") }
                    );
                }
            }
            for alert in alerts.iter().take(MAX_LISTED) {
                let side = &alert.registered;
                let share = WordShare { shared_words: side.shared_words, words: side.words };
                let (repository, found) = (&alert.found.repository, &alert.found.id);
                let _ = writeln!(text, "* {repository}/{found}: {share}");
            }
            let subject = format!("Status of {name}/{id}");
            let link = Some(format!("{}/repositories/{name}", self.site()));
            return Ok(ReplyContent { subject, text, link, withdraw: None });
        }
        let own: Vec<RepositoryView> = self.own_repositories(actor)?;
        let watches = self.service.watches(actor)?;
        let open = self.service.open_alerts(actor)?;
        let mut text = format!("{} open.\n\n", counted(open, "alert", "alerts"));
        for repository in own.iter().take(MAX_LINES) {
            let name = &repository.name;
            let is_watched = watches.iter().any(|watch| watch.repository == *name);
            let documents = counted(repository.documents, "document", "documents");
            let watched = if is_watched { ", watched" } else { "" };
            let _ = writeln!(text, "* {name}: {documents}{watched}");
        }
        if own.is_empty() {
            text.push_str("You have no repositories.\n");
        }
        Ok(ReplyContent {
            subject: format!("Status: {} open", counted(open, "alert", "alerts")),
            text,
            link: Some(format!("{}/alerts", self.site())),
            withdraw: None,
        })
    }

    fn remove(&self, actor: &Actor, request: &Request) -> Result<ReplyContent, Error> {
        let id = request.id.as_deref().unwrap_or_default();
        let name = match self.repository_of(actor, request.repository.as_deref(), id)? {
            Ok(name) => name,
            Err(question) => return Ok(question),
        };
        let receipt = self.service.delete(actor, &name, id)?;
        let words = counted(receipt.words, "word", "words");
        Ok(ReplyContent {
            subject: format!("Removed: {name}/{id}"),
            text: format!(
                "{name}/{id} ({words}) was removed. Checks no longer find it, and its data will be \
                 erased from disk soon. Receipt number: {}.",
                receipt.receipt
            ),
            ..ReplyContent::default()
        })
    }

    /// Returns the repositories of the account's teams.
    fn own_repositories(&self, actor: &Actor) -> Result<Vec<RepositoryView>, Error> {
        let mut all = self.service.repositories(actor)?;
        all.retain(|repository| repository.role.is_some());
        Ok(all)
    }

    /// Returns the repository to register in, or a reply that asks which one.
    fn repository(
        &self,
        actor: &Actor,
        request: &Request,
    ) -> Result<Result<String, ReplyContent>, Error> {
        if let Some(name) = &request.repository {
            return Ok(Ok(name.clone()));
        }
        let mut all = self.own_repositories(actor)?;
        all.retain(|repository| {
            repository.visibility == Visibility::Private
                && repository.role.is_some_and(|role| role >= Role::Writer)
        });
        let verb = request.verb;
        let is_own = |repository: &&RepositoryView| repository.team == actor.name;
        let own: Vec<&RepositoryView> = all.iter().filter(is_own).collect();
        // Members of other teams would read the document, so the sender has to name them.
        let candidates = if own.is_empty() { all.iter().collect() } else { own.clone() };
        match (&own[..], &candidates[..]) {
            ([one], _) => Ok(Ok(one.name.clone())),
            (_, []) => Ok(Err(nothing_done(&format!(
                "You have no private repository yet. Create one at {}/repositories and send the message again.",
                self.site()
            )))),
            (own, [first, ..]) => {
                let names: Vec<_> = candidates
                    .iter()
                    .map(|one| format!("* {} (team {})", one.name, one.team))
                    .collect();
                let why = match own.is_empty() {
                    true => "you have no private repository of your own",
                    false => "you have several repositories",
                };
                Ok(Err(ReplyContent {
                    subject: "Which repository?".to_owned(),
                    text: format!(
                        "Nothing was done, because {why}. Please send the \
                         message again and name one in the subject, such as {verb} {}.\n\n{}",
                        first.name,
                        names.join("\n")
                    ),
                    ..ReplyContent::default()
                }))
            }
        }
    }

    /// Returns the repository that contains a document, or a reply that asks which one.
    fn repository_of(
        &self,
        actor: &Actor,
        named: Option<&str>,
        id: &str,
    ) -> Result<Result<String, ReplyContent>, Error> {
        if let Some(name) = named {
            return Ok(Ok(name.to_owned()));
        }
        let mut repositories = Vec::new();
        for repository in self.own_repositories(actor)? {
            match self.service.document(actor, &repository.name, id, false) {
                Ok(_) => repositories.push(repository),
                Err(Error::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if repositories.iter().any(|repository| repository.team == actor.name) {
            repositories.retain(|repository| repository.team == actor.name);
        }
        let repositories: Vec<String> =
            repositories.into_iter().map(|repository| repository.name).collect();
        match &repositories[..] {
            [one] => Ok(Ok(one.clone())),
            [] => Err(Error::not_found("document", id)),
            several => {
                let names: Vec<_> = several.iter().map(|name| format!("* {name}/{id}")).collect();
                Ok(Err(ReplyContent {
                    subject: "Which document?".to_owned(),
                    text: format!(
                        "Nothing was done, because several of your repositories contain {id}. Please \
                         name the one you mean in the subject:\n\n{}",
                        names.join("\n")
                    ),
                    ..ReplyContent::default()
                }))
            }
        }
    }

    /// Reads the documents of a message.
    fn read(&self, request: &Request) -> Result<MessageDocuments, Error> {
        let mut read = MessageDocuments { documents: Vec::new(), problems: Vec::new() };
        for document in &request.documents {
            match (&document.name, document.media_type.as_str()) {
                (None, "text/plain") => {
                    let text = String::from_utf8_lossy(&document.bytes).into_owned();
                    read.documents.push(NewDocument { text, ..NewDocument::default() });
                }
                _ => self.read_file(document, &mut read)?,
            }
            if read.documents.len() > MAX_DOCUMENTS {
                return Err(Error::TooLarge(format!(
                    "the message contains more than {MAX_DOCUMENTS} documents"
                )));
            }
        }
        if let [only] = &mut read.documents[..]
            && request.title.is_some()
        {
            only.title = request.title.clone();
        }
        Ok(read)
    }

    fn read_file(
        &self,
        document: &SubmittedDocument,
        read: &mut MessageDocuments,
    ) -> Result<(), Error> {
        let default_name =
            if document.media_type == "text/html" { "message.html" } else { "message.txt" };
        let name = document.name.as_deref().unwrap_or(default_name);
        let upload = self.service.new_upload(name)?;
        std::fs::write(upload.path(), &document.bytes)?;
        match self.service.read_upload(&upload, MAX_DOCUMENTS) {
            Ok(texts) => {
                read.documents.extend(texts.documents);
                read.problems.extend(texts.problems);
            }
            Err(error @ (Error::TooLarge(_) | Error::Invalid(_) | Error::Engine(_))) => {
                read.problems.push(format!("{name}: {error}"));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Describes the matches of a document.
fn describe(name: &str, answer: &ProbeResult) -> String {
    let all = WordShare { shared_words: answer.shared_words, words: u64::from(answer.words) };
    if answer.matches.is_empty() {
        return format!("{name}: no matching text found.\n\n");
    }
    let mut text = format!("{name}: {all} found in registered documents.\n\n");
    for found in answer.matches.iter().take(MAX_LISTED) {
        let _ = writeln!(text, "* {}", matched(found, u64::from(answer.words)));
    }
    if answer.total > MAX_LISTED {
        let _ = writeln!(text, "* and {} more", answer.total - MAX_LISTED);
    }
    text.push('\n');
    text
}

fn matched(found: &ProbeMatch, words: u64) -> String {
    let share = WordShare { shared_words: found.shared_words, words };
    let level = found.level;
    let (Some(repository), Some(id)) = (&found.repository, &found.id) else {
        return format!("{level}: private match in another account: {share}");
    };
    let document = match &found.title {
        Some(title) => format!("\u{201c}{title}\u{201d} ({repository}/{id})"),
        None => format!("{repository}/{id}"),
    };
    let other = match (found.document_shared_words, found.document_words) {
        (Some(shared_words), Some(words)) => {
            format!("; {} of the source", WordShare { shared_words, words }.percent())
        }
        _ => String::new(),
    };
    format!("{level}: {document}: {share} of your text{other}")
}

/// Lists the problems, one per line.
fn listed(problems: &[String]) -> String {
    if problems.is_empty() {
        return String::new();
    }
    let mut text = "\nProblems:\n\n".to_owned();
    for problem in problems.iter().take(MAX_LISTED) {
        let _ = writeln!(text, "* {problem}");
    }
    if problems.len() > MAX_LISTED {
        let _ = writeln!(text, "* and {} more", problems.len() - MAX_LISTED);
    }
    text
}
