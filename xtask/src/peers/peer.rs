//! The peers: which version, by which script of ours, and what each setting promises.

use crate::sets::Sets;

/// A package of the Python package index.
#[derive(Debug)]
pub(crate) struct Peer {
    /// The name of the package.
    pub(crate) name: &'static str,
    /// The version that is compared.
    pub(crate) version: &'static str,
    /// Our script that runs it, as its documentation says.
    pub(crate) script: &'static str,
    /// The ways in which it is run.
    pub(crate) settings: &'static [Setting],
}

/// A way to run a peer.
#[derive(Debug)]
pub(crate) struct Setting {
    /// What the script is told.
    pub(crate) name: &'static str,
    /// The least Jaccard similarity of what it names.
    pub(crate) threshold: f64,
    /// The sets whose similarity it estimates.
    pub(crate) sets: Sets,
}

/// What the scripts share, written beside them.
pub(crate) const SHARED: (&str, &str) = ("documents.py", include_str!("../../peers/documents.py"));

/// Every peer, in the order of the table.
pub(crate) const ALL: [Peer; 4] = [
    Peer {
        name: "rensa",
        version: "0.5.0",
        script: include_str!("../../peers/run_rensa.py"),
        settings: &[
            Setting { name: "rho", threshold: 0.8, sets: Sets::Words },
            Setting { name: "flags", threshold: 0.8, sets: Sets::Words },
            Setting { name: "unique", threshold: 0.8, sets: Sets::Words },
            Setting { name: "pairs", threshold: 0.8, sets: Sets::Words },
        ],
    },
    Peer {
        name: "gaoya",
        version: "0.2.2",
        script: include_str!("../../peers/run_gaoya.py"),
        settings: &[
            Setting { name: "0.8", threshold: 0.8, sets: Sets::LowerWords },
            Setting { name: "0.5", threshold: 0.5, sets: Sets::LowerWords },
        ],
    },
    Peer {
        name: "datasketch",
        version: "2.0.0",
        script: include_str!("../../peers/run_datasketch.py"),
        settings: &[Setting { name: "0.8", threshold: 0.8, sets: Sets::Words }],
    },
    Peer {
        name: "text-dedup",
        version: "0.4.0",
        script: include_str!("../../peers/run_text_dedup.py"),
        settings: &[Setting { name: "0.7", threshold: 0.7, sets: Sets::FiveWords }],
    },
];
