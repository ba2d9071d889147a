//! Section 9 as postcard values: where loops begin and end in the source, and what they reduce that is no variable of a
//! number. Frozen once released.

use serde::{Deserialize, Serialize};

use super::FormatError;
use super::v2::out_of_range;
use super::v2::source::{OPERATORS, number, value};
use crate::codec::capped::CappedList;
use crate::profile::Profile;
use crate::source::{BestValue, Form, IndexedExtremum, LoopSource, Reduced, ReducedArray};

const FORMS: [Form; 3] = [Form::Named, Form::Pointer, Form::Reference];

/// Section 9 of a profile: where loops begin and end in the source, and what they reduce that is no numeric variable.
#[derive(Serialize, Deserialize)]
pub(in crate::codec) struct Section {
    /// Regions with source facts, for which there is more to say.
    loops: CappedList<(u32, WireExtent)>,
}

#[derive(Serialize, Deserialize)]
struct WireExtent {
    last_line: u32,
    /// Twice the step, and 1 more if the index becomes smaller. Without a step it has the byte of the truth value that
    /// this was at first.
    steps: u64,
    best: CappedList<WireBest>,
    start: String,
    reduced: CappedList<WireReduced>,
    /// Up to one loop, a list has the bytes of the option that this was at first.
    nest: CappedList<(u32, u32)>,
    arrays: CappedList<WireArray>,
}

#[derive(Serialize, Deserialize)]
struct WireArray {
    name: String,
    operator: u8,
    length: String,
    elements: u64,
}

#[derive(Serialize, Deserialize)]
struct WireBest {
    /// The variable, or the pieces of an expression, between which there are ends of lines: neither a name nor a piece
    /// has any.
    value: String,
    is_minimum: bool,
    position: String,
    others: CappedList<String>,
}

#[derive(Serialize, Deserialize)]
struct WireReduced {
    name: String,
    form: u8,
    members: CappedList<(String, u8)>,
    watched: bool,
}

impl Section {
    pub(super) fn of(profile: &Profile) -> Self {
        let regions = (0..).zip(&profile.regions);
        let wire = |source: &LoopSource| {
            let LoopSource {
                last_line,
                descends,
                step,
                ..
            } = *source;
            let steps = 2 * u64::from(step) + u64::from(descends);
            let nests = !source.nest.is_empty();
            let ends = last_line != 0 || steps != 0 || !source.start.is_empty() || nests;
            let reduces = !(source.reduced.is_empty() && source.arrays.is_empty());
            let says = ends || reduces || !source.best.is_empty();
            says.then(|| WireExtent {
                last_line,
                steps,
                best: source.best.iter().map(to_wire).collect(),
                start: source.start.clone(),
                reduced: source.reduced.iter().map(reduced_to_wire).collect(),
                nest: source.nest.iter().copied().collect(),
                arrays: source.arrays.iter().map(array_to_wire).collect(),
            })
        };
        let loops = regions.filter_map(|(n, r)| Some((n, wire(r.fixed.source.as_ref()?)?)));
        Self {
            loops: loops.collect(),
        }
    }

    pub(super) fn add_to(self, profile: &mut Profile) -> Result<(), FormatError> {
        let len = profile.regions.len();
        for (index, (region, wire)) in self.loops.into_iter().enumerate() {
            let of = profile.regions.get_mut(region as usize);
            let Some(source) = of.and_then(|r| r.fixed.source.as_mut()) else {
                let to = "region with source facts";
                return Err(out_of_range("end of a loop", index, to, region, len));
            };
            source.last_line = wire.last_line;
            source.descends = wire.steps % 2 == 1;
            source.step = u32::try_from(wire.steps / 2).unwrap_or(0);
            source.best = wire.best.into_iter().map(from_wire).collect();
            source.start = wire.start;
            source.nest = wire.nest.into_iter().collect();
            let arrays = wire.arrays.into_iter().map(array_from_wire);
            source.arrays = arrays.collect::<Result<_, _>>()?;
            let reduced = wire.reduced.into_iter().map(reduced_from_wire);
            source.reduced = reduced.collect::<Result<_, _>>()?;
        }
        Ok(())
    }
}

fn to_wire(best: &IndexedExtremum) -> WireBest {
    WireBest {
        value: match &best.value {
            BestValue::Variable(name) => name.clone(),
            BestValue::At(pieces) => pieces.join("\n"),
        },
        is_minimum: best.is_minimum,
        position: best.position.clone(),
        others: best.others.iter().cloned().collect(),
    }
}

fn from_wire(wire: WireBest) -> IndexedExtremum {
    IndexedExtremum {
        value: match wire.value.contains('\n') {
            true => BestValue::At(wire.value.split('\n').map(str::to_owned).collect()),
            false => BestValue::Variable(wire.value),
        },
        is_minimum: wire.is_minimum,
        position: wire.position,
        others: wire.others.into_iter().collect(),
    }
}

fn array_to_wire(array: &ReducedArray) -> WireArray {
    WireArray {
        name: array.name.clone(),
        operator: number(&OPERATORS, &array.operator),
        length: array.length.clone(),
        elements: array.elements,
    }
}

fn array_from_wire(wire: WireArray) -> Result<ReducedArray, FormatError> {
    Ok(ReducedArray {
        name: wire.name,
        operator: value(&OPERATORS, wire.operator)?,
        length: wire.length,
        elements: wire.elements,
    })
}

fn reduced_to_wire(reduced: &Reduced) -> WireReduced {
    let members = reduced.members.iter();
    WireReduced {
        name: reduced.name.clone(),
        form: number(&FORMS, &reduced.form),
        members: members
            .map(|(member, operator)| (member.clone(), number(&OPERATORS, operator)))
            .collect(),
        watched: reduced.watched,
    }
}

fn reduced_from_wire(wire: WireReduced) -> Result<Reduced, FormatError> {
    let members = wire.members.into_iter();
    let members = members.map(|(member, operator)| Ok((member, value(&OPERATORS, operator)?)));
    Ok(Reduced {
        name: wire.name,
        form: value(&FORMS, wire.form)?,
        members: members.collect::<Result<_, FormatError>>()?,
        watched: wire.watched,
    })
}
