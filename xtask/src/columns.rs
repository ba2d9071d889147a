//! Comments have at most 120 columns, as rustfmt keeps code: it leaves comments alone.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::places::WorkFolders;
use crate::walk::files;

/// Most columns of a line that is a comment.
const MOST: usize = 120;
/// Folders of our own sources.
const FOLDERS: [&str; 6] = [
    "bench",
    "collectors",
    "crates",
    "include",
    "tests/suite/src",
    "xtask/src",
];
/// What comments begin with, by the extensions of files.
const MARKS: [(&[&str], &[&str]); 4] = [
    (&["rs"], &["//"]),
    (&["c", "cpp", "css", "h", "js"], &["//", "/*", "* "]),
    (&["sh", "toml"], &["#"]),
    (&["f90"], &["!"]),
];

/// Fails and names them where comments are longer. Rows of tables and lines of examples are what they are.
pub fn check(places: &WorkFolders) -> Result<()> {
    let mut long = Vec::new();
    for folder in FOLDERS {
        for (extensions, marks) in MARKS {
            for path in files(&places.root.join(folder), extensions, |_| true)? {
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let shown = path.strip_prefix(&places.root).unwrap_or(&path).display();
                let lines = too_long(&text, marks);
                long.extend(lines.iter().map(|line| format!("{shown}:{line}")));
            }
        }
    }
    ensure!(
        long.is_empty(),
        "comments of more than {MOST} columns:\n{}",
        long.join("\n")
    );
    Ok(())
}

/// Lines, from 1, that are comments, which begin with one of these marks, and too long.
fn too_long(text: &str, marks: &[&str]) -> Vec<usize> {
    let mut example = false;
    let mut is_long = |line: &str| {
        let code = line.trim_start();
        let Some(comment) = marks.iter().find_map(|mark| code.strip_prefix(mark)) else {
            example = false;
            return false;
        };
        let body = comment.trim_start_matches(['/', '!']).trim_start();
        let fence = body.starts_with("```");
        example ^= fence;
        let kept = example || fence || body.starts_with(['|', '/']);
        !kept && line.chars().count() > MOST
    };
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| is_long(line))
        .map(|(number, _)| number)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_alone_are_looked_at() {
        let words = "word ".repeat(30);
        let text = format!(
            "// {words}\nlet x = \"{words}\";\n/// | {words} |\n/// ```text\n/// {words}\n/// ```\n    /// {words}\n//! short\n"
        );
        assert_eq!(too_long(&text, &["//"]), [1, 7]);
        let text = format!("/** {words}\n * {words}\n x * {words}\n");
        assert_eq!(too_long(&text, &["//", "/*", "* "]), [1, 2]);
    }
}
