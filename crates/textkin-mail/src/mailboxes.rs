//! The addresses that mail is accepted for, and what each one means.
//!
//! `SERVICE@host` means nothing in particular; `VERB@host` and `VERB+NAME@host` choose what to do;
//! `SERVICE+NAME@host` and `NAME@host` choose the repository. Whether the repository exists is not
//! checked here: the reply would reveal which names exist.

use crate::verb::is_name;
use crate::{Address, Error, Verb};

/// The meaning of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// What to do.
    pub verb: Option<Verb>,
    /// The repository, or for some verbs the document.
    pub name: Option<String>,
}

/// The hosts that mail is accepted for, and the service name at these hosts.
#[derive(Clone, Debug)]
pub struct Mailboxes {
    hosts: Vec<String>,
    service: String,
}

impl Mailboxes {
    /// Accepts mail to any name at `hosts`; `service` is the local part that replies come from.
    ///
    /// # Errors
    ///
    /// If there are no hosts, one is not a valid host name, or `service` is a verb or not a valid name.
    pub fn new(hosts: &[String], service: &str) -> Result<Self, Error> {
        let is_name_char = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if service.is_empty()
            || !service.chars().all(is_name_char)
            || service.parse::<Verb>().is_ok()
        {
            return Err(Error::Service(service.to_owned()));
        }
        let mut folded = Vec::new();
        for host in hosts {
            let address: Result<Address, _> = format!("{service}@{host}").parse();
            folded.push(address.map_err(|_| Error::Host(host.clone()))?.host().to_owned());
        }
        if folded.is_empty() {
            return Err(Error::MissingHost);
        }
        Ok(Self { hosts: folded, service: service.to_owned() })
    }

    /// The address that replies come from.
    ///
    /// # Errors
    ///
    /// Never: the parts were checked before.
    pub fn service(&self) -> Result<Address, Error> {
        format!("{}@{}", self.service, self.host()).parse()
    }

    /// The first host: the name of the listener.
    pub fn host(&self) -> &str {
        self.hosts.first().map_or("localhost", String::as_str)
    }

    /// Returns the meaning of an address, or `None` for addresses at other hosts.
    pub fn read(&self, address: &Address) -> Option<Mailbox> {
        if !self.hosts.iter().any(|host| host == address.host()) {
            return None;
        }
        let local = address.local();
        let (first, name) = match local.split_once('+') {
            Some((first, name)) => (first, Some(name)),
            None => (local, None),
        };
        let is_service = first.eq_ignore_ascii_case(&self.service);
        let verb = first.parse().ok();
        if verb.is_some() || is_service {
            let is_valid = name.is_none_or(is_name);
            return is_valid.then(|| Mailbox { verb, name: name.map(str::to_owned) });
        }
        is_name(local).then(|| Mailbox { verb: None, name: Some(local.to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_choose_verb_and_name() {
        let hosts = ["Kin.example".to_owned(), "other.example".to_owned()];
        let mailboxes = Mailboxes::new(&hosts, "textkin").unwrap();
        let read = |address: &str| {
            let mailbox = mailboxes.read(&address.parse().unwrap())?;
            Some((mailbox.verb, mailbox.name))
        };
        assert_eq!(read("textkin@kin.example"), Some((None, None)));
        assert_eq!(read("probe@OTHER.example"), Some((Some(Verb::Probe), None)));
        assert_eq!(
            read("Register+essays@kin.example"),
            Some((Some(Verb::Register), Some("essays".into())))
        );
        assert_eq!(read("textkin+essays@kin.example"), Some((None, Some("essays".into()))));
        assert_eq!(read("essays@kin.example"), Some((None, Some("essays".into()))));
        assert_eq!(read("probe+@kin.example"), None);
        assert_eq!(read("probe@else.example"), None);
        assert_eq!(read("a%b@kin.example"), None);
        assert_eq!(mailboxes.service().unwrap().to_string(), "textkin@kin.example");
    }

    #[test]
    fn invalid_settings_are_errors() {
        let hosts = ["kin.example".to_owned()];
        assert!(matches!(Mailboxes::new(&[], "textkin"), Err(Error::MissingHost)));
        assert!(matches!(Mailboxes::new(&hosts, "probe"), Err(Error::Service(_))));
        assert!(matches!(Mailboxes::new(&["a b".to_owned()], "textkin"), Err(Error::Host(_))));
    }
}
