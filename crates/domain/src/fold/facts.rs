//! What is known of one run from its own events: counts, plan, what it used, how it stands.

use super::At;
use crate::event::{Payload, Usage};
use crate::plan::Plan;
use crate::{EndReason, Seq, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A caller may invent names of tools without end; after so many the rest are counted together.
const NAMES_MAX: usize = 200;
const OTHERS: &str = "…";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    pub events: Seq,
    /// `None`: it runs.
    pub ended: Option<EndReason>,
    pub ended_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    /// Refused calls, with those that a flood left unwritten.
    pub rejected: u64,
    pub plan: Option<Plan>,
    /// `None`: no event told of any.
    pub used: Option<Used>,
    pub tools: BTreeMap<String, ToolCount>,
    /// Refused calls by code.
    pub codes: BTreeMap<String, u64>,
}

/// What the steps of the model used in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar; `None`: no step had a price.
    pub cost_micros: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCount {
    pub calls: u64,
    pub refused: u64,
    pub failed: u64,
}

impl Facts {
    /// Adds one event. An unknown kind (`None`) only counts.
    pub fn apply(&mut self, at: At, payload: Option<&Payload>) {
        self.events = at.seq;
        self.last_at = Some(at.at);
        let Some(payload) = payload else { return };
        if let Some(used) = payload.usage() {
            self.add_usage(used);
        }
        match payload {
            Payload::RunEnded(ended) => {
                self.ended = Some(ended.reason);
                self.ended_at = Some(at.at);
            }
            Payload::RunResumed(_) => {
                self.ended = None;
                self.ended_at = None;
            }
            Payload::TurnStarted(_) => self.plan = None,
            Payload::TodoWritten(written) => {
                self.plan = Some(Plan::replaced(self.plan.take(), at.seq, written.todos.clone()));
                if let Some(call) = &written.call {
                    self.tool(&call.tool).calls += 1;
                }
            }
            Payload::ToolCalled(called) => self.tool(&called.tool).calls += 1,
            Payload::ToolFailed(failed) => self.tool(&failed.tool).failed += 1,
            Payload::CallRejected(refused) => {
                let calls = 1 + refused.suppressed;
                self.rejected += calls;
                let tool = self.tool(&refused.tool);
                tool.calls += calls;
                tool.refused += calls;
                *self.codes.entry(refused.code.clone()).or_default() += calls;
            }
            Payload::CallAnswered(answered) => self.tool(&answered.tool).calls += 1,
            Payload::TaskCreated(event) => self.tool(&event.call.tool).calls += 1,
            Payload::TaskUpdated(event) => self.tool(&event.call.tool).calls += 1,
            Payload::TaskDeleted(event) => self.tool(&event.call.tool).calls += 1,
            Payload::TaskRestored(event) => self.tool(&event.call.tool).calls += 1,
            Payload::RejectionMarked(event) => self.tool(&event.call.tool).calls += 1,
            Payload::Note(note) => {
                if let Some(call) = &note.call {
                    self.tool(&call.tool).calls += 1;
                }
            }
            Payload::RunStarted(_)
            | Payload::TurnEnded(_)
            | Payload::Message(_)
            | Payload::ModelProposed(_)
            | Payload::ToolReturned(_)
            | Payload::PermissionAsked(_)
            | Payload::PermissionDecided(_)
            | Payload::RogueFileSeen(_)
            | Payload::BudgetExhausted(_)
            | Payload::Verdict(_) => {}
        }
    }

    fn tool(&mut self, name: &str) -> &mut ToolCount {
        let known = self.tools.len() < NAMES_MAX || self.tools.contains_key(name);
        self.tools.entry(if known { name } else { OTHERS }.to_owned()).or_default()
    }

    fn add_usage(&mut self, used: Usage) {
        let sum = self.used.get_or_insert_with(Used::default);
        sum.tokens_in += used.tokens_in;
        sum.tokens_out += used.tokens_out;
        if let Some(cost) = used.cost_micros {
            *sum.cost_micros.get_or_insert(0) += cost;
        }
    }
}
