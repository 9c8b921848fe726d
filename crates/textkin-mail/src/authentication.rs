//! Checks whether the mail system in front has verified the sender.
//!
//! In: the header, and the name that this mail system uses in `Authentication-Results` (RFC 8601).
//! Out: yes or no. As the RFC demands, the mail system must remove fields that others added under
//! its name.

use textkin_extract::mime::Entity;

use crate::Address;

/// Whether `authority` has verified the envelope sender, or the same sender in the header.
pub(crate) fn is_authentic(message: &Entity<'_>, sender: &Address, authority: &str) -> bool {
    let mut froms = message.fields_named("from");
    let from = froms.next().and_then(Address::from_field).filter(|_| froms.next().is_none());
    let is_same = from.is_some_and(|from| from.folded() == sender.folded());
    let mut fields = message.fields_named("authentication-results");
    fields.any(|field| {
        let field = without_comments(field);
        let mut results = field.split(';');
        let name = results.next().unwrap_or_default().split_whitespace().next();
        let is_authority = name.is_some_and(|name| name.eq_ignore_ascii_case(authority));
        is_authority && results.any(|result_text| verifies(result_text, sender, is_same))
    })
}

/// Whether one result, such as `spf=pass smtp.mailfrom=a.example`, verifies the sender.
fn verifies(result_text: &str, sender: &Address, is_same: bool) -> bool {
    let mut words = result_text.split_whitespace().filter_map(|word| word.split_once('='));
    let Some((method, result)) = words.next() else { return false };
    if !result.eq_ignore_ascii_case("pass") {
        return false;
    }
    let property = match method.to_ascii_lowercase().as_str() {
        "spf" => "smtp.mailfrom",
        "dmarc" if is_same => "header.from",
        _ => return false,
    };
    let mut values = words.filter(|(name, _)| name.eq_ignore_ascii_case(property));
    let is_sender = |value: &str| match value.trim_matches(['<', '>', '"']).rsplit_once('@') {
        Some((local, host)) => local == sender.local() && host.eq_ignore_ascii_case(sender.host()),
        None => value.trim_matches('"').eq_ignore_ascii_case(sender.host()),
    };
    values.next().is_some_and(|(_, value)| is_sender(value))
}

/// Removes comments (in parentheses). Quoted strings are not needed here.
fn without_comments(field: &str) -> String {
    let mut depth = 0usize;
    let is_kept = |c: &char| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => return depth == 0,
        };
        false
    };
    field.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_ann(header: &str) -> bool {
        let text = format!("{header}\r\n\r\n");
        is_authentic(
            &Entity::read(text.as_bytes()),
            &"ann@a.example".parse().unwrap(),
            "mx.kin.example",
        )
    }

    #[test]
    fn results_of_the_authority_count() {
        assert!(is_ann("Authentication-Results: mx.kin.example; spf=pass smtp.mailfrom=a.example"));
        assert!(is_ann(
            "Authentication-Results: mx.kin.example 1; none=x; SPF=Pass (ok; (really)) smtp.mailfrom=ann@A.example"
        ));
        let dmarc = "Authentication-Results: mx.kin.example; dkim=pass header.d=a.example; dmarc=pass (p=none) header.from=a.example";
        assert!(is_ann(&format!("From: Ann <ann@a.example>\r\n{dmarc}")));
        assert!(is_ann(
            "Authentication-Results: other; spf=fail\r\nAuthentication-Results: mx.kin.example;\r\n spf=pass smtp.mailfrom=a.example"
        ));
    }

    #[test]
    fn other_results_do_not_count() {
        let dmarc = "Authentication-Results: mx.kin.example; dmarc=pass header.from=a.example";
        for header in [
            "Subject: x",
            "Authentication-Results: mx.kin.example; spf=fail smtp.mailfrom=a.example",
            "Authentication-Results: mx.kin.example; spf=pass smtp.mailfrom=e.example",
            "Authentication-Results: mx.kin.example; spf=pass smtp.mailfrom=eve@a.example",
            "Authentication-Results: mx.kin.example; spf=pass",
            "Authentication-Results: mx.kin.example; dkim=pass header.d=a.example",
            "Authentication-Results: evil.example; spf=pass smtp.mailfrom=a.example",
            "Authentication-Results: mx.kin.example; (spf=pass smtp.mailfrom=a.example)",
            "Authentication-Results: mx.kin.example; x=y (; spf=pass smtp.mailfrom=a.example",
            dmarc,
            &format!("From: Eve <eve@a.example>\r\n{dmarc}"),
            &format!("From: ann@a.example, eve@e.example\r\n{dmarc}"),
            &format!("From: ann@a.example\r\nFrom: eve@e.example\r\n{dmarc}"),
        ] {
            assert!(!is_ann(header), "{header}");
        }
    }

    proptest! {
        #[test]
        fn any_field_is_parsed_without_panic(field in "(mx.kin.example|[;()=@\"<> ]|spf|pass|smtp.mailfrom|\u{e9}){0,20}") {
            is_ann(&format!("Authentication-Results: {field}"));
        }
    }
}
