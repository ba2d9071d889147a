//! Says of a directive that a run alone stands behind it, and what other inputs may change.

use parascan_formats::source::{Doubt, DoubtKind};

use super::words;
use crate::evidence::short;

/// How many names of a kind are said.
const NAMED: usize = 3;

/// What the source leaves open of a directive that a run settled.
#[derive(Debug, Default)]
pub(super) struct UnprovedClauses {
    /// Variables, or what they lead to, in which iterations may use the same place.
    places: Vec<String>,
    /// Memory without a name of which that is so.
    nameless: bool,
    /// Pairs that may overlap.
    pairs: Vec<String>,
    /// Variables that iterations may read without having set them.
    unset: Vec<String>,
    /// Functions of the library that may work on one state.
    states: Vec<String>,
    /// Indexes that may begin beyond their bounds.
    indexes: Vec<String>,
    /// Steps that may be 0.
    steps: Vec<String>,
    /// Functions that may do other things.
    calls: Vec<String>,
}

impl UnprovedClauses {
    /// In this variable no two iterations met.
    pub(super) fn place(&mut self, name: &str) {
        note(&mut self.places, format!("`{name}`"));
    }

    /// Of this variable iterations set what they read.
    pub(super) fn set(&mut self, name: &str) {
        note(&mut self.unset, format!("`{name}`"));
    }

    /// A doubt that the run settled.
    pub(super) fn doubt(&mut self, doubt: &Doubt) {
        let name = doubt.names().next().unwrap_or_default();
        match doubt.kind {
            DoubtKind::Write | DoubtKind::Meets if name.is_empty() => self.nameless = true,
            DoubtKind::Write | DoubtKind::Meets => self.place(name),
            DoubtKind::Overlap => note(&mut self.pairs, words::pair(doubt)),
            DoubtKind::State => note(&mut self.states, format!("`{name}`")),
            DoubtKind::Wraps => note(&mut self.indexes, format!("`{name}`")),
            DoubtKind::ZeroStep => note(&mut self.steps, words::step(name)),
            DoubtKind::Call if doubt.name.is_empty() => {}
            DoubtKind::Call => note(&mut self.calls, words::called(&short(&doubt.name))),
            // No run settles the others.
            _ => {}
        }
    }

    /// The sentence.
    pub(super) fn words(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut places = self.places.clone();
        if self.nameless {
            places.push("memory that no variable names".to_owned());
        }
        let mut say = |names: &[String], text: &dyn Fn(&str) -> String| {
            if !names.is_empty() {
                parts.push(text(&list(names)));
            }
        };
        say(&places, &|names| format!("iterations may meet in {names}"));
        say(&self.pairs, &|names| format!("{names} may overlap"));
        say(&self.unset, &|names| {
            format!("iterations may read what they did not set of {names}")
        });
        say(&self.states, &|names| {
            format!("{names} may work on the same state")
        });
        say(&self.indexes, &|names| {
            format!("{names} may begin beyond its bound")
        });
        say(&self.steps, &|names| format!("{names} may be 0"));
        say(&self.calls, &|names| {
            format!("{names} may do more than in this run (count errors, grow buffers, throw)")
        });
        let known = "observed on this input, not proved";
        if parts.is_empty() {
            known.to_owned()
        } else {
            format!("{known}: with others {}", parts.join("; "))
        }
    }
}

fn note(names: &mut Vec<String>, name: String) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// `a`, `b`, `c` and 3 more.
fn list(names: &[String]) -> String {
    let shown = names.len().min(NAMED);
    let more = match names.len() - shown {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    names[..shown].join(", ") + &more
}
