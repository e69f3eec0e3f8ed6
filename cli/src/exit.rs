//! Exit codes, and how errors reach a person.

use std::io::Write;
use std::process::ExitCode;

use crate::output::ReaderGone;

/// What the exit code of a command means; also in `drakit --help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It worked, and every check passed.
    Done,
    /// It worked, but a check failed.
    Failed,
}

/// Something could not be done: bad input, or the surroundings.
const CANNOT: u8 = 4;

/// Prints an error with its causes, one line, and chooses the exit code. Usage errors (2) are clap's.
pub(crate) fn report(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(error) if error.is::<ReaderGone>() => ExitCode::SUCCESS,
        Err(error) => {
            let mut err = std::io::stderr().lock();
            // Nothing is left to tell if even this cannot be written.
            let _written = writeln!(err, "error: {}", chain(&error));
            ExitCode::from(CANNOT)
        }
    }
}

/// The error and its causes, without those that an outer text has quoted already.
fn chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_reader_of_our_output_may_go_away() {
        let broken = || std::io::Error::from(std::io::ErrorKind::BrokenPipe);
        assert_eq!(report(Err(ReaderGone.into())), ExitCode::SUCCESS);
        // A connection that broke is a failure like any other.
        assert_eq!(report(Err(broken().into())), ExitCode::from(CANNOT));
    }

    #[test]
    fn causes_are_told_once() {
        let inner = anyhow::anyhow!("no such file")
            .context("read fleet.yaml: no such file")
            .context("start");
        assert_eq!(chain(&inner), "start: read fleet.yaml: no such file");
    }
}
