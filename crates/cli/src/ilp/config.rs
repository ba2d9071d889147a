//! The options of `parascan ilp`, checked.

use std::path::{Path, PathBuf};

use glob::Pattern;
use parascan_ddg::error::ModelError;
use parascan_ddg::model::{Grid, Latency, MachineModel, TextForm, least_limited, list};
use parascan_trace::WantedLoop;

use super::args::{Arguments, MachineArgs};
use crate::args::Format;
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;

/// What `--focus` takes for every model.
const EVERY_MODEL: &str = "all";

/// How one says where all plots are to be.
pub const PLOTS: &str = "--plots DIR";

/// Form of the graph's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphForm {
    /// A drawing.
    Svg,
    /// Text for Graphviz.
    Dot,
}

/// Files that will be written.
#[derive(Debug)]
pub struct Files {
    /// Tables, JSON or CSV.
    pub text: Option<OutputFile>,
    /// The HTML page.
    pub report: Option<OutputFile>,
    /// Instructions per step.
    pub histogram: Option<OutputFile>,
    /// The data-flow graph.
    pub graph: Option<(GraphForm, OutputFile)>,
    /// Folder for all plots.
    pub plots: Option<PathBuf>,
    /// Where the trace is written to (`--save-trace`); none: nowhere.
    pub save_trace: Option<OutputFile>,
}

/// What `parascan ilp` is to do.
#[derive(Debug)]
pub struct IlpConfig {
    /// The options as given, for those that need no more than that.
    pub raw: Arguments,
    /// Models, in the order of the results.
    pub models: Vec<MachineModel>,
    /// Index of the model of which details are shown.
    pub focus: usize,
    /// Indices of the models under which chains, histogram and graph are made.
    pub stretched: Vec<usize>,
    /// Routines to measure; all if there are none.
    pub routines: Vec<Pattern>,
    /// The loop of `--open`, once the program is known ([`IlpConfig::locate`]): by its first instruction if the program
    /// has it.
    pub open: Option<WantedLoop>,
    /// Files to write.
    pub files: Files,
}

impl IlpConfig {
    /// Checks the options before anything runs.
    pub fn new(raw: Arguments) -> Outcome<Self> {
        let models = models(&raw.machine)?;
        let (focus, stretched) = focus(raw.results.focus.as_deref(), &models)?;
        let routines = raw
            .scope
            .routine
            .iter()
            .map(|text| pattern(text))
            .collect::<Outcome<_>>()?;
        if raw.scope.count == Some(0) {
            return Err(Failure::new(
                FailureKind::Usage,
                "--count 0 leaves nothing to measure; give at least 1",
            ));
        }
        let drawn = [
            &raw.results.histogram,
            &raw.results.graph,
            &raw.output.plots,
            &raw.output.report,
        ];
        if raw.results.steps.is_some()
            && drawn.iter().all(|path| path.is_none())
            && raw.output.format != Format::Json
        {
            return Err(Failure::new(
                FailureKind::Usage,
                "--steps says what is drawn, and nothing is: give --histogram, --graph, --plots, --report or --format json",
            ));
        }
        let graphs = [&raw.results.graph, &raw.output.plots, &raw.output.report];
        if raw.results.open.is_some() && graphs.iter().all(|path| path.is_none()) {
            return Err(Failure::new(
                FailureKind::Usage,
                "--open opens a loop in the graph, and there is none: give --graph, --plots or --report",
            ));
        }
        let check = |usage: &'static str, path: &Option<PathBuf>| {
            let path = path.as_deref();
            path.map(|path| OutputFile::check_for(usage, path))
                .transpose()
        };
        if let Some(path) = &raw.results.histogram
            && extension(path).as_deref() != Some("svg")
        {
            return Err(Failure::new(
                FailureKind::Usage,
                format!("--histogram {}: the name must end in .svg", path.display()),
            ));
        }
        let graph = match &raw.results.graph {
            Some(path) => Some((
                graph_form(path)?,
                OutputFile::check_for("--graph FILE", path)?,
            )),
            None => None,
        };
        if let Some(folder) = &raw.output.plots {
            std::fs::create_dir_all(folder).map_err(|e| {
                Failure::new(
                    FailureKind::CannotCreate,
                    format!(
                        "cannot create the folder {}: {e}; give another one with --plots",
                        folder.display()
                    ),
                )
            })?;
            // Which files there will be is not known yet; this one is in any case.
            OutputFile::check_for(PLOTS, &folder.join("profile.svg"))?;
        }
        let files = Files {
            text: check("-o FILE", &raw.output.output)?,
            report: check("--report FILE", &raw.output.report)?,
            histogram: check("--histogram FILE", &raw.results.histogram)?,
            graph,
            plots: raw.output.plots.clone(),
            save_trace: check("--save-trace FILE", &raw.output.save_trace)?,
        };
        Ok(Self {
            raw,
            models,
            focus,
            stretched,
            routines,
            open: None,
            files,
        })
    }

    /// Finds the loop of `--open` in the program that is looked at.
    ///
    /// # Errors
    /// The program has code of the line's file, but no such loop, or not one alone.
    pub fn locate(&mut self, files: &dyn parascan_symbols::Files, program: &Path) -> Outcome<()> {
        let open = self.raw.results.open.as_ref();
        self.open = open.map(|it| it.locate(files, program)).transpose()?;
        Ok(())
    }

    /// Whether single instances are looked at.
    pub fn wants_stretches(&self) -> bool {
        let results = &self.raw.results;
        results.chains.is_some()
            || results.histogram.is_some()
            || results.graph.is_some()
            || self.files.plots.is_some()
            || results.open.is_some()
            || (self.files.report.is_some() && !self.routines.is_empty())
    }

    /// Whether histograms of stretches are made: `--plots` draws all there is.
    pub fn wants_histograms(&self) -> bool {
        self.raw.results.histogram.is_some() || self.draws_all()
    }

    /// Whether graphs of stretches are made.
    pub fn wants_graphs(&self) -> bool {
        self.raw.results.graph.is_some() || self.draws_all()
    }

    /// Whether the steps of whole graphs are counted in narrow bins: for a page, in which one zooms, and for those of
    /// `--steps`.
    pub fn wants_detail(&self) -> bool {
        let drawn = self.files.plots.is_some() || self.raw.output.format == Format::Json;
        self.files.report.is_some() || (self.raw.results.steps.is_some() && drawn)
    }

    /// First and last of the steps that single instances are looked at of; none there has a level of more than 32 bits.
    pub fn drawn_steps(&self) -> Option<(u32, u32)> {
        let within = |level: u64| u32::try_from(level).unwrap_or(u32::MAX);
        let steps = self.raw.results.steps.as_ref()?;
        Some((within(*steps.start()), within(*steps.end())))
    }

    /// Whether lifetimes, sharing and storage of values are measured.
    pub fn wants_values(&self) -> bool {
        self.raw.results.values || self.files.plots.is_some()
    }

    fn draws_all(&self) -> bool {
        self.files.report.is_some() || self.files.plots.is_some()
    }

    /// Whether routines are measured.
    pub fn wants_routines(&self) -> bool {
        let results = &self.raw.results;
        let asked = results.routines || !self.routines.is_empty();
        asked || (self.models.len() == 1 && !results.no_routines)
    }
}

fn models(machine: &MachineArgs) -> Outcome<Vec<MachineModel>> {
    let mut bases = Vec::new();
    for name in &machine.model {
        let preset = name.to_str().and_then(MachineModel::preset);
        bases.push(match preset {
            Some(model) => model,
            None => MachineModel::from_toml(&name.to_string_lossy(), &read(name, "--model")?)
                .map_err(config)?,
        });
    }
    if bases.is_empty() {
        bases.push(MachineModel::default());
    }
    let grid = Grid {
        window: alternatives("--window", machine.window.as_deref())?,
        rename: alternatives("--rename", machine.rename.as_deref())?,
        system_calls: alternatives("--syscalls", machine.syscalls.as_deref())?,
        latency: latencies(machine.latency.as_deref())?,
        units: alternatives("--units", machine.units.as_deref())?,
        physical_registers: alternatives(
            "--physical-registers",
            machine.physical_registers.as_deref(),
        )?,
        branches: alternatives("--branches", machine.branches.as_deref())?,
        indirect: alternatives("--indirect", machine.indirect.as_deref())?,
        returns: alternatives("--returns", machine.returns.as_deref())?,
        memory: alternatives("--memory", machine.memory.as_deref())?,
        stack_pointer: alternatives("--stack-pointer", machine.stack_pointer.as_deref())?,
        induction: alternatives("--induction", machine.induction.as_deref())?,
        count: alternatives("--counted", machine.counted.as_deref())?,
    };
    grid.models(&bases).map_err(usage)
}

/// The model of details, and those of which single instances are looked at.
fn focus(text: Option<&str>, models: &[MachineModel]) -> Outcome<(usize, Vec<usize>)> {
    let Some(text) = text else {
        let focus = least_limited(models);
        return Ok((focus, vec![focus]));
    };
    if text == EVERY_MODEL {
        return Ok((least_limited(models), (0..models.len()).collect()));
    }
    let named = models.iter().position(|model| model.name == text);
    let numbered = || text.parse::<usize>().ok()?.checked_sub(1);
    match named.or_else(numbered).filter(|n| *n < models.len()) {
        Some(focus) => Ok((focus, vec![focus])),
        None => {
            let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
            Err(Failure::new(
                FailureKind::Usage,
                format!(
                    "--focus {text}: there is no such model; give one of {}, its number from 1 to {}, or {EVERY_MODEL}",
                    names.join(", "),
                    models.len()
                ),
            ))
        }
    }
}

fn alternatives<T: TextForm>(option: &str, text: Option<&str>) -> Outcome<Vec<T>> {
    text.map_or(Ok(Vec::new()), |text| list(option, text).map_err(usage))
}

/// Latency tables by name or from files.
fn latencies(text: Option<&str>) -> Outcome<Vec<Latency>> {
    let Some(text) = text else {
        return Ok(Vec::new());
    };
    let mut tables = Vec::new();
    for item in text.split(',').map(str::trim) {
        if item.ends_with(".toml") {
            let content = read(Path::new(item), "--latency")?;
            tables.push(Latency::from_toml(item, &content).map_err(config)?);
        } else {
            tables.extend(list::<Latency>("--latency", item).map_err(usage)?);
        }
    }
    Ok(tables)
}

fn read(path: &Path, option: &str) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| {
        Failure::new(
            FailureKind::NoInput,
            format!(
                "cannot read {}: {e}; {option} takes a name that --help lists, or a TOML file",
                path.display()
            ),
        )
    })
}

fn usage(error: ModelError) -> Failure {
    Failure::new(FailureKind::Usage, error.to_string())
}

fn config(error: ModelError) -> Failure {
    Failure::new(FailureKind::Config, error.to_string())
}

fn pattern(text: &str) -> Outcome<Pattern> {
    Pattern::new(text).map_err(|e| {
        Failure::new(
            FailureKind::Usage,
            format!(
                "--routine {text}: {}; write a routine's name, where * and ? stand for any letters",
                e.msg
            ),
        )
    })
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_string_lossy().to_lowercase())
}

fn graph_form(path: &Path) -> Outcome<GraphForm> {
    match extension(path).as_deref() {
        Some("svg") => Ok(GraphForm::Svg),
        Some("dot" | "gv") => Ok(GraphForm::Dot),
        _ => Err(Failure::new(
            FailureKind::Usage,
            format!(
                "--graph {}: the name must end in .svg or .dot",
                path.display()
            ),
        )),
    }
}
