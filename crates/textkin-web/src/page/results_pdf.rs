//! A result as PDF: the content of its page as a printed report.

use textkin_print::{Annotation, Highlight, PdfReport, SourceRow, StripSegment};

use crate::format;
use crate::view::{self, MarkKind, Results};

/// Returns the report of a result.
pub(super) fn report(view: &Results) -> PdfReport {
    let text = view.text.as_ref();
    PdfReport {
        title: view.title.clone(),
        facts: facts(view),
        time: time(&view.time),
        share: view.share.percent(),
        counts: format!("{} found in {}", view.share.counts(), format::documents(view.documents)),
        notes: view.notes(),
        warnings: view.warnings.clone(),
        words: view.strip.words,
        strip: (view.strip.segments.iter())
            .map(|run| StripSegment {
                from: run.from,
                to: run.to,
                annotation: annotation(&run.kind),
            })
            .collect(),
        sources: view.sources.iter().map(source).collect(),
        after_sources: after_sources(view),
        before_text: match text {
            None => "The text was not stored, so it cannot be shown.".to_owned(),
            Some(text) if text.text.is_empty() => "The text is empty.".to_owned(),
            Some(_) => "Matches are numbered by source. Where several sources contain the same \
                        words, the first is shown. Excluded text is grey, with the reason."
                .to_owned(),
        },
        text: text.map(|text| text.text.clone()).unwrap_or_default(),
        marks: text
            .iter()
            .flat_map(|text| &text.marks)
            .map(|mark| Highlight {
                start: mark.start,
                end: mark.end,
                annotation: annotation(&mark.kind),
            })
            .collect(),
    }
}

fn annotation(kind: &MarkKind) -> Annotation {
    match kind {
        MarkKind::Source(number) => Annotation::Source(*number),
        MarkKind::Excluded(reason) => Annotation::Excluded(reason.clone()),
    }
}

pub(super) fn facts(view: &Results) -> Vec<String> {
    let against = match view.against.is_empty() {
        true => "nothing".to_owned(),
        false => view.against.join(", "),
    };
    let saved = view.registered.as_ref().map_or_else(
        || "not saved to a repository".to_owned(),
        |link| format!("registered in {} as {}", link.repository, link.name()),
    );
    vec![
        format!("{} UTC", format::timestamp(&view.time)),
        format!("checked against {against}"),
        saved,
    ]
}

/// Returns a row of the table. For a private match it shows what the page shows: the percentage.
fn source(source: &view::ResultSource) -> SourceRow {
    let here = source.score.here;
    if source.is_private_match {
        return SourceRow {
            number: source.number,
            title: "Private match in another account".to_owned(),
            facts: "The owner and the text are not shown.".to_owned(),
            here: [here.percent(), String::new()],
            ..SourceRow::default()
        };
    }
    let document = &source.document;
    let mut facts = vec![
        document.repository.clone(),
        document.time.as_deref().map_or_else(|| "undated".to_owned(), format::day),
        source.level.label().to_owned(),
    ];
    facts.extend(source.badges.iter().map(|badge| badge.label().to_owned()));
    facts.extend(source.compare.is_none().then(|| "text not stored".to_owned()));
    let there = source.score.there;
    SourceRow {
        number: source.number,
        title: document.name().to_owned(),
        facts: facts.join(" · "),
        here: [here.percent(), here.counts()],
        there: [there.percent(), there.counts()],
        longest: format::words(source.longest_run),
    }
}

fn after_sources(view: &Results) -> Option<String> {
    if view.sources.is_empty() {
        return Some(match view.share.words {
            0 => "Nothing left to compare after exclusions.".to_owned(),
            _ => "No matching text found.".to_owned(),
        });
    }
    let more = view.more_sources;
    (more > 0).then(|| {
        format!(
            "And {} with a smaller share.",
            format::counted(more, "more document", "more documents")
        )
    })
}

/// Returns the parts of `2026-11-16T12:00:00Z`.
fn time(iso: &str) -> Option<[u16; 6]> {
    let parts: Vec<u16> = iso
        .trim_end_matches('Z')
        .split(['-', 'T', ':'])
        .map_while(|part| part.parse().ok())
        .collect();
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{DocumentLink, Score, Share};

    #[test]
    fn of_a_private_match_only_the_percentage_is_printed() {
        let private = view::ResultSource {
            number: 3,
            is_private_match: true,
            document: DocumentLink { title: "secret".to_owned(), ..DocumentLink::default() },
            score: Score::new(Share::new(60, 1030), Share::new(61, 62)),
            longest_run: 88,
            ..view::ResultSource::default()
        };
        let row = source(&private);
        assert_eq!(row.here, ["6%".to_owned(), String::new()]);
        assert_eq!((row.there, row.longest.as_str()), ([String::new(), String::new()], ""));
        assert!(!format!("{} {}", row.title, row.facts).contains("secret"));
    }

    #[test]
    fn only_complete_times_are_parsed() {
        assert_eq!(time("2026-11-16T12:00:01Z"), Some([2026, 11, 16, 12, 0, 1]));
        assert_eq!(time("2026-11"), None);
        assert_eq!(time("x"), None);
    }
}
