//! Events that processors and the kernel count, by the names of `perf` and PAPI, as `perf_event_open` takes them.
//!
//! Numbers of processors' own events are those of their manufacturers' manuals: AMD, *Processor Programming Reference*
//! for families 17h and later, PMCx003 (`FpRetSseAvxOps`, all four units); Intel, *Performance Monitoring Events*,
//! `FP_ARITH_INST_RETIRED` (event C7, all eight kinds; from Broadwell on). What the kernel's `cache-misses` are is in
//! its `arch/x86/events`: Intel's `LONGEST_LAT_CACHE.MISS`, which is the last level; AMD's misses of the second level.
//! None of them was counted by a test: the machines at hand are virtual, and have no counters of their processors.

/// The kernel's generic events, its own ones, its cache events, and processors' own numbers.
const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
/// Kind of counters that are given as the processor's own numbers.
pub const RAW: u32 = 4;

/// Processors with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventProcessors {
    /// The kernel knows the event of each.
    Any,
    /// Intel's of family 6.
    Intel,
    /// Intel's from Broadwell on: they have ADX and AVX2.
    IntelSinceBroadwell,
    /// AMD's from family 17h on.
    AmdSinceZen,
}

/// A name, its kind and configuration, and where it holds.
struct CounterEvent(&'static str, u32, u64, EventProcessors);

/// A miss among loads of a cache, by the kernel's number of the cache.
const fn load_misses(cache: u64) -> u64 {
    const MISS: u64 = 1 << 16;
    cache | MISS
}

const EVENTS: [CounterEvent; 26] = [
    CounterEvent("cycles", HARDWARE, 0, EventProcessors::Any),
    CounterEvent("instructions", HARDWARE, 1, EventProcessors::Any),
    CounterEvent("cache-references", HARDWARE, 2, EventProcessors::Any),
    CounterEvent("cache-misses", HARDWARE, 3, EventProcessors::Any),
    CounterEvent("branches", HARDWARE, 4, EventProcessors::Any),
    CounterEvent("branch-misses", HARDWARE, 5, EventProcessors::Any),
    CounterEvent("stalled-cycles-frontend", HARDWARE, 7, EventProcessors::Any),
    CounterEvent("stalled-cycles-backend", HARDWARE, 8, EventProcessors::Any),
    CounterEvent("ref-cycles", HARDWARE, 9, EventProcessors::Any),
    CounterEvent(
        "L1-dcache-load-misses",
        CACHE,
        load_misses(0),
        EventProcessors::Any,
    ),
    CounterEvent(
        "LLC-load-misses",
        CACHE,
        load_misses(2),
        EventProcessors::Any,
    ),
    CounterEvent(
        "dTLB-load-misses",
        CACHE,
        load_misses(3),
        EventProcessors::Any,
    ),
    CounterEvent("fp-operations", RAW, 0x0f03, EventProcessors::AmdSinceZen),
    CounterEvent(
        "fp-instructions",
        RAW,
        0xffc7,
        EventProcessors::IntelSinceBroadwell,
    ),
    CounterEvent("task-clock", SOFTWARE, 1, EventProcessors::Any),
    CounterEvent("page-faults", SOFTWARE, 2, EventProcessors::Any),
    CounterEvent("alignment-faults", SOFTWARE, 7, EventProcessors::Any),
    CounterEvent("PAPI_TOT_CYC", HARDWARE, 0, EventProcessors::Any),
    CounterEvent("PAPI_TOT_INS", HARDWARE, 1, EventProcessors::Any),
    CounterEvent("PAPI_BR_INS", HARDWARE, 4, EventProcessors::Any),
    CounterEvent("PAPI_BR_MSP", HARDWARE, 5, EventProcessors::Any),
    CounterEvent("PAPI_REF_CYC", HARDWARE, 9, EventProcessors::Any),
    CounterEvent("PAPI_L1_LDM", CACHE, load_misses(0), EventProcessors::Any),
    CounterEvent("PAPI_L3_TCM", HARDWARE, 3, EventProcessors::Intel),
    CounterEvent("PAPI_FP_OPS", RAW, 0x0f03, EventProcessors::AmdSinceZen),
    CounterEvent(
        "PAPI_FP_INS",
        RAW,
        0xffc7,
        EventProcessors::IntelSinceBroadwell,
    ),
];

/// The machine's processor, as events are chosen by it.
#[derive(Clone, Debug, Default)]
pub struct Processor {
    vendor: String,
    family: u32,
    flags: Vec<String>,
}

impl Processor {
    /// Reads the kind of processor from the text of `/proc/cpuinfo`; processors of one machine are taken to be alike.
    pub fn of(cpuinfo: &str) -> Self {
        let field = |name: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split_once(':'))
                .map_or("", |(_, value)| value.trim())
        };
        Self {
            vendor: field("vendor_id").to_owned(),
            family: field("cpu family").parse().unwrap_or(0),
            flags: field("flags").split(' ').map(str::to_owned).collect(),
        }
    }

    fn has(&self, on: EventProcessors) -> bool {
        let flag = |name: &str| self.flags.iter().any(|f| f == name);
        let intel = self.vendor == "GenuineIntel" && self.family == 6;
        match on {
            EventProcessors::Any => true,
            EventProcessors::Intel => intel,
            EventProcessors::IntelSinceBroadwell => intel && flag("adx") && flag("avx2"),
            EventProcessors::AmdSinceZen => self.vendor == "AuthenticAMD" && self.family >= 0x17,
        }
    }

    /// Kind and configuration of an event by its name: None where no processor has such, an error where this one does
    /// not.
    pub fn event(&self, name: &str) -> Option<Result<(u32, u64), String>> {
        let CounterEvent(_, kind, config, on) = EVENTS.iter().find(|e| e.0 == name)?;
        Some(if self.has(*on) {
            Ok((*kind, *config))
        } else {
            let (vendor, family) = (&self.vendor, self.family);
            Err(format!(
                "parascan does not know the number of `{name}` for this processor ({vendor}, family {family}): give it as rNNNN, by the manufacturer's manual; for this one, --counters takes {}",
                self.names()
            ))
        })
    }

    /// Names of all events that this processor has.
    pub fn names(&self) -> String {
        let names: Vec<_> = EVENTS
            .iter()
            .filter(|e| self.has(e.3))
            .map(|e| e.0)
            .collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Processor;

    fn processor(vendor: &str, family: u32, flags: &str) -> Processor {
        Processor::of(&format!(
            "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: 1\nflags\t\t: fpu {flags}\n"
        ))
    }

    #[test]
    fn events_are_those_of_the_processor() {
        let (intel, old, amd, other) = (
            processor("GenuineIntel", 6, "avx2 adx avx512f"),
            processor("GenuineIntel", 6, "avx2"),
            processor("AuthenticAMD", 0x19, "avx2 adx"),
            Processor::of(""),
        );
        let of = |p: &Processor, name| p.event(name).map(Result::ok);
        for one in [&intel, &old, &amd, &other] {
            assert_eq!(of(one, "PAPI_TOT_INS"), Some(Some((0, 1))));
            assert_eq!(of(one, "LLC-load-misses"), Some(Some((3, 0x1_0002))));
            assert_eq!(of(one, "PAPI_NO_SUCH"), None);
        }
        assert_eq!(of(&intel, "PAPI_FP_INS"), Some(Some((4, 0xffc7))));
        assert_eq!(of(&old, "PAPI_FP_INS"), Some(None));
        assert_eq!(of(&intel, "PAPI_FP_OPS"), Some(None));
        assert_eq!(of(&amd, "PAPI_FP_OPS"), Some(Some((4, 0x0f03))));
        // AMD's generic misses are those of another level.
        assert_eq!(of(&old, "PAPI_L3_TCM"), Some(Some((0, 3))));
        assert_eq!(of(&amd, "PAPI_L3_TCM"), Some(None));
        assert!(amd.names().contains("fp-operations") && !amd.names().contains("L3_TCM"));
    }
}
