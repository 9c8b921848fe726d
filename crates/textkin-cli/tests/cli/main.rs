//! Tests of the command as a user or a script runs it: inputs, outputs, messages and exit codes.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;
#[path = "../../../textkin-extract/tests/formats/self_references.rs"]
mod self_references;

mod against;
mod bad_input;
mod client;
mod compare;
mod decontaminate;
mod dedup;
mod eval;
mod exclusions;
mod explain;
mod failures;
mod formats;
mod help;
mod hostile;
mod index;
mod inputs;
mod matrix;
mod passage_clusters;
mod performance;
mod notes;
mod options;
mod outputs;
mod page;
mod pathologies;
mod repo;
mod repo_discover;
mod repo_damage;
mod search;
mod terminal;
mod trace;
mod trace_memory;
mod trace_state;
mod verify;
