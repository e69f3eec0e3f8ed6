//! Answers allocation cases, one JSON document a line, as `allocator/oracle` does
//! with the allocator of Kubernetes. Comparing the two outputs compares the two
//! allocators.

#[path = "../tests/support/case.rs"]
mod case;

use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let case: case::Case = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut out, &case.answer())?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}
