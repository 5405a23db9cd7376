//! Tells Tauri which commands exist: a window may call these and no other, and only because
//! `capabilities/main.json` says so.

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    let manifest = tauri_build::AppManifest::new().commands(&["view", "bytes", "call", "feed"]);
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(manifest);
    tauri_build::try_build(attributes).expect("tauri.conf.json and src-tauri/capabilities are right");
}
