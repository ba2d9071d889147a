//! Real programs from published packages: recorded, they do what they do natively, and their profiles say what their
//! sources let expect. Every test fails, and is not skipped, where parascan or clang is missing.

use anyhow::{Result, ensure};
use parascan_bench::inputs::{Input, mixed_text};
use parascan_bench::profile::Expected::{Dependent, Parallel};
use parascan_bench::profile::{Expected, Fact, Regions, Types, check};
use parascan_bench::program::Workload;
use parascan_bench::real::RealPrograms;
use parascan_bench::subject::{Output, Subject};
use parascan_bench::tool::Tool;

const TEXT: Input = Input::MixedText {
    name: "text",
    size: 1_200_000,
};

/// Runs a program natively, instrumented and recorded, which must not differ; the native run's output and the regions.
fn record(run: &Workload) -> Result<(Output, Regions)> {
    let tool = Tool::find()?;
    let subject = Subject::prepare(&tool, run, &[])?;
    let native = subject.native()?;
    let profile = subject.folder().join("parascan.prof");
    for (how, other) in [
        ("unrecorded", subject.unrecorded()?),
        ("recorded", subject.record(&[], &profile)?),
    ] {
        ensure!(
            other.stdout == native.stdout,
            "{how}, {} printed\n{}\ninstead of\n{}",
            run.program.name,
            String::from_utf8_lossy(&other.stdout),
            String::from_utf8_lossy(&native.stdout)
        );
        for ((name, a), b) in run.outputs.iter().zip(&native.files).zip(&other.files) {
            ensure!(a == b, "{how}, {} wrote another {name}", run.program.name);
        }
    }
    let regions = Regions::read(&tool, &profile)?;
    ensure!(
        regions.work > 1e6,
        "the profile has {} units of work",
        regions.work
    );
    Ok((native, regions))
}

const fn fact(
    file: &'static str,
    after: &'static str,
    starts: &'static str,
    expected: Expected,
    why: &'static str,
) -> Fact {
    Fact {
        file,
        after,
        starts,
        expected,
        why,
    }
}

/// No loop of the function that matters may be parallel.
fn ensure_dependent(regions: &Regions, function: &str) -> Result<()> {
    for region in regions.loops_of(function) {
        let matters = region.coverage.is_some_and(|coverage| coverage > 0.1);
        ensure!(
            !(matters && region.parallel()),
            "{function} has a parallel loop: {region:?}"
        );
    }
    Ok(())
}

#[test]
fn zlib_compresses() -> Result<()> {
    let zlib = RealPrograms::locate()?.zlib;
    let run = zlib
        .run("test compression", ["c", "6", "text", "text.z"])
        .with(TEXT)
        .writes("text.z");
    let (native, regions) = record(&run)?;
    let size = native.files[0].len();
    ensure!(
        (100_000..1_000_000).contains(&size),
        "compressed to {size} bytes"
    );
    check(&zlib, &regions, &DEFLATE)?;
    // The CRC's loop keeps five sums that do not wait for each other: serial as a loop, parallel within an iteration.
    let crc = regions
        .loops_of("crc32_z")
        .filter(|r| r.coverage.is_some_and(|c| c > 0.001))
        .collect::<Vec<_>>();
    ensure!(!crc.is_empty(), "the CRC's loop is not in the profile");
    ensure!(
        crc.iter()
            .any(|r| r.total_parallelism.is_some_and(|tp| tp > 5.0)),
        "CRC: {crc:?}"
    );
    Ok(())
}

/// Fact R6 of the p-ray paper: gzip has a parallelism of about 6, and is mostly ILP. Ours is today's deflate on another
/// text.
#[test]
fn zlib_is_like_the_p_ray_papers_gzip() -> Result<()> {
    let run = RealPrograms::locate()?
        .zlib
        .run("types", ["c", "6", "text", "text.z"])
        .with(TEXT);
    let tool = Tool::find()?;
    let subject = Subject::prepare(&tool, &run, &[])?;
    let profile = subject.folder().join("parascan.prof");
    subject.record(&[], &profile)?;
    let types = Types::read(&tool, &profile)?;
    ensure!(
        (2.0..12.0).contains(&types.total_parallelism),
        "parallelism {}",
        types.total_parallelism
    );
    let mut seen = 0;
    for region in types.regions.iter().filter(|r| r.coverage > 0.2) {
        let label = region.label.as_deref();
        ensure!(matches!(label, Some("ILP" | "no-TLP")), "{region:?}");
        seen += usize::from(label == Some("ILP"));
    }
    ensure!(seen >= 3, "{seen} large regions are ILP");
    Ok(())
}

const DEFLATE: [Fact; 9] = [
    fact(
        "deflate.c",
        "local block_state deflate_slow(deflate_state *s, int flush) {",
        "for (;;) {",
        Dependent,
        "every match decides where the next one begins, and the hash chains grow with it",
    ),
    fact(
        "deflate.c",
        "local uInt longest_match(deflate_state *s, IPos cur_match) {",
        "do {",
        Dependent,
        "the next candidate is read from the chain at this one's place",
    ),
    fact(
        "deflate.c",
        "local void slide_hash(deflate_state *s) {",
        "do {",
        Parallel,
        "each entry is read, lowered and written by itself, a known number of times",
    ),
    fact(
        "trees.c",
        "local void init_block(deflate_state *s) {",
        "for (n = 0; n < L_CODES;",
        Parallel,
        "it fills memory",
    ),
    fact(
        "trees.c",
        "local void init_block(deflate_state *s) {",
        "for (n = 0; n < D_CODES;",
        Parallel,
        "it fills memory",
    ),
    fact(
        "trees.c",
        "local void compress_block(deflate_state *s, const ct_data *ltree,",
        "do {",
        Dependent,
        "each symbol's bits are put behind those of the one before",
    ),
    fact(
        "adler32.c",
        "/* do length NMAX blocks",
        "while (len >= NMAX) {",
        Dependent,
        "the second sum adds up the first sum's values, so the first is no reduction: it is used on the way",
    ),
    fact(
        "crc32.c",
        "#ifdef W",
        "while (--blks) {",
        Dependent,
        "each braid looks up a table at its own last value",
    ),
    fact(
        "zlib.c",
        "static int compress_file(",
        "do {",
        Dependent,
        "each read continues where the last one ended, and the compressor's state goes through all calls",
    ),
];

#[test]
fn zlib_decompresses() -> Result<()> {
    let zlib = RealPrograms::locate()?.zlib;
    let run = zlib
        .run("test decompression", ["d", "0", "text.z", "text.out"])
        .with(TEXT)
        .after(["c", "6", "text", "text.z"])
        .writes("text.out");
    let (native, regions) = record(&run)?;
    ensure!(
        native.files[0] == mixed_text(1_200_000),
        "decompressed to something else"
    );
    check(&zlib, &regions, &INFLATE)
}

const INFLATE: [Fact; 6] = [
    fact(
        "inflate.c",
        "int ZEXPORT inflate(z_streamp strm, int flush) {",
        "for (;;)",
        Dependent,
        "a state machine: each turn reads the mode that the last one set",
    ),
    fact(
        "inffast.c",
        "void ZLIB_INTERNAL inflate_fast(",
        "do {",
        Dependent,
        "a code's length decides where the next code begins",
    ),
    fact(
        "inftrees.c",
        "int ZLIB_INTERNAL inflate_table(",
        "for (len = 0; len <= MAXBITS; len++)",
        Parallel,
        "it fills memory",
    ),
    fact(
        "inftrees.c",
        "int ZLIB_INTERNAL inflate_table(",
        "for (sym = 0; sym < codes; sym++)",
        Parallel,
        "it counts lengths in an array: a reduction in memory",
    ),
    fact(
        "inftrees.c",
        "int ZLIB_INTERNAL inflate_table(",
        "for (len = 1; len < MAXBITS; len++)",
        Dependent,
        "prefix sums: each entry is the one before plus a count",
    ),
    fact(
        "zlib.c",
        "static int decompress_file(",
        "while (code != Z_STREAM_END) {",
        Dependent,
        "each read continues where the last one ended",
    ),
];

#[test]
fn bzip2_compresses() -> Result<()> {
    let bzip2 = RealPrograms::locate()?.bzip2;
    let run = bzip2
        .run("test compression", ["-9kf", "text"])
        .with(TEXT)
        .writes("text.bz2");
    let (native, regions) = record(&run)?;
    ensure!(native.files[0].starts_with(b"BZh9"), "no bzip2 file");
    check(
        &bzip2,
        &regions,
        &[
            fact(
                "blocksort.c",
                "/*-- set up the 2-byte frequency table --*/",
                "for (i = 65536; i >= 0; i--) ftab[i] = 0;",
                Parallel,
                "it fills memory",
            ),
            fact(
                "blocksort.c",
                "/*-- Complete the initial radix sort --*/",
                "for (i = 1; i <= 65536; i++) ftab[i] += ftab[i-1];",
                Dependent,
                "prefix sums: the entry before is part of the result",
            ),
            fact(
                "compress.c",
                "void generateMTFValues ( EState* s )",
                "for (i = 0; i < s->nblock; i++) {",
                Dependent,
                "move to front: each symbol is looked up in the list as the last one left it",
            ),
            fact(
                "bzip2.c",
                "void compressStream ( FILE *stream, FILE *zStream )",
                "while (True) {",
                Dependent,
                "each read continues where the last one ended",
            ),
        ],
    )
}

#[test]
fn bzip2_decompresses() -> Result<()> {
    let bzip2 = RealPrograms::locate()?.bzip2;
    let run = bzip2
        .run("test decompression", ["-dkf", "text.bz2"])
        .with(TEXT)
        .after(["-9kf", "text"])
        .writes("text");
    let (native, regions) = record(&run)?;
    ensure!(
        native.files[0] == mixed_text(1_200_000),
        "decompressed to something else"
    );
    check(
        &bzip2,
        &regions,
        &[
            fact(
                "bzlib.c",
                "unsigned int total_out_lo32_old;",
                "while (True) {",
                Dependent,
                "the block is a chain of bytes, each of which names the place of the next",
            ),
            fact(
                "decompress.c",
                "Int32 BZ2_decompress ( DState* s )",
                "for (i = 0; i <= 255; i++) s->unzftab[i] = 0;",
                Parallel,
                "it fills memory",
            ),
            fact(
                "decompress.c",
                "Int32 BZ2_decompress ( DState* s )",
                "for (i = 1; i <= 256; i++) s->cftab[i] += s->cftab[i-1];",
                Dependent,
                "prefix sums",
            ),
            fact(
                "decompress.c",
                "/*-- compute the T^(-1) vector --*/",
                "for (i = 0; i < nblock; i++) {",
                Dependent,
                "a symbol's next place is where its last occurrence was put, plus one",
            ),
        ],
    )
}

#[test]
fn lua_runs_a_script() -> Result<()> {
    let lua = RealPrograms::locate()?.lua;
    let (native, regions) = record(
        &lua.run("test", ["mixed.lua", "1"])
            .with(Input::Copy("mixed.lua")),
    )?;
    ensure!(
        String::from_utf8_lossy(&native.stdout).contains("caught\tfalse\t42"),
        "the script did not end"
    );
    ensure_dependent(&regions, "luaV_execute")?;
    check(
        &lua,
        &regions,
        &[
            fact(
                "lstring.c",
                "unsigned int luaS_hash (",
                "for (; l > 0; l--)",
                Dependent,
                "each byte is mixed into the hash of those before",
            ),
            fact(
                "ltable.c",
                "static void setnodevector (",
                "for (i = 0; i < cast_int(size); i++) {",
                Parallel,
                "it fills memory",
            ),
            fact(
                "lgc.c",
                "static GCObject **sweeplist (",
                "for (i = 0; *p != NULL && i < countin; i++) {",
                Dependent,
                "a linked list: each node names the next",
            ),
        ],
    )
}

#[test]
#[ignore = "takes minutes to compile; `cargo xtask test --all` runs it"]
fn sqlite_answers_queries() -> Result<()> {
    let sqlite = RealPrograms::locate()?.sqlite;
    let memory = sqlite
        .run("test in memory", [":memory:", "queries.sql"])
        .with(Input::Copy("queries.sql"));
    let file = sqlite
        .run("test on a file", ["data.db", "queries.sql"])
        .with(Input::Copy("queries.sql"))
        .writes("data.db");
    let (in_memory, regions) = record(&memory)?;
    ensure!(
        String::from_utf8_lossy(&in_memory.stdout).ends_with("\nok\n"),
        "no integrity check at the end"
    );
    check(
        &sqlite,
        &regions,
        &[fact(
            "sqlite3.c",
            "static void initMemArray(Mem *p, int N, sqlite3 *db, u16 flags){",
            "do{",
            Parallel,
            "it fills memory",
        )],
    )?;
    ensure_dependent(&regions, "sqlite3VdbeExec")?;
    check(
        &sqlite,
        &regions,
        &[
            fact(
                "sqlite3.c",
                "SQLITE_PRIVATE int sqlite3VdbeExec(",
                "for(pOp=&aOp[p->pc]; 1; pOp++){",
                Dependent,
                "an interpreter: instructions read the registers that earlier ones wrote",
            ),
            fact(
                "sqlite3.c",
                "SQLITE_PRIVATE int sqlite3RunParser(Parse *pParse, const char *zSql){",
                "while( 1 ){",
                Dependent,
                "a token begins where the last one ended, and the parser's stack goes through all",
            ),
        ],
    )?;
    // On a file, names of journals are random: runs differ, and only the outer levels are in the profile.
    check(
        &sqlite,
        &record_file(&file, &in_memory)?,
        &[fact(
            "sqlite3.c",
            "SQLITE_API int sqlite3_exec(",
            "while( rc==SQLITE_OK && zSql[0] ){",
            Dependent,
            "statements read what earlier ones wrote",
        )],
    )
}

fn record_file(run: &Workload, in_memory: &Output) -> Result<Regions> {
    let (on_file, regions) = record(run)?;
    ensure!(
        on_file.stdout == in_memory.stdout,
        "the queries have other answers on a file"
    );
    Ok(regions)
}

#[test]
#[ignore = "takes minutes to compile; `cargo xtask test --all` runs it"]
fn jsonnet_evaluates_a_program() -> Result<()> {
    let jsonnet = RealPrograms::locate()?.jsonnet;
    let (native, regions) = record(
        &jsonnet
            .run("test", ["report.jsonnet"])
            .with(Input::Copy("report.jsonnet")),
    )?;
    let value: serde_json::Value = serde_json::from_slice(&native.stdout)?;
    ensure!(value["fib"] == 233, "fib is {}", value["fib"]);
    check(
        &jsonnet,
        &regions,
        &[fact(
            "lexer.cpp",
            "Tokens jsonnet_lex(const std::string &filename, const char *input)",
            "while (*c != '\\0') {",
            Dependent,
            "a token begins where the last one ended",
        )],
    )
}

#[test]
fn meshoptimizer_processes_a_mesh() -> Result<()> {
    let meshopt = RealPrograms::locate()?.meshopt;
    let (_, regions) = record(&meshopt.run("test", ["80"]))?;
    check(
        &meshopt,
        &regions,
        &[
            fact(
                "indexgenerator.cpp",
                "void meshopt_remapIndexBuffer(",
                "for (size_t i = 0; i < index_count; ++i)",
                Parallel,
                "every index is looked up and written by itself",
            ),
            fact(
                "vcacheoptimizer.cpp",
                "// fill triangle counts",
                "for (size_t i = 0; i < index_count; ++i)",
                Parallel,
                "it counts in an array: a reduction in memory",
            ),
            fact(
                "vcacheoptimizer.cpp",
                "// fill offset table",
                "for (size_t i = 0; i < vertex_count; ++i)",
                Dependent,
                "prefix sums: each entry is written on the way",
            ),
            fact(
                "vcacheoptimizer.cpp",
                "void meshopt_optimizeVertexCacheTable(",
                "while (current_triangle != ~0u)",
                Dependent,
                "each triangle is chosen by the cache that the last one left",
            ),
            fact(
                "indexcodec.cpp",
                "size_t meshopt_encodeIndexBuffer(",
                "for (size_t i = 0; i < index_count; i += 3)",
                Dependent,
                "codes refer to queues of edges and vertices that all earlier triangles filled",
            ),
        ],
    )
}

#[test]
fn facts_are_about_loops_that_exist() -> Result<()> {
    // Without a profile every fact fails, but none because its text is not in the source.
    let real = RealPrograms::locate()?;
    let nothing = Regions {
        work: 0.0,
        regions: Vec::new(),
    };
    let error = check(&real.zlib, &nothing, &DEFLATE).expect_err("no loop can be found");
    assert_eq!(error.to_string().lines().count(), 1 + DEFLATE.len());
    Ok(())
}
