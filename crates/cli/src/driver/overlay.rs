//! Files that the compiler reads in the place of others, under the names of those: messages, debug information and
//! dependencies are those of the originals.

use std::io;
use std::path::Path;

use super::memory;
use crate::exit::{Failure, FailureKind, Outcome};

/// A description of such files (clang's `-ivfsoverlay`).
#[derive(Debug, Default)]
pub struct Overlay {
    roots: Vec<String>,
}

impl Overlay {
    /// Reads this content in the place of a file, given by its absolute path.
    pub fn add(&mut self, path: &Path, content: &[u8]) -> Outcome<()> {
        let name = path.to_str().ok_or_else(|| {
            let path = path.display();
            Failure::new(
                FailureKind::Usage,
                format!("{path} cannot be compiled with changes: its name is not UTF-8"),
            )
        })?;
        // A precompiled header remembers the times of its parts.
        let modified = std::fs::metadata(path).and_then(|m| m.modified()).ok();
        let content = memory::file(content, modified).map_err(|e| failed(&e))?;
        self.roots.push(format!(
            "{{\"type\":\"file\",\"name\":\"{}\",\"external-contents\":\"{content}\"}}",
            escaped(name)
        ));
        Ok(())
    }

    /// The path of the description; `None` without files.
    pub fn finish(self) -> Outcome<Option<String>> {
        if self.roots.is_empty() {
            return Ok(None);
        }
        let text = format!(
            "{{\"version\":0,\"case-sensitive\":true,\"use-external-names\":false,\"roots\":[{}]}}\n",
            self.roots.join(",")
        );
        let file = memory::file(text.as_bytes(), None);
        file.map(Some).map_err(|e| failed(&e))
    }
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::Io,
        format!("cannot make a file in memory: {error}"),
    )
}

/// The inside of a string of JSON.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}
