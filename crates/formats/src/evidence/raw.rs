//! Reads the file of evidence that the runtime leaves (`parascan_abi::deps`), which may be anything.

use std::collections::{BTreeMap, HashMap, HashSet};

use parascan_abi::ABI_VERSION;
use parascan_abi::deps::{
    self, ANTI, FLAG_FULL, FLAG_LIMIT, FLAG_MISSED, FLAG_THREADS, FLOW, Header, MAGIC, OUTPUT,
    USE_AGAIN, USE_EXPOSED, USE_LIVE, USE_WRITES,
};

use super::{
    Dependence, DependenceKind, Evidence, LoopEvidence, Site, SiteAccess, SiteStatic, SiteUse,
    UnitStatic,
};

/// Why evidence cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawError {
    /// It ends too early, or contradicts itself.
    Damaged(&'static str),
    /// Another version of the runtime wrote it.
    Version(u32),
    /// It is not about the program of the profile.
    Different,
    /// Instances of loops are missing of which all was wanted: a run without spans tells all.
    Missed,
}

impl std::fmt::Display for RawError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Damaged(what) => write!(f, "the evidence is damaged: {what}"),
            Self::Version(v) => write!(
                f,
                "the program was built with another version of parascan (its runtime has version {v}, not {ABI_VERSION}): build it again"
            ),
            Self::Missed => {
                f.write_str("the evidence of some loops is incomplete: run the program again")
            }
            Self::Different => f.write_str(
                "the program is not the one of the profile (its modules differ): record it again",
            ),
        }
    }
}

impl std::error::Error for RawError {}

/// Little-endian numbers from the front.
struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], RawError> {
        let (head, rest) = self
            .0
            .split_at_checked(len)
            .ok_or(RawError::Damaged("it ends too early"))?;
        self.0 = rest;
        Ok(head)
    }

    fn u32(&mut self) -> Result<u32, RawError> {
        let bytes = self.take(4)?.try_into().unwrap_or_default();
        Ok(u32::from_le_bytes(bytes))
    }

    fn u64(&mut self) -> Result<u64, RawError> {
        let bytes = self.take(8)?.try_into().unwrap_or_default();
        Ok(u64::from_le_bytes(bytes))
    }
}

struct RawUnit {
    region_base: u32,
    site_base: u32,
    facts: UnitStatic,
}

/// Evidence from a file's bytes. `modules` are the profile's: source and number of regions, in order; `recorded` says
/// of a loop how many instances and iterations the profile has of it, and nothing of other regions.
///
/// # Errors
/// See [`RawError`]; no input makes this panic.
pub fn read(
    bytes: &[u8],
    modules: &[(&str, u32)],
    recorded: impl Fn(u32) -> Option<(u64, u64)>,
) -> Result<Evidence, RawError> {
    let mut from = ByteReader(bytes);
    if from.take(8)? != MAGIC {
        return Err(RawError::Damaged("it does not begin as such a file does"));
    }
    let header = Header {
        magic: MAGIC,
        abi_version: from.u32()?,
        flags: from.u32()?,
        units: from.u32()?,
        regions: from.u32()?,
        pairs: from.u32()?,
        uses: from.u32()?,
        steps: from.u64()?,
    };
    if header.abi_version != ABI_VERSION {
        return Err(RawError::Version(header.abi_version));
    }
    if header.flags & FLAG_MISSED != 0 {
        return Err(RawError::Missed);
    }
    if header.units as usize != modules.len() {
        return Err(RawError::Different);
    }
    let units = units(&mut from, modules)?;
    let mut sites = SiteNumbers::new(&units);
    let mut loops = BTreeMap::new();
    let mut partial = header.flags & FLAG_LIMIT != 0;
    for region in 0..header.regions {
        let (instances, iterations, closed) = (from.u64()?, from.u64()?, from.u64()?);
        let Some(all) = recorded(region) else {
            continue;
        };
        // That not all of a loop was observed is known from its counts, unless the run was a longer one, or at its end.
        // Of what was not recorded nothing is said anyway.
        partial |= closed != 0 && all != (0, 0) && instances >= all.0 && iterations >= all.1;
        if instances != 0 {
            let found = LoopEvidence {
                region,
                instances,
                iterations,
                ..LoopEvidence::default()
            };
            loops.insert(region, found);
        }
    }
    for _ in 0..header.pairs {
        let (region, dependence) = sites.pair(&mut from)?;
        let of = loops
            .get_mut(&region)
            .ok_or(RawError::Damaged("a dependence belongs to no loop"))?;
        let (iterations, instances) = (of.iterations, of.instances);
        // Instances that take turns, in a recursion, are counted at every turn.
        of.dependences.push(Dependence {
            iterations: dependence.iterations.min(iterations),
            instances: dependence.instances.min(instances),
            ..dependence
        });
    }
    for _ in 0..header.uses {
        let (region, found, again) = sites.one_use(&mut from)?;
        let of = loops
            .get_mut(&region)
            .ok_or(RawError::Damaged("a use belongs to no loop"))?;
        of.uses.push(found);
        if again {
            of.uses.push(SiteUse::again(found.site));
        }
    }
    for (region, found) in sites.that_did_not_run(&mut from)? {
        if let Some(of) = loops.get_mut(&region) {
            of.uses.push(found);
        }
    }
    if !from.0.is_empty() {
        return Err(RawError::Damaged("something follows its end"));
    }
    let mut unseen: Vec<String> = units.iter().flat_map(|u| u.facts.unseen.clone()).collect();
    unseen.sort();
    unseen.dedup();
    let evidence = Evidence {
        partial,
        incomplete: header.flags & FLAG_FULL != 0,
        threads: header.flags & FLAG_THREADS != 0,
        unseen,
        sites: sites.list,
        loops: loops.into_values().collect(),
    };
    evidence
        .check(header.regions as usize)
        .map_err(RawError::Damaged)?;
    Ok(evidence)
}

fn units(from: &mut ByteReader<'_>, modules: &[(&str, u32)]) -> Result<Vec<RawUnit>, RawError> {
    let (mut regions, mut sites) = (0_u32, 1_u32);
    let mut list = Vec::with_capacity(modules.len());
    for &(source, expected) in modules {
        let record = deps::ModuleUnit {
            region_base: from.u32()?,
            regions: from.u32()?,
            site_base: from.u32()?,
            sites: from.u32()?,
            blob_len: from.u64()?,
        };
        let blob = from.take(usize::try_from(record.blob_len).unwrap_or(usize::MAX))?;
        let facts: UnitStatic = match postcard::take_from_bytes(blob) {
            Ok((facts, [])) => facts,
            _ => return Err(RawError::Damaged("a module's sites cannot be read")),
        };
        if facts.source != source || record.regions != expected {
            return Err(RawError::Different);
        }
        if (record.region_base, record.site_base) != (regions, sites)
            || facts.sites.len() != record.sites as usize
        {
            return Err(RawError::Damaged("a module's numbers do not fit"));
        }
        let end = |base: u32, count| {
            base.checked_add(count)
                .ok_or(RawError::Damaged("there are too many sites"))
        };
        regions = end(regions, record.regions)?;
        sites = end(sites, record.sites)?;
        list.push(RawUnit {
            region_base: record.region_base,
            site_base: record.site_base,
            facts,
        });
    }
    Ok(list)
}

/// Gives the sites that are referred to new numbers.
struct SiteNumbers<'a> {
    units: &'a [RawUnit],
    numbers: HashMap<u32, u32>,
    list: Vec<Site>,
}

impl<'a> SiteNumbers<'a> {
    fn new(units: &'a [RawUnit]) -> Self {
        Self {
            units,
            numbers: HashMap::new(),
            list: Vec::new(),
        }
    }

    fn find(&self, site: u32) -> Result<(&'a RawUnit, &'a SiteStatic), RawError> {
        let after = self.units.partition_point(|u| u.site_base <= site);
        let unit = after.checked_sub(1).and_then(|i| self.units.get(i));
        unit.and_then(|u| Some((u, u.facts.sites.get((site - u.site_base) as usize)?)))
            .ok_or(RawError::Damaged("there is no such site"))
    }

    fn number(&mut self, site: u32) -> Result<u32, RawError> {
        if let Some(&number) = self.numbers.get(&site) {
            return Ok(number);
        }
        let (unit, found) = self.find(site)?;
        let text = |list: &[String], index: u32| list.get(index as usize).cloned();
        let name = RawError::Damaged("a site refers to no name");
        let number = self.list.len() as u32;
        self.list.push(Site {
            access: found.access,
            name: found.name.clone(),
            file: text(&unit.facts.files, found.file).ok_or(name.clone())?,
            line: found.line,
            column: found.column,
            function: text(&unit.facts.functions, found.function).ok_or(name)?,
        });
        self.numbers.insert(site, number);
        Ok(number)
    }

    /// Whether two sites belong to updates that are a reduction of a loop: the same update, or several of one object.
    fn reduction(&self, a: u32, b: u32, region: u32) -> Result<bool, RawError> {
        let ((unit, a), (other, b)) = (self.find(a)?, self.find(b)?);
        Ok(std::ptr::eq(unit, other)
            && a.reduction.is_some()
            && b.reduction.is_some()
            && (a.reduction == b.reduction || !a.name.is_empty() && a.name == b.name)
            && region
                .checked_sub(unit.region_base)
                .is_some_and(|local| a.scope.contains(&local) && b.scope.contains(&local)))
    }

    fn pair(&mut self, from: &mut ByteReader<'_>) -> Result<(u32, Dependence), RawError> {
        let region = from.u32()?;
        let kind = match from.u32()? {
            FLOW => DependenceKind::Flow,
            ANTI => DependenceKind::Anti,
            OUTPUT => DependenceKind::Output,
            _ => return Err(RawError::Damaged("a dependence has no known kind")),
        };
        let (source, sink, object) = (from.u32()?, from.u32()?, from.u32()?);
        let dependence = Dependence {
            kind,
            source: self.number(source)?,
            sink: self.number(sink)?,
            object: if object == 0 {
                None
            } else {
                Some(self.number(object)?)
            },
            reduction: self.reduction(source, sink, region)?,
            least: from.u32()?,
            most: from.u32()?,
            last: from.u32()?,
            count: from.u64()?,
            iterations: from.u64()?,
            instances: from.u64()?,
        };
        from.u64()?; // a sample address
        Ok((region, dependence))
    }

    /// Accesses in loops that did not run, by the regions of the loops. Of several that the compiler made of one, one
    /// that ran is enough.
    fn that_did_not_run(
        &mut self,
        from: &mut ByteReader<'_>,
    ) -> Result<Vec<(u32, SiteUse)>, RawError> {
        let units = self.units;
        let mut found = Vec::new();
        for unit in units {
            let ran = from.take(unit.facts.sites.len())?;
            let place = |s: &SiteStatic| (s.access, s.function, s.file, s.line, s.column);
            let all = || (unit.site_base..).zip(unit.facts.sites.iter().zip(ran));
            let seen: HashSet<_> = all()
                .filter(|(_, (_, ran))| **ran != 0)
                .map(|(_, (s, _))| place(s))
                .collect();
            for (number, (site, ran)) in all() {
                let accesses = matches!(
                    site.access,
                    SiteAccess::Read | SiteAccess::Write | SiteAccess::Hidden
                );
                if *ran != 0 || !accesses || seen.contains(&place(site)) {
                    continue;
                }
                for local in &site.within {
                    let region = unit
                        .region_base
                        .checked_add(*local)
                        .ok_or(RawError::Damaged("there is no such loop"))?;
                    found.push((region, SiteUse::unreached(self.number(number)?)));
                }
            }
        }
        Ok(found)
    }

    /// A use, with its loop's region and whether the site wrote in more than one iteration.
    fn one_use(&mut self, from: &mut ByteReader<'_>) -> Result<(u32, SiteUse, bool), RawError> {
        let (site, region, flags, reader) = (from.u32()?, from.u32()?, from.u32()?, from.u32()?);
        let found = SiteUse {
            site: self.number(site)?,
            writes: flags & USE_WRITES != 0,
            exposed: flags & USE_EXPOSED != 0,
            live: if flags & USE_LIVE != 0 {
                Some(self.number(reader)?)
            } else {
                None
            },
        };
        let (unit, fixed) = self.find(site)?;
        let local = region.checked_sub(unit.region_base);
        let once = found.writes && local.is_some_and(|local| fixed.once.contains(&local));
        Ok((region, found, once || flags & USE_AGAIN != 0))
    }
}
