//! Section 6 as postcard values: what the source says of loops. Frozen once released, like [`super::wire`].

use serde::{Deserialize, Serialize};

use super::{FormatError, out_of_range};
use crate::codec::capped::CappedList;
use crate::module::Operator;
use crate::profile::Profile;
use crate::source::{
    Doubt, DoubtKind, LoopSource, Obstacle, ObstacleKind, Sharing, SharingDoubt, Statement,
    Variable, VariableKind,
};

/// Section 6.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Sources {
    loops: CappedList<(u32, WireLoop)>,
}

/// A name, the number of its kind, and a line.
type Note = (String, u8, u32);

#[derive(Serialize, Deserialize)]
struct WireLoop {
    statement: u8,
    index: Option<String>,
    obstacles: CappedList<Note>,
    directive: Option<String>,
    starts_line: bool,
    variables: CappedList<WireVariable>,
    doubts: CappedList<Note>,
}

#[derive(Serialize, Deserialize)]
struct WireVariable {
    name: String,
    line: u32,
    global: bool,
    shape: u8,
    elements: u64,
    sharing: u8,
    detail: u8,
    at: u32,
}

const STATEMENTS: [Statement; 5] = [
    Statement::Unknown,
    Statement::For,
    Statement::RangeFor,
    Statement::While,
    Statement::Do,
];
/// Those from the tenth on came with version 4.
const OBSTACLES: [ObstacleKind; 19] = [
    ObstacleKind::Exit,
    ObstacleKind::Init,
    ObstacleKind::Test,
    ObstacleKind::Step,
    ObstacleKind::Index,
    ObstacleKind::IndexWritten,
    ObstacleKind::BoundWritten,
    ObstacleKind::BoundCall,
    ObstacleKind::Iterator,
    ObstacleKind::StartWritten,
    ObstacleKind::StartEffect,
    ObstacleKind::Unread,
    ObstacleKind::Macro,
    ObstacleKind::Target,
    ObstacleKind::BoundReal,
    ObstacleKind::Renumbered,
    ObstacleKind::Word,
    ObstacleKind::Narrow,
    ObstacleKind::Arguments,
];
/// Those from the fourth on came with version 4.
const DOUBTS: [DoubtKind; 27] = [
    DoubtKind::Write,
    DoubtKind::Overlap,
    DoubtKind::Call,
    DoubtKind::Reference,
    DoubtKind::ThreadLocal,
    DoubtKind::Leaves,
    DoubtKind::Constexpr,
    DoubtKind::Alloca,
    DoubtKind::Sets,
    DoubtKind::Large,
    DoubtKind::Binding,
    DoubtKind::Nameless,
    DoubtKind::Class,
    DoubtKind::Wraps,
    DoubtKind::Infinite,
    DoubtKind::Guarded,
    DoubtKind::State,
    DoubtKind::Team,
    DoubtKind::Stale,
    DoubtKind::Later,
    DoubtKind::Neighbours,
    DoubtKind::Meets,
    DoubtKind::Unordered,
    DoubtKind::Errno,
    DoubtKind::SameElement,
    DoubtKind::ZeroStep,
    DoubtKind::Called,
];
const SHAPES: [VariableKind; 4] = [
    VariableKind::Scalar,
    VariableKind::Pointer,
    VariableKind::Array(0),
    VariableKind::Record,
];
/// Without those that need a detail: reductions (5) and the unknown (6).
const SHARINGS: [Sharing; 5] = [
    Sharing::Index,
    Sharing::Private,
    Sharing::FirstPrivate,
    Sharing::LastPrivate,
    Sharing::Own,
];
const REDUCTION: u8 = 5;
const UNKNOWN: u8 = 6;
pub(in crate::codec) const OPERATORS: [Operator; 7] = [
    Operator::Add,
    Operator::Mul,
    Operator::And,
    Operator::Or,
    Operator::Xor,
    Operator::Min,
    Operator::Max,
];
const WHYS: [SharingDoubt; 10] = [
    SharingDoubt::Carried,
    SharingDoubt::Conditional,
    SharingDoubt::Escapes,
    SharingDoubt::Scratch,
    SharingDoubt::Global,
    SharingDoubt::IndexAfter,
    SharingDoubt::Passed,
    SharingDoubt::Handed,
    SharingDoubt::Kept,
    SharingDoubt::Unnamed,
];

/// Number of a value in one of the lists above, which hold all of them.
pub(in crate::codec) fn number<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|x| x == one).unwrap_or(0) as u8
}

/// The value of a number.
pub(in crate::codec) fn value<T: Copy>(all: &[T], number: u8) -> Result<T, FormatError> {
    all.get(number as usize)
        .copied()
        .ok_or_else(|| out_of_range("source fact", 0, "kind", u32::from(number), all.len()))
}

impl Sources {
    pub(super) fn of(profile: &Profile) -> Self {
        let regions = (0u32..).zip(&profile.regions);
        Self {
            loops: regions
                .filter_map(|(n, region)| Some((n, to_wire(region.fixed.source.as_ref()?))))
                .collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let len = profile.regions.len();
        for (index, (number, wire)) in self.loops.into_iter().enumerate() {
            let region = profile
                .regions
                .get_mut(number as usize)
                .ok_or_else(|| out_of_range("source fact", index, "region", number, len))?;
            region.fixed.source = Some(from_wire(wire)?);
        }
        Ok(())
    }
}

fn to_wire(source: &LoopSource) -> WireLoop {
    let obstacle = |o: &Obstacle| (o.name.clone(), number(&OBSTACLES, &o.kind), o.line);
    let doubt = |d: &Doubt| (d.name.clone(), number(&DOUBTS, &d.kind), d.line);
    WireLoop {
        statement: number(&STATEMENTS, &source.statement),
        index: source.index.clone(),
        obstacles: source.obstacles.iter().map(obstacle).collect(),
        directive: source.directive.clone(),
        starts_line: source.starts_line,
        variables: source.variables.iter().map(variable).collect(),
        doubts: source.doubts.iter().map(doubt).collect(),
    }
}

fn variable(v: &Variable) -> WireVariable {
    let (shape, elements) = match v.shape {
        VariableKind::Array(elements) => (VariableKind::Array(0), elements),
        other => (other, 0),
    };
    let (sharing, detail) = match v.sharing {
        Sharing::Reduction(operator) => (REDUCTION, number(&OPERATORS, &operator)),
        Sharing::Unknown(why) => (UNKNOWN, number(&WHYS, &why)),
        plain => (number(&SHARINGS, &plain), 0),
    };
    WireVariable {
        name: v.name.clone(),
        line: v.line,
        global: v.global,
        shape: number(&SHAPES, &shape),
        elements,
        sharing,
        detail,
        at: v.at,
    }
}

fn from_wire(wire: WireLoop) -> Result<LoopSource, FormatError> {
    let obstacle = |(name, kind, line): Note| {
        let kind = value(&OBSTACLES, kind)?;
        Ok(Obstacle { kind, name, line })
    };
    let doubt = |(name, kind, line): Note| {
        let kind = value(&DOUBTS, kind)?;
        Ok(Doubt { kind, name, line })
    };
    let variable = |v: WireVariable| {
        let shape = match value(&SHAPES, v.shape)? {
            VariableKind::Array(_) => VariableKind::Array(v.elements),
            other => other,
        };
        let sharing = match v.sharing {
            REDUCTION => Sharing::Reduction(value(&OPERATORS, v.detail)?),
            UNKNOWN => Sharing::Unknown(value(&WHYS, v.detail)?),
            plain => value(&SHARINGS, plain)?,
        };
        Ok(Variable {
            name: v.name,
            line: v.line,
            global: v.global,
            shape,
            sharing,
            at: v.at,
        })
    };
    Ok(LoopSource {
        statement: value(&STATEMENTS, wire.statement)?,
        index: wire.index,
        obstacles: collect(wire.obstacles.into_iter().map(obstacle))?,
        directive: wire.directive,
        starts_line: wire.starts_line,
        variables: collect(wire.variables.into_iter().map(variable))?,
        doubts: collect(wire.doubts.into_iter().map(doubt))?,
        ..LoopSource::default()
    })
}

fn collect<T>(items: impl Iterator<Item = Result<T, FormatError>>) -> Result<Vec<T>, FormatError> {
    items.collect()
}

#[cfg(test)]
mod tests {
    use super::{DOUBTS, WHYS};

    #[test]
    fn numbers_of_kinds_are_documented() {
        let document = include_str!("../../../../../docs/profile-format.md");
        let (_, later) = document.split_once("\n## Version 4\n").unwrap();
        let (later, _) = later.split_once("\n## Version 5\n").unwrap();
        // Version 2 has the first three.
        for kind in 3..DOUBTS.len() {
            assert!(later.contains(&format!("\n| {kind} | ")), "{kind}");
        }
        let why = format!(", {} no clause can name it", WHYS.len() - 1);
        assert!(document.contains(&why), "{why}");
    }
}
