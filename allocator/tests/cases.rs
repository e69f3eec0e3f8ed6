//! The allocator gives the answers of Kubernetes.
//!
//! Each `tests/cases/NAME.yaml` is a question, `NAME.expected.json` beside it what
//! `structured.Allocator` v0.37.2 says to it. To add one, write the question and
//! run `oracle tests/cases/NAME.yaml`.

#[path = "support/case.rs"]
mod case;

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use case::{Answer, Case};

fn questions() -> io::Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read(question: &Path) -> Result<(Case, Answer), Box<dyn Error>> {
    let case = serde_saphyr::from_str(&fs::read_to_string(question)?)?;
    let expected = fs::read_to_string(question.with_extension("expected.json"))?;
    Ok((case, serde_json::from_str(&expected)?))
}

#[test]
fn every_case_has_the_answer_of_kubernetes() {
    let questions = questions().unwrap();
    assert!(
        questions.len() >= 20,
        "only {} cases found",
        questions.len()
    );
    let mut wrong = Vec::new();
    for question in &questions {
        let (case, expected) = read(question).unwrap();
        // The work may be less, never the answer.
        let answer = Answer {
            steps: expected.steps,
            ..case.answer()
        };
        if answer != expected {
            wrong.push(format!(
                "{}\n  Kubernetes: {}\n  here:       {}",
                question.display(),
                serde_json::to_string(&expected).unwrap(),
                serde_json::to_string(&answer).unwrap()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn asking_twice_gives_the_same_answer() {
    for question in questions().unwrap() {
        let (case, _) = read(&question).unwrap();
        assert_eq!(case.answer(), case.answer(), "{}", question.display());
    }
}
