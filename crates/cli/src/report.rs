//! `parascan report`: everything in one HTML file.

use std::path::Path;

use parascan_analysis::model::Model;
use parascan_analysis::plan::plan_model;
use parascan_analysis::proof::Proof;
use parascan_analysis::regions::Regions;
use parascan_analysis::{Error, chart, compare, effort, types};
use parascan_views::{Report, proof_from_json, report_html};

use crate::exit::{Failure, FailureKind, Outcome};
use crate::output::OutputFile;
use crate::planning::options;
use crate::sources::{SourceFolders, code_lines};
use crate::{args, profile};

/// A reader can zoom: there is room for more than on paper.
const CHART: chart::ChartOptions = chart::ChartOptions {
    self_parallelism: false,
    serial_below: chart::SERIAL_BELOW,
    min_work: 0.005,
    together: true,
    max_boxes: 5000,
};

/// Runs `parascan report`: writes the page.
pub fn run(raw: &args::ReportArgs) -> Outcome<()> {
    let options = options(&raw.planning)?;
    let places = SourceFolders::new(&raw.source_root)?;
    let output = OutputFile::check(&raw.output)?;
    let profiles = profile::read_all(&raw.profiles)?;
    let proof = raw.proof.as_deref().map(read_proof).transpose()?;
    let comparison = match (&raw.compare, &profiles[..]) {
        (None, _) => None,
        (Some(other), [one]) => {
            let other = profile::read_all(std::slice::from_ref(other))?.remove(0);
            Some(compare::compare(one, &other, &options)?)
        }
        (Some(_), _) => {
            return Err(Failure::new(
                FailureKind::Usage,
                "--compare takes a report of one profile and one other",
            ));
        }
    };
    let sources = places.read(&profiles);
    let results = || -> Result<_, Error> {
        let model = Model::new(&profiles)?;
        let plan = plan_model(&model, &options)?;
        let regions = Regions::new(model, false, &options)?;
        let effort_options = effort::EffortOptions {
            exclude: options.exclude.clone(),
            plan: Some(options.clone()),
            ..effort::EffortOptions::default()
        };
        let effort = effort::effort(&profiles, &code_lines(&sources), &effort_options)?;
        let types = types::types(&profiles, &types::TypeOptions::default())?;
        let charts: Result<Vec<_>, Error> =
            profiles.iter().map(|p| chart::chart(p, &CHART)).collect();
        Ok((plan, regions, charts?, effort, types))
    };
    let (plan, regions, charts, effort, types) = results()?;
    let page = report_html(&Report {
        proof: proof.as_ref(),
        comparison: comparison.as_ref(),
        plan: &plan,
        regions: &regions,
        charts: &charts,
        effort: &effort,
        types: &types,
        sources: if raw.no_source { &[] } else { &sources },
    });
    output.write(page.as_bytes())
}

/// What `parascan prove --format json` printed.
fn read_proof(path: &Path) -> Outcome<Proof> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|e| Failure::new(FailureKind::NoInput, format!("--proof {shown}: {e}")))?;
    proof_from_json(&text).ok_or_else(|| {
        Failure::new(
            FailureKind::BadProfile,
            format!("--proof {shown}: this is not what this version's `parascan prove --format json` prints"),
        )
    })
}
