//! Real programs, built from published packages' own sources, with drivers of ours where the package has no command.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::inputs::Input;
use crate::program::{BenchProgram, Workload};
use crate::sources::{Packages, files};
use crate::tool::scratch_dir;

/// Programs that people use: the published sources of six packages, each with a driver where it has no command.
#[derive(Clone, Debug)]
pub struct RealPrograms {
    /// zlib's library and a driver: `c LEVEL IN OUT` or `d 0 IN OUT`.
    pub zlib: BenchProgram,
    /// bzip2's own command.
    pub bzip2: BenchProgram,
    /// Lua 5.4 and a driver: `SCRIPT ARGUMENT...`.
    pub lua: BenchProgram,
    /// SQLite and a driver: `DATABASE SQL`.
    pub sqlite: BenchProgram,
    /// jsonnet's own command (C++): a configuration language's lexer, parser and interpreter, and a JSON library.
    pub jsonnet: BenchProgram,
    /// meshoptimizer (C++) and a driver: `SIDE`.
    pub meshopt: BenchProgram,
}

impl RealPrograms {
    /// Finds all sources.
    ///
    /// # Errors
    /// The packages cannot be had or have changed their layout.
    pub fn locate() -> Result<Self> {
        let packages = Packages::locate()?;
        Ok(Self {
            zlib: zlib(&packages)?,
            bzip2: bzip2(&packages)?,
            lua: lua(&packages)?,
            sqlite: sqlite(&packages)?,
            jsonnet: jsonnet(&packages)?,
            meshopt: meshopt(&packages)?,
        })
    }

    /// Runs for measuring, natively about 0.1 to 0.4 s each.
    pub fn runs(&self) -> Vec<Workload> {
        let text = |size| Input::MixedText { name: "text", size };
        vec![
            self.zlib
                .run("deflate, level 6", ["c", "6", "text", "text.z"])
                .with(text(4_000_000))
                .writes("text.z"),
            self.bzip2
                .run("compression, 900 kB blocks", ["-9kf", "text"])
                .with(text(1_500_000))
                .writes("text.bz2"),
            self.lua
                .run("interpreter, mixed script", ["mixed.lua", "4"])
                .with(Input::Copy("mixed.lua")),
            self.sqlite
                .run("queries in memory", [":memory:", "queries.sql"])
                .with(Input::Copy("queries.sql")),
            self.jsonnet
                .run("interpreter in C++", ["report.jsonnet"])
                .with(Input::Copy("report.jsonnet")),
            self.meshopt.run("mesh processing in C++", ["200"]),
        ]
    }

    /// Runs that take about two seconds, of the programs whose work grows with their input.
    pub fn middle_runs(&self) -> Vec<Workload> {
        self.grown(
            [
                "deflate, level 6, middle",
                "compression, 900 kB blocks, middle",
                "interpreter, mixed script, middle",
                "mesh processing in C++, middle",
            ],
            [40_000_000, 15_000_000],
            ["9", "500"],
        )
    }

    /// The same for some seconds.
    pub fn long_runs(&self) -> Vec<Workload> {
        self.grown(
            [
                "deflate, level 6, long",
                "compression, 900 kB blocks, long",
                "interpreter, mixed script, long",
                "mesh processing in C++, long",
            ],
            [250_000_000, 100_000_000],
            ["11", "2000"],
        )
    }

    /// Bytes for zlib and bzip2, sizes for Lua's script and the meshes.
    fn grown(
        &self,
        labels: [&'static str; 4],
        bytes: [usize; 2],
        sizes: [&str; 2],
    ) -> Vec<Workload> {
        let text = |size| Input::MixedText { name: "text", size };
        vec![
            self.zlib
                .run(labels[0], ["c", "6", "text", "text.z"])
                .with(text(bytes[0]))
                .writes("text.z"),
            self.bzip2
                .run(labels[1], ["-9kf", "text"])
                .with(text(bytes[1]))
                .writes("text.bz2"),
            self.lua
                .run(labels[2], ["mixed.lua", sizes[0]])
                .with(Input::Copy("mixed.lua")),
            self.meshopt.run(labels[3], [sizes[1]]),
        ]
    }
}

fn driver(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("drivers")
        .join(name)
}

fn include(folder: &Path) -> String {
    format!("-I{}", folder.display())
}

fn owned(flags: &[&str]) -> Vec<String> {
    flags.iter().map(|&flag| flag.to_owned()).collect()
}

/// All `.c` files of a folder but some.
fn c_files(folder: &Path, without: &[&str]) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let excluded = without
            .iter()
            .any(|&name| path.file_name().is_some_and(|n| n == name));
        if path.extension().is_some_and(|e| e == "c") && !excluded {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn zlib(packages: &Packages) -> Result<BenchProgram> {
    let folder = packages.folder("libz-sys", "src/zlib")?;
    let mut sources = c_files(&folder, &[])?;
    sources.push(driver("zlib.c"));
    let mut flags = owned(&["-DSTDC", "-D_LARGEFILE64_SOURCE", "-DHAVE_UNISTD_H"]);
    flags.push(include(&folder));
    Ok(BenchProgram {
        name: "zlib",
        sources,
        flags,
        link: vec![],
    })
}

fn bzip2(packages: &Packages) -> Result<BenchProgram> {
    let folder = packages.folder("bzip2-sys", "bzip2-1.0.8")?;
    let names = [
        "blocksort",
        "bzip2",
        "bzlib",
        "compress",
        "crctable",
        "decompress",
        "huffman",
        "randtable",
    ];
    let names = names.map(|name| format!("{name}.c"));
    let sources = files(&folder, names.iter().map(String::as_str))?;
    Ok(BenchProgram {
        name: "bzip2",
        sources,
        flags: owned(&["-D_FILE_OFFSET_BITS=64"]),
        link: vec![],
    })
}

fn lua(packages: &Packages) -> Result<BenchProgram> {
    let folder = packages.folder("lua-src", "lua-5.4.9")?;
    let mut sources = c_files(&folder, &["lua.c", "luac.c"])?;
    sources.push(driver("lua.c"));
    let flags = vec![
        "-std=gnu99".into(),
        "-DLUA_USE_LINUX".into(),
        // Without it the seed of string hashes is made of the time and an address, and no two runs do the same.
        "-Dluai_makeseed(L)=1u".into(),
        include(&folder),
    ];
    Ok(BenchProgram {
        name: "lua",
        sources,
        flags,
        link: vec!["-lm", "-ldl", "-Wl,-E"],
    })
}

fn sqlite(packages: &Packages) -> Result<BenchProgram> {
    let folder = packages.folder("libsqlite3-sys", "sqlite3")?;
    let mut sources = files(&folder, ["sqlite3.c"])?;
    sources.push(driver("sqlite.c"));
    // As the package builds it, less the extensions that the queries do not use; one thread.
    let mut flags = owned(&[
        "-DSQLITE_CORE",
        "-DSQLITE_DEFAULT_FOREIGN_KEYS=1",
        "-DSQLITE_ENABLE_API_ARMOR",
        "-DSQLITE_ENABLE_COLUMN_METADATA",
        "-DSQLITE_ENABLE_STAT4",
        "-DSQLITE_SOUNDEX",
        "-DSQLITE_THREADSAFE=0",
        "-DSQLITE_USE_URI",
        "-DHAVE_USLEEP=1",
        "-DHAVE_ISNAN",
        "-DHAVE_LOCALTIME_R",
    ]);
    flags.push(include(&folder));
    Ok(BenchProgram {
        name: "sqlite",
        sources,
        flags,
        link: vec!["-lm", "-ldl"],
    })
}

fn jsonnet(packages: &Packages) -> Result<BenchProgram> {
    let folder = packages.folder("jsonnet-sys", "jsonnet")?;
    let mut sources = files(
        &folder.join("core"),
        [
            "desugarer.cpp",
            "formatter.cpp",
            "lexer.cpp",
            "libjsonnet.cpp",
            "parser.cpp",
            "pass.cpp",
            "static_analysis.cpp",
            "string_utils.cpp",
            "vm.cpp",
        ],
    )?;
    sources.extend(files(
        &folder,
        [
            "third_party/md5/md5.cpp",
            "cmd/jsonnet.cpp",
            "cmd/utils.cpp",
        ],
    )?);
    let generated = embed_standard_library(&folder.join("stdlib/std.jsonnet"))?;
    let mut flags = vec!["-std=c++11".to_owned(), include(&generated)];
    flags.extend(
        [
            "include",
            "third_party/md5",
            "third_party/json",
            "core",
            "cmd",
        ]
        .map(|name| include(&folder.join(name))),
    );
    Ok(BenchProgram {
        name: "jsonnet",
        sources,
        flags,
        link: vec![],
    })
}

/// Writes jsonnet's standard library as the list of numbers that its sources include, as its own build does; the
/// folder.
fn embed_standard_library(library: &Path) -> Result<PathBuf> {
    let bytes = fs::read(library).with_context(|| format!("cannot read {}", library.display()))?;
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte},")?;
    }
    text.push_str("0\n");
    let folder = scratch_dir().join("generated/jsonnet");
    fs::create_dir_all(&folder)?;
    let header = folder.join("std.jsonnet.h");
    if !fs::read_to_string(&header).is_ok_and(|old| old == text) {
        // Renamed into place: another process may be compiling with it.
        let new = tempfile::NamedTempFile::new_in(&folder)?;
        fs::write(new.path(), text)?;
        new.persist(&header)?;
    }
    Ok(folder)
}

fn meshopt(packages: &Packages) -> Result<BenchProgram> {
    let folder = packages.folder("meshopt", "vendor/src")?;
    let names = [
        "allocator",
        "clusterizer",
        "indexanalyzer",
        "indexcodec",
        "indexgenerator",
        "overdrawoptimizer",
        "quantization",
        "rasterizer",
        "simplifier",
        "spatialorder",
        "stripifier",
        "vcacheoptimizer",
        "vertexcodec",
        "vertexfilter",
        "vfetchoptimizer",
    ];
    let names = names.map(|name| format!("{name}.cpp"));
    let mut sources = files(&folder, names.iter().map(String::as_str))?;
    sources.push(driver("meshopt.cc"));
    Ok(BenchProgram {
        name: "meshopt",
        sources,
        flags: vec!["-std=c++11".into(), "-DNDEBUG".into(), include(&folder)],
        link: vec![],
    })
}
