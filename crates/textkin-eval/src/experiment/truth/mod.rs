//! Results of textkin compared with ground truth: pairs, clusters and annotated passages; and the goals for the
//! defaults.

mod alarms;
mod classes;
mod clusters;
mod defaults;
mod goals;
mod pairs;
mod plagdet;
mod retrieval;

pub(super) use alarms::alarms;
pub(super) use classes::classes;
pub(super) use clusters::clusters;
pub(super) use defaults::defaults;
pub(super) use goals::goals;
pub(super) use pairs::pairs;
pub(super) use plagdet::plagdet;
pub(super) use retrieval::retrieval;
