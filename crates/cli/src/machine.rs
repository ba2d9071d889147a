//! The machine that the tool runs on: what profiles and costs say of it, and how many cores it has.

/// Kernel, processor model and number of processors.
pub fn description() -> String {
    let system = rustix::system::uname();
    format!(
        "{} {} {}, {}",
        system.sysname().to_string_lossy(),
        system.release().to_string_lossy(),
        system.machine().to_string_lossy(),
        processors(),
    )
}

/// Processor model and number of processors.
pub fn processors() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpuinfo
        .lines()
        .find_map(|l| l.strip_prefix("model name")?.split_once(": ").map(|m| m.1))
        .unwrap_or("unknown processor");
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let plural = if processors == 1 { "" } else { "s" };
    format!("{model}, {processors} processor{plural}")
}

/// Cores of this machine that this process may use; of one, nothing could be planned.
pub fn cores() -> u32 {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    u32::try_from(cores).unwrap_or(u32::MAX).max(2)
}
