//! Exports against the schemas and types of their formats, their sums, and names that try to break them.

mod common;
mod sarif_rules;

use std::collections::HashMap;

use insta::assert_snapshot;
use parascan_analysis::model::Model;
use parascan_analysis::plan::{PlanOptions, plan_model};
use parascan_formats::profile::{Context, End, Profile};
use parascan_formats::synthetic::{SyntheticInstance, SyntheticProgram, node};
use parascan_views::*;
use proptest::prelude::*;
use serde_json::Value;

/// Every export of a profile, SARIF twice.
struct Exports {
    work: u64,
    speedscope: Value,
    firefox: Value,
    flamegraph: String,
    sarif: Value,
    sarif_based: Value,
}

fn export(profile: &Profile) -> Exports {
    let model = Model::new(std::slice::from_ref(profile)).unwrap();
    let plan = plan_model(&model, &PlanOptions::default()).unwrap();
    let json = |text: String| serde_json::from_str(&text).unwrap();
    Exports {
        work: model.work,
        speedscope: json(speedscope(&model)),
        firefox: json(firefox(&model)),
        flamegraph: flamegraph(&model),
        sarif: json(sarif(&model, &plan, None)),
        sarif_based: json(sarif(&model, &plan, Some("/somewhere/else"))),
    }
}

fn valid(schema: &str, document: &Value) {
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    // The standard's pattern of languages is no regular expression (a bracket too many); no export names a language.
    for definition in schema["definitions"].as_object_mut().unwrap().values_mut() {
        if let Some(language) = definition.pointer_mut("/properties/language") {
            language.as_object_mut().unwrap().remove("pattern");
        }
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(document)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

const SARIF_SCHEMA: &str = include_str!("schemas/sarif-2.1.0.json");
const SPEEDSCOPE_SCHEMA: &str = include_str!("schemas/speedscope.json");

/// Own work by chain of frame names, from the events.
fn speedscope_chains(file: &Value) -> HashMap<Vec<String>, u64> {
    let profile = &file["profiles"][0];
    let mut own: HashMap<Vec<String>, u64> = HashMap::new();
    let (mut open, mut last) = (Vec::new(), profile["startValue"].as_u64().unwrap());
    let mut until = |open: &[String], at: u64| {
        let done = at.checked_sub(last).expect("events are in order");
        last = at;
        if done > 0 {
            *own.entry(open.to_vec()).or_default() += done;
        }
    };
    for event in profile["events"].as_array().unwrap() {
        until(&open, event["at"].as_u64().unwrap());
        let frame = event["frame"].as_u64().unwrap() as usize;
        let name = file["shared"]["frames"][frame]["name"].as_str().unwrap();
        match event["type"].as_str().unwrap() {
            "O" => open.push(name.to_owned()),
            _ => assert_eq!(
                open.pop().as_deref(),
                Some(name),
                "frames are closed in order"
            ),
        }
    }
    until(&open, profile["endValue"].as_u64().unwrap());
    assert!(open.is_empty());
    own
}

fn table<'a>(thread: &'a Value, name: &str, columns: &[&str]) -> &'a Value {
    let table = &thread[name];
    for column in columns {
        assert_eq!(
            table[column]
                .as_array()
                .unwrap_or_else(|| panic!("{name}.{column}"))
                .len() as u64,
            table["length"].as_u64().unwrap(),
            "{name}.{column}"
        );
    }
    table
}

/// The same from the Firefox Profiler's tables; checks their columns and indices on the way.
fn firefox_chains(file: &Value) -> HashMap<Vec<String>, u64> {
    assert_eq!(file["meta"]["preprocessedProfileVersion"], 55);
    let thread = &file["threads"][0];
    let strings = thread["stringArray"].as_array().unwrap();
    let samples = table(thread, "samples", &["stack", "timeDeltas", "weight"]);
    let stacks = table(thread, "stackTable", &["prefix", "frame"]);
    let frames = table(
        thread,
        "frameTable",
        &[
            "address",
            "inlineDepth",
            "category",
            "subcategory",
            "func",
            "nativeSymbol",
            "innerWindowID",
            "line",
            "column",
        ],
    );
    let functions = table(
        thread,
        "funcTable",
        &[
            "name",
            "isJS",
            "relevantForJS",
            "resource",
            "fileName",
            "lineNumber",
            "columnNumber",
        ],
    );
    table(
        thread,
        "markers",
        &["data", "name", "startTime", "endTime", "phase", "category"],
    );
    table(
        thread,
        "nativeSymbols",
        &["address", "libIndex", "name", "functionSize"],
    );
    table(thread, "resourceTable", &["lib", "name", "host", "type"]);
    for file in functions["fileName"].as_array().unwrap() {
        assert!(file.is_null() || strings[file.as_u64().unwrap() as usize].is_string());
    }
    for category in frames["category"].as_array().unwrap() {
        assert!(file["meta"]["categories"][category.as_u64().unwrap() as usize].is_object());
    }
    let mut own: HashMap<Vec<String>, u64> = HashMap::new();
    for (stack, weight) in samples["stack"]
        .as_array()
        .unwrap()
        .iter()
        .zip(samples["weight"].as_array().unwrap())
    {
        let mut chain = Vec::new();
        let mut at = stack.as_u64();
        while let Some(index) = at.map(|at| at as usize) {
            let frame = stacks["frame"][index].as_u64().unwrap() as usize;
            let function = frames["func"][frame].as_u64().unwrap() as usize;
            let name = functions["name"][function].as_u64().unwrap() as usize;
            chain.insert(0, strings[name].as_str().unwrap().to_owned());
            at = stacks["prefix"][index].as_u64();
            assert!(at.is_none_or(|at| at < index as u64), "prefixes come first");
        }
        *own.entry(chain).or_default() += weight.as_u64().unwrap();
    }
    for delta in samples["timeDeltas"].as_array().unwrap() {
        assert!(delta.as_f64().unwrap() >= 0.0);
    }
    own
}

/// Whatever the profile: formats hold and sums are the work.
fn check(profile: &Profile) -> Exports {
    let exports = export(profile);
    valid(SARIF_SCHEMA, &exports.sarif);
    valid(SARIF_SCHEMA, &exports.sarif_based);
    for sarif in [&exports.sarif, &exports.sarif_based] {
        assert_eq!(sarif_rules::broken(sarif), [""; 0]);
    }
    check_gnu(profile);
    valid(SPEEDSCOPE_SCHEMA, &exports.speedscope);
    let (a, b) = (
        speedscope_chains(&exports.speedscope),
        firefox_chains(&exports.firefox),
    );
    assert_eq!(a, b);
    assert_eq!(a.values().sum::<u64>(), exports.work);
    let mut reader = quick_xml::Reader::from_str(&exports.flamegraph);
    reader.config_mut().check_end_names = true;
    loop {
        match reader.read_event().expect("well-formed XML") {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Text(text) => {
                assert!(
                    text.decode()
                        .unwrap()
                        .chars()
                        .all(|c| c == '\n' || !c.is_control())
                );
            }
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                let name = tag.name();
                let known = ["svg", "title", "style", "rect", "text", "g"];
                assert!(
                    known.iter().any(|k| k.as_bytes() == name.as_ref()),
                    "{name:?}"
                );
            }
            _ => {}
        }
    }
    exports
}

/// The regular expression and the groups of the task for VS Code that `docs/exports.md` shows.
fn documented_matcher() -> (regex::Regex, Value) {
    let document = include_str!("../../../docs/exports.md");
    let (_, text) = document.split_once("```json\n").unwrap();
    let (text, _) = text.split_once("```").unwrap();
    let tasks: Value = serde_json::from_str(text).unwrap();
    let pattern = tasks["tasks"][0]["problemMatcher"]["pattern"].clone();
    let written = pattern["regexp"].as_str().unwrap();
    (regex::Regex::new(written).unwrap(), pattern)
}

/// Every entry with a place is one line that the documented problem matcher takes apart as it was put together; nothing
/// else is.
fn check_gnu(profile: &Profile) {
    let model = Model::new(std::slice::from_ref(profile)).unwrap();
    let plan = plan_model(&model, &PlanOptions::default()).unwrap();
    let text = gnu(&model, &plan, None);
    let (matcher, groups) = documented_matcher();
    let mut entries = plan.entries.iter();
    for line in text.lines() {
        assert!(!line.chars().any(char::is_control), "{line:?}");
        if line.starts_with("parascan: warning: ") {
            continue;
        }
        if plan.entries.is_empty() {
            assert!(line.starts_with("parascan: note: No region "), "{line:?}");
            continue;
        }
        let entry = entries.next().expect("a line for every entry");
        let said = format!(": note: #{} ", entry.rank.unwrap());
        assert!(line.contains(&said), "{line:?}");
        // Names with a colon in them may be cut elsewhere; no form of compilers' messages tells.
        if entry.file.is_empty() || entry.line == 0 || entry.file.contains(':') {
            continue;
        }
        let got = matcher.captures(line).unwrap_or_else(|| panic!("{line:?}"));
        let group = |name: &str| {
            let number = groups[name].as_u64().unwrap() as usize;
            got.get(number).map(|group| group.as_str())
        };
        assert_eq!(group("line"), Some(&*entry.line.to_string()), "{line:?}");
        let column = (entry.column > 0).then(|| entry.column.to_string());
        assert_eq!(group("column"), column.as_deref(), "{line:?}");
        assert_eq!(group("severity"), Some("note"));
        assert!(group("code").unwrap().starts_with("PS0"));
        assert!(group("message").unwrap().starts_with(&said[8..]));
    }
    assert!(entries.next().is_none());
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn as_they_are_written() {
    let exports = check(&common::profile());
    let masked = |text: &str| text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    assert_snapshot!("speedscope", masked(&pretty(&exports.speedscope)));
    assert_snapshot!("firefox", exports.firefox.to_string().replace("],", "],\n"));
    assert_snapshot!("flamegraph", exports.flamegraph);
    assert_snapshot!("sarif", masked(&pretty(&exports.sarif)));
}

#[test]
fn chains_have_the_work_outside_of_what_they_contain() {
    let mut program = SyntheticProgram::new();
    let main = program.function("main", 1..=9);
    let (looping, body) = program.add_loop(main, 2..=8);
    let callee = program.function("callee", 20..=30);
    let call = |own| node(callee, own, own, []);
    let profile = program.build([node(
        main,
        5,
        100,
        [
            node(looping, 2, 80, [node(body, 3, 8, [call(5)]).times(10)]),
            call(7),
        ],
    )]);
    let exports = check(&profile);
    let inner = "loop in main, synthetic.c:2";
    let expected: HashMap<Vec<String>, u64> = [
        (vec!["main"], 5),
        (vec!["main", inner], 2 + 30),
        (vec!["main", inner, "callee"], 50),
        (vec!["main", "callee"], 7),
    ]
    .into_iter()
    .map(|(chain, own)| (chain.into_iter().map(str::to_owned).collect(), own))
    .collect();
    assert_eq!(speedscope_chains(&exports.speedscope), expected);
}

#[test]
fn size_depends_on_chains_not_on_instances() {
    let of = |count| {
        let mut program = SyntheticProgram::new();
        let main = program.function("main", 1..=9);
        let (looping, body) = program.add_loop(main, 2..=8);
        let iterations = node(body, 1 << 10, 10, []).times(count);
        check(&program.build([node(
            main,
            0,
            1 << 10,
            [node(looping, 0, 1 << 10, [iterations])],
        )]))
    };
    let (small, large) = (of(1 << 10), of(1 << 45));
    let events = |e: &Exports| {
        e.speedscope["profiles"][0]["events"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(events(&small), events(&large));
    // More than 32 bits hold, and more than 53.
    assert_eq!(
        large.firefox["threads"][0]["samples"]["weight"][0],
        1u64 << 55
    );
}

#[test]
fn deep_chains_need_no_deep_stack() {
    let mut program = SyntheticProgram::new();
    let f = program.function("f", 1..=9);
    let mut profile = program.build([node(f, 1, 1, [])]);
    // The synthetic tree is recursive itself: the chain is put together here.
    const DEPTH: u64 = 10_000;
    let one = profile.contexts[1].clone();
    profile.contexts.truncate(1);
    for depth in 0..DEPTH {
        let work = DEPTH - depth;
        profile.contexts.push(Context {
            parent: depth as u32,
            depth: depth as u32,
            work,
            child_work: work - 1,
            ..one.clone()
        });
    }
    profile.work = DEPTH;
    profile.contexts[0].work = DEPTH;
    let model = Model::new(std::slice::from_ref(&profile)).unwrap();
    let file: Value = serde_json::from_str(&speedscope(&model)).unwrap();
    assert_eq!(
        file["profiles"][0]["events"].as_array().unwrap().len() as u64,
        2 * DEPTH
    );
    assert_eq!(file["profiles"][0]["endValue"], DEPTH);
    let file: Value = serde_json::from_str(&firefox(&model)).unwrap();
    assert_eq!(file["threads"][0]["samples"]["length"], DEPTH);
    assert!(flamegraph(&model).ends_with("</svg>\n"));
}

#[test]
fn nothing_was_done() {
    let exports = check(&SyntheticProgram::new().build([]));
    assert_eq!(exports.work, 0);
    assert_eq!(
        exports.sarif["runs"][0]["results"],
        Value::Array(Vec::new())
    );
}

#[test]
fn results_stand_at_their_lines_under_a_base() {
    let mut profile = common::profile();
    profile.modules[0].directory = "/home/me/my prog/build".into();
    for region in &mut profile.regions {
        region.fixed.file = "../src/a.c".into();
    }
    let model = Model::new(std::slice::from_ref(&profile)).unwrap();
    let plan = plan_model(&model, &PlanOptions::default()).unwrap();
    let of = |base| -> Value { serde_json::from_str(&sarif(&model, &plan, base)).unwrap() };
    let based = of(Some("/home/me/x/../my prog/"));
    valid(SARIF_SCHEMA, &based);
    let run = &based["runs"][0];
    assert_eq!(
        run["originalUriBaseIds"]["SRCROOT"]["uri"],
        "file:///home/me/my%20prog/"
    );
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), plan.entries.len());
    for (result, entry) in results.iter().zip(&plan.entries) {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/a.c");
        assert_eq!(place["artifactLocation"]["uriBaseId"], "SRCROOT");
        assert_eq!(place["region"]["startLine"], entry.line);
        assert_eq!(place["region"]["startColumn"], entry.column);
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        let message = result["message"]["text"].as_str().unwrap();
        // A directive where one can be pasted, else the words that stand for it.
        let notes = entry.notes();
        let said = entry.pragma.as_ref().or(notes.first());
        assert!(said.is_none_or(|said| message.contains(said)), "{message}");
    }
    // Not below the folder of the compilation: as an absolute URI.
    let outside = &of(None)["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        outside["artifactLocation"]["uri"],
        "file:///home/me/my%20prog/src/a.c"
    );
    assert!(outside["artifactLocation"]["uriBaseId"].is_null());
}

#[test]
fn lines_for_editors_are_relative_to_the_base_and_say_what_the_figures_do_not_know() {
    let mut profile = common::profile();
    profile.modules[0].directory = "/home/me/prog/build".into();
    for region in &mut profile.regions {
        region.fixed.file = "../src/a.c".into();
    }
    profile.end = End::Signalled(11);
    let model = Model::new(std::slice::from_ref(&profile)).unwrap();
    let plan = plan_model(&model, &PlanOptions::default()).unwrap();
    let based = gnu(&model, &plan, Some("/home/me/prog"));
    let lines: Vec<&str> = based.lines().collect();
    assert!(lines[0].starts_with("parascan: warning: ") && lines[0].contains("signal 11"));
    assert_eq!(lines.len(), 1 + plan.entries.len());
    assert!(
        lines[1].starts_with(
            "src/a.c:21:3: note: #1 Loop whose iterations overlap in part (DOACROSS): 70.8% of \
             the program's work, self-parallelism 20.0. In parallel it makes the program 3.05x as fast, ideally."
        ) && lines[1].ends_with(" [PS003]"),
        "{}",
        lines[1]
    );
    // What lies outside of the base has its whole path.
    let outside = gnu(&model, &plan, Some("/home/me/prog/build"));
    assert!(
        outside.contains("\n/home/me/prog/src/a.c:21:3: note: #1 "),
        "{outside}"
    );
}

#[test]
fn braces_in_names_are_no_placeholders_and_unknown_files_no_folders() {
    let mut profile = common::profile();
    for region in &mut profile.regions {
        region.fixed.file = String::new();
    }
    profile.regions[0].fixed.function = "{lambda(int)#1}".into();
    let exports = check(&profile);
    let result = &exports.sarif["runs"][0]["results"][0];
    assert!(
        result["locations"][0]["physicalLocation"].is_null(),
        "{result}"
    );
    profile.caveats = vec![parascan_formats::profile::Caveat::RunsDiffer("{0}".into())];
    let sarif = check(&profile).sarif;
    let note = &sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"];
    assert!(note["text"].as_str().unwrap().contains("{{0}}"), "{note}");
}

#[test]
fn a_partial_profile_says_so() {
    let mut profile = common::profile();
    profile.end = End::Signalled(11);
    let exports = check(&profile);
    let invocation = &exports.sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let note = invocation["toolExecutionNotifications"][0]["message"]["text"]
        .as_str()
        .unwrap();
    assert!(note.contains("signal 11"), "{note}");
}

/// Any tree of calls and loops.
fn trees() -> impl Strategy<Value = Profile> {
    let leaf = (0u32..3, 0u64..50).prop_map(|(region, own)| (region, own, Vec::new()));
    leaf.prop_recursive(5, 40, 4, |inner| {
        (
            0u32..3,
            0u64..50,
            prop::collection::vec((inner, 1u64..6), 0..4),
        )
            .prop_map(|(region, own, children)| {
                let children = children
                    .into_iter()
                    .map(|(child, count)| (build(child), count));
                (region, own, children.collect())
            })
    })
    .prop_map(|shape| {
        let mut program = SyntheticProgram::new();
        for name in ["a", "b", "c"] {
            program.function(name, 1..=9);
        }
        program.build([build_node(build(shape))])
    })
}

type Raw = (u32, u64, Vec<(Shape, u64)>);

#[derive(Clone, Debug)]
struct Shape(u32, u64, Vec<(Shape, u64)>);

fn build((region, own, children): Raw) -> Shape {
    Shape(region, own, children)
}

fn build_node(Shape(region, own, children): Shape) -> SyntheticInstance {
    let children: Vec<SyntheticInstance> = children
        .into_iter()
        .map(|(child, count)| build_node(child).times(count))
        .collect();
    let cp = children
        .iter()
        .map(SyntheticInstance::work)
        .max()
        .unwrap_or(0)
        .max(1);
    node(region, own, cp, children)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sums_are_the_work(profile in trees()) {
        check(&profile);
    }

    #[test]
    fn names_break_nothing(name in "\\PC{0,8}[\u{0}-\u{1f}\u{7f}-\u{9f}\u{202e}\u{fffe}<&\"'\\]()/%:#?]{1,6}.{0,20}") {
        let mut profile = common::profile();
        for region in &mut profile.regions {
            region.fixed.file.clone_from(&name);
            region.fixed.function.clone_from(&name);
        }
        profile.modules[0].directory.clone_from(&name);
        profile.provenance.command = vec![name];
        check(&profile);
    }
}
