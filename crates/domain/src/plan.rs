//! The plan of one run: the whole list it wrote last. Not the board.

use crate::Seq;
use crate::run::words;
use serde::{Deserialize, Serialize};

words!(
    /// Where an item of a plan stands.
    PlanStatus { Pending = "pending", InProgress = "in_progress", Completed = "completed" }
);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanItem {
    pub content: String,
    pub status: PlanStatus,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The event that wrote it.
    pub seq: Seq,
    pub items: Vec<PlanItem>,
    /// What an earlier list of this turn had and left out unfinished, each once, oldest first.
    pub dropped: Vec<String>,
}

impl Plan {
    /// The plan after a new whole list: the list wins, and what it lost is remembered.
    #[must_use]
    pub fn replaced(before: Option<Plan>, seq: Seq, items: Vec<PlanItem>) -> Plan {
        let (old, mut dropped) = before.map_or((Vec::new(), Vec::new()), |plan| (plan.items, plan.dropped));
        let there = |content: &String| items.iter().any(|item| item.content == *content);
        // An item that comes back is not dropped any more.
        dropped.retain(|content| !there(content));
        for item in old {
            if item.status != PlanStatus::Completed && !there(&item.content) {
                dropped.push(item.content);
            }
        }
        Plan { seq, items, dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> PlanItem {
        let (content, status) = text.rsplit_once(':').unwrap();
        PlanItem { content: content.into(), status: PlanStatus::parse(status).unwrap() }
    }

    #[test]
    fn the_last_list_wins_and_what_it_left_unfinished_is_dropped() {
        let check = |lists: &[&[&str]], items: &[&str], dropped: &[&str]| {
            let plan = lists.iter().enumerate().fold(None, |plan, (i, list)| {
                let items = list.iter().copied().map(item).collect();
                Some(Plan::replaced(plan, Seq(i as u64 + 1), items))
            });
            let plan = plan.expect("one list at least");
            assert_eq!(plan.items, items.iter().copied().map(item).collect::<Vec<_>>());
            assert_eq!(plan.dropped, dropped);
            assert_eq!(plan.seq, Seq(lists.len() as u64));
        };
        check(&[&["a:pending"]], &["a:pending"], &[]);
        check(&[&["a:pending", "b:pending"], &["b:completed"]], &["b:completed"], &["a"]);
        check(&[&["a:completed", "b:in_progress"], &[]], &[], &["b"]);
        check(&[&["a:pending"], &[], &["a:in_progress"]], &["a:in_progress"], &[]);
        check(&[&["a:pending"], &["b:pending"], &["c:pending"]], &["c:pending"], &["a", "b"]);
    }
}
