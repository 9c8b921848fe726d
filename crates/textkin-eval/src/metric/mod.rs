//! How right an answer is. Every metric is a pure function of what is true and what was said.
//!
//! `graph` judges pairs (000 §7), `classes` degrees of overlap (004 §4.4), `partition` clusters,
//! `passages` spans of copied text (PAN). Rankings are judged by
//! [`Effectiveness`](textkin::search::Effectiveness) (001), traces by
//! [`Accuracy`](textkin::trace::Accuracy) (003): they live beside what they judge.

mod classes;
mod graph;
mod partition;
mod passages;

pub use classes::{AlphaBetaErrors, Degree};
pub use graph::{Edges, Judgement, JudgementTally, Retrieval};
pub use partition::{BCubed, adjusted_rand};
pub use passages::{Detection, Plagdet, plagdet};
