//! What the words mean, and how a number is traced to its records.

use maud::{Markup, html};

use super::Chapter;

/// Word and meaning.
const WORDS: [(&str, &str); 13] = [
    (
        "±",
        "half of the 95 % interval of the mean over repeats (Student’s t). Each repeat draws its own split, reports, lists and initial model, the same for all methods.",
    ),
    (
        "ε",
        "budget of one user’s whole feature vector, in nats; of the lowest level where users have levels. Labels are true unless a row states their ε, which adds to it.",
    ),
    (
        "ε of a list entry",
        "budget of one entry of a neighbour list. An edge stands in two lists and spends twice this.",
    ),
    ("NonPriv", "the true features, no privacy."),
    (
        "SIM",
        "reports of the same mechanism with no data in them: it was run on one value that is the same for everybody.",
    ),
    ("FeatFree", "random numbers in place of features."),
    (
        "feature benefit",
        "accuracy less that of SIM, paired by repeat: what the data in the reports added to their shape. “(none shown)” marks an interval that contains 0, “(one run)” that there is none.",
    ),
    (
        "over FeatFree",
        "accuracy less that of FeatFree, paired by repeat. Below 0 the server would have done better with random numbers in place of the reports. With few feature columns SIM says less of who is who than FeatFree does: private features are worth their noise only where both differences are above 0.",
    ),
    ("K", "steps of propagation over the graph."),
    (
        "paper’s is",
        "where the printed mean stands: inside our interval; outside of it but within 2 points of our mean; or further off. “figure only”: the paper draws the result and prints no number.",
    ),
    ("fakes caught", "fake users that the server removed, of all fakes."),
    ("noise edges", "edges of the server’s graph between honest users that are none."),
    (
        "reports",
        "the mechanism: MB multi-bit, 1B one-bit, PM piecewise, SW square wave, LP Laplace, AG analytic Gaussian, PPM levels with multi-bit.",
    ),
];

/// The legend.
pub(super) fn markup() -> Markup {
    html! {
        section #words {
            h2 { "What the words mean" }
            dl.words { @for (word, meaning) in WORDS { dt { (word) } dd { (meaning) } } }
        }
    }
}

/// The way back from a number, with a number of this page as the example.
pub(super) fn trace(chapters: &[Chapter<'_>]) -> Markup {
    let row = chapters.iter().flat_map(|chapter| &chapter.rows).next();
    html! {
        section #trace {
            h2 { "How to trace a number" }
            p {
                "Every number is made of records, lines of " code { "runs.jsonl" } " beside this page. Rest the pointer on a \
                 number to see the ids of its records. A record holds every knob, seed, data checksum, commit and outcome:"
            }
            @if let Some(row) = row {
                @let id = row.records.first().map_or("", |id| id.get(..12).unwrap_or(id));
                pre { code {
                    "cargo xtask reproduce trace " (id) "\n"
                    "cargo xtask reproduce trace " (quoted(&row.name))
                    @for (axis, value) in &row.at { " " (axis) "=" (quoted(value)) }
                } }
            }
            p { "With another output folder: " code { "--out DIR" } " after " code { "trace" } ". The plan of each suite, every knob spelled out, is in " code { "plans/" } "; tables for a spreadsheet are in " code { "summary.csv" } "." }
        }
    }
}

/// As a shell wants it.
fn quoted(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}
