//! The sample collection: a small town's news, in which stories travel.

use crate::domain::Actor;
use crate::error::Error;
use crate::service::{ExistingPolicy, NewDocument, NewRepository, Service, Visibility};

/// The name of the sample repository.
pub const REPOSITORY: &str = "sample-news";

const BRIDGE: &str = "The old footbridge over the mill stream will be closed from Monday while its \
    oak planks are replaced, the council said. Walkers are asked to use the road bridge at the \
    tannery, which is lit until midnight. The work is expected to take three weeks and will cost \
    the town a little less than the new benches on the market square did.";
const OWL: &str = "A pair of barn owls has raised four chicks in the clock tower of Saint Brida's, \
    the first brood there since the bells were hung again. Volunteers watch the nest by a small \
    camera and count voles brought in each night: twenty-six on the warmest one. The clock has been \
    kept from striking between dusk and dawn, which nobody but the baker seems to have noticed.";
const RACE: &str = "Nineteen home-made rafts set off from the boathouse on Saturday and eleven of them \
    reached the weir. The crew of the Unsinkable, which sank twice, won the prize for style. First \
    home was a craft of barrels and a garden gate, steered by two pupils of the grammar school who \
    said that they had practised once, in a bath.";
const LIBRARY: &str = "The library has brought back a book that was due in 1961. A woman who wished \
    to be known only as a careful reader put it on the counter with a note of apology and a jar of \
    plum jam. The fine would have come to more than the building, said the librarian, who kept the \
    jam and let the fine go.";

/// Creates the sample repository and registers its documents.
pub fn load(service: &Service, actor: &Actor) -> Result<(), Error> {
    let new = NewRepository {
        name: REPOSITORY.to_owned(),
        visibility: Visibility::Public,
        team: None,
        keep_text: true,
        checked_against: true,
        keep_days: None,
        keep_count: None,
    };
    service.new_repository(actor, &new)?;
    for (id, time, title, text) in documents() {
        let new = NewDocument {
            id: Some(id.to_owned()),
            title: Some(title.to_owned()),
            time: Some(time.to_owned()),
            text,
            ..NewDocument::default()
        };
        service.register(actor, REPOSITORY, new, ExistingPolicy::Skip, None)?;
    }
    Ok(())
}

fn documents() -> Vec<(&'static str, &'static str, &'static str, String)> {
    let shorter = OWL.split(". ").take(2).collect::<Vec<_>>().join(". ");
    vec![
        ("courier-1", "2026-03-02", "Footbridge closed for three weeks", BRIDGE.to_owned()),
        (
            "herald-1",
            "2026-03-03",
            "Walkers to take the long way round",
            format!("Our reporter went to look. {BRIDGE} A second look is planned for April."),
        ),
        ("courier-2", "2026-04-11", "Owls in the clock tower", OWL.to_owned()),
        (
            "parish-letter",
            "2026-04-19",
            "From the tower",
            format!(
                "Dear neighbours, some of you have asked why the clock is so quiet. {shorter}. We \
                 thank everybody for their patience, and the owls for theirs."
            ),
        ),
        (
            "weekly-review",
            "2026-04-25",
            "The week in our valley",
            format!("In short: {shorter}. And from the mill stream: {}", &BRIDGE[..240]),
        ),
        ("courier-3", "2026-06-21", "Eleven rafts reach the weir", RACE.to_owned()),
        (
            "school-paper",
            "2026-06-24",
            "We won!",
            format!("As the Courier wrote: “{RACE}” We have kept the gate."),
        ),
        ("herald-2", "2026-07-08", "Book comes home after sixty-five years", LIBRARY.to_owned()),
        (
            "courier-4",
            "2026-07-09",
            "A careful reader",
            "Somebody has returned a novel to the town library after sixty-five years, together \
             with jam made of plums. Nobody asked for the fine. The novel is said to be dull."
                .to_owned(),
        ),
        (
            "yearbook",
            "2026-12-30",
            "The year that was",
            format!("{}\n\n{}\n\n{}\n\n{}", BRIDGE, OWL, RACE, LIBRARY),
        ),
    ]
}
