//! The one grammar in which strategies are named.
