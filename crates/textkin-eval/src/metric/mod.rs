//! Metrics: pure functions of ground truth and results.
//!
//! `graph` judges pairs (Bernstein and Zobel), `classes` degrees of overlap (SCAM), `partition` clusters,
//! `passages` spans of copied text (PAN). Rankings are judged by
//! [`Effectiveness`](textkin::engine::search::Effectiveness) (Hoad and Zobel), traces by
//! [`Accuracy`](textkin::engine::trace::Accuracy) (Abdel-Hamid et al.), each in the crate it judges.

mod classes;
mod graph;
mod partition;
mod passages;

pub use classes::{AlphaBetaErrors, Degree};
pub use graph::{Edges, Judgement, JudgementTally, Retrieval};
pub use partition::{BCubed, adjusted_rand};
pub use passages::{Detection, Plagdet, plagdet};
