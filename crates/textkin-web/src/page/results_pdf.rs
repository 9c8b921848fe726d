//! A result on paper: the words of its page as a report to be printed.

use textkin_print::{Mark, Note, Report, Run, Source};

use crate::format;
use crate::view::{self, Results, SegmentKind};

/// The report of a result.
pub(super) fn report(view: &Results) -> Report {
    let text = view.text.as_ref();
    Report {
        title: view.title.clone(),
        facts: facts(view),
        time: time(&view.time),
        share: view.share.percent(),
        counts: format!("{} found in {}", view.share.counts(), format::documents(view.documents)),
        notes: view.notes(),
        warnings: view.warnings.clone(),
        words: view.strip.words,
        strip: (view.strip.segments.iter())
            .map(|run| Run { from: run.from, to: run.to, note: note(&run.kind) })
            .collect(),
        sources: view.sources.iter().map(source).collect(),
        after_sources: after_sources(view),
        before_text: match text {
            None => "It is not kept, and cannot be shown.".to_owned(),
            Some(text) if text.text.is_empty() => "It is empty.".to_owned(),
            Some(_) => "What was found elsewhere bears the number of its source: the first, where \
                        several have the same words. What does not count is grey and says why."
                .to_owned(),
        },
        text: text.map(|text| text.text.clone()).unwrap_or_default(),
        marks: text
            .iter()
            .flat_map(|text| &text.marks)
            .map(|mark| Mark { start: mark.start, end: mark.end, note: note(&mark.kind) })
            .collect(),
    }
}

fn note(kind: &SegmentKind) -> Note {
    match kind {
        SegmentKind::Source(number) => Note::Source(*number),
        SegmentKind::Excluded(reason) => Note::Excluded(reason.clone()),
    }
}

pub(super) fn facts(view: &Results) -> Vec<String> {
    let against = match view.against.is_empty() {
        true => "nothing".to_owned(),
        false => view.against.join(", "),
    };
    let kept = view.registered.as_ref().map_or_else(
        || "not kept".to_owned(),
        |link| format!("registered in {} as {}", link.repository, link.name()),
    );
    vec![format!("{} UTC", format::timestamp(&view.time)), format!("against {against}"), kept]
}

/// A row of the table. Of a text that another owner holds it tells what the page does: how much.
fn source(source: &view::Source) -> Source {
    let here = source.score.here;
    if source.is_held_by_another {
        return Source {
            number: source.number,
            title: "Held by another owner".to_owned(),
            facts: "Who holds it and what it says is not shown.".to_owned(),
            here: [here.percent(), String::new()],
            ..Source::default()
        };
    }
    let document = &source.document;
    let mut facts = vec![
        document.repository.clone(),
        document.time.as_deref().map_or_else(|| "undated".to_owned(), format::day),
        source.level.label().to_owned(),
    ];
    facts.extend(source.badges.iter().map(|badge| badge.label().to_owned()));
    facts.extend(source.compare.is_none().then(|| "text not kept".to_owned()));
    let there = source.score.there;
    Source {
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
            0 => "There is no word that counts.".to_owned(),
            _ => "No run of words was found elsewhere.".to_owned(),
        });
    }
    let more = view.more_sources;
    (more > 0).then(|| format!("And {} with less.", format::documents(more)))
}

/// The parts of `2026-11-16T12:00:00Z`.
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
    fn of_a_text_of_another_owner_only_the_percentage_is_printed() {
        let held = view::Source {
            number: 3,
            is_held_by_another: true,
            document: DocumentLink { title: "secret".to_owned(), ..DocumentLink::default() },
            score: Score::new(Share::new(60, 1030), Share::new(61, 62)),
            longest_run: 88,
            ..view::Source::default()
        };
        let row = source(&held);
        assert_eq!(row.here, ["6%".to_owned(), String::new()]);
        assert_eq!((row.there, row.longest.as_str()), ([String::new(), String::new()], ""));
        assert!(!format!("{} {}", row.title, row.facts).contains("secret"));
    }

    #[test]
    fn moments_are_read_whole_or_not_at_all() {
        assert_eq!(time("2026-11-16T12:00:01Z"), Some([2026, 11, 16, 12, 0, 1]));
        assert_eq!(time("2026-11"), None);
        assert_eq!(time("x"), None);
    }
}
