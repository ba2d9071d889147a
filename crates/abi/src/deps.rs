//! Contract of the observation of dependences: what the *dependence version* of instrumented functions hands to the
//! runtime, and the raw evidence that the runtime leaves in a file.
//!
//! Every instrumented function has two bodies. The recording one tests `__ps_mode` when it is entered; where that is
//! set, the dependence version runs instead and reports loops and accesses. The runtime sets it when [`ENV_EVIDENCE`]
//! names a file.
//!
//! The file is a [`Header`], then, without gaps: `units` times a [`ModuleUnit`] followed by its blob, `regions` times
//! [`Totals`], `pairs` times [`Pair`], `uses` times [`SiteUse`], and a byte for each site of all modules: whether it
//! read or wrote anything while a loop was observed.

use core::ffi::c_void;

/// Environment: file to which evidence goes. It must not exist.
pub const ENV_EVIDENCE: &str = "PARASCAN_EVIDENCE";
/// Environment: begins of loops and iterations after which observation ends (decimal).
pub const ENV_EVIDENCE_LIMIT: &str = "PARASCAN_EVIDENCE_LIMIT";
/// Environment: begins of instances and iterations that are observed of each loop (decimal).
pub const ENV_EVIDENCE_QUOTA: &str = "PARASCAN_EVIDENCE_QUOTA";
/// Environment: accesses in a loop after which no more is observed of it, once some of its iterations were (decimal).
pub const ENV_EVIDENCE_ACCESSES: &str = "PARASCAN_EVIDENCE_ACCESSES";
/// Environment: loops of which all is observed, whatever quota and accesses, by region number as in the file (decimal,
/// with commas between).
pub const ENV_EVIDENCE_FOCUS: &str = "PARASCAN_EVIDENCE_FOCUS";
/// Environment: accesses of an instance of such a loop after which sites that keep to themselves are looked at by the
/// span of their places (decimal); none if it is not set.
pub const ENV_EVIDENCE_SPANS: &str = "PARASCAN_EVIDENCE_SPANS";
/// First bytes of the file.
pub const MAGIC: [u8; 8] = *b"PSEVID\0\x01";

/// Lowest address of the cells of granules of 4 bytes.
pub const CELLS_BASE: u64 = 0x0200_0000_0000 + 0x3_1000;
/// Size of the cell of one granule of 4 bytes: who wrote it last, and who read it since.
pub const CELL_BYTES: u64 = 32;

/// Distances from here on are not told apart.
pub const FAR: u32 = 4095;

/// Observation ended before the program did: a limit was reached.
pub const FLAG_LIMIT: u32 = 1;
/// A table was full: some dependences are missing.
pub const FLAG_FULL: u32 = 2;
/// Other threads ran dependence versions; they were not observed.
pub const FLAG_THREADS: u32 = 4;
/// A loop's sites did not keep to themselves as was thought ([`ENV_EVIDENCE_SPANS`]): an instance of it is missing.
pub const FLAG_MISSED: u32 = 8;

/// A read of what an earlier iteration wrote.
pub const FLOW: u32 = 0;
/// A write to what an earlier iteration read.
pub const ANTI: u32 = 1;
/// A write to what an earlier iteration wrote.
pub const OUTPUT: u32 = 2;

/// [`SiteUse::flags`]: the site writes inside of the loop.
pub const USE_WRITES: u32 = 1;
/// [`SiteUse::flags`]: the site, in the loop, reads what was there before the loop instance began.
pub const USE_EXPOSED: u32 = 2;
/// [`SiteUse::flags`]: what the site wrote in an instance of the loop was read after that had ended, or that was not
/// waited for.
pub const USE_LIVE: u32 = 4;
/// [`SiteUse::flags`]: the site writes in more than one iteration of an instance of the loop.
pub const USE_AGAIN: u32 = 8;

/// One per instrumented module, in writable data, handed to `__ps_deps_register` after `__ps_register`.
#[derive(Debug)]
#[repr(C)]
pub struct UnitDesc {
    /// Filled in by the runtime: number of the module's first region.
    pub region_base: u32,
    /// Filled in by the runtime: number of the module's first site.
    pub site_base: u32,
    /// Regions, as many as in the module's descriptor.
    pub region_count: u32,
    /// Sites.
    pub site_count: u32,
    /// `parascan_formats::evidence::UnitStatic`, postcard-encoded.
    pub blob: *const c_void,
    /// Its length in bytes.
    pub blob_len: u64,
    /// What its calls of `__ps_deps_reports` report.
    pub reports: *mut AccessReport,
    /// How many these are.
    pub report_count: u64,
}

/// An access, as far as it is known when the module is compiled. A call of `__ps_deps_reports` is handed the first of
/// several that follow one another, and the addresses that they are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AccessReport {
    /// Site: of the module, until the runtime has added the number of the module's first one.
    pub site: u32,
    /// Bytes accessed.
    pub bytes: u32,
    /// Where, from the address that it is relative to.
    pub offset: i32,
    /// [`REPORT_READ`], [`REPORT_WRITE`], [`REPORT_UPDATE`], or [`REPORT_REDUCE`] and the number of innermost open
    /// loops that reduce what is written.
    pub how: u16,
    /// Which of the addresses.
    pub base: u8,
    /// Not 0 for the last one of the call.
    pub last: u8,
}

/// Addresses that reports of one call are relative to, at most.
pub const REPORT_BASES: usize = 5;
/// [`AccessReport::how`]: a read.
pub const REPORT_READ: u16 = 0;
/// [`AccessReport::how`]: a write.
pub const REPORT_WRITE: u16 = 1;
/// [`AccessReport::how`]: a read of what a reduction updates.
pub const REPORT_UPDATE: u16 = 2;
/// [`AccessReport::how`]: a write by a reduction.
pub const REPORT_REDUCE: u16 = 3;

/// [`AccessRange::write`]: a read of what is reduced, to be updated.
pub const RANGE_UPDATES: u32 = u32::MAX;

/// Result of `__ps_deps_ranges`: the accesses that happen in every iteration need not be reported.
pub const RANGES_TAKEN: u32 = 1;
/// Result of `__ps_deps_ranges`: nor need the iterations.
pub const RANGES_ALONE: u32 = 2;

/// Accesses of an instruction in the iterations of a loop.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct AccessRange {
    /// Address in the first iteration.
    pub address: u64,
    /// Bytes to that in the next.
    pub stride: i64,
    /// Bytes accessed each time.
    pub bytes: u32,
    /// Not 0 if some iterations may do without: then each access is reported where it happens, whatever becomes of the
    /// others.
    pub conditional: u32,
    /// Number of the site whose accesses these are.
    pub site: u32,
    /// 0 for a read, [`RANGE_UPDATES`] for that of what a reduction updates, 1 for a write, and above that one more
    /// than the number of loops, this one and those around it, that reduce what is written.
    pub write: u32,
}

/// The head of the file with observed dependences.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Header {
    /// [`MAGIC`]: what tells the file from others, and its layout from older ones.
    pub magic: [u8; 8],
    /// [`ABI_VERSION`](crate::ABI_VERSION).
    pub abi_version: u32,
    /// Bits `FLAG_*`.
    pub flags: u32,
    /// Modules.
    pub units: u32,
    /// Regions of all modules.
    pub regions: u32,
    /// Dependences.
    pub pairs: u32,
    /// Number of [`SiteUse`] records.
    pub uses: u32,
    /// Begins of loops and iterations passed while something was observed.
    pub steps: u64,
}

/// A module in the file.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct ModuleUnit {
    /// Number of its first region.
    pub region_base: u32,
    /// How many regions the module has, from `region_base` on.
    pub regions: u32,
    /// Number of its first site.
    pub site_base: u32,
    /// How many sites the module has, from `site_base` on.
    pub sites: u32,
    /// Length of the blob behind this record, in bytes.
    pub blob_len: u64,
}

/// What was observed of a region that is a loop.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Totals {
    /// Instances of the loop that were observed, in whole or in part.
    pub instances: u64,
    /// Their iterations together.
    pub iterations: u64,
    /// 1 if not all was observed: its quota was used up, or something did not fit.
    pub closed: u64,
}

/// Dependences of one kind that a loop carries from one site to another.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Pair {
    /// Region number of the loop.
    pub region: u32,
    /// [`FLOW`], [`ANTI`] or [`OUTPUT`].
    pub kind: u32,
    /// Site of the earlier access.
    pub source: u32,
    /// Site of the later one.
    pub sink: u32,
    /// Site of the loop's variable in which all of them lay; else the one that allocated the heap block in which the
    /// first lay, or 0.
    pub object: u32,
    /// Smallest distance in iterations; of a reduction among its first 65,536 accesses.
    pub least: u32,
    /// Largest, likewise; [`FAR`] stands for that and more.
    pub most: u32,
    /// Largest number (from 0) of an iteration in which the later access was.
    pub last: u32,
    /// Granules (4 bytes, or single bytes where those differ) times accesses, as far as they were looked at one by one.
    pub count: u64,
    /// Iterations with such a later access.
    pub iterations: u64,
    /// Instances of the loop with one.
    pub instances: u64,
    /// Address of the first.
    pub address: u64,
}

/// How the accesses of a site relate to a loop.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SiteUse {
    /// Number of the site whose accesses these are.
    pub site: u32,
    /// Region number of the loop.
    pub region: u32,
    /// Bits `USE_*`.
    pub flags: u32,
    /// A site that read the value after the loop, with [`USE_LIVE`]; the writing site itself if none was waited for.
    pub reader: u32,
}
