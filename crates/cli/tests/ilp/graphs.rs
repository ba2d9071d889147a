//! Chains, data-flow graphs, steps one by one, iterations of loops that are opened.

use super::*;

#[test]
fn chains_and_graph_say_why() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--routine dot --call 2 --chains 2 --histogram dot.svg --graph dot.dot --report r.html --plots plots";
    let all = json(&place, options, "./prog", 7);
    let stretch = &all["stretches"][0];
    assert_eq!(stretch["title"], "dot, call 2");
    let chains = stretch["chains"].as_array().unwrap();
    assert_eq!(chains.len(), 2);
    let text = chains[0].to_string();
    assert!(text.contains("addsd") && text.contains("xmm"), "{text}");
    assert!(text.contains("999"), "{text}");
    let file = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert!(file("dot.svg").starts_with("<svg") || file("dot.svg").starts_with("<?xml"));
    assert!(file("dot.dot").starts_with("digraph"));
    assert!(file("dot.dot").contains("addsd"));
    assert!(file("r.html").contains("dot"));
    assert!(place.path("plots").read_dir().unwrap().count() > 0);
    // Only what was asked for is among the routines.
    let routines = figures(&all, 0, 0)["routines"].as_array().unwrap();
    assert_eq!(routines.len(), 1);
}

/// Every step has its bar, and `--plots` alone draws all that there is.
#[test]
fn single_steps_and_all_plots() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let bars = |options: &str| {
        json(
            &place,
            &format!("--routine walk --histogram h.svg {options}"),
            "./prog",
            7,
        );
        let svg = std::fs::read_to_string(place.path("h.svg")).unwrap();
        svg.matches("<title>").count()
    };
    let (few, all) = (bars("--steps 3..7"), bars(""));
    assert!(few < all, "{few} {all}");
    let titles = std::fs::read_to_string(place.path("h.svg")).unwrap();
    assert!(titles.contains("walk"));
    json(&place, "--routine walk --plots plots", "./prog", 7);
    let drawn = std::fs::read_dir(place.path("plots")).unwrap();
    let drawn: Vec<String> = drawn
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in [
        "profile",
        "storage",
        "lifetimes",
        "sharing",
        "histogram-1",
        "graph-1",
    ] {
        assert!(drawn.contains(&format!("{name}.svg")), "{name}: {drawn:?}");
    }
}

/// Steps of the whole run one by one, and the command in the page that shows some of them.
#[test]
fn steps_of_the_whole_run_one_by_one() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let detail = |options: &str| {
        let all = json(&place, options, "./prog", 7);
        all["graphs"][0]["results"][0]["detail"].clone()
    };
    assert!(detail("").is_null());
    assert!(
        detail("--report page.html").is_null(),
        "all steps are for the page"
    );
    let sums = |found: &Value| {
        let bins = found["bins"].as_array().unwrap().iter();
        let sum = |bin: &Value| -> u64 {
            let counts = bin.as_array().unwrap().iter();
            counts.map(|n| n.as_u64().unwrap()).sum()
        };
        bins.map(sum).collect::<Vec<u64>>()
    };
    let few = detail("--steps 100..299");
    assert_eq!(few["steps"], serde_json::json!([100, 299]));
    assert_eq!(few["levels_per_bin"], 1);
    let few = sums(&few);
    assert_eq!(few.len(), 200);
    let some = sums(&detail("--steps 201..299"));
    assert_eq!(few[101..], some, "the same steps");
    // All of them: as many as there are operations, in the bins that JSON has room for.
    let all = json(&place, "--steps 1..99999999999", "./prog", 7);
    let result = &all["graphs"][0]["results"][0];
    let path = result["critical_path"].as_u64().unwrap();
    assert_eq!(result["detail"]["steps"], serde_json::json!([1, path]));
    let operations = result["operations"].as_u64().unwrap();
    assert_eq!(sums(&result["detail"]).iter().sum::<u64>(), operations);
    // Where there are none, that is said.
    let all = json(&place, "--steps 99999999998..99999999999", "./prog", 7);
    let notes = all["notes"].to_string();
    assert!(
        notes.contains(&format!("critical path has {path} steps")),
        "{notes}"
    );
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    let words = r#""again":["parascan","ilp","--steps",null,"--report","page-steps.html""#;
    assert!(page.contains(words) && page.contains(r#""--","./prog"]"#));
}

/// The seventh node of a list, and what it has to do with the others.
#[test]
fn an_iteration_of_a_loop_is_opened() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let stretch = |options: &str| {
        let options = format!("--routine walk --graph g.dot --nodes 40 {options}");
        let all = json(&place, &options, "./prog", 7);
        (all["stretches"][0].clone(), all["notes"].to_string())
    };
    let (plain, _) = stretch("");
    assert!(plain["opened"].is_null());
    let nodes = plain["graph"]["nodes"].as_array().unwrap();
    let of_loop = || nodes.iter().filter(|node| node["instances"] == 500);
    let address = |node: &Value| node["address"].as_u64().unwrap();
    let head = of_loop().map(address).min().unwrap();
    let length = of_loop().count();
    let opened = |iteration: u64| {
        let (stretch, notes) = stretch(&format!("--open {head:#x}:{iteration} --report r.html"));
        assert_eq!(stretch["graph"], plain["graph"], "{notes}");
        stretch["opened"].clone()
    };
    // What the next node's address is loaded from: the steps are those of a chain.
    let step = |graph: &Value| {
        let nodes = graph["nodes"].as_array().unwrap();
        let own: Vec<&Value> = nodes.iter().filter(|node| node["opened"] == true).collect();
        assert_eq!(own.len(), length, "{graph}");
        let rest = nodes.iter().filter(|node| node["instances"] == 499);
        assert_eq!(rest.count(), length, "{graph}");
        let at = |end: &Value| end.as_u64().unwrap() as usize;
        let edges = graph["edges"].as_array().unwrap().iter();
        let into = |edge: &&Value| {
            nodes[at(&edge["to"])]["opened"] == true && nodes[at(&edge["from"])]["opened"] == false
        };
        let out = |edge: &&Value| {
            nodes[at(&edge["from"])]["opened"] == true && nodes[at(&edge["to"])]["opened"] == false
        };
        let times = |edge: &Value| edge["count"].as_u64().unwrap();
        assert!(
            edges.clone().filter(into).count() >= 2,
            "the sum and the list"
        );
        assert!(edges.clone().filter(into).all(|edge| times(edge) == 1));
        assert!(edges.clone().filter(out).count() >= 2);
        let levels = own.iter().map(|node| node["first_level"].as_u64().unwrap());
        levels.max().unwrap()
    };
    let (seventh, eighth) = (opened(7), opened(8));
    assert_eq!(step(&seventh) + 1, step(&eighth));
    assert_eq!(
        seventh["title"],
        format!("iteration 7 of the loop at {head:#x}, entry 1")
    );
    let page = std::fs::read_to_string(place.path("r.html")).unwrap();
    assert!(page.contains("<details class=\"opened\"") && page.contains("iteration 8 of the loop"));
    // What there is not is said.
    let said = |options: &str| stretch(options).1;
    let notes = said(&format!("--open {head:#x}:501"));
    assert!(
        notes.contains("was entered once") && notes.contains("had 500 iterations"),
        "{notes}"
    );
    let notes = said(&format!("--open {head:#x}:1 --entry 2"));
    assert!(notes.contains("no iteration 1 of entry 2"), "{notes}");
    let notes = said(&format!("--open libc.so.6:{head:#x}:1"));
    assert!(notes.contains("libc.so.6 was executed"), "{notes}");
}

/// The page has iterations of the loop by itself; each is what `--open` shows of it.
#[test]
fn the_page_offers_iterations_of_loops() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--routine walk --nodes 40 --report r.html";
    let all = json(&place, options, "./prog", 7);
    let loops = all["stretches"][0]["loops"].as_array().unwrap();
    assert_eq!(loops.len(), 1, "{loops:?}");
    let found = &loops[0];
    let counts = [
        "entries",
        "first_iterations",
        "longest_entry",
        "longest_iterations",
    ];
    assert_eq!(
        counts.map(|name| found[name].as_u64()),
        [1, 500, 1, 500].map(Some)
    );
    assert_eq!(found["routine"], "walk");
    let open = found["open"].as_str().unwrap().to_owned();
    assert_eq!(open, format!("{:#x}", found["address"].as_u64().unwrap()));
    let opened = found["opened"].as_array().unwrap().iter();
    let mut iterations: Vec<u64> = opened.map(|it| it["iteration"].as_u64().unwrap()).collect();
    iterations.sort_unstable();
    let powers = [1, 2, 4, 8, 16, 32, 64, 128, 256, 498, 499, 500];
    assert!(
        powers.iter().all(|it| iterations.contains(it)),
        "{iterations:?}"
    );
    let page = std::fs::read_to_string(place.path("r.html")).unwrap();
    let drawing = |iteration: u64| {
        let start = format!("data-loop=\"0\" data-entry=\"1\" data-iteration=\"{iteration}\"");
        let (_, rest) = page.split_once(&start).unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        rest.split_once("</template>").unwrap().0.to_owned()
    };
    // The command that the page gives, with the iteration in its place.
    assert!(page.contains(
        "\"again_open\":[\"parascan\",\"ilp\",\"--open\",null,\"--report\",\"r-open.html\","
    ));
    for iteration in [1, 64, 500] {
        json(
            &place,
            &format!("{options} --open {open}:{iteration}"),
            "./prog",
            7,
        );
        let page = std::fs::read_to_string(place.path("r.html")).unwrap();
        let asked = page.split_once("<details class=\"opened\"").unwrap().1;
        assert!(asked.contains(&drawing(iteration)), "{iteration}");
    }
}

/// The graph of a whole run has more instructions than anybody could read: its nodes are loops, those of the longest
/// chain first, each with its name; a click in the page offers their iterations.
#[test]
fn the_graph_of_a_whole_run_shows_its_loops() {
    if common::no_tool() {
        return;
    }
    let place = kernels();
    let options = "--graph g.svg --report r.html";
    let all = json(&place, options, "./prog", 7);
    let stretch = &all["stretches"][0];
    let nodes = stretch["graph"]["nodes"].as_array().unwrap();
    assert!(nodes.len() <= 40, "{}", nodes.len());
    let steps = |node: &Value| node["group"]["steps"].as_u64().unwrap();
    let path = stretch["critical_path"].as_u64().unwrap();
    let shown: u64 = nodes.iter().map(steps).sum();
    // Three times a sum of a thousand: each value of y needs the sum before.
    let largest = nodes.iter().max_by_key(|node| steps(node)).unwrap();
    assert!(shown * 10 > path * 8, "{shown} of {path}");
    assert!(steps(largest) >= 3000, "{largest}");
    assert_eq!(largest["group"]["loop"], true, "{largest}");
    assert_eq!(largest["routine"], "dot", "{largest}");
    let drawing = std::fs::read_to_string(place.path("g.svg")).unwrap();
    assert!(!drawing.contains("class=\"node k"));
    let line = largest["line"].as_u64().unwrap();
    assert!(drawing.contains(&format!(">loop prog.c:{line}<")));
    assert!(drawing.contains("% of the chain ×"));
    json(&place, "--graph g.dot", "./prog", 7);
    let dot = std::fs::read_to_string(place.path("g.dot")).unwrap();
    assert!(
        dot.contains(&format!("label=\"dot\\nloop prog.c:{line}\\n")),
        "{dot}"
    );
    assert!(!dot.contains("rank=same"));
    let page = std::fs::read_to_string(place.path("r.html")).unwrap();
    let groups = page.split("<g data-loop=").skip(1);
    let offered = |group: &str| {
        group
            .split("</g>")
            .next()
            .unwrap()
            .contains("in dot, prog.c")
    };
    assert!(groups.into_iter().any(offered));
}
