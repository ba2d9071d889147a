//! `parascan export`: reads profiles, writes them or their plan in the format of another tool.

use std::path::{Path, PathBuf};

use parascan_analysis::model::Model;
use parascan_analysis::plan::plan_model;
use parascan_views as views;

use crate::args::{ExportArgs, ExportFormat};
use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::{planning, print, profile};

/// Writes the profile in the format asked for.
pub fn run(raw: &ExportArgs) -> Outcome<()> {
    let plans = matches!(raw.to, ExportFormat::Sarif | ExportFormat::Gnu);
    if !plans && raw.base.is_some() {
        return Err(Failure::new(
            FailureKind::Usage,
            "--base is for --to sarif and --to gnu only; leave it out",
        ));
    }
    let output = raw.output.as_deref().map(OutputFile::check).transpose()?;
    let base = match (&raw.base, raw.to) {
        (Some(base), _) => Some(folder(base)?),
        // As compilers name files: from where the command runs.
        (None, ExportFormat::Gnu) => std::env::current_dir().ok(),
        (None, _) => None,
    };
    let options = planning::options(&raw.planning)?;
    let profiles = profile::read_all(&raw.profiles)?;
    let model = Model::new(&profiles)?;
    let text = match raw.to {
        ExportFormat::Speedscope => views::speedscope(&model),
        ExportFormat::Firefox => views::firefox(&model),
        ExportFormat::Flamegraph => views::flamegraph(&model),
        ExportFormat::Sarif => {
            let plan = plan_model(&model, &options)?;
            let base = base.as_ref().map(|b| b.to_string_lossy());
            views::sarif(&model, &plan, base.as_deref())
        }
        ExportFormat::Gnu => {
            let plan = plan_model(&model, &options)?;
            let base = base.as_ref().map(|b| b.to_string_lossy());
            views::gnu(&model, &plan, base.as_deref())
        }
    };
    match output {
        Some(output) => output.write(text.as_bytes()),
        None => print::out(&text),
    }
}

/// The folder as an absolute path. It need not exist: the profile may come from another machine.
fn folder(path: &Path) -> Outcome<PathBuf> {
    std::path::absolute(path).map_err(|e| {
        Failure::new(
            FailureKind::Usage,
            format!("--base {}: {e}; give a directory", path.display()),
        )
    })
}
