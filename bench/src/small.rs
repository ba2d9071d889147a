//! The benchmark programs written for this purpose: one C file each in `bench/programs`.

use std::path::Path;

use crate::program::{Program, Run};

/// Name, what it stands for, and arguments with which it runs natively for about 0.1 to 0.3 s on a core of 2021.
const TABLE: [(&str, &str, &[&str]); 18] = [
    ("gemm", "dense matrix product", &["640"]),
    ("lu", "LU decomposition", &["900"]),
    ("cg", "sparse conjugate gradients", &["100000", "60"]),
    ("jacobi2d", "2-D stencil", &["1000", "100"]),
    ("heat3d", "3-D stencil", &["110", "30"]),
    ("quicksort", "recursive sorting", &["1500000"]),
    ("mergesort", "bottom-up sorting", &["1000000"]),
    ("radixsort", "counting sort by bytes", &["6000000"]),
    (
        "histogram",
        "histograms of bytes and pairs",
        &["8000000", "6"],
    ),
    ("nbody", "all pairs of bodies", &["1500", "10"]),
    ("fft", "fast Fourier transform", &["18", "5"]),
    ("bfs", "breadth-first search", &["300000", "8", "4"]),
    ("strmatch", "string matching by bytes", &["10000000"]),
    ("hashtable", "hash table of strings", &["1500000", "80000"]),
    ("imagefilter", "3 x 3 image filters", &["1600", "1200", "8"]),
    ("floyd", "shortest paths, all pairs", &["560"]),
    ("nussinov", "dynamic programming", &["900"]),
    ("montecarlo", "independent samples", &["10000000"]),
];

/// All programs with the arguments for measuring.
pub fn runs() -> Vec<Run> {
    TABLE
        .iter()
        .map(|&(name, label, arguments)| Run {
            program: program(name),
            label,
            arguments: arguments.iter().map(|&a| a.to_owned()).collect(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            before: Vec::new(),
        })
        .collect()
}

fn program(name: &'static str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    Program {
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
