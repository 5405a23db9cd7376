//! The rules of ARCHITECTURE.md, as tests: sizes, directions, and what must not be there.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every file that git knows, with its text.
fn files(ends: &[&str]) -> Vec<(String, String)> {
    let listed = Command::new("git")
        .args(["ls-files", "-co", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(listed.status.success(), "git cannot list the files");
    String::from_utf8(listed.stdout)
        .expect("names in UTF-8")
        .lines()
        .filter(|name| ends.iter().any(|end| name.ends_with(end)) && !name.contains(".gen."))
        .filter_map(|name| Some((name.to_owned(), std::fs::read_to_string(root().join(name)).ok()?)))
        .collect()
}

#[test]
fn files_stay_small_enough_to_hold_one_thing() {
    let long: Vec<_> = files(&[".rs", ".svelte", ".ts", ".mjs"])
        .into_iter()
        .filter(|(name, text)| text.lines().count() > if name.ends_with(".rs") { 600 } else { 300 })
        .map(|(name, text)| format!("{name}: {} lines", text.lines().count()))
        .collect();
    assert!(long.is_empty(), "does each hold one thing? {long:#?}");
}

#[test]
fn every_rust_file_says_what_lives_there() {
    let silent: Vec<_> = files(&[".rs"])
        .into_iter()
        .filter(|(name, text)| !text.starts_with("//!") && !name.ends_with("build.rs"))
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "without a first line of `//!`: {silent:#?}");
}

#[test]
fn roots_of_crates_only_point_to_what_is_inside() {
    for (name, text) in files(&["src/lib.rs"]) {
        let code = text
            .lines()
            .find(|line| ["fn ", "struct ", "impl ", "pub fn "].iter().any(|word| line.starts_with(word)));
        assert_eq!(code, None, "{name} holds code");
    }
}

/// What a crate may depend on among ours. Nothing points right.
const DIRECTIONS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("store", &["domain"]),
    ("transcripts", &["domain"]),
    ("tools", &["domain", "store", "transcripts"]),
    ("endpoint", &["tools"]),
    ("program", &[]),
    ("cli", &["domain", "endpoint", "program", "tools"]),
];

#[test]
fn dependencies_point_one_way() {
    let ours: Vec<_> = DIRECTIONS.iter().map(|(name, _)| *name).collect();
    for (name, allowed) in DIRECTIONS {
        let manifest = std::fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).unwrap();
        let normal = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        for other in &ours {
            let depends = normal.lines().any(|line| line.starts_with(&format!("{other} ")));
            assert!(!depends || allowed.contains(other), "{name} depends on {other}");
        }
    }
}

#[test]
fn only_the_store_knows_sql_and_only_the_doors_know_http() {
    for (name, text) in files(&["Cargo.toml"]) {
        let allowed = |crates: &[&str]| {
            crates.iter().any(|c| name == format!("{c}/Cargo.toml")) || name == "Cargo.toml"
        };
        assert!(!text.contains("rusqlite") || allowed(&["crates/store", "benches"]), "{name} names rusqlite");
        assert!(!text.contains("axum") || allowed(&["crates/endpoint", "benches"]), "{name} names axum");
        assert!(!text.contains("tauri =") || allowed(&[]), "{name} names tauri");
    }
}

#[test]
fn the_domain_has_no_clock_no_dice_and_no_files() {
    for (name, text) in files(&[".rs"]).into_iter().filter(|(name, _)| name.starts_with("crates/domain/src"))
    {
        for foreign in ["SystemTime", "Instant::", "std::fs", "std::net", "now_v7", "getrandom", "std::env"] {
            assert!(!text.contains(foreign), "{name} uses {foreign}");
        }
    }
}

#[test]
fn what_is_shared_in_the_page_knows_no_noun_and_text_is_never_markup() {
    for (name, text) in files(&[".svelte", ".ts"]).into_iter().filter(|(name, _)| name.starts_with("ui/src"))
    {
        assert!(!text.contains("{@html") && !text.contains("innerHTML"), "{name} makes markup of text");
        if name.starts_with("ui/src/lib/shared/") && !name.contains(".test.") {
            for noun in ["../board", "../task", "../run", "../event", "../views"] {
                assert!(!text.contains(&format!("'{noun}/")), "{name} imports {noun}");
            }
        }
    }
}

#[test]
fn nothing_names_a_machine() {
    for (name, text) in files(&[".rs", ".ts", ".svelte", ".mjs", ".md", ".toml", ".json", "dev", "run"]) {
        // Split, so that this file does not name them either.
        for place in [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/far", "m/")] {
            assert!(!text.contains(place), "{name} holds a path of a machine: {place}");
        }
    }
}
