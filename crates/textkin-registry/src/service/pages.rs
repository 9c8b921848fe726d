//! Web pages that the server fetches to check them, if the administrator allows it.

use std::time::Duration;

use crate::delivery::webhook::{Target, Timeouts, WebhookClient};

use crate::domain::{Action, Actor};
use crate::error::Error;
use crate::service::{Service, Upload};

/// The time limits for fetching a page.
const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(5), total: Duration::from_secs(30) };

impl Service {
    /// Whether pages can be fetched.
    #[must_use]
    pub fn fetches_pages(&self) -> bool {
        self.delivery_config.pages.is_some()
    }

    /// Fetches a web page as an upload; returns its final address and the upload. Blocks.
    ///
    /// # Errors
    /// If fetching is disabled, or the page cannot be fetched.
    pub fn fetch_page(&self, actor: &Actor, url: &str) -> Result<(String, Upload), Error> {
        actor.require(Action::Probe)?;
        let Some(network_policy) = &self.delivery_config.pages else {
            return Err(Error::Forbidden(
                "fetching web pages is not enabled on this server".to_owned(),
            ));
        };
        let failed = |reason: &dyn std::fmt::Display| Error::Invalid(format!("{url}: {reason}"));
        let target = Target::new(url, network_policy).map_err(|rejected| failed(&rejected))?;
        let webhook_client = WebhookClient::new(network_policy.clone(), TIMEOUTS, &[])
            .map_err(|fault| failed(&fault))?;
        let page = webhook_client
            .fetch(&target, self.limits.upload)
            .map_err(|failure| failed(&failure))?;
        let upload = self.new_upload(&file_name(&page.url, &page.media_type))?;
        std::fs::write(upload.path(), &page.bytes)?;
        Ok((page.url, upload))
    }
}

/// Returns a file name whose extension matches the media type.
fn file_name(url: &str, media_type: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, path)| path);
    let last = path.rsplit_once('/').map_or("", |(_, last)| last);
    let has_extension = last
        .rsplit_once('.')
        .is_some_and(|(name, extension)| !name.is_empty() && (1..=5).contains(&extension.len()));
    if has_extension && media_type != "text/html" {
        return last.to_owned();
    }
    let extension = match media_type {
        "application/pdf" => "pdf",
        "text/plain" => "txt",
        "application/xml" | "text/xml" => "xml",
        _ => "html",
    };
    format!("{}.{extension}", if last.is_empty() { "page" } else { last })
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};

    use super::*;
    use crate::service::tests::actor;
    use crate::service::{DeliveryConfig, ServiceLimits};

    /// Serves requests on loopback: `/old` redirects to `/new`, `/in` to a private network.
    fn site() -> u16 {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().and_then(Result::ok).unwrap_or_default();
                while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
                let (status, header, body) = match first.split(' ').nth(1).unwrap_or_default() {
                    "/old" => ("302 Found", "Location: /new", ""),
                    "/in" => ("302 Found", "Location: http://10.0.0.1/", ""),
                    "/new" => ("200 OK", "Content-Type: text/html", "<p>some words of a page"),
                    _ => ("404 Not Found", "X: y", ""),
                };
                let length = body.len();
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\n{header}\r\nContent-Length: {length}\r\n\
                     Connection: close\r\n\r\n{body}"
                );
            }
        });
        port
    }

    #[test]
    fn pages_are_fetched_only_from_allowed_addresses() {
        let port = site();
        let folder = tempfile::tempdir().unwrap();
        let loopback = crate::delivery::webhook::NetworkPolicy {
            allowed_networks: vec!["127.0.0.1/32".parse().unwrap()],
            allow_http: true,
        };
        let delivery_config = DeliveryConfig { pages: Some(loopback), ..DeliveryConfig::default() };
        let service =
            Service::open_with(folder.path(), ServiceLimits::default(), delivery_config).unwrap();
        let anna = actor(&service, "anna", "probe");
        let fetch =
            |path: &str| service.fetch_page(&anna, &format!("http://127.0.0.1:{port}{path}"));
        let (url, upload) = fetch("/old").unwrap();
        assert!(url.ends_with("/new"), "{url}");
        let read = service.read_upload(&upload, 1).unwrap();
        assert_eq!(read.documents[0].text.trim(), "some words of a page");
        let message = |outcome: Result<(String, Upload), Error>| outcome.unwrap_err().to_string();
        assert!(message(fetch("/in")).contains("public"));
        assert!(message(fetch("/gone")).contains("404"));
        assert!(service.fetch_page(&anna, "file:///etc/passwd").is_err());
        drop(service);
        // By default nothing is fetched, and nothing ever from the server itself.
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        assert!(matches!(
            service.fetch_page(&anna, "https://example.org/"),
            Err(Error::Forbidden(_))
        ));
        drop(service);
        let public =
            crate::delivery::webhook::NetworkPolicy { allow_http: true, ..Default::default() };
        let delivery_config = DeliveryConfig { pages: Some(public), ..DeliveryConfig::default() };
        let service =
            Service::open_with(folder.path(), ServiceLimits::default(), delivery_config).unwrap();
        for host in ["127.0.0.1", "localhost", "[::1]", "0x7f.1", "169.254.169.254"] {
            let url = format!("http://{host}:{port}/new");
            assert!(service.fetch_page(&anna, &url).is_err(), "{url}");
        }
    }

    #[test]
    fn file_names_match_the_media_type() {
        for (url, media_type, expected) in [
            ("https://a.example/", "text/html", "page.html"),
            ("https://a.example/a.pdf?x=1", "application/pdf", "a.pdf"),
            ("https://a.example/paper", "application/pdf", "paper.pdf"),
            ("https://a.example/view.php", "text/html", "view.php.html"),
            ("https://a.example", "", "page.html"),
        ] {
            assert_eq!(file_name(url, media_type), expected, "{url}");
        }
    }
}
