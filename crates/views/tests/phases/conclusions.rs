//! What is said of losses, doubts, waits and outliers.

use super::*;

/// Every reason for a loss in words.
#[test]
fn losses_in_words() {
    let mut result = result("output");
    let imbalance = |reason, numbers: [u64; 2]| {
        let shares = |thread: u32| ThreadShare {
            thread,
            iterations: numbers[thread as usize],
            work: 300_000 - 100_000 * u64::from(thread),
        };
        LossCause::Imbalance(Imbalance {
            of: 4,
            executions: 24,
            shares: vec![shares(0), shares(1)],
            waits: vec![(0, 0), (1, 1_000_000)],
            reason,
        })
    };
    let brief = |reason| match imbalance(reason, [30, 30]) {
        LossCause::Imbalance(long) => LossCause::Imbalance(Imbalance {
            waits: vec![(0, 0), (1, 100_000)],
            ..long
        }),
        other => other,
    };
    let exclusion = |of, inside| {
        LossCause::Exclusion(Exclusion {
            of,
            entries: 7,
            inside,
        })
    };
    let teams = |repeats| {
        LossCause::Teams(Teams {
            entries: 100,
            inside: 10_000,
            managing: 4000,
            repeats,
        })
    };
    let stretch = |part, time| SerialTime { part, time };
    let causes = [
        imbalance(ImbalanceReason::Unknown, [0, 0]),
        imbalance(
            ImbalanceReason::Late {
                region: 1,
                executions: 24,
                busy: 20_000,
            },
            [30, 30],
        ),
        imbalance(
            ImbalanceReason::FewIterations {
                iterations: 2.5,
                team: 3,
            },
            [30, 30],
        ),
        imbalance(ImbalanceReason::Changing, [30, 30]),
        brief(ImbalanceReason::Unknown),
        brief(ImbalanceReason::Changing),
        imbalance(ImbalanceReason::Numbers { estimate: 90_000 }, [300, 200]),
        imbalance(ImbalanceReason::Numbers { estimate: 0 }, [300, 200]),
        imbalance(ImbalanceReason::Lengths { estimate: 90_000 }, [300, 300]),
        imbalance(ImbalanceReason::Lengths { estimate: 0 }, [30, 30]),
        teams(None),
        teams(Some(Repeats {
            iterations: 100,
            beside: vec![1, 7],
            others: true,
        })),
        exclusion(State::Critical, Some(50_000)),
        exclusion(State::Lock, None),
        exclusion(State::Ordered, Some(50_000)),
        exclusion(State::Ordered, None),
        exclusion(State::Atomic, None),
        LossCause::OneThread(OneThread {
            regions: vec![5],
            work: 80_000,
        }),
        LossCause::FewSections {
            sections: 2.0,
            team: 3,
        },
        LossCause::Barrier {
            waits: vec![(0, 100), (1, 5), (2, 100)],
        },
        LossCause::TaskWait,
        LossCause::Tasks(Tasks {
            created: 1000,
            executed: 1000,
            work: 200_000,
        }),
        LossCause::Serial(Serial {
            time: 1_000_000,
            limit: 13.5,
            stretches: vec![
                stretch(SerialPlace::Between(None, Some(1)), 500_000),
                stretch(SerialPlace::In(6), 300_000),
                stretch(SerialPlace::Between(Some(3), Some(3)), 200_000),
            ],
        }),
    ];
    result.run.processors = 2;
    result.losses = causes
        .into_iter()
        .map(|cause| Loss {
            node: 4,
            lost: 1_000_000,
            share: 0.025,
            at_most: 300_000,
            cause,
        })
        .collect();
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    let losses = json["losses"].as_array().unwrap();
    let texts = losses
        .iter()
        .map(|l| format!("{}: {}", l["kind"], l["text"]));
    assert_snapshot!("losses", texts.collect::<Vec<_>>().join("\n"));
    assert!(phases_text(&result, &WIDE, 12).contains("and 17 more (--format json)"));
    let page = phases_html(&result, &[]);
    assert!(page.contains("more threads (3) than processors (2)"));
    assert_eq!(page.matches("<li>").count(), losses.len());
    assert_eq!(page.matches("<mark>").count(), 0);
    // With the source of the region that has all of these.
    let lines: Vec<String> = (1..=99).map(|n| format!("\tline({n}) < 0;")).collect();
    let source = |text, changed| Source {
        file: "synthetic.c".to_owned(),
        text,
        changed,
    };
    let page = phases_html(&result, &[source(Ok(lines.join("\n")), true)]);
    let Location::Source { frame, .. } = &result.tree.nodes[4].place.location else {
        panic!("regions of synthetic runs have lines");
    };
    let marked = format!("<mark>{0:>5}      line({0}) &lt; 0;</mark>", frame.line);
    assert_eq!(page.matches(&marked).count(), losses.len());
    assert!(page.contains(&format!("line({})", frame.line + 7)));
    assert!(!page.contains(&format!("line({})", frame.line + 8)));
    assert!(page.contains("was changed after the recording"));
    let page = phases_html(&result, &[source(Err("it is <gone>".to_owned()), false)]);
    assert!(page.contains("it is &lt;gone&gt;") && !page.contains("<mark>"));
}

/// A run over levels of unlike size, in no order: nothing in it shows where its steps begin.
#[test]
fn irregular_phases_are_doubted() {
    let levels = |function: bool| {
        let mut run = RunBuilder::new(3);
        for step in 0..60u32 {
            let size = 1000 << (step.wrapping_mul(0x9e37_79b1).wrapping_mul(step) >> 28);
            region(&mut run, "smooth", &[("sweep", [size; 3])]);
            region(&mut run, "change level", &[("copy", [size; 3])]);
        }
        if function {
            run.enter(0, Construct::Function, "output");
            run.leave(0);
        }
        phases(&run.finish(), &PhaseOptions::default()).unwrap()
    };
    for (function, advice) in [(false, "PARASCAN_WATCH=1"), (true, "Marks in the program")] {
        let result = levels(function);
        for text in [omp_text(&result, &WIDE, 20), phases_html(&result, &[])] {
            assert!(
                text.contains("These phases differ much (regularity 0."),
                "{text}"
            );
            assert!(text.contains(advice), "{text}");
        }
    }
    let regular = result("output");
    assert!(!omp_text(&regular, &WIDE, 20).contains("differ much"));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&regular)).unwrap();
    assert_eq!(json["doubt"], serde_json::Value::Null);
}

/// A loop that only the order of its regions tells: it is said so, and where phases may hold several iterations, how
/// many.
#[test]
fn loops_by_the_order_of_regions_are_named() {
    fn cycle(run: &mut RunBuilder, size: u64) {
        let smooth = |run: &mut RunBuilder| {
            (0..2).for_each(|_| region(run, "smooth", &[("sweep", [size; 3])]));
        };
        smooth(run);
        if size > 4000 {
            region(run, "restrict", &[("sweep", [size; 3])]);
            cycle(run, size / 2);
            region(run, "prolong", &[("sweep", [size / 2; 3])]);
        }
        smooth(run);
    }
    let mut run = RunBuilder::new(3);
    (0..6).for_each(|_| cycle(&mut run, 128_000));
    let mut result = phases(&run.finish(), &PhaseOptions::default()).unwrap();
    let text = omp_text(&result, &WIDE, 20).replace("\n  ", " ");
    let named = "6 phases, one each time that a sequence of 34 entries with snapshots begins anew, with R1 parallel";
    assert!(text.contains(named), "{text}");
    assert!(
        text.contains("(loop of 6 iterations, found in the order of regions)"),
        "{text}"
    );
    assert!(
        text.contains("~ another reading of a loop: an iteration begins where"),
        "{text}"
    );
    assert!(phases_html(&result, &[]).contains("(where its sequence of regions begins anew)"));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&result)).unwrap();
    let loops = json["loops"].as_array().unwrap();
    let chosen: Vec<_> = loops.iter().filter(|l| l["chosen"] == true).collect();
    assert_eq!((chosen.len(), &chosen[0]["sequence"]), (1, &json!(34)));
    assert!(loops.iter().any(|l| l["sequence"].is_null()));
    let choice = result.choice.as_mut().unwrap();
    let Start::Period { iterations, .. } = &mut choice.rule.start else {
        panic!("{choice:?}");
    };
    *iterations = 8;
    let text = omp_text(&result, &WIDE, 20).replace("\n  ", " ");
    assert!(
        text.contains("so a phase holds up to 8 iterations, always as many"),
        "{text}"
    );
}

/// Threads that lose their processors, as who waits sees them: the warning, the estimate, and losses without that.
#[test]
fn waits_on_a_busy_machine_are_told_apart() {
    let run_of = |held_up: u64| {
        let mut run = RunBuilder::new(3);
        region(&mut run, "solve", &[("sweep", [300_000, 500_000, 500_000])]);
        run.enter(0, Construct::Parallel, "late");
        run.spend(0, State::Work, 100_000);
        run.spend(0, State::Barrier, 200_000);
        run.figures(0, |figures| figures.held_up += held_up);
        run.leave(0);
        phases(&run.finish(), &PhaseOptions::default()).unwrap()
    };
    let quiet = run_of(0);
    assert!(!omp_text(&quiet, &WIDE, 20).contains("busy"));
    let busy = run_of(200_000);
    // 200 of 3 x 800 microseconds.
    let text = omp_text(&busy, &WIDE, 20)
        .replace("\n  ", " ")
        .replace('\n', " ");
    let warning = "Warning: The machine was busy: waits of threads were over, but they had no processor to go on";
    assert!(text.contains(warning), "{text}");
    assert!(
        text.contains("Waits were longer for that by 8.3% of the time of all threads"),
        "{text}"
    );
    assert!(text.contains("is not counted here (an estimate)"), "{text}");
    // The barrier's wait is gone, the imbalance of the program is not.
    let kinds = |result: &Phases| -> Vec<String> {
        let json: serde_json::Value = serde_json::from_str(&phases_json(result)).unwrap();
        let losses = json["losses"].as_array().unwrap();
        losses
            .iter()
            .map(|l| l["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(kinds(&quiet).contains(&"barrier".to_owned()));
    assert!(!kinds(&busy).contains(&"barrier".to_owned()));
    assert!(kinds(&busy).contains(&"imbalance".to_owned()));
    let json: serde_json::Value = serde_json::from_str(&phases_json(&busy)).unwrap();
    assert_eq!(json["busy"]["held_up"], 200_000);
    assert_eq!(json["busy"]["without"]["wall"], 602_000);
    let page = phases_html(&busy, &[]);
    assert!(page.contains("Waits were longer for that"), "{page}");
}

/// More threads than processors are told; that the machine was busy is not, where that was nearly nothing.
#[test]
fn more_threads_than_processors_are_not_a_busy_machine() {
    let text_of = |no_processor: u64| {
        let mut run = RunBuilder::new(3);
        region(&mut run, "solve", &[("sweep", [900_000; 3])]);
        run.spend(0, State::Work, 400_000);
        run.figures(0, |figures| figures.no_processor += no_processor);
        let mut recording = run.finish();
        recording.run.processors = 2;
        let result = phases(&recording, &PhaseOptions::default()).unwrap();
        let text = omp_text(&result, &WIDE, 20);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (no_processor, warning) in [
        (
            0,
            "Warning: More threads than processors (3 threads on 2 processors",
        ),
        (
            100,
            "Warning: More threads than processors (3 threads on 2 processors",
        ),
        (300_000, "Warning: The machine was busy:"),
    ] {
        let text = text_of(no_processor);
        assert!(text.contains(warning), "{no_processor}: {text}");
    }
}

/// Who has a processor takes what others would have under a dynamic schedule: said where the machine was busy.
#[test]
fn iterations_taken_over_may_be_the_machines_doing() {
    let text_of = |no_processor: u64| {
        let mut run = RunBuilder::new(3);
        region(&mut run, "solve", &[("sweep", [900_000, 300_000, 300_000])]);
        run.enter(0, Construct::Parallel, "other");
        run.spend(0, State::Work, 400_000);
        run.figures(0, |figures| figures.no_processor += no_processor);
        run.leave(0);
        let result = phases(&run.finish(), &PhaseOptions::default()).unwrap();
        let text = omp_text(&result, &WIDE, 20);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let given = "Thread 0 was given 9,000 of 15,000 iterations.";
    let quiet = text_of(0);
    assert!(
        quiet.contains(&format!("{given} If the schedule names")),
        "{quiet}"
    );
    let busy = text_of(200_000);
    let told = format!("{given} If its schedule is dynamic, that may be the busy machine:");
    assert!(busy.contains(&told), "{busy}");
}

/// What phases are compared with is what the summary calls the median, or it is said what it is.
#[test]
fn the_median_of_outliers_is_named() {
    let mut result = result("output");
    let unnamed = phases_text(&result, &WIDE, 12);
    assert!(!unnamed.contains("phases compared"));
    result.outliers[1].usual = 160_000;
    result.outliers[1].compared = 9;
    let text = phases_text(&result, &WIDE, 12);
    let named = "instead of 160 µs (the median of the 9 phases compared)";
    assert!(text.contains(named), "{text}");
}

/// Threads that wait for tasks could execute some: smaller pieces of something else are not what they need.
#[test]
fn waits_where_tasks_are_created() {
    let mut result = result("output");
    let cause = LossCause::Imbalance(Imbalance {
        of: 4,
        executions: 1,
        shares: vec![ThreadShare {
            thread: 0,
            iterations: 0,
            work: 1,
        }],
        waits: vec![(0, 0), (1, 1_000_000)],
        reason: ImbalanceReason::Unknown,
    });
    result.losses = vec![Loss {
        node: 4,
        lost: 1_000_000,
        share: 0.025,
        at_most: 300_000,
        cause,
    }];
    let pieces = "cut into smaller pieces";
    let tasks = "none was ready for them";
    let said = |result: &Phases| {
        let json: serde_json::Value = serde_json::from_str(&phases_json(result)).unwrap();
        json["losses"][0]["text"].as_str().unwrap().to_owned()
    };
    let without = said(&result);
    assert!(
        without.contains(pieces) && !without.contains(tasks),
        "{without}"
    );
    result.tree.nodes[4].threads[0].1.tasks = 63;
    let with = said(&result);
    assert!(with.contains(tasks) && !with.contains(pieces), "{with}");
}
