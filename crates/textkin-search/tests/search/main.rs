//! Searches against their naive twins, on random collections.

mod collection;
mod fingerprint;
mod kin;
mod passage;
mod rank;
