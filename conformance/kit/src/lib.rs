//! Engine of the kit: a case is data; targets; outcomes; reports.
