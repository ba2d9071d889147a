//! The programs of `parascan-bench plans`, and what an expert writes into them.

use std::path::{Path, PathBuf};

/// A program in one file, its inputs, and its parallel version.
#[derive(Debug)]
pub struct Case {
    /// Name of the program, and of its file without `.c`.
    pub name: &'static str,
    /// Folder of its file in `bench`.
    folder: &'static str,
    /// Input that is recorded and of which every access is looked at: some hundredths of a second.
    pub small: &'static [&'static str],
    /// Input with which programs are measured: about a second.
    pub large: &'static [&'static str],
    /// An expert's directives, each above the line of this number. They were written from the source, not from a plan,
    /// for a machine with few cores: outermost loops that pay, clauses as needed, and no other change to the program.
    pub expert: &'static [(u32, &'static str)],
}

impl Case {
    /// Path of its one C file, without directives.
    pub fn source(&self) -> PathBuf {
        let file = format!("{}.c", self.name);
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(self.folder)
            .join(file)
    }

    /// The source with the expert's directives in it.
    pub fn by_expert(&self, text: &str) -> String {
        let mut out = String::new();
        for (number, line) in (1..).zip(text.lines()) {
            for (_, directive) in self.expert.iter().filter(|(at, _)| *at == number) {
                out += directive;
                out.push('\n');
            }
            out += line;
            out.push('\n');
        }
        out
    }

    /// Lines of the regions that the expert made parallel, each once.
    pub fn expert_lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self.expert.iter().map(|(line, _)| *line).collect();
        lines.dedup();
        lines
    }
}

const fn case(
    name: &'static str,
    small: &'static [&'static str],
    large: &'static [&'static str],
    expert: &'static [(u32, &'static str)],
) -> Case {
    Case {
        name,
        folder: "programs",
        small,
        large,
        expert,
    }
}

const fn own(
    name: &'static str,
    small: &'static [&'static str],
    large: &'static [&'static str],
    expert: &'static [(u32, &'static str)],
) -> Case {
    Case {
        folder: "plans",
        ..case(name, small, large, expert)
    }
}

const FOR: &str = "#pragma omp parallel for";

/// All of them. Those without directives have no loop that directives alone make faster.
pub const CASES: &[Case] = &[
    case("gemm", &["300"], &["1000"], &[(6, FOR), (12, FOR)]),
    case("lu", &["400"], &["1500"], &[(7, FOR)]),
    case(
        "cg",
        &["50000", "25"],
        &["400000", "25"],
        &[
            (43, FOR),
            (53, "#pragma omp parallel for reduction(+:sum)"),
            (70, FOR),
            (76, FOR),
        ],
    ),
    case(
        "jacobi2d",
        &["500", "40"],
        &["1000", "600"],
        &[(6, FOR), (18, FOR)],
    ),
    case(
        "heat3d",
        &["60", "20"],
        &["110", "250"],
        &[(7, FOR), (23, FOR)],
    ),
    case(
        "fft",
        &["15", "4"],
        &["18", "50"],
        &[
            (24, "#pragma omp parallel for if (n / (2 * half) >= 2)"),
            (44, FOR),
            (51, FOR),
        ],
    ),
    case(
        "radixsort",
        &["1000000"],
        &["25000000"],
        &[(10, "#pragma omp parallel for reduction(+:count[:256])")],
    ),
    case("mergesort", &["200000"], &["8000000"], &[(26, FOR)]),
    case(
        "quicksort",
        &["300000"],
        &["10000000"],
        &[
            (36, "#pragma omp task if (j > 4096)"),
            (37, "#pragma omp task if (n - i > 4096)"),
            (50, "#pragma omp parallel\n#pragma omp single"),
        ],
    ),
    case(
        "montecarlo",
        &["2000000"],
        &["100000000"],
        &[(18, "#pragma omp parallel for reduction(+:inside, sum)")],
    ),
    case(
        "histogram",
        &["1000000", "2"],
        &["8000000", "75"],
        &[
            (24, "#pragma omp parallel for reduction(+:bins[:256])"),
            (26, "#pragma omp parallel for reduction(+:pairs[:65536])"),
            (34, FOR),
        ],
    ),
    case(
        "nbody",
        &["600", "5"],
        &["1500", "90"],
        &[(11, FOR), (36, FOR)],
    ),
    case(
        "imagefilter",
        &["600", "400", "3"],
        &["1600", "1200", "100"],
        // Bytes that are stored may be the shared pointers themselves: without copies of those nothing is vectorized.
        &[
            (9, "#pragma omp parallel for firstprivate(w, h, from, to)"),
            (17, "#pragma omp parallel for firstprivate(w, h, from, to)"),
            (27, FOR),
        ],
    ),
    // Numbers that are stored may be the shared `n`: without a copy of it nothing is vectorized.
    case(
        "floyd",
        &["250"],
        &["1000"],
        &[(8, "#pragma omp parallel for firstprivate(n, k, d)")],
    ),
    case("strmatch", &["2000000"], &["90000000"], &[]),
    case(
        "bfs",
        &["50000", "8", "2"],
        &["300000", "8", "25"],
        &[(19, FOR), (40, "#pragma omp parallel for reduction(+:sum)")],
    ),
    case(
        "hashtable",
        &["200000", "20000"],
        &["12000000", "80000"],
        &[(51, "#pragma omp parallel for private(key) reduction(+:sum)")],
    ),
    case("nussinov", &["300"], &["1300"], &[]),
    own(
        "multigrid",
        &["8", "3"],
        &["10", "60"],
        &[
            (8, "#pragma omp parallel for if (n >= 64)"),
            (17, "#pragma omp parallel for if (n >= 64)"),
            (26, "#pragma omp parallel for if (n >= 64)"),
            (37, "#pragma omp parallel for if (n >= 64)"),
        ],
    ),
    own(
        "blocktri",
        &["150", "4"],
        &["600", "40"],
        &[(63, FOR), (69, FOR), (71, FOR)],
    ),
    own(
        "kmeans",
        &["30000", "16", "5"],
        &["300000", "16", "80"],
        &[
            (41, FOR),
            (
                45,
                "#pragma omp parallel for reduction(+:count[:MOST], sum[:MOST][:DIM])",
            ),
        ],
    ),
    own(
        "moldyn",
        &["8", "6"],
        &["14", "40"],
        &[
            (19, "#pragma omp parallel for reduction(+:energy)"),
            (56, FOR),
            (62, FOR),
        ],
    ),
    own(
        "vpenta",
        &["64", "8"],
        &["128", "500"],
        &[
            (19, FOR),
            (33, FOR),
            (41, FOR),
            (50, FOR),
            (62, FOR),
            (66, FOR),
        ],
    ),
    own("capacitor", &["200", "40"], &["500", "800"], &[]),
    own(
        "crnich",
        &["10000", "40"],
        &["100000", "400"],
        &[(30, FOR), (36, FOR), (39, FOR)],
    ),
    own(
        "finediff",
        &["10000", "30", "10"],
        &["20000", "40", "500"],
        &[(13, FOR), (22, FOR)],
    ),
    own(
        "nbody1d",
        &["600", "10"],
        &["2000", "80"],
        &[(21, FOR), (45, FOR)],
    ),
    own(
        "triangle",
        &["1500", "10"],
        &["2500", "80"],
        &[
            (10, "#pragma omp parallel for schedule(dynamic, 16)"),
            (
                20,
                "#pragma omp parallel for reduction(+:sum) schedule(dynamic, 16)",
            ),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experts_write_above_loops_and_calls_and_change_nothing_else() {
        assert!(CASES.len() >= 14);
        for case in CASES {
            let text = std::fs::read_to_string(case.source()).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            for (line, directive) in case.expert {
                let below = lines[*line as usize - 1].trim_start();
                let is_loop = below.starts_with("for (");
                let is_call = below.starts_with("sort(");
                assert!(is_loop || is_call, "{}:{line}: {below}", case.name);
                assert_eq!(is_loop, directive.contains(" for"), "{}:{line}", case.name);
            }
            let with = case.by_expert(&text);
            let without: String = with
                .lines()
                .filter(|line| !line.starts_with("#pragma omp"))
                .map(|line| format!("{line}\n"))
                .collect();
            assert_eq!(without, text, "{}", case.name);
        }
    }

    #[test]
    fn experts_versions_compile() {
        for case in CASES {
            let text = std::fs::read_to_string(case.source()).unwrap();
            let file = tempfile::Builder::new().suffix(".c").tempfile().unwrap();
            std::fs::write(file.path(), case.by_expert(&text)).unwrap();
            let done = std::process::Command::new("clang-22")
                .args(["-fopenmp", "-fsyntax-only", "-Wall", "-Werror"])
                .arg(file.path())
                .output()
                .unwrap();
            let messages = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{}: {messages}", case.name);
        }
    }
}
