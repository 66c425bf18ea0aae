//! What was run, in a few lines: how many runs, on which data, by which code.

use maud::{Markup, html};

use super::{Chapter, distinct};
use crate::Record;

/// The lines below the title.
pub(super) fn what_was_run(chapters: &[Chapter<'_>]) -> Markup {
    let records: Vec<&Record> = chapters.iter().flat_map(|chapter| chapter.section.records).collect();
    let runs = distinct_ids(&records);
    let arms: usize = chapters.iter().map(|chapter| chapter.rows.len()).sum();
    let mut seeds = distinct(records.iter().map(|record| record.seed));
    seeds.sort_unstable();
    html! {
        p.lead {
            "Each user randomizes their own features, and where it says so label and neighbour list, before anything leaves \
             the device. A server denoises the reports over the graph, removes fake users and trains a graph neural network. \
             This page shows what that costs in accuracy, beside three controls: the true features (NonPriv), reports with no \
             data in them (SIM), and random features (FeatFree)."
        }
        dl.facts {
            div { dt { "Runs" } dd { (runs) " of " (arms) " arms in " (chapters.len()) (if chapters.len() == 1 { " suite" } else { " suites" }) } }
            @if !records.is_empty() {
                div { dt { "Seed" } dd { (seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")) } }
                div {
                    dt { "Data" }
                    dd { ul.plain { @for stamp in stamps(&records) { li { (stamp) } } } }
                }
                div {
                    dt { "Code" }
                    dd { ul.plain { @for code in codes(&records) { li { (code) } } } }
                }
            }
        }
    }
}

fn distinct_ids(records: &[&Record]) -> usize {
    let mut ids: Vec<&str> = records.iter().map(|record| record.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

fn stamps(records: &[&Record]) -> Vec<Markup> {
    let stamp = |record: &&Record| record.data.clone();
    let describe = |stamp: crate::DataStamp| {
        html! {
            strong { (stamp.name) } ", " (stamp.nodes) " nodes, " (stamp.edges) " edges, " (stamp.dimensions)
            " feature columns, " (stamp.classes) " classes "
            span.small title=(format!("sha256 {}", stamp.sha256)) { "(sha256 " (stamp.sha256.get(..12).unwrap_or(&stamp.sha256)) "…)" }
            @for note in &stamp.notes { br; span.small { (note) } }
        }
    };
    distinct(records.iter().map(stamp)).into_iter().map(describe).collect()
}

fn codes(records: &[&Record]) -> Vec<String> {
    let code = |record: &&Record| (record.code.clone(), record.device.clone());
    let describe = |(code, device): (crate::CodeStamp, String)| {
        let commit = code.commit.get(..12).unwrap_or(&code.commit);
        let dirty = if code.dirty { " with uncommitted changes" } else { "" };
        format!("commit {commit}{dirty}, {}, trained on {device}", code.toolchain)
    };
    distinct(records.iter().map(code)).into_iter().map(describe).collect()
}
