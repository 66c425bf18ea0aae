//! Time and memory by stage: the only part of the page that differs from run to run, hence last.

use maud::{Markup, html};

use super::Chapter;
use crate::summary::{self, Timing};

/// The section.
pub(super) fn markup(chapters: &[Chapter<'_>]) -> Markup {
    html! {
        section #time {
            h2 { "Time and memory" }
            p.about { "Median wall seconds of one run by stage; greatest memory of the process while it ran, which with several jobs includes the runs beside it." }
            @for chapter in chapters.iter().filter(|chapter| !chapter.rows.is_empty()) {
                @let timings = summary::timings(chapter.section.plan, chapter.section.records);
                details {
                    summary { (chapter.title()) ": " (format!("{:.0}", timings.iter().map(|one| one.total).sum::<f64>())) " s of runs" }
                    (table(&timings))
                }
            }
        }
    }
}

fn table(timings: &[Timing]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                thead {
                    tr {
                        th { "method" } th { "data" } th { "model" } th.num { "ε" }
                        @for stage in Timing::STAGES { th.num { (stage) ", s" } }
                        th.num { "peak memory, MiB" } th.num { "threads × jobs" }
                    }
                }
                tbody {
                    @for one in timings {
                        tr {
                            th scope="row" { (one.method) }
                            td { (one.dataset) } td { (one.model) } td.num { (one.epsilon) }
                            @for seconds in one.stages { td.num { (format!("{seconds:.4}")) } }
                            td.num { (format!("{:.0}", one.peak_memory_mib)) }
                            td.num { (one.threads) " × " (one.jobs) }
                        }
                    }
                }
            }
        }
    }
}
