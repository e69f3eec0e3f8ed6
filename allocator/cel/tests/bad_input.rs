//! Whatever is given as an expression: an answer, on a small stack, within the limits.

#![expect(clippy::expect_used, reason = "helpers of tests fail where they stand")]

use drakit_cel::{CompileError, EvalErrorKind, Options, PreparedDevice, Program};
use proptest::prelude::*;

fn compile(expression: &str) -> Result<Program, CompileError> {
    Program::compile(expression, &Options::STORED)
}

/// Compiles and evaluates on a stack as small as that of a worker thread.
fn outcome_on_a_small_stack(expression: String) -> String {
    let run = move || match compile(&expression) {
        Ok(program) => {
            format!(
                "{:?}",
                program
                    .evaluate_with_cost(&PreparedDevice::new("d").device())
                    .result
            )
        }
        Err(error) => error.to_string(),
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run);
    thread
        .expect("a thread")
        .join()
        .expect("no panic and no overflow")
}

#[test]
fn deep_and_long_expressions_are_refused_without_overflowing_the_stack() {
    let shapes: [fn(usize) -> String; 10] = [
        |n| "(".repeat(n) + "true" + &")".repeat(n),
        |n| "[".repeat(n) + &"]".repeat(n),
        |n| "{1:".repeat(n) + "1" + &"}".repeat(n),
        |n| "1".to_owned() + &"+1".repeat(n) + " == 1",
        |n| "device".to_owned() + &".a".repeat(n),
        |n| "true".to_owned() + &"?true:true".repeat(n),
        |n| "-(".repeat(n) + "1" + &")".repeat(n),
        |n| "device.f(".repeat(n) + &")".repeat(n),
        |n| "[1].all(x,".repeat(n) + "true" + &")".repeat(n),
        |n| "a[".repeat(n) + "0" + &"]".repeat(n),
    ];
    for shape in shapes {
        for count in [260, 900, 4_000] {
            let expression = shape(count);
            let outcome = outcome_on_a_small_stack(expression.clone());
            assert!(
                outcome.starts_with("compilation failed"),
                "{outcome}: {expression}"
            );
        }
    }
}

#[test]
fn operators_that_balance_may_be_many() {
    let expression = vec!["device.driver == 'd'"; 400].join(" && ");
    assert_eq!(outcome_on_a_small_stack(expression), "Ok(true)");
    let expression = "!".repeat(4_000) + "true";
    assert_eq!(outcome_on_a_small_stack(expression), "Ok(true)");
}

#[test]
fn an_expression_longer_than_an_object_may_hold_is_refused() {
    let expression = format!("true || '{}' == ''", "x".repeat(Options::MAX_LENGTH));
    assert!(matches!(
        compile(&expression),
        Err(CompileError::TooLarge(_))
    ));
}

#[test]
fn an_evaluation_stops_at_the_cost_limit_and_no_operator_hides_that() {
    let endless = "lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0)) || true";
    let program = compile(endless).expect("it compiles");
    assert!(program.estimated_cost() > Options::MAX_COST);
    let error = program
        .matches(&PreparedDevice::new("d").device())
        .expect_err("too expensive");
    assert_eq!(error.kind(), EvalErrorKind::CostLimit);
    assert_eq!(
        error.to_string(),
        "operation cancelled: actual cost limit exceeded"
    );
}

#[test]
fn growing_a_list_or_a_map_takes_time_in_proportion_to_its_size() {
    let options = Options {
        cost_limit: u64::MAX,
        ..Options::STORED
    };
    for expression in [
        "lists.range(200000).map(x, x).size() == 200000",
        "lists.range(50000).transformMap(i, v, v).size() == 50000",
        "lists.range(200000).filter(x, x % 2 == 0).size() == 100000",
    ] {
        let program = Program::compile(expression, &options).expect("it compiles");
        let device = PreparedDevice::new("d");
        assert_eq!(program.matches(&device.device()), Ok(true), "{expression}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_a_program_or_an_error(text in "\\PC{0,60}") {
        let _ = compile(&text);
    }

    #[test]
    fn any_words_of_the_language_give_a_program_or_an_error(words in prop::collection::vec(
        prop::sample::select(vec![
            "device", ".", "attributes", "[", "]", "\"a\"", "(", ")", "==", "&&", "||", "!", "?",
            ":", "1", "1.5", "true", "null", "has", "exists", "x", ",", "{", "}", "+", "-", "in",
            "cel.bind", ".?", "[?", "size", "quantity", "b'x'", "'\\n'", "é", "\t", "//", "1u",
        ]), 0..25)
    ) {
        let expression = words.join(" ");
        if let Ok(program) = compile(&expression) {
            let _ = program.evaluate_with_cost(&PreparedDevice::new("d").device());
        }
    }
}
