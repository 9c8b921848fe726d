//! What textkin finds beside truth of the kinds that collections come with today: pairs, clusters, and
//! annotated passages; and the goals that were set for it.

mod clusters;
mod defaults;
mod goals;
mod pairs;
mod plagdet;

pub(super) use clusters::clusters;
pub(super) use defaults::defaults;
pub(super) use goals::goals;
pub(super) use pairs::pairs;
pub(super) use plagdet::plagdet;
