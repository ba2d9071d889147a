//! Loops of a dependence version, and lives of its variables in memory.

use indexmap::{IndexMap, IndexSet};

use parascan_formats::evidence::SiteAccess;
use parascan_formats::source::{Sharing, SharingDoubt, Variable};

use crate::analysis::{self, Analysis};
use crate::emit::{UnitState, called_only};
use crate::ir::{Block, Opcode, Type, Value};
use crate::recognise::{LoopNest, innermost, recognise};

use super::sites::SiteTable;
use super::{Reporter, access, header, locals, ranges};

/// Adds reports to `f`, the copy of function `original` whose loops with a header at these block indices are these
/// regions. `Analysis` must be fresh; `versions` are all copies of the module.
pub(super) fn report(
    unit: &UnitState,
    versions: &IndexSet<Value>,
    sites: &mut SiteTable,
    (descriptor, idle): (Value, Value),
    (original, f): (Value, Value),
    headers: &[(usize, usize)],
    analysis: &Analysis,
) {
    let blocks = f.blocks();
    let loops = analysis.loops();
    let innermost = innermost(&loops);
    let found = recognise(
        &LoopNest {
            loops: &loops,
            innermost: &innermost,
        },
        analysis,
    );
    // Region of each loop that is one.
    let regions: IndexMap<usize, usize> = loops
        .iter()
        .enumerate()
        .filter_map(|(i, l)| {
            let header = |h: usize| blocks.get(h) == Some(&l.header);
            let (_, region) = headers.iter().find(|(h, _)| header(*h))?;
            Some((i, *region))
        })
        .collect();
    let name = f.name();
    sites.function(f, name.strip_suffix(".deps").unwrap_or(&name));
    let reductions = sites.reductions(&found, analysis, &loops, &regions);
    let instructions: Vec<(Block, Vec<Value>)> =
        blocks.iter().map(|b| (*b, b.instructions())).collect();
    let phis = locals::carried(&regions, &found);

    let mut reporter = Reporter::new(unit, versions, descriptor, f);
    for (number, parameter) in (0..).zip(f.params()) {
        if let Some(ty) = f.param_type_attribute(number, "byval", false) {
            handed_over(&reporter, blocks[0], parameter, ty);
        }
    }
    let slots = slots(blocks[0]);
    // Loops that are regions around a block.
    let around = |block: &Block| {
        let first = innermost.get(block).copied();
        let all = std::iter::successors(first, |l| loops[*l].parent);
        all.filter_map(|l| Some((l, *regions.get(&l)? as u32)))
    };
    let regions_around = |block: &Block| around(block).map(|(_, region)| region).collect();
    let once = |block: &Block| {
        let all = around(block).filter(|(l, _)| analysis.once(*l, *block));
        all.map(|(_, region)| region).collect()
    };
    let nesting = |block: &Block| around(block).count();
    let mut moved: IndexSet<Value> = IndexSet::new();
    // Loops whose tests read nothing, with what reports their iterations.
    let mut plain = Vec::new();
    for (index, l) in loops.iter().enumerate() {
        let (Some(region), Some(preheader)) = (regions.get(&index), l.preheader) else {
            continue;
        };
        let depth = nesting(&l.header) - 1;
        let types = reporter.types;
        reporter.builder.before(preheader.terminator());
        let number = types.i32.int(*region as u64);
        let number = reporter.builder.add(reporter.region_base, number);
        reporter.call("__ps_deps_enter", &[reporter.depth(depth), number]);
        variables(&reporter, sites, (f, &slots), *region, l);
        let loads = header::reads(l, &found);
        // Their lives end with the iteration, whether or not the compiler has kept the marks of it.
        reporter.builder.before(l.header.first_insertion());
        for slot in analysis.declared_inside(index) {
            let size = types.i64.int(unit.module.abi_size(slot.allocated_type()));
            reporter.call("__ps_deps_forget", &[reporter.address(slot), size]);
        }
        header::report(&reporter, sites, l, &loads);
        reporter.builder.before(l.header.first_insertion());
        let depth_now = [reporter.depth(depth)];
        let iterate = reporter.call_for("__ps_deps_iterate", unit.types.void, &depth_now);
        if loads.is_empty() {
            plain.push((index, depth, iterate));
        }
        moved.extend(loads);
        for exit in &l.exits {
            reporter.builder.before(exit.first_insertion());
            reporter.call("__ps_deps_unwind", &[reporter.depth(depth)]);
        }
    }
    for phi in phis {
        locals::report(&reporter, sites, &loops, phi);
    }
    // These use values that locals must not be seen to be read by.
    for (index, depth, iterate) in plain {
        let l = (index, &loops[index]);
        sites.within(regions_around(&l.1.header), Vec::new());
        if let Some(known) = ranges::report(&mut reporter, sites, analysis, l, depth, &reductions) {
            reporter.known.borrow_mut().push((iterate, known));
        }
    }
    let returns = !called_only(original);
    for (block, list) in instructions {
        // Nothing can come between such a call and the return behind it.
        let tail = list
            .iter()
            .any(|i| i.opcode() == Opcode::LLVMCall && analysis::is_must_tail(*i));
        let returns = returns && !tail;
        sites.within(regions_around(&block), once(&block));
        for i in list {
            let pad = i.opcode() == Opcode::LLVMLandingPad;
            let again = i.opcode() == Opcode::LLVMCall && analysis::returns_twice(i);
            if let Some(next) = i.next().filter(|_| pad || again) {
                reporter.builder.before(next);
                let depth = reporter.depth(nesting(&block));
                reporter.call("__ps_deps_unwind", &[depth]);
            }
            match i.opcode() {
                Opcode::LLVMAlloca => new_variable(&reporter, i),
                Opcode::LLVMRet if returns => {
                    reporter.builder.before(i);
                    reporter.call("__ps_deps_left", &[reporter.address(original)]);
                }
                _ if moved.contains(&i) => {}
                _ => access::report(&reporter, sites, i, reductions.get(&i)),
            }
        }
    }
    sites.within(Vec::new(), Vec::new());
    analysis::guard_reports(f, idle, &reporter.known.borrow(), &mut sites.reports);
}

/// A function's own variables that lie in memory, by name and line of declaration.
type MemoryVariables = IndexMap<(String, u32), Vec<Value>>;

fn slots(entry: Block) -> MemoryVariables {
    let mut slots = MemoryVariables::new();
    let instructions = entry.instructions().into_iter();
    for slot in instructions.filter(|i| i.opcode() == Opcode::LLVMAlloca) {
        if let Some(name) = analysis::variable_name(slot) {
            let key = (name, analysis::declared_line(slot));
            slots.entry(key).or_default().push(slot);
        }
    }
    slots
}

/// Reports where those variables lie of which only a run tells how iterations may share them.
fn variables(
    reporter: &Reporter<'_>,
    sites: &mut SiteTable,
    (f, slots): (Value, &MemoryVariables),
    region: usize,
    l: &analysis::NaturalLoop,
) {
    const MOST: u64 = 1 << 20;
    let source = reporter.unit.facts.regions[region].source.iter();
    let all: Vec<&Variable> = source.flat_map(|s| &s.variables).collect();
    for &variable in &all {
        let named = all.iter().filter(|v| v.name == variable.name).count();
        let (name, line) = (variable.name.as_str(), variable.line);
        let [address, size] = match variable.sharing {
            _ if named != 1 => continue,
            Sharing::Unknown(SharingDoubt::Scratch) if variable.global => {
                match analysis::global_named(f, name, line) {
                    Some(global) => global_extent(reporter, global),
                    None => continue,
                }
            }
            Sharing::Unknown(
                SharingDoubt::Escapes
                | SharingDoubt::Handed
                | SharingDoubt::Kept
                | SharingDoubt::Scratch,
            ) if !variable.global => match slots.get(&(name.to_owned(), line)).map(Vec::as_slice) {
                Some(&[slot]) if reporter.unit.module.abi_size(slot.allocated_type()) <= MOST => {
                    extent(reporter, slot)
                }
                _ => continue,
            },
            _ => continue,
        };
        let none = reporter.types.i32.zero();
        let site = sites.add(none, SiteAccess::Variable, name.to_owned(), l.place.0, None);
        let site = reporter.site(site);
        reporter.call("__ps_deps_variable", &[address, size, site]);
    }
}

/// Where a variable lies, and its size in bytes.
fn extent(reporter: &Reporter<'_>, slot: Value) -> [Value; 2] {
    let (types, unit) = (reporter.types, reporter.unit);
    let count = reporter.builder.int_cast(slot.operand(0), types.i64);
    let size = types.i64.int(unit.module.abi_size(slot.allocated_type()));
    [reporter.address(slot), reporter.builder.mul(count, size)]
}

/// The same of a global one.
fn global_extent(reporter: &Reporter<'_>, global: Value) -> [Value; 2] {
    let size = reporter.unit.module.abi_size(global.value_type());
    [reporter.address(global), reporter.types.i64.int(size)]
}

/// Memory that is handed over by value is the callee's own, and new; the call has read what it is a copy of.
fn handed_over(reporter: &Reporter<'_>, entry: Block, parameter: Value, ty: Type) {
    let size = reporter.unit.module.abi_size(ty);
    reporter.builder.before(entry.first_insertion());
    let args = [reporter.address(parameter), reporter.types.i64.int(size)];
    reporter.call("__ps_deps_forget", &args);
}

/// What lay in a variable's place before is gone.
fn new_variable(reporter: &Reporter<'_>, alloca: Value) {
    let Some(next) = alloca.next() else { return };
    reporter.builder.before(next);
    reporter.call("__ps_deps_forget", &extent(reporter, alloca));
}
