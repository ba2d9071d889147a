//! What `parascan omp` says beside the summary.

use std::io::Write;

use parascan_formats::omp::Recording;

use crate::args::{OmpArgs, Verbosity};
use crate::output::OutputFile;

/// Says on standard error, after the run, what a reader of the recordings must know.
pub fn after(raw: &OmpArgs, output: &OutputFile, recordings: &[Recording]) {
    let main = &recordings[0];
    if main.run.end.partial() {
        line("the program did not end in an orderly way: the recording is partial");
    }
    if let Some(text) = output.further_in_words(recordings.len()) {
        line(&text);
    }
    if raw.verbosity_args.verbosity() == Verbosity::Verbose {
        line(&format!(
            "wrote {}: {} threads, {} nodes, {} snapshots",
            output.shown(),
            main.threads.len(),
            main.nodes.len(),
            main.snapshots.len()
        ));
    }
}

fn line(text: &str) {
    // A closed stderr is no reason to fail.
    let _ = writeln!(anstream::stderr(), "parascan omp: {text}");
}
