//! What textkin finds beside truth of the kinds that collections come with today: pairs, clusters, and
//! annotated passages.

mod clusters;
mod pairs;
mod plagdet;

pub(super) use clusters::clusters;
pub(super) use pairs::pairs;
pub(super) use plagdet::plagdet;
