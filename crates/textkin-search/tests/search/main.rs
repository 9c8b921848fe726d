//! Compares searches with naive implementations, on random collections.

mod collection;
mod fingerprint;
mod kin;
mod passage;
mod rank;
