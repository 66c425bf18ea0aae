//! `cargo xtask`: the project's commands. Each one is a plain sequence of child processes.

mod ci;
mod data;
mod fetch;
mod gpu;
mod layers;
mod process;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Commands of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs experiments and prints accuracy beside its null controls (`reproduce --help` lists the options).
    #[command(disable_help_flag = true)]
    Reproduce {
        /// Passed on to the experiment runner.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Downloads public graphs, checks and imports them into `data/cache`.
    Fetch {
        /// cora, citeseer, pubmed, lastfm, facebook, wikipedia, twitch, or all.
        #[arg(required = true)]
        names: Vec<String>,
        /// A folder or an address with NAME/raw/FILE below it, in place of the public sources.
        #[arg(long, value_name = "DIR|URL")]
        from: Option<String>,
        /// Folder to put the data sets into [default: data/cache].
        #[arg(long, value_name = "DIR")]
        to: Option<std::path::PathBuf>,
    },
    /// Lists, shows, checks and imports graph data (`data --help` lists the commands).
    #[command(disable_help_flag = true)]
    Data {
        /// Passed on to the program that knows the data.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs the tests of every crate.
    Test {
        /// Fail when the real data sets are not found, instead of skipping the tests that need them.
        #[arg(long)]
        require_data: bool,
    },
    /// Runs everything that must hold before a change lands.
    Ci {
        /// Fail when the real data sets are not found, instead of skipping the tests that need them.
        #[arg(long)]
        require_data: bool,
        /// Leave the tests out (they were run by `cargo xtask test`).
        #[arg(long)]
        skip_tests: bool,
    },
    /// Checks and times the GPU kernels on this machine's GPU.
    GpuCheck {
        /// cuda, cuda:INDEX or wgpu; wgpu also runs without a GPU, in software.
        #[arg(default_value = "cuda")]
        device: String,
    },
    /// Checks who imports whom against the table of layers; `--print` writes the table.
    Layers {
        /// Print the table as Markdown instead of checking.
        #[arg(long)]
        print: bool,
    },
    /// Checks file heads, file lengths and words.
    Tidy,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Reproduce { arguments } => return process::reproduce(&arguments),
        Command::Fetch { names, from, to } => return fetch::run(&fetch::Options { names, from, to }),
        Command::Data { arguments } => return data::run(&arguments),
        Command::Test { require_data } => test::run(require_data),
        Command::Ci { require_data, skip_tests } => ci::run(require_data, skip_tests),
        Command::GpuCheck { device } => gpu::check(&device),
        Command::Layers { print: true } => {
            print!("{}", layers::table());
            Ok(())
        }
        Command::Layers { print: false } => layers::check(),
        Command::Tidy => tidy::check(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
