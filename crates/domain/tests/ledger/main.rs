//! Ledgers as files: what is done to them is found, strangers' files abort nothing, and the verifier in
//! `docs/verify.py` comes to the same verdicts.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

mod good;
mod page;
mod python;
mod speed;
mod tampering;
mod vectors;
