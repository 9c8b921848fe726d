//! Effectiveness of a ranking: the figures of Hoad and Zobel (2003).

/// One document of a ranked list, and whether it is relevant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedDocument {
    /// Its percentage.
    pub percent: f64,
    /// Whether it is relevant to the query.
    pub relevant: bool,
}

/// The figures of one query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effectiveness {
    /// Share of relevant documents among the first s, where s is the number of relevant documents.
    pub precision: f64,
    /// Share of the relevant documents that are among the first 20.
    pub recall: f64,
    /// Highest false match (HFM): the highest percentage of an irrelevant document; 0 if there is none.
    pub highest_false_match: f64,
    /// Separation: the lowest percentage of a relevant document minus the highest false match. `None` if
    /// not all relevant documents are in the list.
    pub separation: Option<f64>,
}

/// Number of documents that recall is computed over.
const RECALL_AT: usize = 20;

impl Effectiveness {
    /// Computes the figures of a list, the best document first, if there are `n_relevant` relevant
    /// documents. `None` if there is no relevant document.
    ///
    /// ```
    /// use textkin_search::{Effectiveness, JudgedDocument};
    ///
    /// let relevant = JudgedDocument { percent: 80.0, relevant: true };
    /// let irrelevant = JudgedDocument { percent: 20.0, relevant: false };
    /// let figures = Effectiveness::of(&[relevant, irrelevant], 1).unwrap();
    /// assert_eq!((figures.separation, figures.ratio()), (Some(60.0), Some(3.0)));
    /// ```
    #[must_use]
    pub fn of(ranked: &[JudgedDocument], n_relevant: usize) -> Option<Self> {
        if n_relevant == 0 {
            return None;
        }
        let among = |n: usize| ranked.iter().take(n).filter(|judged| judged.relevant).count();
        let share = |n: usize| among(n) as f64 / n_relevant as f64;
        let percents = |relevant| {
            let kind = ranked.iter().filter(move |judged| judged.relevant == relevant);
            kind.map(|judged| judged.percent)
        };
        let highest_false_match = percents(false).reduce(f64::max).unwrap_or(0.0);
        let complete = among(ranked.len()) >= n_relevant;
        let lowest = percents(true).reduce(f64::min).filter(|_| complete);
        Some(Self {
            precision: share(n_relevant),
            recall: share(RECALL_AT),
            highest_false_match,
            separation: lowest.map(|lowest| lowest - highest_false_match),
        })
    }

    /// Separation divided by the highest false match: higher is better. `None` if either is missing.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let separation = self.separation?;
        (self.highest_false_match > 0.0).then(|| separation / self.highest_false_match)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The similarities of Fig. 1; the first ten documents are the relevant ones.
    const SIMILARITIES: [f64; 20] = [
        53.57, 53.04, 45.96, 44.95, 44.37, 43.12, 41.21, 36.01, 35.93, 21.93, 11.86, 11.06, 10.75,
        10.67, 10.12, 9.86, 9.54, 9.48, 9.31, 9.26,
    ];

    const PERCENTAGES: [f64; 20] = [
        100.00, 99.01, 85.79, 83.91, 82.82, 80.49, 76.93, 67.22, 67.07, 40.93, 22.14, 20.64, 20.07,
        19.91, 18.89, 18.41, 17.80, 17.70, 17.37, 17.29,
    ];

    fn judged() -> Vec<JudgedDocument> {
        let percents = SIMILARITIES.iter().map(|similarity| similarity / SIMILARITIES[0] * 100.0);
        percents
            .enumerate()
            .map(|(n, percent)| JudgedDocument { percent, relevant: n < 10 })
            .collect()
    }

    #[test]
    fn the_figures_of_figure_1_follow_from_its_similarities() {
        let judged = judged();
        for (judged, printed) in judged.iter().zip(PERCENTAGES) {
            // The similarities are rounded to two digits, hence the percentages to about 0.01.
            assert!((judged.percent - printed).abs() <= 0.0101, "{judged:?} {printed}");
        }
        let figures = Effectiveness::of(&judged, 10).unwrap();
        assert_eq!((figures.precision, figures.recall), (1.0, 1.0));
        assert_eq!(format!("{:.2}", figures.highest_false_match), "22.14");
        assert!((figures.separation.unwrap() - 18.79).abs() <= 0.0101);
        assert_eq!(format!("{:.2}", figures.ratio().unwrap()), "0.85");
    }

    #[test]
    fn separation_needs_all_relevant_documents() {
        let figures = Effectiveness::of(&judged(), 12).unwrap();
        assert_eq!((figures.precision, figures.separation), (10.0 / 12.0, None));
        assert_eq!(figures.ratio(), None);
        assert_eq!(Effectiveness::of(&judged(), 0), None);
    }

    #[test]
    fn a_list_without_a_false_match_has_no_ratio() {
        let figures = Effectiveness::of(&judged()[..10], 10).unwrap();
        assert_eq!((figures.highest_false_match, figures.ratio()), (0.0, None));
        assert!(figures.separation.is_some_and(|separation| separation > 40.0));
    }

    #[test]
    fn a_false_match_above_a_relevant_document_makes_separation_negative() {
        let judge = |percent, relevant| JudgedDocument { percent, relevant };
        let list = [judge(90.0, true), judge(60.0, false), judge(50.0, true)];
        let figures = Effectiveness::of(&list, 2).unwrap();
        assert_eq!((figures.precision, figures.recall), (0.5, 1.0));
        assert_eq!(figures.separation, Some(-10.0));
    }
}
