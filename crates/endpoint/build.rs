//! A release embeds the built page, so it is built anew when that changes. Other builds read the
//! page when they run, and need not know.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo:rerun-if-changed=../../ui/dist");
    }
}
