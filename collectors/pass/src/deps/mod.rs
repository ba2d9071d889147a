//! The dependence version of every instrumented function: a second body, copied before the recording instrumentation,
//! that reports loops and accesses to the runtime (`parascan_abi::deps`) when the program runs with `__ps_mode` set.
//!
//! Only calls are inserted, and in the end tests around them. [`body`] does that for one function, [`access`] for its
//! loads, stores and calls, [`header`] for bounds and steps of loops, [`ranges`] for accesses that are known before a
//! loop runs, [`locals`] for variables that live in registers; [`sites`] keeps what is known of the places.

mod access;
mod body;
mod header;
mod locals;
mod ranges;
mod sites;

use std::cell::RefCell;
use std::mem::offset_of;

use indexmap::{IndexMap, IndexSet};
use parascan_abi::deps::{AccessReport, REPORT_BASES, UnitDesc};

use crate::analysis::{self, Analysis};
use crate::emit::UnitState;
use crate::ir::{CommonTypes, InstructionBuilder, Linkage, Opcode, Type, Value};
use sites::SiteTable;

/// Instructions of the largest function that gets a second body: compile time grows faster than the size.
const LARGEST: usize = 12_000;

/// Dependence versions of a module.
pub struct Versions {
    /// By function, with the module's order kept.
    pairs: Vec<(Value, Value)>,
    unseen: Vec<String>,
}

impl Versions {
    /// Copies all functions; calls between copies are direct.
    pub fn new(functions: &[Value]) -> Self {
        let (mut pairs, mut unseen) = (Vec::new(), Vec::new());
        for &f in functions {
            if f.size() > LARGEST {
                unseen.push(f.name());
                continue;
            }
            match analysis::clone_body(f) {
                Some(clone) => pairs.push((f, clone)),
                None => unseen.push(f.name()),
            }
        }
        let of: IndexMap<Value, Value> = pairs.iter().copied().collect();
        for (_, clone) in &pairs {
            for i in clone.blocks().iter().flat_map(|b| b.instructions()) {
                let call = matches!(i.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke);
                if let Some(target) = call.then(|| of.get(&i.callee())).flatten() {
                    i.set_callee(*target);
                }
            }
        }
        Self { pairs, unseen }
    }

    /// Fills the copies with reports, and has the functions choose between their bodies. `unit` is done with its
    /// functions, `analyses` is the analysis manager. Returns the module's descriptor for the runtime.
    pub fn finish(self, unit: &UnitState, analyses: *mut std::ffi::c_void) -> Value {
        let types = unit.types;
        let module = unit.module;
        let desc_type = types.structure(&[
            types.i32, types.i32, types.i32, types.i32, types.ptr, types.i64, types.ptr, types.i64,
        ]);
        assert_eq!(
            module.abi_size(desc_type),
            size_of::<UnitDesc>() as u64,
            "UnitDesc mirrors the ABI"
        );
        let descriptor = module.global("__ps_deps_unit", desc_type);
        descriptor.set_linkage(Linkage::LLVMInternalLinkage);
        let mode = module.global("__ps_mode", types.i32);
        let idle = module.global("__ps_deps_idle", types.i32);
        let later = module.global("__ps_deps_reports_later", types.ptr);
        let mut sites = SiteTable::new(unit, self.unseen, later);
        let versions: IndexSet<Value> = self.pairs.iter().map(|(_, clone)| *clone).collect();
        for &(f, clone) in &self.pairs {
            let none = Vec::new();
            let regions = unit.loop_regions.get(&f).unwrap_or(&none);
            analysis::load_before(clone, analyses);
            let analysis = Analysis::new(analyses, clone);
            body::report(
                unit,
                &versions,
                &mut sites,
                (descriptor, idle),
                (f, clone),
                regions,
                &analysis,
            );
        }
        for (f, clone) in self.pairs {
            analysis::mark_written(clone, false);
            // Sites have their lines. Following variables through registers would take a twentieth of the time to
            // compile, though there are none.
            analysis::strip_lines(clone);
            analysis::choose_body(f, mode, clone);
        }
        let (facts, reports) = sites.finish();
        let blob = postcard::to_allocvec(&facts).expect("plain data encodes");
        let bytes = types.bytes(&blob);
        let blob_global = module.global("__ps_deps_blob", bytes.ty());
        blob_global.set_initializer(bytes);
        blob_global.set_linkage(Linkage::LLVMInternalLinkage);
        blob_global.set_constant();
        let reports = table(unit, reports);
        let word = |n: usize| types.i32.int(n as u64);
        descriptor.set_initializer(types.const_struct(&[
            word(0),
            word(0),
            word(unit.facts.regions.len()),
            word(facts.sites.len()),
            blob_global,
            types.i64.int(blob.len() as u64),
            reports.0,
            types.i64.int(reports.1),
        ]));
        descriptor
    }
}

/// Makes the table of all reports, and their number.
fn table(unit: &UnitState, reports: analysis::Reports) -> (Value, u64) {
    let types = unit.types;
    // Bytes, for the reason that the table of regions is (`emit/unit.rs`).
    let mut bytes = Vec::with_capacity(size_of_val(reports.list.as_slice()));
    for r in &reports.list {
        assert!(
            usize::from(r.base) < REPORT_BASES,
            "shim/deps.cpp hands over as many addresses as the runtime takes"
        );
        let AccessReport {
            site,
            bytes: length,
            offset,
            how,
            base,
            last,
        } = *r;
        bytes.extend(site.to_ne_bytes());
        bytes.extend(length.to_ne_bytes());
        bytes.extend(offset.to_ne_bytes());
        bytes.extend(how.to_ne_bytes());
        bytes.extend([base, last]);
    }
    assert_eq!(
        bytes.len(),
        size_of_val(reports.list.as_slice()),
        "AccessReport has no padding"
    );
    let bytes = types.bytes(&bytes);
    let table = unit.module.global("__ps_deps_table", bytes.ty());
    table.set_initializer(bytes);
    table.set_linkage(Linkage::LLVMInternalLinkage);
    table.set_alignment(align_of::<AccessReport>() as u32);
    reports.table.replace_global(table);
    (table, reports.list.len() as u64)
}

/// Has the module's constructor hand the descriptor to the runtime as well.
pub fn register(unit: &UnitState, constructor: Value, descriptor: Value) {
    let builder = unit.types.builder();
    let end = constructor.blocks()[0].terminator();
    builder.before(end);
    unit.call_runtime(
        &builder,
        "__ps_deps_register",
        unit.types.void,
        &[descriptor],
    );
}

/// What the reports of one function share.
struct Reporter<'u> {
    unit: &'u UnitState,
    /// The module's dependence versions.
    versions: &'u IndexSet<Value>,
    types: CommonTypes,
    builder: InstructionBuilder,
    /// Number of the module's first site and region, and the number of open loops at the function's entry.
    site_base: Value,
    region_base: Value,
    depth: Value,
    /// Loads and stores of ranges: their sites, and the number that is 0 where they are to be reported one by one.
    ranged: IndexMap<Value, (u32, Value)>,
    /// Calls that report these, and what else the ranges make needless, with that number.
    known: RefCell<Vec<(Value, Value)>>,
}

impl<'u> Reporter<'u> {
    /// Emits what the entry of function `f` needs.
    fn new(
        unit: &'u UnitState,
        versions: &'u IndexSet<Value>,
        descriptor: Value,
        f: Value,
    ) -> Self {
        let types = unit.types;
        let builder = types.builder();
        builder.before(f.blocks()[0].first_insertion());
        let field = |offset| {
            let at = unit.offset(&builder, descriptor, offset);
            builder.load(types.i32, at)
        };
        let site_base = field(offset_of!(UnitDesc, site_base));
        let region_base = field(offset_of!(UnitDesc, region_base));
        let depth = unit.call_runtime(&builder, "__ps_deps_depth", types.i64, &[]);
        Self {
            unit,
            versions,
            types,
            builder,
            site_base,
            region_base,
            depth,
            ranged: IndexMap::new(),
            known: RefCell::default(),
        }
    }

    /// Number of a site in the process.
    fn site(&self, number: u32) -> Value {
        let number = self.types.i32.int(number.into());
        self.builder.add(self.site_base, number)
    }

    /// Depth of the `nesting`-th loop inside of each other in this function.
    fn depth(&self, nesting: usize) -> Value {
        if nesting == 0 {
            return self.depth;
        }
        let nesting = self.types.i64.int(nesting as u64);
        self.builder.add(self.depth, nesting)
    }

    /// A pointer as a number.
    fn address(&self, pointer: Value) -> Value {
        self.builder.ptr_to_int(pointer, self.types.i64)
    }

    fn call(&self, name: &str, args: &[Value]) {
        self.call_for(name, self.types.void, args);
    }

    fn call_for(&self, name: &str, result: Type, args: &[Value]) -> Value {
        self.unit.call_runtime(&self.builder, name, result, args)
    }
}
