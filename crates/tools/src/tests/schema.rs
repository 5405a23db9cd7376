//! The published schemas: word for word, and in agreement with the check.

use super::conversation::golden;
use crate::registry;
use crate::shape::Shape;
use domain::policy::{Policies, StaleGuard};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn the_published_tools_word_for_word() {
    let tools = registry::tool_list(&Policies::default());
    golden("tools.json", &(serde_json::to_string_pretty(&tools).unwrap() + "\n"));
    golden("instructions.txt", &(registry::instructions(&Policies::default()) + "\n"));
}

#[test]
fn descriptions_fit_every_client_and_follow_the_policy() {
    for guard in [StaleGuard::Required, StaleGuard::Optional] {
        let policies = Policies { stale_guard: guard };
        let tools = registry::tool_list(&policies);
        assert!(tools.as_array().unwrap().len() <= 8);
        for tool in tools.as_array().unwrap() {
            let (name, says) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
            assert!(name.len() <= 40 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
            assert!(says.len() <= 2_000, "{name}: {} bytes", says.len());
            assert!(
                says.contains("Use when:") && says.contains("Not for:") && says.contains("file"),
                "{name}"
            );
            if name == "progress_update" {
                assert!(says.contains(&format!("expectedVersion is {guard}")), "{says}");
            }
        }
        assert!(registry::instructions(&policies).len() <= 2_000);
    }
}

/// Values that are near what the tools take, and far from it.
fn near_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("pending".to_owned()),
        Just("done".to_owned()),
        Just("Done".to_owned()),
        Just("3".to_owned()),
        Just("#12".to_owned()),
        Just(String::new()),
        "[ -~é漢]{0,12}".prop_map(|text| text),
        Just("x".repeat(201)),
        Just("x".repeat(2001)),
    ];
    let leaf = prop_oneof![
        8 => word.prop_map(Value::from),
        2 => (-2i64..9).prop_map(Value::from),
        1 => Just(json!(7.0)),
        1 => Just(json!(7.5)),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "id",
        "subject",
        "description",
        "blockedBy",
        "status",
        "patch",
        "expectedVersion",
        "idempotencyKey",
        "cursor",
        "limit",
        "bogus",
    ]);
    leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// What the schema allows the check allows, but for what a schema cannot say (blank and hidden
    /// characters); what the check allows the schema allows. And what passes always parses.
    #[test]
    fn the_check_and_the_schema_agree(tool in 0..registry::TOOLS.len(), value in near_json()) {
        let tool = &registry::TOOLS[tool];
        let by_schema = jsonschema::is_valid(&tool.input.schema(), &value);
        let mut checked = value.clone();
        let mut issues = Vec::new();
        tool.input.check(&mut checked, "", &mut issues);
        let beyond = |issue: &crate::Issue| issue.problem.contains("blank") || issue.problem.contains("character U+");
        if issues.is_empty() {
            prop_assert!(by_schema, "the schema refuses {}", value);
        } else if !issues.iter().all(beyond) {
            prop_assert!(!by_schema, "the schema allows {}: {:?}", value, issues);
        }
    }

    /// Every issue can be acted on.
    #[test]
    fn every_issue_is_complete(value in near_json()) {
        for tool in registry::TOOLS {
            let mut issues = Vec::new();
            tool.input.check(&mut value.clone(), "", &mut issues);
            for issue in issues {
                prop_assert!(!issue.problem.is_empty() && !issue.expected.is_empty() && !issue.fix.is_empty());
            }
        }
    }
}

#[test]
fn one_shape_one_check() {
    let check = |shape: Shape, value: Value, expected: Option<&str>| {
        let mut issues = Vec::new();
        shape.check(&mut value.clone(), "x", &mut issues);
        assert_eq!(issues.first().map(|issue| issue.fix.as_str()), expected, "{value}");
    };
    check(Shape::Status, json!("in-progress"), Some("send \"in_progress\""));
    check(Shape::Status, json!("completed"), Some("send \"done\""));
    check(Shape::TaskRef, json!(3), Some("send \"3\""));
    check(
        Shape::TaskRefs,
        json!("[\"1\"]"),
        Some("send the value itself, not a text that holds it: [\"1\"]"),
    );
    check(
        Shape::Integer { min: 1, max: 9 },
        json!("7"),
        Some("send the value itself, not a text that holds it: 7"),
    );
    check(Shape::Integer { min: 1, max: 9 }, json!(7.0), None);
    check(Shape::Integer { min: 1, max: 9 }, json!(7.5), Some("send a whole number from 1 to 9"));
    check(Shape::Integer { min: 1, max: 9 }, json!(1e300), Some("send a whole number from 1 to 9"));
}
