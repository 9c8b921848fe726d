//! The order of preference among duplicates.

use std::cmp::Ordering;

use super::KeepRule;
use crate::documents::Documents;

/// Returns the numbers of all documents, the most preferred first. [`KeepRule::Best`] sorts by
/// `commonness`.
pub(super) fn order(keep: KeepRule, documents: &Documents, commonness: &[f64]) -> Vec<u32> {
    let n = u32::try_from(documents.len()).expect("document numbers have 32 bits");
    let mut order: Vec<u32> = (0..n).collect();
    // Sorts are stable: ties stay in input order.
    match keep {
        KeepRule::First => {}
        KeepRule::Last => order.reverse(),
        KeepRule::Longest => {
            order.sort_by_key(|&document| std::cmp::Reverse(documents.entry(document).words));
        }
        KeepRule::Best => {
            let of = |document: u32| commonness[document as usize];
            order.sort_by(|&a, &b| of(b).total_cmp(&of(a)));
        }
        KeepRule::Field => by_field(&mut order, documents),
    }
    order
}

fn by_field(order: &mut [u32], documents: &Documents) {
    let number = |value: &str| value.trim().parse::<f64>().ok().filter(|number| !number.is_nan());
    let mut values = order.iter().filter_map(|&document| documents.time(document));
    if values.all(|value| number(value).is_some()) {
        let value = |document| documents.time(document).and_then(number);
        order.sort_by(|&a, &b| descending(value(a), value(b), f64::total_cmp));
    } else {
        let value = |document| documents.time(document);
        order.sort_by(|&a, &b| descending(value(a), value(b), Ord::cmp));
    }
}

fn descending<T>(a: Option<T>, b: Option<T>, compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => compare(&b, &a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}
