//! What a person sees meanwhile: a bar on a terminal, a line a run elsewhere. Both on standard error.

use std::io::IsTerminal;

use experiments::{Event, Record};
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, plain lines elsewhere.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    done: usize,
    total: usize,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} runs, {elapsed} so far, {eta} left  {msg}");
            ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, done: 0, total: 0 }
    }

    pub(crate) fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { total, finished, torn } => {
                (self.total, self.done) = (*total, *finished);
                if *torn {
                    self.line("the last record was torn by a crash and has been cut off; its run is made again");
                }
                if *finished > 0 {
                    self.line(&format!("{finished} of {total} runs were finished earlier"));
                }
                if let Some(bar) = &self.bar {
                    bar.set_length(*total as u64);
                    bar.set_position(*finished as u64);
                    bar.reset_eta();
                }
            }
            Event::Finished(record) => {
                self.done += 1;
                let text = describe(record);
                match &self.bar {
                    Some(bar) => {
                        bar.inc(1);
                        bar.set_message(text);
                    }
                    None => eprintln!("[{}/{}] {text}", self.done, self.total),
                }
            }
            _ => {}
        }
    }

    pub(crate) fn finish(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }
}

fn describe(record: &Record) -> String {
    let features = &record.spec.features;
    let mechanism = features.mechanism().map_or(String::new(), |mechanism| format!(" {}", mechanism.label()));
    let budget = features.epsilon().map_or(String::new(), |epsilon| format!(" ε = {epsilon}"));
    format!(
        "{} {} {}{mechanism}{budget}, repeat {}: {:.1} %",
        record.data.name,
        record.spec.model.kind.label(),
        features.arm().label(),
        record.repeat,
        100.0 * record.outcome.test_accuracy
    )
}
