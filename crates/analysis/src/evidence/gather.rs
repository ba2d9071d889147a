//! What profiles observed of each loop, put together.

use std::collections::BTreeSet;

use parascan_formats::evidence::{Evidence, LoopEvidence, Site, SiteAccess, SiteUse};
use parascan_formats::profile::Profile;

use super::carried::{CarriedDependence, SourcePlace, sort};
use super::objects::{Local, both, objects};
use super::{LoopFacts, UnreachedAccess};

/// Evidence of all loops by region number, over several profiles: `numbers` says for each profile which number its
/// regions have in `regions`.
#[must_use]
pub fn gather(
    profiles: &[Profile],
    numbers: &[Vec<u32>],
    regions: usize,
) -> Vec<Option<LoopFacts>> {
    let mut all: Vec<Option<LoopFacts>> = vec![None; regions];
    for (profile, numbers) in profiles.iter().zip(numbers) {
        let Some(evidence) = &profile.evidence else {
            continue;
        };
        for found in &evidence.loops {
            let number = numbers.get(found.region as usize);
            if let Some(place) = number.and_then(|n| all.get_mut(*n as usize)) {
                add(place.get_or_insert_default(), evidence, found);
            }
        }
    }
    for facts in all.iter_mut().flatten() {
        finish(facts);
    }
    all
}

fn add(facts: &mut LoopFacts, evidence: &Evidence, found: &LoopEvidence) {
    // What one run came to, the others need not.
    let first = facts.instances == 0;
    let mut unreached = BTreeSet::new();
    facts.instances += found.instances;
    facts.iterations += found.iterations;
    facts.partial |= evidence.partial || evidence.incomplete || evidence.threads;
    let mut dependences: Vec<CarriedDependence> = Vec::new();
    for dependence in &found.dependences {
        let next = CarriedDependence::of(evidence, dependence);
        match dependences.iter_mut().find(|c| c.is_like(&next)) {
            Some(c) => {
                c.widen(&next);
                // Pairs of accesses on the same lines may be in the same iterations or not.
                c.iterations = c.iterations.max(next.iterations);
                c.iterations_most += next.iterations_most;
                c.instances = c.instances.max(next.instances);
            }
            None => dependences.push(next),
        }
    }
    for mut next in dependences {
        next.iterations_most = next.iterations_most.min(found.iterations);
        match facts.dependences.iter_mut().find(|c| c.is_like(&next)) {
            Some(c) => {
                c.widen(&next);
                c.iterations += next.iterations;
                c.iterations_most += next.iterations_most;
                c.instances += next.instances;
            }
            None => facts.dependences.push(next),
        }
    }
    for used in &found.uses {
        let site = &evidence.sites[used.site as usize];
        if site.access == SiteAccess::Variable {
            if !used.is_again() {
                add_variable(&mut facts.variables, site, used);
            }
        } else if site.access == SiteAccess::Unseen {
            if !facts.unseen.contains(&site.name) {
                facts.unseen.push(site.name.clone());
            }
        } else if used.writes {
            facts
                .written
                .insert((SourcePlace::of(site), site.name.clone()));
        } else if used.is_again() {
            facts
                .again
                .insert((SourcePlace::of(site), site.name.clone()));
        } else if used.exposed {
            facts
                .read
                .insert((SourcePlace::of(site), site.name.clone()));
        } else {
            let access = UnreachedAccess {
                hidden: site.access == SiteAccess::Hidden,
                writes: site.access == SiteAccess::Write,
                name: site.name.clone(),
            };
            unreached.insert((SourcePlace::of(site), access));
        }
    }
    if first {
        facts.unreached = unreached;
    } else {
        facts.unreached.retain(|access| unreached.contains(access));
    }
    for object in objects(evidence, found) {
        match facts.objects.iter_mut().find(|o| o.name == object.name) {
            Some(o) if o.sharing != object.sharing => o.sharing = both(o.sharing, object.sharing),
            Some(_) => {}
            None => facts.objects.push(object),
        }
    }
}

/// Adds what one site of a local variable says of it.
fn add_variable(variables: &mut Vec<Local>, site: &Site, used: &SiteUse) {
    let known = variables.iter().position(|v| v.name == site.name);
    let at = known.unwrap_or_else(|| {
        variables.push(Local {
            name: site.name.clone(),
            ..Local::default()
        });
        variables.len() - 1
    });
    let variable = &mut variables[at];
    variable.written |= used.writes;
    variable.exposed |= used.exposed;
    variable.live |= used.live.is_some();
}

fn finish(facts: &mut LoopFacts) {
    let total = facts.iterations.max(1) as f64;
    for c in &mut facts.dependences {
        c.share = (c.iterations as f64 / total).min(1.0);
        c.share_most = (c.iterations_most as f64 / total).min(1.0);
    }
    sort(&mut facts.dependences);
    facts.objects.sort_by(|a, b| a.name.cmp(&b.name));
    facts.unseen.sort();
}

#[cfg(test)]
mod tests {
    use parascan_formats::evidence::{Dependence, DependenceKind};

    use super::*;
    use crate::evidence::Sharing;

    fn site(access: SiteAccess, name: &str, line: u32) -> Site {
        Site {
            access,
            name: name.to_owned(),
            file: "a.c".to_owned(),
            line,
            column: 1,
            function: "main".to_owned(),
        }
    }

    fn dependence(kind: DependenceKind, source: u32, sink: u32) -> Dependence {
        Dependence {
            kind,
            source,
            sink,
            object: None,
            reduction: false,
            least: 1,
            most: 1,
            last: 9,
            count: 9,
            iterations: 9,
            instances: 1,
        }
    }

    fn facts(dependences: Vec<Dependence>, exposed: bool, live: bool) -> LoopFacts {
        let evidence = Evidence {
            sites: vec![
                site(SiteAccess::Write, "t", 3),
                site(SiteAccess::Read, "t", 4),
                site(SiteAccess::Read, "t", 9),
            ],
            ..Evidence::default()
        };
        let uses = [
            (0, true, false, live.then_some(2)),
            (1, false, exposed, None),
        ];
        let found = LoopEvidence {
            region: 1,
            instances: 1,
            iterations: 10,
            dependences,
            uses: uses
                .into_iter()
                .map(
                    |(site, writes, exposed, live)| parascan_formats::evidence::SiteUse {
                        site,
                        writes,
                        exposed,
                        live,
                    },
                )
                .collect(),
        };
        let mut facts = LoopFacts::default();
        add(&mut facts, &evidence, &found);
        finish(&mut facts);
        facts
    }

    #[test]
    fn sharing_follows_from_dependences_and_lives() {
        let output = || dependence(DependenceKind::Output, 0, 0);
        let anti = || dependence(DependenceKind::Anti, 1, 0);
        let sharing = |d, exposed, live| facts(d, exposed, live).objects[0].sharing;
        assert_eq!(sharing(vec![], true, true), Sharing::Shared);
        assert_eq!(
            sharing(vec![output(), anti()], false, false),
            Sharing::Private
        );
        assert_eq!(sharing(vec![output()], true, false), Sharing::Firstprivate);
        assert_eq!(sharing(vec![output()], false, true), Sharing::Lastprivate);
        assert_eq!(sharing(vec![output()], true, true), Sharing::Blocked);
        assert_eq!(sharing(vec![anti()], true, true), Sharing::Copy);
        let flow = dependence(DependenceKind::Flow, 0, 1);
        assert_eq!(
            sharing(vec![output(), flow], false, false),
            Sharing::Blocked
        );
    }

    #[test]
    fn the_line_names_variable_lines_distance_and_share() {
        let mut found = facts(vec![dependence(DependenceKind::Flow, 0, 1)], false, false);
        let all =
            "`t` written on line 3 is read on line 4 one iteration later, in 90.0% of iterations";
        assert_eq!(found.in_one_line("main").unwrap(), all);
        found.recorded_iterations = found.iterations + 1;
        assert_eq!(
            found.in_one_line("main").unwrap(),
            format!("{all} looked at")
        );
        assert_eq!(
            facts(vec![dependence(DependenceKind::Anti, 1, 0)], false, false).in_one_line("main"),
            None
        );
    }
}
