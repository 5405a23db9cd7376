//! A disk that is really full: a small file system of its own, filled to the brim.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tests::{Owner, Store};

/// A file system of 6 MB, unmounted when it goes.
struct SmallDisk<'a> {
    at: &'a Path,
}

impl<'a> SmallDisk<'a> {
    /// `None` where this user may not mount.
    fn mount(at: &'a Path) -> Option<SmallDisk<'a>> {
        std::fs::create_dir_all(at).expect("a folder to mount at");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(SmallDisk { at })
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        // A file system that is still in use goes when its last user does.
        let _ = Command::new("umount").arg("-l").arg(self.at).status();
    }
}

fn text(result: &Value) -> &str {
    result["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
async fn a_full_disk_is_said_loses_nothing_and_is_over_when_there_is_space() {
    let store = Store::default();
    let data = store.data();
    let Some(disk) = SmallDisk::mount(&data) else {
        eprintln!("SKIPPED: this user may not mount a file system");
        return;
    };
    let owner = Owner::start(&store, &[]);
    let client = owner.client();
    let ballast = disk.at.join("ballast");
    std::fs::write(&ballast, vec![0; 3_000_000]).unwrap();
    let mut acknowledged = 0;
    let refused = loop {
        assert!(acknowledged < 5_000, "6 MB are never full");
        let task = json!({"subject": format!("task {acknowledged}"), "description": "x".repeat(1_900)});
        let answer = client.call("progress_create", task).await;
        if answer["result"]["isError"] == true {
            break answer;
        }
        acknowledged += 1;
    };
    assert_eq!(refused["result"]["structuredContent"]["code"], "STORE_UNAVAILABLE");
    assert!(text(&refused).contains("the disk is full; nothing was changed"), "{}", text(&refused));
    let read = client.call("progress_list", json!({"limit": 1})).await;
    assert!(text(&read).starts_with("#1 v1 [pending] task 0"), "reading still works: {read}");
    std::fs::remove_file(&ballast).unwrap();
    let after = client.call("progress_create", json!({"subject": "after"})).await;
    assert_eq!(after["result"]["isError"], false, "{after}");
    let listed = store.tasks().len();
    assert_eq!(listed, acknowledged + 1);
    owner.stop();
}
