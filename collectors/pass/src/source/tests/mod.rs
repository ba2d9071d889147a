//! Statements and data flow of loops, without LLVM.

mod exits;
mod headers;
mod lengths;
mod names;
mod nests;
mod sharing;
mod surroundings;

use super::read::{AccessKind, SourceAccess};
use super::{file, text};

fn at(text: &str, line: u32, column: u32) -> Option<text::LoopStatement> {
    let last = text.lines().count() as u32;
    let end = text.lines().last().map_or(1, |l| l.len() as u32);
    text::at(
        &file::SourceText::new(text.to_owned()),
        line,
        column,
        (last, end),
    )
}

fn statement(text: &str) -> text::LoopStatement {
    at(text, 1, 1).unwrap()
}

/// Four bytes of variable `v` at an offset.
fn access(kind: AccessKind, v: usize, offset: u64) -> SourceAccess {
    SourceAccess {
        kind,
        variable: Some(v),
        offset: Some(offset),
        bytes: 4,
        line: 7,
        ..SourceAccess::default()
    }
}
