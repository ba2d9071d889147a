//! Debian packages that parascan needs to be built and tested, and their installation.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, anyhow, bail};

use crate::command::run;

/// A package and the files by which it is recognised, so that an LLVM from elsewhere counts too.
#[derive(Debug)]
pub struct SystemPackage {
    name: &'static str,
    files: &'static [&'static str],
}

const LLVM: &str = "/usr/lib/llvm-22";

/// What building and using parascan takes.
pub const TOOLCHAIN: &[SystemPackage] = &[
    SystemPackage {
        name: "clang-22",
        files: &["/usr/bin/clang-22", "/usr/bin/clang++-22"],
    },
    SystemPackage {
        name: "llvm-22-dev",
        files: &[
            "/usr/lib/llvm-22/include/llvm/IR/Module.h",
            "/usr/lib/llvm-22/lib/libLLVM.so",
        ],
    },
    SystemPackage {
        name: "llvm-22",
        files: &[
            "/usr/bin/llvm-config-22",
            "/usr/bin/llvm-objcopy-22",
            "/usr/bin/llvm-ar-22",
        ],
    },
    SystemPackage {
        name: "lld-22",
        files: &["/usr/bin/ld.lld-22"],
    },
    SystemPackage {
        name: "g++",
        files: &["/usr/bin/c++"],
    },
    SystemPackage {
        name: "binutils",
        files: &["/usr/bin/ld"],
    },
];

const MAKE: SystemPackage = SystemPackage {
    name: "make",
    files: &["/usr/bin/make"],
};

const LIBOMP: SystemPackage = SystemPackage {
    name: "libomp-22-dev",
    files: &[
        "/usr/lib/llvm-22/lib/libomp.so",
        "/usr/lib/llvm-22/lib/libgomp.so.1",
        "/usr/lib/llvm-22/lib/libarcher.so",
    ],
};

/// ThreadSanitizer, for the directives that plans print.
const SANITIZERS: SystemPackage = SystemPackage {
    name: "libclang-rt-22-dev",
    files: &["/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.tsan-x86_64.a"],
};

/// What the demonstration takes, beside that.
pub const DEMO: &[SystemPackage] = &[MAKE, LIBOMP, SANITIZERS];

/// What makes packages.
pub const PACKING: &[SystemPackage] = &[SystemPackage {
    name: "dpkg",
    files: &["/usr/bin/dpkg-deb", "/usr/bin/dpkg-query"],
}];

/// What makes root folders to try them in.
pub const ROOTS: &[SystemPackage] = &[SystemPackage {
    name: "debootstrap",
    files: &["/usr/sbin/debootstrap"],
}];

/// What the tracer takes: DynamoRIO is built from its sources.
pub const TRACER: &[SystemPackage] = &[
    SystemPackage {
        name: "cmake",
        files: &["/usr/bin/cmake"],
    },
    MAKE,
    SystemPackage {
        name: "g++",
        files: &["/usr/bin/c++"],
    },
    SystemPackage {
        name: "binutils",
        files: &["/usr/bin/ld", "/usr/bin/objcopy"],
    },
];

/// What the tests take in addition.
pub const TESTING: &[SystemPackage] = &[
    SystemPackage {
        name: "csmith",
        files: &["/usr/bin/csmith"],
    },
    SystemPackage {
        name: "libcsmith-dev",
        files: &["/usr/include/csmith/csmith.h"],
    },
    // OpenMP programs of C and Fortran, for `parascan omp`.
    LIBOMP,
    SANITIZERS,
    // What users apply patches and build with.
    SystemPackage {
        name: "git",
        files: &["/usr/bin/git"],
    },
    SystemPackage {
        name: "patch",
        files: &["/usr/bin/patch"],
    },
    MAKE,
    SystemPackage {
        name: "flang-22",
        files: &["/usr/bin/flang-22"],
    },
    // The second decoder that instructions are compared with is built from its sources.
    SystemPackage {
        name: "cmake",
        files: &["/usr/bin/cmake"],
    },
    // Programs that `parascan ilp` runs.
    SystemPackage {
        name: "python3",
        files: &["/usr/bin/python3"],
    },
    SystemPackage {
        name: "sqlite3",
        files: &["/usr/bin/sqlite3"],
    },
    // Opens the HTML reports.
    SystemPackage {
        name: "chromium",
        files: &["/usr/bin/chromium"],
    },
];

/// Names of the packages whose files are not all there. With `LLVM_SYS_221_PREFIX` set to another place, headers and
/// libraries of LLVM are looked for there.
pub fn missing(groups: &[&[SystemPackage]]) -> Vec<&'static str> {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| LLVM.to_owned());
    let there = |file: &&str| Path::new(&file.replace(LLVM, &prefix)).exists();
    groups
        .iter()
        .copied()
        .flatten()
        .filter(|p| !p.files.iter().all(&there))
        .map(|p| p.name)
        .collect()
}

/// Installs what is missing, and nothing when nothing is.
pub fn install(groups: &[&[SystemPackage]]) -> Result<()> {
    with_output(groups, Stdio::inherit)
}

/// Installs what is missing, silently, while `work` goes on, which takes a C compiler at most. Where none is there,
/// and where nothing is missing, one comes after the other.
pub fn install_beside(
    groups: &[&[SystemPackage]],
    work: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let compiler = Path::new("/usr/bin/cc").exists();
    if !compiler || missing(groups).is_empty() {
        install(groups)?;
        return work();
    }
    let (installed, worked) = std::thread::scope(|scope| {
        let installing = scope.spawn(|| with_output(groups, Stdio::null));
        let worked = work();
        (installing.join(), worked)
    });
    installed.map_err(|_| anyhow!("installing packages came to no end"))??;
    worked
}

/// Installs what is missing; `output` is where apt-get writes what it does.
fn with_output(groups: &[&[SystemPackage]], output: fn() -> Stdio) -> Result<()> {
    let names = missing(groups);
    if names.is_empty() {
        return Ok(());
    }
    let listed = names.join(" ");
    if !Path::new("/usr/bin/apt-get").exists() {
        bail!(
            "this is not a Debian system: install what the Debian packages {listed} contain, then try again"
        );
    }
    eprintln!("xtask: installing {listed}");
    run(apt(&["update"]).stdout(output()))?;
    let mut install = apt(&["install", "--yes", "--no-install-recommends"]);
    run(install.args(&names).stdout(output()))?;
    let still = missing(groups);
    if !still.is_empty() {
        bail!(
            "installed, but files of {} are not where they were expected",
            still.join(" ")
        );
    }
    Ok(())
}

/// apt-get, through sudo unless this process is root's; never waits for an answer.
fn apt(words: &[&str]) -> Command {
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0);
    let mut command = if root {
        Command::new("apt-get")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.args(["--non-interactive", "apt-get"]);
        sudo
    };
    command
        .args(["-o", "DPkg::Lock::Timeout=300", "-q"])
        .args(words)
        .stdin(Stdio::null());
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}
