//! Jobs: work that goes on after a request was answered.

pub(crate) mod checks;
pub(crate) mod housekeeping;
pub(crate) mod loads;
pub(crate) mod queue;
