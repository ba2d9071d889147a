//! The text of a C program, line by line: for generators of programs that the tool is tested with.

use std::fmt::Write as _;

/// Text that grows by lines, each indented by the blocks around it.
#[derive(Clone, Debug, Default)]
pub struct CodeWriter {
    text: String,
    depth: usize,
}

impl CodeWriter {
    /// Adds a line.
    pub fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{text}");
    }

    /// Adds the head of a block and its brace; what follows is inside.
    pub fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.begin();
    }

    /// What follows is inside a block, the head of which was added as lines.
    pub fn begin(&mut self) {
        self.depth += 1;
    }

    /// Adds the brace that ends the innermost open block.
    pub fn close(&mut self) {
        self.end("}");
    }

    /// Ends the innermost open block with this line.
    pub fn end(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    /// What was written.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}
