//! The peers: version, script and settings.

use crate::sets::SetKind;

/// A package of the Python package index.
#[derive(Debug)]
pub(crate) struct Peer {
    /// The name of the package.
    pub(crate) name: &'static str,
    /// Version.
    pub(crate) version: &'static str,
    /// Our script that runs it as its documentation recommends.
    pub(crate) script: &'static str,
    /// Settings to run it with.
    pub(crate) settings: &'static [Setting],
}

/// A setting of a peer.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Argument of the script.
    pub(crate) name: &'static str,
    /// Minimum Jaccard similarity of a reported pair.
    pub(crate) threshold: f64,
    /// Sets whose similarity it estimates.
    pub(crate) sets: SetKind,
}

/// Module that the scripts share.
pub(crate) const SHARED: (&str, &str) = ("documents.py", include_str!("../../peers/documents.py"));

/// Every peer, in the order of the table.
pub(crate) const ALL: [Peer; 4] = [
    Peer {
        name: "rensa",
        version: "0.5.0",
        script: include_str!("../../peers/run_rensa.py"),
        settings: &[
            Setting { name: "rho", threshold: 0.8, sets: SetKind::Words },
            Setting { name: "flags", threshold: 0.8, sets: SetKind::Words },
            Setting { name: "unique", threshold: 0.8, sets: SetKind::Words },
            Setting { name: "pairs", threshold: 0.8, sets: SetKind::Words },
        ],
    },
    Peer {
        name: "gaoya",
        version: "0.2.2",
        script: include_str!("../../peers/run_gaoya.py"),
        settings: &[
            Setting { name: "0.8", threshold: 0.8, sets: SetKind::LowerWords },
            Setting { name: "0.5", threshold: 0.5, sets: SetKind::LowerWords },
        ],
    },
    Peer {
        name: "datasketch",
        version: "2.0.0",
        script: include_str!("../../peers/run_datasketch.py"),
        settings: &[Setting { name: "0.8", threshold: 0.8, sets: SetKind::Words }],
    },
    Peer {
        name: "text-dedup",
        version: "0.4.0",
        script: include_str!("../../peers/run_text_dedup.py"),
        settings: &[Setting { name: "0.7", threshold: 0.7, sets: SetKind::FiveWords }],
    },
];
