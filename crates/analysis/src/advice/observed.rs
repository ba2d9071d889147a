//! What a run that looked at every access settles: which dependences a directive's clauses do not take care of.

use parascan_formats::evidence::{DependenceKind, SiteAccess};
use parascan_formats::module::{RegionStatic, UNNAMED};
use parascan_formats::source::{
    Doubt, DoubtKind, IN_TEST, Sharing, SharingDoubt, Variable, VariableKind,
};

use super::Reduction;
use crate::evidence::{
    CarriedDependence, LoopFacts, Sharing as ObjectSharing, SourcePlace, UnreachedAccess, base,
    unseen_in_words,
};

/// Something that keeps iterations from running at the same time, or may.
pub(super) struct Conflict {
    /// A sentence.
    pub(super) words: String,
    /// It was seen; else it could not be looked for.
    pub(super) certain: bool,
}

/// Whether a dependence lies in this variable itself, and only in what the loop's own function writes and reads by its
/// name. What is reached through a pointer is not the variable.
fn is_in(d: &CarriedDependence, variable: &Variable, function: &str) -> bool {
    let part_of = |name: &str| match variable.shape {
        VariableKind::Scalar | VariableKind::Pointer => name == variable.name,
        // What a function does that gets an array bears the name `*a`.
        VariableKind::Array(_) if name.strip_prefix('*') == Some(&variable.name) => true,
        VariableKind::Array(_) | VariableKind::Record => name
            .strip_prefix(&variable.name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.'])),
    };
    part_of(&d.name)
        && part_of(&d.earlier)
        && d.source.function == function
        && d.sink.function == function
}

/// How threads can have copies of a scratch array, or of a variable that functions get the address of:
/// [`Sharing::Private`] if every iteration was seen to set what it read, [`Sharing::FirstPrivate`] if some of that was
/// as before the loop. None if a value was handed on or read after the loop, or if no two iterations met in it, so that
/// no copies are needed.
pub(super) fn copies(variable: &Variable, facts: &LoopFacts) -> Option<Sharing> {
    let lies = |d: &&CarriedDependence| d.variable.as_ref() == Some(&variable.name);
    let mut met = facts.dependences.iter().filter(lies).peekable();
    met.peek()?;
    let used = facts.variables.iter().find(|v| v.name == variable.name)?;
    let copied = matches!(
        variable.sharing,
        Sharing::Unknown(SharingDoubt::Handed | SharingDoubt::Scratch)
    ) && !used.live
        && met.all(|d| d.kind != DependenceKind::Flow);
    copied.then_some(match used.exposed {
        true => Sharing::FirstPrivate,
        false => Sharing::Private,
    })
}

/// Whether the loop's function was seen to write in such places, in all of them in several iterations. What never ran
/// on this input shows nothing, and what one iteration alone did nothing of two; nor does what the compiler keeps in
/// registers.
fn wrote_at(
    facts: &LoopFacts,
    region: &RegionStatic,
    such: impl Fn(&SourcePlace, &str) -> bool,
) -> bool {
    let written = facts.written.iter();
    let mut written = written
        .filter(|(place, name)| place.function == region.function && such(place, name))
        .peekable();
    written.peek().is_some() && written.all(|w| facts.again.contains(w))
}

/// Whether called functions wrote somewhere in one iteration alone: their own code, or what is known of the library's
/// on the line of the doubt.
fn once_in_calls(facts: &LoopFacts, region: &RegionStatic, doubt: &Doubt) -> bool {
    let mut once = facts.written.iter().filter(|w| !facts.again.contains(*w));
    once.any(|(place, _)| place.function != region.function || place.line == doubt.line)
}

/// As [`wrote_at`], of what a doubt is about, on its line.
fn wrote(facts: &LoopFacts, region: &RegionStatic, doubt: &Doubt) -> bool {
    wrote_at(facts, region, |place, name| {
        let same = doubt.names().any(|n| n == base(name)) || ["this", ""].contains(&&*doubt.name);
        place.line == doubt.line && same
    })
}

/// Whether the loop's function has such an access on the line of the doubt which did not run. What bears no name that
/// the source has may be anything.
fn missed(
    facts: &LoopFacts,
    region: &RegionStatic,
    doubt: &Doubt,
    such: impl Fn(&UnreachedAccess) -> bool,
) -> bool {
    let variables = region.source.iter().flat_map(|s| &s.variables);
    // What lies in a variable itself always bears its name.
    let lies = |v: &Variable| v.shape != VariableKind::Pointer && v.name == doubt.name;
    let another = |name: &str| {
        let mut variables = variables.clone();
        let known = variables.any(|v| v.name == base(name) || lies(v) && !name.is_empty());
        known && !doubt.name.is_empty() && doubt.names().all(|n| n != base(name))
    };
    facts.unreached.iter().any(|(place, access)| {
        let here = place.line == doubt.line && place.function == region.function;
        here && such(access) && (access.hidden || !another(&access.name))
    })
}

/// Whether nothing on a line ran, on which the loop's function has writes: short functions of the library are part of
/// it (`push_back` behind a condition that never held).
fn passed_by(facts: &LoopFacts, region: &RegionStatic, line: u32) -> bool {
    let here = |place: &SourcePlace| place.line == line && place.function == region.function;
    let ran = [&facts.read, &facts.again, &facts.written];
    let came = ran
        .iter()
        .any(|all| all.iter().any(|(place, _)| here(place)));
    let mut unreached = facts.unreached.iter();
    !came && unreached.any(|(place, access)| here(place) && access.writes)
}

/// Whether what a doubt is about ran at all, as far as can be told.
pub(super) fn ran(facts: &LoopFacts, region: &RegionStatic, doubt: &Doubt) -> bool {
    let missed = |such: fn(&UnreachedAccess) -> bool| missed(facts, region, doubt, such);
    match doubt.kind {
        DoubtKind::Write => wrote(facts, region, doubt) && !missed(|a| a.writes),
        DoubtKind::Meets => !missed(|a| !a.hidden),
        DoubtKind::State => {
            let came = wrote_at(facts, region, |place, _| place.line == doubt.line);
            came && !missed(|a| a.hidden)
        }
        // What it reads the loop's own function reads.
        DoubtKind::Call if doubt.name.starts_with(IN_TEST) => {
            let here = |p: &SourcePlace| p.line == doubt.line && p.function == region.function;
            !facts.unreached.iter().any(|(place, _)| here(place))
        }
        DoubtKind::Call => {
            !facts.idle.contains(&doubt.name)
                && !once_in_calls(facts, region, doubt)
                && !passed_by(facts, region, doubt.line)
        }
        _ => true,
    }
}

/// Whether the loop's function was seen to access what may overlap with `reduced`, on the line of the doubt.
pub(super) fn met(facts: &LoopFacts, region: &RegionStatic, doubt: &Doubt, reduced: &str) -> bool {
    let other = doubt.names().find(|name| *name != reduced);
    let mut all = facts.read.iter().chain(&facts.written);
    all.any(|(place, name)| {
        let same = match other {
            Some(other) => base(name) == other,
            // Through something that no variable holds.
            None => base(name) != name || name.is_empty(),
        };
        same && place.line == doubt.line && place.function == region.function
    })
}

/// Whether the variable was written, and in memory, in all places that did so in several iterations. Others may have
/// its name.
pub(super) fn wrote_to(facts: &LoopFacts, region: &RegionStatic, variable: &Variable) -> bool {
    if !variable.global {
        let mut same = facts.variables.iter().filter(|v| v.name == variable.name);
        let once = |w: &(SourcePlace, String)| {
            let own = w.0.function == region.function && base(&w.1) == variable.name;
            own && !facts.again.contains(w)
        };
        return same.any(|v| v.written) && !facts.written.iter().any(once);
    }
    wrote_at(facts, region, |_, name| base(name) == variable.name)
}

/// What no clause takes care of. Empty: in this run the iterations could have run at the same time.
pub(super) fn conflicts(
    facts: &LoopFacts,
    region: &RegionStatic,
    reductions: &[Reduction],
) -> Vec<Conflict> {
    let variables = region.source.iter().flat_map(|s| &s.variables);
    let taken_care_of = |d: &CarriedDependence| {
        let reduced = |r: &Reduction| r.name == UNNAMED || base(&r.name) == base(&d.name);
        (d.reduction && reductions.iter().any(reduced))
            // What lives in registers the source tells.
            || matches!(d.access, SiteAccess::LocalRead | SiteAccess::LocalWrite)
            || variables.clone().any(|v| {
                if d.variable.as_ref() == Some(&v.name) {
                    return copies(v, facts).is_some();
                }
                let clause = match v.sharing {
                    Sharing::Private
                    | Sharing::FirstPrivate
                    | Sharing::LastPrivate
                    | Sharing::Index => d.kind != DependenceKind::Flow,
                    Sharing::Reduction(_) => true,
                    Sharing::Own => false,
                    Sharing::Unknown(_) => false,
                };
                clause && is_in(d, v, &region.function)
            })
    };
    let stays = |d: &CarriedDependence| {
        let mut objects = facts.objects.iter();
        let object = objects.find(|o| o.name == base(&d.name));
        object.is_some_and(|o| o.sharing == ObjectSharing::Lastprivate)
    };
    let mut all: Vec<Conflict> = Vec::new();
    let mut named: Vec<&str> = Vec::new();
    for d in facts.dependences.iter().filter(|d| !taken_care_of(d)) {
        if named.contains(&base(&d.name)) {
            continue;
        }
        named.push(base(&d.name));
        let remedy = match d.kind {
            DependenceKind::Flow => "the loop cannot run in parallel as it is",
            DependenceKind::Anti => "read from a copy, or give every iteration its own",
            DependenceKind::Output if stays(d) => {
                "give every iteration its own, and keep what the last one that sets it leaves: that is read after the loop"
            }
            DependenceKind::Output => "give every iteration its own",
        };
        all.push(Conflict {
            words: format!("{}: {remedy}", facts.sentence(d, &region.function)),
            certain: true,
        });
    }
    if !facts.unseen.is_empty() {
        let names: Vec<String> = facts.unseen.iter().map(|n| unseen_in_words(n)).collect();
        all.push(Conflict {
            words: format!(
                "what these do to memory could not be observed: {}; no two iterations may write the same memory in them, or \
                 use what another writes",
                names.join(", ")
            ),
            certain: false,
        });
    }
    all
}
