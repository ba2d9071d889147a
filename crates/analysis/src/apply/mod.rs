//! The plan as changes to the source: which lines each entry adds, and where. [`rewrite`] puts them into a text.

mod declarations;
mod text;

use parascan_formats::source::{Fingerprint, Sharing, VariableKind};

pub use declarations::Declaration;
pub use text::{EditState, EditedText, OtherEdits, rewrite};

use crate::advice::Certainty;
use crate::plan::Plan;
use crate::regions::RegionFigures;

/// Lines that belong around one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file as the compiler named it: absolute, or relative to the directory of the compilation.
    pub file: String,
    /// The loop's first line, from 1.
    pub line: u32,
    /// Its column, in bytes from 1.
    pub column: u32,
    /// Lines in front of it, without its indentation.
    pub before: Vec<String>,
    /// The loop's last line, and lines behind it.
    pub after: Option<(u32, Vec<String>)>,
    /// Variables of its `private` that may be declared in the loop instead.
    pub declarations: Vec<Declaration>,
    /// What the file held when it was compiled; none where the profile does not say that.
    pub text: Option<Fingerprint>,
    /// Places in the plan of the entries that it is the code of: several instances of a template have one. None of what
    /// the plan leaves out.
    pub ranks: Vec<u32>,
}

impl Edit {
    /// The first of its places in the plan, 0 for none.
    #[must_use]
    pub fn first_rank(&self) -> u32 {
        self.ranks.first().copied().unwrap_or(0)
    }

    /// Whether sums or products are added up in another order than in the serial program, so that floating results may
    /// differ.
    #[must_use]
    pub fn reorders(&self) -> bool {
        let behind = self.after.iter().flat_map(|(_, lines)| lines);
        let updates = |line: &String| line.contains(" += ") || line.contains(" *= ");
        let clauses = |line: &String| {
            let mut all = line.split("reduction(").skip(1);
            all.any(|clause| clause.starts_with(['+', '-', '*']))
        };
        behind.clone().any(updates) || self.before.iter().any(clauses)
    }
}

/// What becomes of an entry of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedEntry<'a> {
    /// Its place in the plan, from 1.
    pub rank: u32,
    /// The loop or function.
    pub figures: &'a RegionFigures,
    /// Which of the edits is its code, or why there is none.
    pub edit: Result<usize, Refusal>,
}

/// Why code is not put into a source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The plan has words for it, and no code.
    #[error("there is no code for it: {0}")]
    NoCode(String),
    /// The code takes the place of the loop's `for`: it is no line in front of it.
    #[error("write `{0}` in the place of the loop's `for`: only whole lines are added")]
    Keyword(String),
    /// The loop has code already, and that is different.
    #[error("entry {0} has other code for the same loop")]
    OtherCode(u32),
    /// The file is not what was compiled.
    #[error(
        "the file is not what was compiled when the program was recorded: build and record again"
    )]
    Changed,
    /// The same as far as can be told by its time.
    #[error(
        "the file was changed after the recording, and the profile does not say what it held: build and record again"
    )]
    Newer,
    /// No loop begins there.
    #[error("no `for` begins on line {line} in column {column}")]
    NoLoop {
        /// Line.
        line: u32,
        /// Column.
        column: u32,
    },
    /// Nothing can be written around a loop in a macro.
    #[error("the loop on line {0} is part of a macro")]
    Macro(u32),
    /// The file cannot be had, or is not to be changed.
    #[error("{0}")]
    File(String),
}

/// A source file, as it is and with the plan's edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its name below the folder of the source.
    pub name: String,
    /// What it holds.
    pub old: String,
    /// What it holds with the edits: the same if they were there before.
    pub new: String,
}

/// A plan that was put into a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied<'a> {
    /// The plan whose entries these are.
    pub plan: &'a Plan,
    /// The entries that were asked for.
    pub entries: Vec<AppliedEntry<'a>>,
    /// What was done for each edit.
    pub states: Vec<EditState>,
    /// The files with edits of these entries.
    pub files: Vec<FileChange>,
}

impl Applied<'_> {
    /// What was done for an entry, or why nothing.
    ///
    /// # Errors
    /// It has no code, or that cannot be where it belongs.
    pub fn outcome(&self, entry: &AppliedEntry) -> Result<&EditState, Refusal> {
        let state = &self.states[entry.edit.clone()?];
        match state {
            EditState::Refused(why) => Err(why.clone()),
            state => Ok(state),
        }
    }
}

/// What the plan adds to the source: its entries, in order, and the edits that they refer to, each place once. Behind
/// these come the edits of regions that it leaves out and has code for, without ranks: other options, or another
/// machine, may have put them into the source.
#[must_use]
pub fn edits(plan: &Plan) -> (Vec<AppliedEntry<'_>>, Vec<Edit>) {
    let mut edits: Vec<Edit> = Vec::new();
    let entries = plan.entries.iter().map(|figures| {
        let rank = figures.rank.unwrap_or(0);
        AppliedEntry {
            rank,
            figures,
            edit: edit(figures, Some(rank), &mut edits),
        }
    });
    let entries = entries.collect();
    for left_out in &plan.rejected {
        let _ = edit(&left_out.region, None, &mut edits);
    }
    (entries, edits)
}

/// What the plan says instead of code, the first of it.
fn no_code(figures: &RegionFigures) -> String {
    let need = figures.needs.first().or(figures.blocking.as_ref());
    match (&figures.proposal, need) {
        (Some(proposal), Some(need)) => format!("`{proposal}` would do, once this is sure: {need}"),
        (None, Some(need)) => need.clone(),
        _ => "`parascan plan` says what is known of it".to_owned(),
    }
}

/// Variables of a directive that the loop's body may declare, for all that the profile knows. Loops that run as one
/// have nothing between them.
fn declarations(figures: &RegionFigures) -> Vec<Declaration> {
    let proved = figures.certainty == Some(Certainty::Complete) && figures.patch.is_none();
    if !proved || crate::regions::loops_as_one(&figures.clauses) > 1 {
        return Vec::new();
    }
    let clause = figures.clauses.iter().find_map(|c| {
        let list = c.strip_prefix("private(")?;
        list.strip_suffix(')')
    });
    let named = |name: &str| clause.is_some_and(|list| list.split(',').any(|n| n == name));
    let own = figures.variables.iter().filter(|v| {
        let plain = match v.shape {
            VariableKind::Scalar | VariableKind::Pointer => true,
            VariableKind::Array(length) => length > 0,
            _ => false,
        };
        let private = v.sharing == Sharing::Private && named(&v.name);
        plain && private && !v.global && v.line > 0
    });
    let of = |v: &parascan_formats::source::Variable| Declaration {
        name: v.name.clone(),
        line: v.line,
    };
    own.map(of).collect()
}

fn edit(
    figures: &RegionFigures,
    rank: Option<u32>,
    edits: &mut Vec<Edit>,
) -> Result<usize, Refusal> {
    let (before, after) = match (&figures.pragma, &figures.patch) {
        (_, Some(patch)) => (
            patch.before.clone(),
            Some((patch.last_line, patch.after.clone())),
        ),
        (Some(pragma), None) if pragma.starts_with('#') => (vec![pragma.clone()], None),
        (Some(keyword), None) => return Err(Refusal::Keyword(keyword.clone())),
        (None, None) => return Err(Refusal::NoCode(no_code(figures))),
    };
    // Files of two folders may have one name.
    let place = |e: &Edit| {
        (&e.file, e.line, e.column, e.text)
            == (&figures.file, figures.line, figures.column, figures.text)
    };
    if let Some(index) = edits.iter().position(place) {
        let known = &mut edits[index];
        if (&known.before, &known.after) != (&before, &after) {
            return Err(Refusal::OtherCode(known.first_rank()));
        }
        known.ranks.extend(rank);
        return Ok(index);
    }
    edits.push(Edit {
        file: figures.file.clone(),
        line: figures.line,
        column: figures.column,
        before,
        after,
        declarations: declarations(figures),
        text: figures.text,
        ranks: rank.into_iter().collect(),
    });
    Ok(edits.len() - 1)
}
