//! Delivery: alerts reach people by webhook and mail.

pub(crate) mod deliveries;
#[cfg(test)]
mod delivery_tests;
pub(crate) mod hooks;
pub(crate) mod mail;
pub mod webhook;
