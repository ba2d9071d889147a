//! Changes of files as a unified diff, for `git apply` and `patch -p1`.

use std::fmt::Write;

use parascan_analysis::apply::FileChange;
use similar::TextDiff;

/// The diff of these files; nothing of files that stay as they are.
pub fn patch(files: &[FileChange]) -> String {
    let mut out = String::new();
    for FileChange { name, old, new } in files.iter().filter(|f| f.old != f.new) {
        // A return character alone ends no line for those who read patches.
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let diff = TextDiff::configure()
            .newline_terminated(true)
            .diff_slices(&old, &new);
        let mut lines = diff.unified_diff();
        let _ = write!(
            out,
            "--- {}\n+++ {}\n{}",
            quoted(&format!("a/{name}")),
            quoted(&format!("b/{name}")),
            lines.context_radius(3)
        );
    }
    out
}

/// A name as git writes it in patches: in quotation marks if it has characters that could end it, and with a tab behind
/// it if it has spaces.
fn quoted(name: &str) -> String {
    let plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    if name.chars().all(plain) {
        let end = if name.contains(' ') { "\t" } else { "" };
        return format!("{name}{end}");
    }
    let mut out = String::from("\"");
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                for byte in c.to_string().bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
