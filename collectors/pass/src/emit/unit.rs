//! What all functions of a module share: types, the runtime's symbols, regions and the descriptor built at the end.

use std::mem::offset_of;

use indexmap::IndexMap;
use parascan_abi::module::{COUNTER_PAGE, ModuleDesc, RegionDesc};
use parascan_abi::{ABI_VERSION, State};
use parascan_formats::latency::LatencyTable;
use parascan_formats::module::{
    LeftOutDependence, ModuleStatic, RegionKind, RegionStatic, UNKNOWN,
};
use parascan_formats::names::demangle;
use parascan_formats::prepared::{
    InstructionNote, MemoryBound, PreparedFunction, PreparedLoop, PreparedModule,
};

use super::callers::called_only;
use super::counters::ModuleCounters;
use super::cuts::reads_left_out;
use super::innermost::OpenRegionLists;
use super::library::constant_latency;
use super::rust;
use crate::analysis::{self, LiveAt, NaturalLoop};
use crate::fold::{self, Constant, FoldedChild, Functions};
use crate::ir::{Block, CommonTypes, InstructionBuilder, Linkage, Module, Opcode, Type, Value};
use crate::recognise::{InstructionRule, Recognised};

/// Fields of the thread state.
#[derive(Clone, Copy, Debug)]
pub enum Field {
    M,
    B,
    Ctrl,
    Ret,
    Work,
    RetFn,
    ArgFn,
    Depth,
    Carried,
    Seen,
    Place,
    Native,
    Latest,
    Outer,
    Turns,
}

impl Field {
    /// Offset in bytes.
    pub fn offset(self) -> usize {
        match self {
            Self::M => offset_of!(State, m),
            Self::B => offset_of!(State, b),
            Self::Ctrl => offset_of!(State, ctrl),
            Self::Ret => offset_of!(State, ret),
            Self::Work => offset_of!(State, work),
            Self::RetFn => offset_of!(State, ret_fn),
            Self::ArgFn => offset_of!(State, arg_fn),
            Self::Depth => offset_of!(State, depth),
            Self::Carried => offset_of!(State, carried),
            Self::Seen => offset_of!(State, seen),
            Self::Place => offset_of!(State, place),
            Self::Native => offset_of!(State, native),
            Self::Latest => offset_of!(State, latest),
            Self::Outer => offset_of!(State, outer),
            Self::Turns => offset_of!(State, turns),
        }
    }
}

/// A function that its callers account for.
#[derive(Clone, Debug)]
pub struct FoldedFunction {
    /// Its figures.
    pub constant: Constant,
    /// The `StaticDesc` by which callers tell the runtime of instances.
    pub descriptor: Value,
}

/// Where the versions of a function can go on for each other: the header of a loop.
#[derive(Clone, Debug)]
pub struct SwitchHeader {
    /// Its number in the function, from 1.
    pub number: u32,
    /// Headers of the loops around it, outermost first, and of its own.
    pub chain: Vec<Block>,
    /// What is live there.
    pub live: LiveAt,
    /// The native continuation.
    pub on: Value,
    /// Whether versions go on before the loop, so that it begins there.
    pub fresh: bool,
}

/// Form of the time vectors, which have 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Eight depths of 32 bits.
    Short,
    /// Four depths of 64 bits.
    Long,
}

impl Clock {
    /// Bits of a lane.
    fn bits(self) -> u32 {
        match self {
            Self::Short => 32,
            Self::Long => 64,
        }
    }

    /// Number of lanes.
    pub(super) fn lanes(self) -> usize {
        8 * size_of::<parascan_abi::Time>() / self.bits() as usize
    }
}

/// State of one module's instrumentation.
pub struct UnitState {
    /// What is being instrumented.
    pub module: Module,
    /// Those of its context that instrumentation uses.
    pub types: CommonTypes,
    /// Form of the clocks.
    pub clock: Clock,
    /// Whether carried dependences are observed.
    pub observes: bool,
    /// Whether the runtime may raise the bases of open instances whenever a region is entered.
    pub bursts: bool,
    /// Whether there are native versions of functions.
    pub changes: bool,
    /// Where versions of a function go on for each other, by function.
    places: IndexMap<Value, Vec<SwitchHeader>>,
    /// What native versions count.
    pub counters: ModuleCounters,
    /// What is open where they call.
    pub sites: OpenRegionLists,
    /// Dependences that the build leaves out.
    pub cuts: Vec<LeftOutDependence>,
    /// Loops that the runtime must know for that: regions and keys.
    left_out: Vec<(usize, u64)>,
    /// Vector of ticks.
    pub time: Type,
    /// Zero of that type.
    pub zero: Value,
    /// Latencies.
    pub costs: LatencyTable,
    /// Static facts, growing.
    pub facts: ModuleStatic,
    /// Notes for the reference, when asked for.
    pub notes: Option<PreparedModule>,
    /// Whether the function that is instrumented may use AVX2.
    pub wide: bool,
    /// Whether any may.
    pub needs_avx2: bool,
    /// Functions that are folded.
    pub folded: IndexMap<Value, FoldedFunction>,
    /// Loops of each instrumented function that are regions: index of the header among the function's blocks, and the
    /// region.
    pub loop_regions: IndexMap<Value, Vec<(usize, usize)>>,
    function_regions: IndexMap<Value, usize>,
    state: Value,
    masks: Value,
    regions: Value,
    /// First counter of native code.
    pub native_counters: Value,
    descriptor: Value,
    blind: IndexMap<String, usize>,
}

impl UnitState {
    /// The state with which the instrumentation of a module begins.
    pub fn new(module: Module, costs: LatencyTable, clock: Clock, dump: bool) -> Self {
        let types = module.types();
        let time = types.vector(types.int(clock.bits()), clock.lanes() as u32);
        let state = module.global(
            "__ps_state",
            types.array(types.i8, size_of::<State>() as u64),
        );
        state.set_thread_local();
        state.set_alignment(64);
        let masks = module.global(
            "__ps_lane_masks",
            types.array(time, clock.lanes() as u64 + 1),
        );
        masks.set_alignment(32);
        let regions = module.global("__ps_regions_later", types.array(types.i8, 0));
        let native_counters =
            module.global_of_segment("__ps_counters_later", types.array(types.i64, 0));
        let desc = Self::descriptor_type(types);
        let descriptor = module.global("__ps_module", desc);
        descriptor.set_linkage(Linkage::LLVMInternalLinkage);
        Self {
            module,
            types,
            clock,
            time,
            zero: time.zero(),
            costs,
            facts: ModuleStatic::default(),
            notes: dump.then(PreparedModule::default),
            observes: true,
            bursts: false,
            changes: false,
            places: IndexMap::new(),
            counters: ModuleCounters::default(),
            sites: OpenRegionLists::default(),
            cuts: Vec::new(),
            left_out: Vec::new(),
            wide: false,
            needs_avx2: false,
            folded: IndexMap::new(),
            loop_regions: IndexMap::new(),
            function_regions: IndexMap::new(),
            state,
            masks,
            regions,
            native_counters,
            descriptor,
            blind: IndexMap::new(),
        }
    }

    /// Records where the module comes from.
    pub fn describe(&mut self) {
        self.facts.source = self.module.source_file();
        self.facts.latency = self.costs.clone();
        let debug = self
            .module
            .functions()
            .into_iter()
            .find(|f| f.subprogram_line() > 0);
        self.facts.directory = debug.map(|f| f.debug_file().1).unwrap_or_default();
        self.facts.producer = self.module.producer();
    }

    fn descriptor_type(t: CommonTypes) -> Type {
        // Mirrors `ModuleDesc`; its size is checked in `finish`.
        t.structure(&[
            t.i32, t.i32, t.i32, t.i32, t.ptr, t.i32, t.i32, t.ptr, t.ptr, t.i64, t.i64, t.i64,
            t.ptr, t.ptr,
        ])
    }

    /// A vector with this latency, in units of work, in every lane.
    pub fn latency(&self, units: u32) -> Value {
        let tick = self.types.int(self.clock.bits());
        Type::splat(tick.int(u64::from(units)), self.clock.lanes())
    }

    /// Address of the thread state.
    pub fn state_address(&self, b: &InstructionBuilder) -> Value {
        b.intrinsic(
            self.module,
            "llvm.threadlocal.address",
            self.types.ptr,
            &[self.state],
        )
    }

    /// Address `offset` bytes behind `base`.
    pub fn offset(&self, b: &InstructionBuilder, base: Value, offset: usize) -> Value {
        if offset == 0 {
            base
        } else {
            b.byte_offset(base, self.types.i64.int(offset as u64))
        }
    }

    /// Lane mask of a depth.
    pub fn mask(&self, b: &InstructionBuilder, depth: Value) -> Value {
        let i64 = self.types.i64;
        let index = b.intrinsic(
            self.module,
            "llvm.umin",
            i64,
            &[depth, i64.int(self.clock.lanes() as u64)],
        );
        let bytes = b.mul(index, i64.int(size_of::<parascan_abi::Time>() as u64));
        let address = b.byte_offset(self.masks, bytes);
        let v = b.load(self.time, address);
        analysis::set_scope(self.module, v, analysis::AliasScope::State);
        v
    }

    /// Address of a region's descriptor.
    pub fn region(&self, b: &InstructionBuilder, number: usize) -> Value {
        self.offset(b, self.regions, number * size_of::<RegionDesc>())
    }

    /// A constant `StaticDesc`: an instance of `region` with constant children.
    pub fn static_descriptor(
        &self,
        region: usize,
        constant: &Constant,
        children: &[(Value, u64)],
    ) -> Value {
        let t = self.types;
        let b = t.builder();
        let child_type = t.structure(&[t.ptr, t.i64]);
        let list: Vec<Value> = children
            .iter()
            .map(|&(desc, count)| t.const_struct(&[desc, t.i64.int(count)]))
            .collect();
        let list = if list.is_empty() {
            t.ptr.zero()
        } else {
            self.constant("__ps_children", child_type.const_array(&list))
        };
        let fields = [
            self.region(&b, region),
            t.i64.int(constant.cp),
            t.i64.int(constant.work),
            t.i64.int(children.len() as u64),
            list,
        ];
        self.constant("__ps_static_desc", t.const_struct(&fields))
    }

    /// A constant `LoopDesc`: loop `region`, whose iterations are as in the `StaticDesc` `iteration`.
    pub fn loop_descriptor(&self, region: usize, iteration: Value) -> Value {
        let t = self.types;
        let region = self.region(&t.builder(), region);
        self.constant("__ps_loop_desc", t.const_struct(&[region, iteration]))
    }

    /// A global of the module's own with this content.
    fn constant(&self, name: &str, value: Value) -> Value {
        let global = self.module.global(name, value.ty());
        global.set_initializer(value);
        global.set_linkage(Linkage::LLVMInternalLinkage);
        global
    }

    /// Region number of a function, which is registered when first asked for.
    pub fn region_of_function(&mut self, f: Value) -> usize {
        if let Some(&number) = self.function_regions.get(&f) {
            return number;
        }
        let number = self.add_region(function_region(self.module, f));
        self.function_regions.insert(f, number);
        number
    }

    /// Figures of the folded functions.
    pub fn folded_functions(&self) -> Functions {
        self.folded
            .iter()
            .map(|(f, folded)| (*f, folded.constant.clone()))
            .collect()
    }

    /// Finds the functions that can be folded, callees before callers. Those that others may call too are cloned: calls
    /// in this module go to the clone. Returns the clones.
    pub fn fold_functions(&mut self, functions: &[Value]) -> Vec<Value> {
        let mut clones = Vec::new();
        let costs = self.costs.clone();
        let library = |call: Value| constant_latency(call, &costs);
        loop {
            let before = self.folded.len();
            for &f in functions {
                let direct = |u: &Value| {
                    u.is_instruction()
                        && u.opcode() == Opcode::LLVMCall
                        && u.callee() == f
                        && !u.args().contains(&f)
                };
                let calls: Vec<Value> = f
                    .users()
                    .into_iter()
                    .filter(direct)
                    .filter(|u| !analysis::is_must_tail(*u))
                    .collect();
                if calls.is_empty() || self.folded.contains_key(&f) || f.name() == "main" {
                    continue;
                }
                // The loop that calls it would be no region that the runtime sees open.
                if reads_left_out(f, &self.cuts) {
                    continue;
                }
                let Some(constant) = fold::function(f, &costs, &library, &self.folded_functions())
                else {
                    continue;
                };
                let number = self.region_of_function(f);
                let target = if called_only(f) {
                    self.facts.regions[number].folded = true;
                    f
                } else {
                    let clone = analysis::clone_internal(f);
                    for call in &calls {
                        call.set_callee(clone);
                    }
                    self.function_regions.insert(clone, number);
                    clones.push(clone);
                    clone
                };
                let children: Vec<(Value, u64)> = constant
                    .children
                    .iter()
                    .filter_map(|piece| match piece {
                        FoldedChild::Function(callee) => Some((self.folded[callee].descriptor, 1)),
                        FoldedChild::Loop(_) => None,
                    })
                    .collect();
                let descriptor = self.static_descriptor(number, &constant, &children);
                self.folded.insert(
                    target,
                    FoldedFunction {
                        constant,
                        descriptor,
                    },
                );
            }
            if self.folded.len() == before {
                return clones;
            }
        }
    }

    /// Has the runtime know a loop of which something is left out.
    pub fn leave_out(&mut self, region: usize, key: u64) {
        if !self.left_out.contains(&(region, key)) {
            self.left_out.push((region, key));
        }
    }

    /// Notes in the profile that this is left out.
    pub fn note_left_out(&mut self, cut: &LeftOutDependence) {
        let text = cut.to_string();
        if !self.facts.without.contains(&text) {
            self.facts.without.push(text);
        }
    }

    /// Adds to what the profile will say of the module; gives the number that the region has there.
    pub fn add_region(&mut self, region: RegionStatic) -> usize {
        self.facts.regions.push(region);
        self.facts.regions.len() - 1
    }

    /// A function of the runtime with its type; declared in the module if it is not yet.
    pub fn runtime(&self, name: &str, ret: Type, params: &[Type]) -> (Type, Value) {
        let ty = self.types.function(ret, params);
        (ty, self.module.declare(name, ty))
    }

    /// Calls a function of the runtime with these arguments, and returns its result.
    pub fn call_runtime(
        &self,
        b: &InstructionBuilder,
        name: &str,
        ret: Type,
        args: &[Value],
    ) -> Value {
        let params: Vec<Type> = args.iter().map(|a| a.ty()).collect();
        let (ty, f) = self.runtime(name, ret, &params);
        b.call(ty, f, args)
    }

    /// Calls a runtime function from code that rarely runs: its entry that keeps all registers, so that nothing has to
    /// be moved out of them around the call (`collectors/runtime/src/kept.rs`; it has AVX).
    pub fn call_rarely(
        &self,
        b: &InstructionBuilder,
        name: &str,
        ret: Type,
        args: &[Value],
    ) -> Value {
        if !self.wide {
            return self.call_runtime(b, name, ret, args);
        }
        let call = self.call_runtime(b, &format!("{name}_kept"), ret, args);
        call.keep_registers();
        call
    }

    /// Adds `calls` to the counter of an uninstrumented callee.
    pub fn count_blind(&mut self, b: &InstructionBuilder, name: &str, calls: Value) {
        let next = self.blind.len();
        let index = *self.blind.entry(name.to_owned()).or_insert_with(|| {
            self.facts.blind.push(name.to_owned());
            next
        });
        let counters = self.offset(b, self.descriptor, offset_of!(ModuleDesc, blind));
        let counters = b.load(self.types.ptr, counters);
        let address = self.offset(b, counters, index * 8);
        let value = b.load(self.types.i64, address);
        let value = b.add(value, calls);
        b.store(value, address);
    }

    /// Counters of the module's own.
    fn local_counters(&self, name: &str, number: u64) -> Value {
        let ty = self.types.array(self.types.i64, number.max(1));
        let counters = self.module.global(name, ty);
        counters.set_initializer(ty.zero());
        counters.set_linkage(Linkage::LLVMInternalLinkage);
        counters
    }

    /// Where values lie while one version of a function hands over to another.
    pub fn buffer(&self) -> analysis::Buffer {
        analysis::Buffer::new(self.state)
    }

    /// Notes where versions of a function can go on for each other.
    pub fn add_place(&mut self, f: Value, place: SwitchHeader) {
        self.places.entry(f).or_default().push(place);
    }

    /// The places of a function at which its versions can be switched.
    pub fn places(&self, f: Value) -> Vec<SwitchHeader> {
        self.places.get(&f).cloned().unwrap_or_default()
    }

    /// Keeps notes for the reference interpreter.
    pub fn note_function(
        &mut self,
        f: Value,
        blocks: &[Block],
        loops: &[NaturalLoop],
        tracked: &[(usize, usize, usize)],
        found: &Recognised,
    ) {
        let number = self.region_of_function(f);
        let is_clone = self.facts.regions[number].linkage_name != f.name();
        let Some(notes) = self.notes.as_mut().filter(|_| !is_clone) else {
            return;
        };
        let block_number: IndexMap<Block, u32> =
            blocks.iter().zip(0..).map(|(b, i)| (*b, i)).collect();
        let mut at: IndexMap<Value, (u32, u32)> = IndexMap::new();
        for (b, block) in blocks.iter().enumerate() {
            for (i, instruction) in block.instructions().into_iter().enumerate() {
                at.insert(instruction, (b as u32, i as u32));
            }
        }
        let position: IndexMap<usize, u32> =
            tracked.iter().zip(0..).map(|(t, i)| (t.0, i)).collect();
        let mut list: Vec<InstructionNote> = found
            .rules
            .iter()
            .map(|(v, rule)| {
                use parascan_formats::prepared::PreparedRule as Note;
                let rule = match rule.clone() {
                    InstructionRule::InductionPhi => Note::InductionPhi,
                    InstructionRule::InductionUpdate { phi } => {
                        Note::InductionUpdate { phi: at[&phi] }
                    }
                    InstructionRule::CountedTest => Note::CountedTest,
                    InstructionRule::Reduction { chain, phi } => Note::Reduction {
                        chain,
                        phi: at[&phi],
                    },
                    InstructionRule::KeptPosition { chain, phi } => Note::KeptPosition {
                        chain,
                        phi: at[&phi],
                    },
                    InstructionRule::ReductionTest { chain, phi } => Note::ReductionTest {
                        chain,
                        phi: at[&phi],
                    },
                    InstructionRule::MemoryTest { chain, store } => Note::MemoryTest {
                        chain,
                        store: at[&store],
                    },
                    InstructionRule::ReductionLoad {
                        scope: (innermost, outermost),
                        watching,
                    } => {
                        // The outermost of these loops that is a region.
                        let mut scope = None;
                        let mut at = Some(innermost);
                        while let Some(l) = at {
                            scope = position.get(&l).copied().or(scope);
                            at = loops[l].parent.filter(|_| l != outermost);
                        }
                        Note::ReductionLoad { scope, watching }
                    }
                    InstructionRule::ReductionCombine { chain } => Note::ReductionCombine { chain },
                    InstructionRule::ReductionStore {
                        load,
                        combine,
                        init,
                    } => Note::ReductionStore {
                        load: at[&load],
                        combine: at[&combine],
                        init: init.and_then(|l| position.get(&l).copied()),
                    },
                };
                let (block, index) = at[v];
                InstructionNote { block, index, rule }
            })
            .collect();
        for (load, &(innermost, outermost)) in &found.watched {
            let mut scope = Vec::new();
            let mut l = Some(innermost);
            while let Some(here) = l {
                scope.extend(position.get(&here).copied());
                l = loops[here].parent.filter(|_| here != outermost);
            }
            let (block, index) = at[load];
            list.push(InstructionNote {
                block,
                index,
                rule: parascan_formats::prepared::PreparedRule::WatchedLoad { scope },
            });
        }
        list.sort_by_key(|n| (n.block, n.index));
        notes.functions.push(PreparedFunction {
            name: f.name(),
            region: number as u32,
            loops: tracked
                .iter()
                .map(|&(l, region, iteration)| PreparedLoop {
                    region: region as u32,
                    iteration: iteration as u32,
                    header: block_number[&loops[l].header],
                    blocks: loops[l].blocks.iter().map(|b| block_number[b]).collect(),
                    counted_exits: loops[l]
                        .counted_exits
                        .iter()
                        .map(|b| block_number[b])
                        .collect(),
                    memory_bounds: loops[l]
                        .memory_bounds
                        .iter()
                        .map(|(b, loads)| MemoryBound {
                            block: block_number[b],
                            loads: loads.iter().map(|v| at[v]).collect(),
                        })
                        .collect(),
                    carriers: found.carriers[l].iter().map(|phi| at[phi].1).collect(),
                })
                .collect(),
            notes: list,
        });
    }

    /// Emits the descriptor, the blob and the constructor, which it returns.
    pub fn finish(&mut self) -> Value {
        let t = self.types;
        let count = self.facts.regions.len();
        // Bytes: LLVM's call graph looks through all elements of an array of structures, once for every function that
        // uses it and whenever that has changed.
        let mut descriptors = vec![0; count * size_of::<RegionDesc>()];
        let each = descriptors.chunks_exact_mut(size_of::<RegionDesc>());
        for (bytes, region) in each.zip(&self.facts.regions) {
            let at = offset_of!(RegionDesc, kind);
            bytes[at..at + 4].copy_from_slice(&(region.kind as u32).to_ne_bytes());
        }
        let descriptors = t.bytes(&descriptors);
        let regions = self.module.global("__ps_regions", descriptors.ty());
        regions.set_initializer(descriptors);
        regions.set_linkage(Linkage::LLVMInternalLinkage);
        regions.set_alignment(64);
        self.regions.replace_global(regions);

        let mut blob = postcard::to_allocvec(&self.facts).expect("plain data encodes");
        // Whether each is vectorized shows behind the optimizer (`vectors.rs`).
        blob.resize(blob.len() + count, UNKNOWN);
        let bytes = t.bytes(&blob);
        let blob_global = self.module.global("__ps_blob", bytes.ty());
        blob_global.set_initializer(bytes);
        blob_global.set_linkage(Linkage::LLVMInternalLinkage);
        blob_global.set_constant();
        let blind = self.local_counters("__ps_blind_local", self.facts.blind.len() as u64);
        let counters = match u64::from(self.counters.number()) {
            0 => t.i64.zero(),
            number => {
                let ty = t.array(t.i64, number.next_multiple_of(COUNTER_PAGE / 8));
                let counters = self.module.global_of_segment("__ps_counters", ty);
                counters.set_initializer(ty.zero());
                counters.set_linkage(Linkage::LLVMInternalLinkage);
                counters.set_alignment(COUNTER_PAGE as u32);
                self.native_counters.replace_global(counters);
                counters.address(t.i64)
            }
        };

        let [sites, sites_end] = if self.changes {
            let bound = |name| {
                let bound = self.module.global(name, t.i64);
                bound.set_linkage(Linkage::LLVMExternalWeakLinkage);
                bound.hide();
                bound
            };
            [bound("__start_ps_sites"), bound("__stop_ps_sites")]
        } else {
            [t.ptr.zero(); 2]
        };
        let word = |v: usize| t.i32.int(v as u64);
        let fields = [
            word(ABI_VERSION as usize),
            word(self.clock.bits() as usize),
            word(self.clock.lanes()),
            word(count),
            regions,
            word(self.facts.blind.len()),
            word(0),
            blind,
            blob_global,
            t.i64.int(blob.len() as u64),
            counters,
            t.i64.int(self.counters.number().into()),
            sites,
            sites_end,
        ];
        assert_eq!(
            self.module.abi_size(Self::descriptor_type(t)),
            size_of::<ModuleDesc>() as u64,
            "ModuleDesc mirrors the ABI"
        );
        self.descriptor.set_initializer(t.const_struct(&fields));

        let (_, constructor) = self.runtime("__ps_construct", t.void, &[]);
        constructor.set_linkage(Linkage::LLVMInternalLinkage);
        let b = t.builder();
        b.at_end(t.append_block(constructor, ""));
        self.call_runtime(&b, "__ps_register", t.void, &[self.descriptor]);
        if self.needs_avx2 {
            let alone = word(usize::from(!self.changes));
            self.call_runtime(&b, "__ps_needs_avx", t.void, &[alone]);
        }
        if !self.observes {
            self.call_runtime(&b, "__ps_unobserved", t.void, &[]);
        }
        for &(region, key) in &self.left_out {
            let region = self.offset(&b, regions, region * size_of::<RegionDesc>());
            let key = t.i64.int(key);
            self.call_runtime(&b, "__ps_leave_out", t.void, &[region, key]);
        }
        b.ret_void();
        analysis::append_constructor(self.module, constructor, 0);
        if self.changes {
            // The runtime looks at the sites of native versions, which go with a library that is closed.
            let (_, destructor) = self.runtime("__ps_destruct", t.void, &[]);
            destructor.set_linkage(Linkage::LLVMInternalLinkage);
            b.at_end(t.append_block(destructor, ""));
            self.call_runtime(&b, "__ps_unregister", t.void, &[self.descriptor]);
            b.ret_void();
            analysis::append_destructor(self.module, destructor, 0);
        }
        constructor
    }
}

/// What the profile says of a function that is a region, without the loops in it.
fn function_region(module: Module, f: Value) -> RegionStatic {
    let (mut file, directory) = f.debug_file();
    // Rust's library has folders of its own.
    if ["/rustc/", "/rust/deps/"]
        .iter()
        .any(|own| directory.starts_with(own))
    {
        file = format!("{directory}/{file}");
    }
    let line = f.subprogram_line();
    let end = f
        .blocks()
        .into_iter()
        .map(analysis::block_max_line)
        .max()
        .unwrap_or(0);
    let linkage_name = f.name();
    RegionStatic {
        kind: RegionKind::Function,
        parent: None,
        function: demangle(&linkage_name),
        linkage_name,
        file: if file.is_empty() {
            rust::without_hash(&module.source_file()).to_owned()
        } else {
            file
        },
        line,
        column: 0,
        end_line: end.max(line),
        counted: false,
        broken: Vec::new(),
        folded: false,
        source: None,
        streams: Vec::new(),
        vectorized: None,
        writes_to_frame: None,
    }
}
