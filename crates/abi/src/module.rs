//! What the pass puts into every instrumented object file, and what the runtime fills in when it is loaded.

use core::ffi::c_void;

/// One per instrumented module, in writable data, handed to `__ps_register` by a constructor of highest priority.
#[derive(Debug)]
#[repr(C)]
pub struct ModuleDesc {
    /// [`ABI_VERSION`](crate::ABI_VERSION) of the pass. A runtime of another version refuses to record.
    pub abi_version: u32,
    /// Width of the clocks that the code was built for: 32, or 64 for long runs. The runtime's must be the same.
    pub tick_bits: u32,
    /// Lanes of a time vector.
    pub lanes: u32,
    /// Number of regions.
    pub region_count: u32,
    /// `region_count` descriptors.
    pub regions: *mut RegionDesc,
    /// Number of blind-spot counters (names in the blob, same order).
    pub blind_count: u32,
    /// Filled with 1 once registered.
    pub registered: u32,
    /// Filled by the runtime: `blind_count` counters inside the log (or in private memory when not recording).
    /// Non-null from the start: the pass points it at a module-local array, so code before registration is safe.
    pub blind: *mut u64,
    /// `parascan_formats::module::ModuleStatic`, postcard-encoded.
    pub blob: *const c_void,
    /// Its length in bytes.
    pub blob_len: u64,
    /// Counters to which native versions of functions add what they run (`parascan_formats::module::Count` says of
    /// which regions), on pages of [`COUNTER_PAGE`] bytes that hold nothing else; without such versions there are none.
    /// Where bursts are recorded the log's own pages take their place, so that they are in the log whatever becomes of
    /// the program. Threads add without atomic operations: where several run native code, counts may get lost.
    pub counters: *mut u64,
    /// Number of counters.
    pub counter_count: u64,
    /// Calls of versions of functions, those of everything that was linked together with the module. Null without such
    /// versions.
    pub sites: *const CallSite,
    /// First address behind the last of `sites`.
    pub sites_end: *const CallSite,
}

/// A call, behind the last label before it. Both words are offsets from their own places.
#[derive(Debug)]
#[repr(C)]
pub struct CallSite {
    /// Distance from this word to the label, the address to which the call returns or an earlier one.
    pub label: i32,
    /// What is open while the call goes on: an [`OpenRegions`], [`CallSite::TRACKED`] or [`CallSite::CHANGE`].
    pub open: i32,
}

impl CallSite {
    /// The call of a tracked version, which has its regions open.
    pub const TRACKED: i32 = 1;
    /// One version of a function has another go on for it.
    pub const CHANGE: i32 = 3;
}

/// Regions that are open at a place of a function, from the function on. In constant data of the module.
#[derive(Debug)]
#[repr(C)]
pub struct OpenRegions {
    /// How many.
    pub count: u64,
    /// `count` regions.
    pub regions: [*mut RegionDesc; 0],
}

/// Size and alignment of pages of counters, in bytes.
pub const COUNTER_PAGE: u64 = 4096;

/// What of the source a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum RegionKind {
    /// A function's body.
    Function = 0,
    /// A loop, from entry to exit; its children are iterations.
    Loop = 1,
    /// One iteration of a loop.
    Iteration = 2,
}

/// One static region, in writable data of the module.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct RegionDesc {
    /// Filled by the runtime: process-wide region number (module's first number + index).
    pub id: u32,
    /// A [`RegionKind`] as a number.
    pub kind: u32,
    /// The runtime's own, zero at first: caches of the last context and the last instance.
    pub cache: [u64; 7],
}

/// A region instance that is the same every time it runs, folded at compile time: constant work, critical path and
/// children. In constant data of the module.
#[derive(Debug)]
#[repr(C)]
pub struct StaticDesc {
    /// The region that all these instances are of.
    pub region: *mut RegionDesc,
    /// Critical path.
    pub cp: u64,
    /// Work of one instance in units of the latency table, that of everything inside included.
    pub work: u64,
    /// Length of `children`.
    pub child_count: u64,
    /// Children in order.
    pub children: *const StaticChild,
}

/// A loop whose iterations are counted in registers. In constant data of the module.
#[derive(Debug)]
#[repr(C)]
pub struct LoopDesc {
    /// Region of the loop.
    pub region: *mut RegionDesc,
    /// Region and constant children of its iterations.
    pub iteration: *const StaticDesc,
}

/// Consecutive equal children of a [`StaticDesc`].
#[derive(Debug)]
#[repr(C)]
pub struct StaticChild {
    /// The child.
    pub desc: *const StaticDesc,
    /// How many in a row.
    pub count: u64,
}
