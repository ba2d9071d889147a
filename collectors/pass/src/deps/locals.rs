//! Local variables that live in registers and carry a value from one iteration to the next: phis of loop headers.
//!
//! Each gets a place of its own on the stack, whose address stands for it in the runtime. At the end of an iteration
//! the variable is *written* if the iteration assigned to it; it is *read* where its value of the iteration's begin is
//! used. Which of the two a value is that comes out of branches is known by companions of phis: 0 for the value of the
//! begin, or the number of the site that assigned, plus one. Inductions and reductions are left out.

use indexmap::{IndexMap, IndexSet};

use parascan_formats::evidence::SiteAccess;

use crate::analysis::{self, NaturalLoop};
use crate::ir::{Block, Opcode, TypeKind, Value};
use crate::recognise::Recognised;

use super::Reporter;
use super::sites::SiteTable;

/// A header phi that carries a value.
pub(super) struct CarriedPhi {
    in_loop: usize,
    phi: Value,
}

/// Header phis of the loops in `regions` that are neither inductions nor on the cycle of a reduction.
pub(super) fn carried(regions: &IndexMap<usize, usize>, found: &Recognised) -> Vec<CarriedPhi> {
    let carriers = found.carriers.iter().enumerate();
    carriers
        .filter(|(in_loop, _)| regions.contains_key(in_loop))
        .flat_map(|(in_loop, phis)| phis.iter().map(move |&phi| CarriedPhi { in_loop, phi }))
        .collect()
}

/// Gives the variable its place on the stack, and has its reads and writes told to the runtime.
pub(super) fn report(
    reporter: &Reporter<'_>,
    sites: &mut SiteTable,
    loops: &[NaturalLoop],
    CarriedPhi { in_loop, phi }: CarriedPhi,
) {
    let l = &loops[in_loop];
    let (Some(latch), Some(preheader)) = (l.latch, l.preheader) else {
        return;
    };
    let inside: IndexSet<Block> = l.blocks.iter().copied().collect();
    let Some((next, _)) = phi.incoming().into_iter().find(|(_, from)| *from == latch) else {
        return;
    };
    if next == phi {
        return;
    }
    let web = web(phi, next, &inside);
    let name = name(phi, next, &web);
    let types = reporter.types;

    // Companions, without edges at first.
    let builder = &reporter.builder;
    let mut code: IndexMap<Value, Value> = IndexMap::from([(phi, types.i32.zero())]);
    for p in web.iter().filter(|p| p.opcode() == Opcode::LLVMPHI) {
        builder.before(p.block().instructions()[0]);
        code.insert(*p, builder.phi(types.i32));
    }
    // Choices without branches, operands first.
    let mut choices: Vec<Value> = web.iter().copied().filter(|v| is_choice(*v)).collect();
    let mut leaves: IndexMap<(Value, Block), Value> = IndexMap::new();
    while !choices.is_empty() {
        let pending = |v: Value| choices.contains(&v);
        let Some(at) = choices
            .iter()
            .position(|c| !pending(c.operand(1)) && !pending(c.operand(2)))
        else {
            break;
        };
        let choice = choices.remove(at);
        let operands = [1, 2].map(|i| {
            let value = choice.operand(i);
            code.get(&value).copied().unwrap_or_else(|| {
                // Where another variable has the value as well, it is assigned at the choice.
                let at = match is_placed(value) && inside.contains(&value.block()) {
                    true if holds_alone(value, &name) => value,
                    _ => choice,
                };
                let site = sites.add(at, SiteAccess::LocalWrite, name.clone(), l.place.0, None);
                let number = types.i32.int(u64::from(site) + 1);
                leaves.insert((value, choice.block()), number);
                number
            })
        });
        builder.before(choice);
        let chosen = builder.select(choice.operand(0), operands[0], operands[1]);
        code.insert(choice, chosen);
    }
    let mut of = |value: Value, from: Block, sites: &mut SiteTable| {
        if let Some(code) = code.get(&value) {
            return *code;
        }
        *leaves.entry((value, from)).or_insert_with(|| {
            let at = if is_placed(value) {
                value
            } else {
                from.terminator()
            };
            let site = sites.add(at, SiteAccess::LocalWrite, name.clone(), l.place.0, None);
            types.i32.int(u64::from(site) + 1)
        })
    };
    for p in web.iter().filter(|p| p.opcode() == Opcode::LLVMPHI) {
        let edges: Vec<(Value, Block)> = p
            .incoming()
            .into_iter()
            .map(|(value, from)| (of(value, from, sites), from))
            .collect();
        code[p].add_incoming(&edges);
    }
    let last = of(next, latch, sites);

    builder.before(reporter_entry(reporter));
    let place = builder.alloca(types.i32);
    let address = builder.ptr_to_int(place, types.i64);
    builder.before(preheader.terminator());
    reporter.call("__ps_deps_forget", &[address, types.i64.int(4)]);
    builder.before(latch.terminator());
    reporter.call("__ps_deps_assign", &[address, reporter.site_base, last]);

    let mut done: IndexSet<(Value, Block)> = IndexSet::new();
    for value in web.iter().copied().chain([phi]) {
        for user in value.users() {
            if user.opcode() == Opcode::LLVMPHI {
                // Another variable takes the value.
                if code.contains_key(&user) || !inside.contains(&user.block()) {
                    continue;
                }
                for (_, from) in user.incoming().into_iter().filter(|(v, _)| *v == value) {
                    if inside.contains(&from) && done.insert((value, from)) {
                        use_at(
                            reporter,
                            sites,
                            from.terminator(),
                            (address, code[&value]),
                            &name,
                            l,
                        );
                    }
                }
            } else if code.contains_key(&user) && user.operand(0) != value {
                // A choice of the same variable.
            } else if inside.contains(&user.block()) && done.insert((value, user.block())) {
                let first = user
                    .block()
                    .instructions()
                    .into_iter()
                    .find(|i| {
                        let passes_on = code.contains_key(i) && i.operand(0) != value;
                        i.opcode() != Opcode::LLVMPHI && !passes_on && i.operands().contains(&value)
                    })
                    .unwrap_or(user);
                use_at(reporter, sites, first, (address, code[&value]), &name, l);
            }
        }
    }
}

/// Reports a use, before the instruction that uses the value.
fn use_at(
    reporter: &Reporter<'_>,
    sites: &mut SiteTable,
    user: Value,
    (address, code): (Value, Value),
    name: &str,
    l: &NaturalLoop,
) {
    let site = sites.add(
        user,
        SiteAccess::LocalRead,
        name.to_owned(),
        l.place.0,
        None,
    );
    reporter.builder.before(user);
    let site = reporter.site(site);
    reporter.call("__ps_deps_use", &[address, code, site]);
}

/// First instruction of the function's entry, where its own variables are made.
fn reporter_entry(reporter: &Reporter<'_>) -> Value {
    reporter.depth.block().first_insertion()
}

/// Whether an instruction computes a value, on a line that is known.
fn is_placed(value: Value) -> bool {
    value.is_instruction() && value.place().is_some_and(|p| p.0 != 0)
}

/// Whether this variable has a value, and no other.
fn holds_alone(value: Value, name: &str) -> bool {
    let names = analysis::variable_names(value);
    !names.is_empty() && names.iter().all(|n| n == name)
}

/// Whether a value is one of two by a condition.
fn is_choice(v: Value) -> bool {
    v.is_instruction()
        && v.opcode() == Opcode::LLVMSelect
        && v.operand(0).ty().kind() == TypeKind::LLVMIntegerTypeKind
}

/// Phis and choices inside of the loop through which the value for the next iteration comes.
fn web(phi: Value, next: Value, inside: &IndexSet<Block>) -> Vec<Value> {
    let mut web = Vec::new();
    let mut work = vec![next];
    while let Some(v) = work.pop() {
        if !v.is_instruction() || !inside.contains(&v.block()) || web.contains(&v) {
            continue;
        }
        if v.opcode() == Opcode::LLVMPHI && v.block() != phi.block() {
            web.push(v);
            work.extend(v.incoming().into_iter().map(|(value, _)| value));
        } else if is_choice(v) {
            web.push(v);
            work.extend([v.operand(1), v.operand(2)]);
        }
    }
    web
}

/// The variable: what holds the value at an iteration's begin and what is assigned in it.
fn name(phi: Value, next: Value, web: &[Value]) -> String {
    let incoming = web
        .iter()
        .filter(|p| !is_choice(**p))
        .flat_map(|p| p.incoming())
        .map(|(v, _)| v);
    let assigned: Vec<String> = [next]
        .into_iter()
        .chain(web.iter().copied())
        .chain(incoming)
        .filter(|v| v.is_instruction() && *v != phi)
        .flat_map(analysis::variable_names)
        .collect();
    let held = analysis::variable_names(phi);
    // Another variable may hold the same value for a while.
    let both = held.iter().find(|name| assigned.contains(name));
    let any = both.or(held.first()).or(assigned.first());
    any.cloned().unwrap_or_default()
}
