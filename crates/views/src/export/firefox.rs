//! The Firefox Profiler's processed profile format, version 55 (the profiler upgrades older versions when it loads
//! them): <https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts>.
//!
//! Written here rather than by the crate `fxprof-processed-profile`, whose weights have 32 bits and whose frames have
//! no source files and lines.

use std::collections::HashMap;

use parascan_analysis::model::Model;
use parascan_formats::module::RegionKind;
use serde_json::{Value, json};

use super::location::absolute;
use super::stacks::{StackEvent, Stacks};
use crate::shared::header::mark;
use crate::shared::style::safe;

/// Units of work per millisecond on the profiler's time axis.
const UNITS_PER_MS: f64 = 1e6;

/// Chains of functions and loops with their work, for the Firefox Profiler: one sample per chain, weighted by the work
/// of its own. A unit of work is a nanosecond on the time axis.
pub fn firefox(model: &Model) -> String {
    let stacks = Stacks::new(model);
    let mut strings = Strings::default();
    let count = stacks.frames.len();
    let column = |value: Value| vec![value; count];
    let known = |number: u32| (number > 0).then_some(number);
    let frames = || stacks.frames.iter();
    let category = |kind| u8::from(kind == RegionKind::Loop);
    let names: Vec<usize> = frames().map(|f| strings.index(&f.name)).collect();
    let files: Vec<Option<usize>> = frames()
        .map(|f| absolute(f.directory, &f.fixed.file))
        .map(|file| (!file.is_empty()).then(|| strings.index(&safe(&file))))
        .collect();
    let lines: Vec<Option<u32>> = frames().map(|f| known(f.fixed.line)).collect();
    let columns: Vec<Option<u32>> = frames().map(|f| known(f.fixed.column)).collect();
    let categories: Vec<u8> = frames().map(|f| category(f.fixed.kind)).collect();
    let func: Vec<usize> = (0..count).collect();

    // The program itself has no stack: chain `n` is stack `n - 1`.
    let below = &stacks.chains[1..];
    let prefix: Vec<Option<usize>> = below.iter().map(|c| c.parent.checked_sub(1)).collect();
    let frame: Vec<usize> = below.iter().map(|c| c.frame).collect();
    let samples = samples(&stacks);
    let total = stacks.chains[0].work;
    let end = total as f64 / UNITS_PER_MS;
    let program = safe(model.program()) + mark(&model.inputs);
    let started = model.inputs.first().map_or(0, |i| i.provenance.started);

    let document = json!({
        "meta": {
            "categories": [
                {"name": "Function", "color": "blue", "subcategories": ["Other"]},
                {"name": "Loop", "color": "green", "subcategories": ["Other"]},
            ],
            "debug": false,
            "extensions": {"length": 0, "baseURL": [], "id": [], "name": []},
            "importedFrom": "parascan",
            "interval": end / samples.weight.len().max(1) as f64,
            "markerSchema": [],
            "pausedRanges": [],
            "preprocessedProfileVersion": 55,
            "processType": 0,
            "product": program,
            "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "ns"},
            "sourceCodeIsNotOnSearchfox": true,
            "startTime": started.saturating_mul(1000),
            "symbolicated": true,
            "usesOnlyOneStackType": true,
            "version": 24,
        },
        "libs": [],
        "pages": [],
        "profilerOverhead": [],
        "counters": [],
        "threads": [{
            "name": "Work in latency units",
            "processName": program,
            "processType": "default",
            "isMainThread": true,
            "pid": "1",
            "tid": 1,
            "processStartupTime": 0.0,
            "processShutdownTime": end,
            "registerTime": 0.0,
            "unregisterTime": end,
            "pausedRanges": [],
            "showMarkersInTimeline": false,
            "frameTable": {
                "length": count,
                "address": column(json!(-1)),
                "inlineDepth": column(json!(0)),
                "category": categories,
                "subcategory": column(json!(0)),
                "func": func,
                "nativeSymbol": column(Value::Null),
                "innerWindowID": column(json!(0)),
                "line": &lines,
                "column": &columns,
            },
            "funcTable": {
                "length": count,
                "name": names,
                "isJS": column(json!(false)),
                "relevantForJS": column(json!(false)),
                "resource": column(json!(-1)),
                "fileName": files,
                "lineNumber": &lines,
                "columnNumber": &columns,
            },
            "stackTable": {"length": below.len(), "prefix": prefix, "frame": frame},
            "samples": {
                "length": samples.weight.len(),
                "weightType": "samples",
                "stack": samples.stack,
                "timeDeltas": samples.delta,
                "weight": samples.weight,
            },
            "markers": {
                "length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [], "startTime": [],
            },
            "nativeSymbols": {"length": 0, "address": [], "functionSize": [], "libIndex": [], "name": []},
            "resourceTable": {"length": 0, "lib": [], "name": [], "host": [], "type": []},
            "stringArray": strings.all,
        }],
    });
    let mut text = document.to_string();
    text.push('\n');
    text
}

/// Columns of the table of samples.
#[derive(Default)]
struct Samples {
    stack: Vec<Option<usize>>,
    delta: Vec<f64>,
    weight: Vec<u64>,
}

/// A sample per chain with work of its own, in the order of [`Stacks::walk`].
fn samples(stacks: &Stacks) -> Samples {
    let mut samples = Samples::default();
    let (mut before, mut at) = (0u64, 0u64);
    let mut open = Vec::new();
    let mut next = 0;
    let mut push = |stack, own: u64| {
        if own > 0 {
            samples.stack.push(stack);
            samples.delta.push((at - before) as f64 / UNITS_PER_MS);
            samples.weight.push(own);
            before = at;
            at = at.saturating_add(own);
        }
    };
    stacks.walk(|event, chain| match event {
        StackEvent::Open(_) => {
            open.push(next);
            next += 1;
        }
        StackEvent::Close(_) => push(open.pop(), chain.own),
    });
    push(None, stacks.chains[0].own);
    samples
}

/// Strings, each once.
#[derive(Default)]
struct Strings {
    all: Vec<String>,
    index_of: HashMap<String, usize>,
}

impl Strings {
    fn index(&mut self, text: &str) -> usize {
        if let Some(&index) = self.index_of.get(text) {
            return index;
        }
        let index = self.all.len();
        self.all.push(text.to_owned());
        self.index_of.insert(text.to_owned(), index);
        index
    }
}
