//! A person says of a refused call that it is as it should be, or takes that back. For people only.

use super::progress_update::IDEMPOTENCY_KEY;
use super::{Cx, Hints, Run, Stop, Tool, input};
use crate::shape::{Field, NotEmpty, Shape};
use crate::{Code, Refusal};
use domain::event::{Payload, RejectionMarked};
use domain::{Outcome, RunId, Seq};
use serde::Deserialize;
use serde_json::{Value, json};

pub const TOOL: Tool = Tool {
    name: "rejection_mark",
    title: "Mark a refused call",
    says: |_| "Marks a refused call as expected, or takes the mark back. People only.".into(),
    input: Shape::Object(
        &[
            Field {
                name: "run",
                shape: Shape::RunId,
                required: true,
                says: "The run whose call was refused.",
            },
            Field {
                name: "seq",
                shape: Shape::Integer { min: 1, max: i64::MAX },
                required: true,
                says: "The number of the refusal in its run: any try of the chain.",
            },
            Field {
                name: "expected",
                shape: Shape::Flag,
                required: true,
                says: "false takes the mark back.",
            },
            IDEMPOTENCY_KEY,
        ],
        NotEmpty::No,
    ),
    output: || {
        let chain = json!({"type": "object", "properties": {"run": {"type": "string"}, "seq": {"type": "integer"},
            "expected": {"type": "boolean"}}, "required": ["run", "seq", "expected"]});
        json!({"type": "object", "properties": {"chain": chain}, "required": ["chain"]})
    },
    hints: Hints { read_only: false, idempotent: true },
    people_only: true,
    run: Run::Write(decide),
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    run: RunId,
    seq: u64,
    expected: bool,
    #[serde(rename = "idempotencyKey")]
    _key: Option<String>,
}

fn decide(cx: &Cx<'_>, arguments: Value) -> Result<Payload, Stop> {
    let Input { run, seq, expected, .. } = input(arguments)?;
    let refused = |code: Code, problem: &str, fix: &str| {
        Refusal::new(code, format!("{problem}; nothing changed.")).issue(
            "seq",
            problem,
            json!(seq),
            "a refused call that was not repaired",
            fix,
        )
    };
    let Some(chain) = cx.reader.chain_of(run, Seq(seq))? else {
        let problem = format!("event {seq} of run {run} is not a refused call");
        return Err(refused(Code::NotFound, &problem, "choose one in the list of rejected calls").into());
    };
    if chain.outcome == Outcome::Repaired {
        return Err(refused(Code::InvalidInput, "the call was repaired", "nothing needs marking").into());
    }
    Ok(RejectionMarked {
        v: domain::event::Layout::default(),
        run,
        seq: chain.seq,
        task: chain.task,
        expected,
        call: cx.cause.clone(),
    }
    .into())
}
