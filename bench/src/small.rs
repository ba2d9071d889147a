//! The benchmark programs written for this purpose: one C file each in `bench/programs`.

use std::path::Path;

use crate::program::{BenchProgram, Workload};

/// Name, what it stands for, and arguments with which it runs natively for about 0.1 to 0.3 s, for two seconds and for
/// ten or more on a core of 2021.
const TABLE: [(&str, &str, [&[&str]; 3]); 18] = [
    (
        "gemm",
        "dense matrix product",
        [&["640"], &["1400"], &["2400"]],
    ),
    ("lu", "LU decomposition", [&["900"], &["1700"], &["3000"]]),
    (
        "cg",
        "sparse conjugate gradients",
        [&["100000", "60"], &["100000", "1000"], &["100000", "6000"]],
    ),
    (
        "jacobi2d",
        "2-D stencil",
        [&["1000", "100"], &["1000", "1000"], &["1000", "6000"]],
    ),
    (
        "heat3d",
        "3-D stencil",
        [&["110", "30"], &["110", "500"], &["110", "3000"]],
    ),
    (
        "quicksort",
        "recursive sorting",
        [&["1500000"], &["17000000"], &["100000000"]],
    ),
    (
        "mergesort",
        "bottom-up sorting",
        [&["1000000"], &["14000000"], &["80000000"]],
    ),
    (
        "radixsort",
        "counting sort by bytes",
        [&["6000000"], &["35000000"], &["200000000"]],
    ),
    (
        "histogram",
        "histograms of bytes and pairs",
        [&["8000000", "6"], &["8000000", "150"], &["8000000", "900"]],
    ),
    (
        "nbody",
        "all pairs of bodies",
        [&["1500", "10"], &["1500", "170"], &["1500", "1000"]],
    ),
    (
        "fft",
        "fast Fourier transform",
        [&["18", "5"], &["18", "100"], &["18", "600"]],
    ),
    (
        "bfs",
        "breadth-first search",
        [
            &["300000", "8", "4"],
            &["300000", "8", "50"],
            &["300000", "8", "300"],
        ],
    ),
    (
        "strmatch",
        "string matching by bytes",
        [&["10000000"], &["170000000"], &["1000000000"]],
    ),
    (
        "hashtable",
        "hash table of strings",
        [
            &["1500000", "80000"],
            &["20000000", "80000"],
            &["120000000", "80000"],
        ],
    ),
    (
        "imagefilter",
        "3 x 3 image filters",
        [
            &["1600", "1200", "8"],
            &["1600", "1200", "200"],
            &["1600", "1200", "800"],
        ],
    ),
    (
        "floyd",
        "shortest paths, all pairs",
        [&["560"], &["1250"], &["2200"]],
    ),
    (
        "nussinov",
        "dynamic programming",
        [&["900"], &["1600"], &["2800"]],
    ),
    (
        "montecarlo",
        "independent samples",
        [&["10000000"], &["250000000"], &["1200000000"]],
    ),
];

/// All programs with the arguments for measuring.
pub fn runs() -> Vec<Workload> {
    all(0)
}

/// The same for about two seconds.
pub fn middle_runs() -> Vec<Workload> {
    all(1)
}

/// The same for ten seconds or more.
pub fn long_runs() -> Vec<Workload> {
    all(2)
}

fn all(length: usize) -> Vec<Workload> {
    TABLE
        .iter()
        .map(|&(name, label, arguments)| Workload {
            program: program(name),
            label,
            arguments: arguments[length].iter().map(|&a| a.to_owned()).collect(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            before: Vec::new(),
        })
        .collect()
}

fn program(name: &'static str) -> BenchProgram {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    BenchProgram {
        name,
        sources: vec![folder.join(name).with_extension("c")],
        flags: Vec::new(),
        link: vec!["-lm"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_in_the_table_and_every_entry_has_its_source() {
        let mut files: Vec<_> =
            std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("programs"))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.is_file())
                .collect();
        files.sort();
        let mut listed: Vec<_> = runs()
            .into_iter()
            .flat_map(|run| run.program.sources)
            .collect();
        listed.sort();
        assert_eq!(files, listed);
    }
}
