//! Figures of the paper for its blogs: 8.7 million documents from ten days in 2006.

use super::stream::ChunkSelection;

/// Values at 5,000, 500 and 50 MB and the mean of all eight sizes, as in most tables.
pub(super) type Few = [f64; 4];

/// The three sizes of `Few`, in hundredths of a percent of the distinct chunks.
pub(super) const FEW: [u64; 3] = [3420, 330, 30];

/// The seven selections of Tables 4 to 7.
pub(super) const CUTS: [ChunkSelection; 7] = [
    ChunkSelection::ALL,
    ChunkSelection::BEST,
    ChunkSelection::new("4th", "words:8", "every:4"),
    ChunkSelection::new("NW8", "words:8", "winnow:8+no-overlap"),
    ChunkSelection::new("NM3", "words:8", "modulo:3+no-overlap"),
    ChunkSelection::new("Hb3", "break:3:revised", "all"),
    ChunkSelection::new("Dct8", "dct:8", "all"),
];

/// The 33 variants of Table 3, and the share of chunks that they select.
pub(super) const TABLE_3: [(ChunkSelection, f64); 33] = [
    (ChunkSelection::new("4th", "words:8", "every:4"), 25.0),
    (ChunkSelection::new("6th", "words:8", "every:6"), 17.0),
    (ChunkSelection::new("8th", "words:8", "every:8"), 13.0),
    (ChunkSelection::new("NM2", "words:8", "modulo:2+no-overlap"), 15.0),
    (ChunkSelection::new("NM3", "words:8", "modulo:3+no-overlap"), 15.0),
    (ChunkSelection::new("M4", "words:8", "modulo:4"), 25.0),
    (ChunkSelection::new("NM4", "words:8", "modulo:4+no-overlap"), 14.0),
    (ChunkSelection::new("M5", "words:8", "modulo:5"), 20.0),
    (ChunkSelection::new("NM5", "words:8", "modulo:5+no-overlap"), 14.0),
    (ChunkSelection::new("M6", "words:8", "modulo:6"), 16.0),
    (ChunkSelection::new("NM6", "words:8", "modulo:6+no-overlap"), 12.5),
    (ChunkSelection::new("M7", "words:8", "modulo:7"), 14.0),
    (ChunkSelection::new("NM7", "words:8", "modulo:7+no-overlap"), 11.0),
    (ChunkSelection::new("M8", "words:8", "modulo:8"), 12.0),
    (ChunkSelection::new("NM8", "words:8", "modulo:8+no-overlap"), 10.0),
    (ChunkSelection::new("NW5", "words:8", "winnow:5+no-overlap"), 16.0),
    (ChunkSelection::new("NW6", "words:8", "winnow:6+no-overlap"), 17.0),
    (ChunkSelection::new("NW7", "words:8", "winnow:7+no-overlap"), 16.5),
    (ChunkSelection::new("W8", "words:8", "winnow:8"), 23.5),
    (ChunkSelection::new("NW8", "words:8", "winnow:8+no-overlap"), 17.0),
    (ChunkSelection::new("W9", "words:8", "winnow:9"), 21.0),
    (ChunkSelection::new("NW9", "words:8", "winnow:9+no-overlap"), 16.0),
    (ChunkSelection::BEST, 17.0),
    (ChunkSelection::new("Hb3", "break:3:revised", "all"), 20.0),
    (ChunkSelection::new("Hb4", "break:4:revised", "all"), 15.0),
    (ChunkSelection::new("Hb5", "break:5:revised", "all"), 12.0),
    (ChunkSelection::new("Hb6", "break:6:revised", "all"), 10.0),
    (ChunkSelection::new("Hb8", "break:8:revised", "all"), 8.0),
    (ChunkSelection::new("Dct3", "dct:3", "all"), 20.0),
    (ChunkSelection::new("Dct4", "dct:4", "all"), 15.0),
    (ChunkSelection::new("Dct5", "dct:5", "all"), 12.0),
    (ChunkSelection::new("Dct6", "dct:6", "all"), 10.0),
    (ChunkSelection::new("Dct8", "dct:8", "all"), 8.0),
];

/// Dominant origin, version A, for each of the seven selections: eight sizes and their mean.
pub(super) const TABLE_4: [[f64; 9]; 7] = [
    [83.2, 79.8, 77.2, 75.7, 74.3, 73.6, 73.2, 72.9, 76.2],
    [98.8, 97.3, 84.6, 79.8, 77.5, 75.8, 74.7, 73.7, 82.8],
    [89.5, 83.2, 78.5, 76.5, 75.1, 74.0, 73.4, 72.8, 77.9],
    [98.2, 96.2, 84.3, 79.5, 77.3, 75.7, 74.6, 73.6, 82.4],
    [96.7, 95.7, 85.1, 79.4, 77.3, 75.7, 74.6, 73.7, 82.3],
    [96.9, 95.6, 84.6, 79.3, 77.1, 75.6, 74.6, 73.6, 82.2],
    [90.0, 90.0, 89.5, 82.8, 77.6, 76.3, 75.3, 74.0, 81.9],
];

/// Dominant origin, version B.
pub(super) const TABLE_5: [Few; 7] = [
    [99.2, 90.6, 79.7, 88.0],
    [98.5, 93.7, 84.3, 91.0],
    [88.9, 86.0, 79.6, 84.0],
    [98.0, 92.9, 83.5, 90.2],
    [96.3, 92.0, 83.1, 89.3],
    [96.8, 91.8, 82.5, 89.2],
    [85.1, 85.1, 82.8, 84.1],
];

/// Token freshness, versions A and B.
pub(super) const TABLE_6: [[Few; 7]; 2] = [
    [
        [97.7, 86.9, 78.2, 85.7],
        [93.7, 86.2, 77.2, 84.5],
        [89.7, 82.7, 75.0, 81.1],
        [93.4, 86.2, 77.3, 84.3],
        [91.6, 84.9, 76.5, 83.2],
        [90.7, 84.8, 77.1, 83.1],
        [87.5, 84.4, 77.3, 82.5],
    ],
    [
        [98.4, 90.5, 81.4, 87.9],
        [93.6, 89.6, 81.6, 87.2],
        [89.7, 85.1, 77.9, 83.2],
        [93.5, 89.4, 81.4, 87.0],
        [91.7, 88.1, 80.5, 85.8],
        [90.8, 88.1, 81.6, 86.0],
        [86.2, 85.9, 82.7, 84.6],
    ],
];

/// Overall scores, versions A and B, on the blogs.
pub(super) const TABLE_7: [[f64; 7]; 2] =
    [[81.0, 83.6, 79.5, 83.4, 82.7, 82.6, 82.2], [87.9, 89.1, 83.6, 88.7, 87.6, 87.6, 84.3]];

/// Dominant origin, token freshness and overall score.
pub(super) struct PaperScores {
    pub(super) dominant: Few,
    pub(super) freshness: Few,
    pub(super) overall: f64,
}

const fn scores(dominant: Few, freshness: Few, overall: f64) -> PaperScores {
    PaperScores { dominant, freshness, overall }
}

/// Evictions (random, LRU, copy count, lucky) without estimation, of All and of NHs.
pub(super) const TABLE_8: [[PaperScores; 4]; 2] = [
    [
        scores([83.2, 75.7, 73.2, 76.2], [97.6, 86.9, 78.2, 85.7], 80.7),
        scores([93.0, 77.6, 73.4, 78.9], [96.1, 83.8, 76.7, 83.7], 81.3),
        scores([96.1, 80.9, 72.6, 81.1], [96.8, 84.1, 71.8, 81.8], 81.4),
        scores([95.0, 80.7, 73.5, 80.4], [98.6, 89.6, 79.8, 87.7], 84.1),
    ],
    [
        scores([98.8, 79.8, 74.7, 82.8], [93.5, 86.2, 77.2, 84.3], 83.5),
        scores([98.8, 88.2, 75.9, 86.0], [93.5, 88.1, 77.9, 85.3], 85.6),
        scores([98.8, 93.1, 78.5, 88.3], [93.5, 88.8, 75.1, 84.2], 86.2),
        scores([98.8, 87.5, 77.8, 86.7], [93.5, 86.0, 77.1, 84.4], 85.5),
    ],
];

/// Estimations (none, expansion, bridging, both) with copy count and with lucky eviction, of NHs
/// (Table 9) and of All (Table 10, whose halves are printed under each other's heading).
pub(super) const TABLES_9_10: [[[PaperScores; 4]; 2]; 2] = [
    [
        [
            scores([98.8, 93.1, 78.5, 88.3], [93.5, 88.8, 75.1, 84.2], 86.2),
            scores([98.8, 93.1, 78.8, 88.7], [93.5, 88.6, 75.5, 84.2], 86.4),
            scores([97.4, 92.1, 77.9, 87.6], [93.6, 89.3, 76.4, 85.0], 86.3),
            scores([98.5, 92.7, 79.2, 88.4], [93.6, 88.6, 75.8, 84.5], 86.5),
        ],
        [
            scores([98.8, 87.5, 77.8, 86.7], [93.5, 86.0, 77.1, 84.4], 85.5),
            scores([98.8, 92.3, 82.4, 89.7], [93.5, 88.4, 80.0, 86.2], 87.9),
            scores([97.4, 92.6, 83.0, 89.7], [93.6, 89.5, 81.5, 87.1], 88.4),
            scores([98.5, 93.7, 84.3, 91.0], [93.6, 89.6, 81.6, 87.2], 89.1),
        ],
    ],
    [
        [
            scores([96.1, 80.9, 72.6, 81.0], [96.8, 84.1, 71.8, 81.8], 81.4),
            scores([96.6, 82.9, 75.5, 82.7], [96.6, 84.0, 71.9, 81.8], 82.2),
            scores([95.2, 82.1, 74.4, 81.5], [96.6, 84.4, 72.0, 81.9], 81.7),
            scores([96.1, 82.3, 75.3, 82.3], [96.4, 83.8, 71.9, 81.7], 82.0),
        ],
        [
            scores([95.0, 80.7, 73.4, 80.3], [98.6, 89.6, 79.8, 87.7], 84.0),
            scores([99.5, 90.2, 78.9, 87.7], [98.5, 90.5, 81.3, 88.5], 88.1),
            scores([97.9, 89.2, 78.2, 86.6], [98.4, 90.3, 81.2, 88.4], 87.5),
            scores([99.2, 90.6, 79.7, 87.9], [98.4, 90.5, 81.4, 88.6], 88.3),
        ],
    ],
];

/// Accuracy of extra-labelled chunks, in percent, by size.
pub(super) const TABLE_11: [f64; 8] = [10.5, 30.8, 84.8, 96.6, 98.3, 98.6, 98.8, 98.6];
