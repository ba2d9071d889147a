//! speedscope's file format: <https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources>.

use parascan_analysis::model::Model;
use serde::Serialize;

use super::location::absolute;
use super::stacks::{StackEvent, Stacks};
use crate::shared::header::mark;
use crate::shared::style::safe;

/// Chains of functions and loops with their work, for speedscope. Values are latency units; the order of chains is that
/// in which they first ran, all instances of one are drawn together.
pub fn speedscope(model: &Model) -> String {
    let stacks = Stacks::new(model);
    let mut events = Vec::with_capacity(stacks.chains.len() * 2);
    stacks.walk(|event, chain| {
        let (kind, at) = match event {
            StackEvent::Open(at) => ("O", at),
            StackEvent::Close(at) => ("C", at),
        };
        events.push(EventJson {
            kind,
            frame: chain.frame,
            at,
        });
    });
    let name = safe(model.program()) + mark(&model.inputs);
    let file = File {
        schema: "https://www.speedscope.app/file-format-schema.json",
        name: &name,
        exporter: concat!("parascan ", env!("CARGO_PKG_VERSION")),
        shared: Shared {
            frames: stacks
                .frames
                .iter()
                .map(|frame| FrameJson {
                    name: &frame.name,
                    file: Some(absolute(frame.directory, &frame.fixed.file))
                        .filter(|file| !file.is_empty()),
                    line: Some(frame.fixed.line).filter(|&line| line > 0),
                    col: Some(frame.fixed.column).filter(|&column| column > 0),
                })
                .collect(),
        },
        profiles: [ProfileJson {
            kind: "evented",
            name: "work in latency units",
            unit: "none",
            start_value: 0,
            end_value: stacks.chains[0].work,
            events,
        }],
    };
    let mut text = serde_json::to_string(&file).expect("plain data becomes JSON");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    name: &'a str,
    exporter: &'a str,
    shared: Shared<'a>,
    profiles: [ProfileJson<'a>; 1],
}

#[derive(Serialize)]
struct Shared<'a> {
    frames: Vec<FrameJson<'a>>,
}

#[derive(Serialize)]
struct FrameJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    col: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProfileJson<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    name: &'a str,
    unit: &'a str,
    start_value: u64,
    end_value: u64,
    events: Vec<EventJson<'a>>,
}

#[derive(Serialize)]
struct EventJson<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    frame: usize,
    at: u64,
}
