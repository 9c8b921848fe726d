//! The addresses that mail is taken for, and what each says by itself.
//!
//! `SERVICE@host` says nothing; `VERB@host` and `VERB+NAME@host` say what to do; `SERVICE+NAME@host`
//! and `NAME@host` say with which repository. Whether there is such a repository is not asked
//! here: the answer would tell strangers which names are taken.

use crate::verb::is_name;
use crate::{Address, Error, Verb};

/// What an address says by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// What to do.
    pub verb: Option<Verb>,
    /// The repository, or the document where the verb is about one.
    pub name: Option<String>,
}

/// The hosts that mail is received for, and the name of the service at them.
#[derive(Clone, Debug)]
pub struct Mailboxes {
    hosts: Vec<String>,
    service: String,
}

impl Mailboxes {
    /// Mail to any name at `hosts`; `service` is the local part that replies come from.
    ///
    /// # Errors
    ///
    /// If there is no host, one is not the name of a host, or `service` is a verb or no word.
    pub fn new(hosts: &[String], service: &str) -> Result<Self, Error> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if service.is_empty() || !service.chars().all(is_word) || service.parse::<Verb>().is_ok() {
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

    /// The address of the service, which replies come from.
    ///
    /// # Errors
    ///
    /// Never, as the parts were checked.
    pub fn service(&self) -> Result<Address, Error> {
        format!("{}@{}", self.service, self.host()).parse()
    }

    /// The first host: the name the listener goes by.
    pub fn host(&self) -> &str {
        self.hosts.first().map_or("localhost", String::as_str)
    }

    /// What an address says; nothing for addresses of others.
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
            let is_good = name.is_none_or(is_name);
            return is_good.then(|| Mailbox { verb, name: name.map(str::to_owned) });
        }
        is_name(local).then(|| Mailbox { verb: None, name: Some(local.to_owned()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_say_what_to_do() {
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
    fn bad_settings_are_named() {
        let hosts = ["kin.example".to_owned()];
        assert!(matches!(Mailboxes::new(&[], "textkin"), Err(Error::MissingHost)));
        assert!(matches!(Mailboxes::new(&hosts, "probe"), Err(Error::Service(_))));
        assert!(matches!(Mailboxes::new(&["a b".to_owned()], "textkin"), Err(Error::Host(_))));
    }
}
