//! What a cluster owes a claim, end to end.
