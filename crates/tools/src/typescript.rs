//! The UI's types come from here: the test writes them when run with ACCEPT=1 and fails when the
//! committed file is not what the Rust types say.

use std::fmt::Write as _;
use ts_rs::{Config, TS};

use crate::{change, error, import, view};

macro_rules! declare {
    ($out:expr, $($ty:ty),* $(,)?) => {$(
        $out.push_str("\nexport ");
        $out.push_str(&<$ty as TS>::decl(&Config::default()));
        $out.push('\n');
    )*};
}

fn declarations() -> String {
    let mut out = String::from("// Written by `ACCEPT=1 cargo test -p tools typescript`. Do not edit.\n");
    declare!(
        out,
        change::Change,
        change::Tag,
        error::Answer,
        error::Code,
        error::Issue,
        error::Refusal,
        view::board::ActorKind,
        view::board::Actor,
        view::board::Board,
        view::board::BoardParams,
        view::board::Card,
        view::board::FieldChange,
        view::board::Project,
        view::board::StripItem,
        view::board::TaskStatus,
        view::trash::Trash,
        view::trash::TrashParams,
        view::task::Link,
        view::task::Rejection,
        view::task::TaskDetail,
        view::task::TaskParams,
        view::task::TaskVersion,
        view::runs::RunRow,
        view::runs::Runs,
        view::runs::RunsParams,
        view::status::Status,
        import::Account,
        import::BadLine,
        import::ImportJob,
        import::ImportParams,
        import::ImportState,
        import::Tokens,
    );
    inspector(&mut out);
    let kinds: Vec<_> = domain::Payload::KINDS.iter().map(|kind| format!("'{kind}'")).collect();
    let _ = writeln!(out, "\n/** A kind's place here is its byte in an index. */");
    let _ = writeln!(out, "export const EVENT_KINDS = [{}] as const;", kinds.join(", "));
    out.push_str(
        "\nexport type TaskFields = { id: string; version: number; status: TaskStatus; subject: string; \
         description?: string; blockedBy: string[]; heldBy?: string };\n",
    );
    out
}

/// What the run inspector shows.
fn inspector(out: &mut String) {
    declare!(
        out,
        view::run::RunParams,
        view::run::RunDetail,
        view::run::RunLink,
        view::run::Plan,
        view::run::PlanItem,
        view::run::RunTask,
        view::run::ToolUse,
        view::run::CodeCount,
        view::events::EventsParams,
        view::events::Events,
        view::events::EventLine,
        view::events::Lane,
        view::events::State,
        view::events::EventParams,
        view::events::EventDetail,
        view::events::BodyRef,
        view::events::Related,
        view::events::Why,
        view::events::BodyParams,
        view::events::Body,
        view::rejected::RejectedParams,
        view::rejected::Rejected,
        view::rejected::OutcomeCounts,
        view::rejected::Outcome,
        view::rejected::Chain,
        view::rejected::Try,
        view::rejected::RejectionParams,
        view::rejected::ChainDetail,
        view::rejected::TryDetail,
        view::rejected::ArgumentChange,
        view::replay::ReplayParams,
        view::replay::Replay,
        view::replay::Ghost,
        view::replay::Changed,
        view::verify::VerifyParams,
        view::verify::VerifyAsk,
        view::verify::Verify,
        view::verify::VerifyState,
        view::verify::VerifyReport,
        view::verify::KindCount,
        view::verify::Problem,
        view::verify::CheckpointRow,
        view::verify::VerifyMark,
    );
}

#[test]
fn types_gen_is_fresh() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/lib/client/types.gen.ts");
    let wanted = declarations();
    if std::env::var_os("ACCEPT").is_some() {
        std::fs::write(path, &wanted).expect("types.gen.ts can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == wanted, "types.gen.ts is stale: run `ACCEPT=1 cargo test -p tools typescript`");
}
