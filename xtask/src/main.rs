//! Generators of checked-in files; `cargo xtask` lists them.

mod proto;

use std::process::ExitCode;

use anyhow::bail;

const USAGE: &str = "\
usage: cargo xtask <command>

commands:
  proto          write proto/src/generated from proto/vendor
  proto --check  fail when proto/src/generated is not what `proto` would write";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a command says why it failed")]
            {
                eprintln!("error: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["proto"] => proto::write(),
        ["proto", "--check"] => proto::check(),
        _ => bail!("unknown arguments {args:?}\n{USAGE}"),
    }
}
