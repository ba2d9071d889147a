//! What is spelled is understood, and what is not is refused in words.

use super::*;

fn spelled<T: TextForm>(text: &str) -> Option<String> {
    T::parse(text).map(|value| value.spell())
}

#[test]
fn what_is_spelled_can_be_parsed() {
    for text in ["all", "16", "1k", "10k", "1M", "2G", "1500", "0"] {
        assert_eq!(spelled::<Option<u64>>(text).as_deref(), Some(text));
    }
    for text in ["none", "regs", "regs+stack", "stack+memory", "all"] {
        assert_eq!(spelled::<Rename>(text).as_deref(), Some(text));
    }
    assert_eq!(
        spelled::<Rename>("regs+stack+memory").as_deref(),
        Some("all")
    );
    for text in ["unlimited", "2", "float-add=2,load=1"] {
        assert_eq!(spelled::<Units>(text).as_deref(), Some(text));
    }
    for text in ["unlimited", "64", "general=180,vector=168", "vector=9"] {
        assert_eq!(spelled::<PhysicalRegisters>(text).as_deref(), Some(text));
    }
    for text in [
        "perfect",
        "none",
        "taken",
        "2bit:4",
        "gshare:8,7",
        "tage:3,8,9,4,40",
    ] {
        assert_eq!(spelled::<Branches>(text).as_deref(), Some(text));
    }
    for text in ["perfect", "none", "last:8"] {
        assert_eq!(spelled::<Indirect>(text).as_deref(), Some(text));
    }
    for text in ["perfect", "none", "stack:8"] {
        assert_eq!(spelled::<ReturnPrediction>(text).as_deref(), Some(text));
    }
    for text in ["chain", "engine"] {
        assert_eq!(spelled::<StackPointer>(text).as_deref(), Some(text));
    }
    assert_eq!(
        spelled::<StackPointer>("stack-engine").as_deref(),
        Some("engine")
    );
    for text in ["chain", "break"] {
        assert_eq!(spelled::<Induction>(text).as_deref(), Some(text));
    }
}

#[test]
fn defaults_of_predictors() {
    assert_eq!(spelled::<Branches>("2bit").as_deref(), Some("2bit:12"));
    assert_eq!(
        spelled::<Branches>("gshare").as_deref(),
        Some("gshare:14,12")
    );
    assert_eq!(
        spelled::<Branches>("tage").as_deref(),
        Some("tage:7,10,9,5,130")
    );
    assert_eq!(spelled::<Indirect>("last").as_deref(), Some("last:12"));
    assert_eq!(
        spelled::<ReturnPrediction>("stack").as_deref(),
        Some("stack:16")
    );
}

#[test]
fn nonsense_is_not_understood() {
    for text in [
        "",
        "+16",
        "-1",
        "1kk",
        "k",
        "1.5k",
        "20000000000G",
        "é",
        "1é",
    ] {
        assert_eq!(spelled::<Option<u64>>(text), None, "{text}");
    }
    for text in ["", "regs+", "regs+regs", "none+regs", "registers"] {
        assert_eq!(spelled::<Rename>(text), None, "{text}");
    }
    for text in ["", "-2", "load=", "load=1,load=2", "lod=1", "4294967296"] {
        assert_eq!(spelled::<Units>(text), None, "{text}");
    }
    for text in [
        "",
        "-2",
        "general=",
        "general=1,general=2",
        "flags=1",
        "1,2",
    ] {
        assert_eq!(spelled::<PhysicalRegisters>(text), None, "{text}");
    }
    for text in [
        "gshare:",
        "gshare:4",
        "gshare:4,4,4",
        "gshare:300,1",
        "2bitx",
        "tage:1,2",
    ] {
        assert_eq!(spelled::<Branches>(text), None, "{text}");
    }
}

#[test]
fn lists_keep_parameters_together() {
    let texts = |text| {
        list::<Branches>("--branches", text)
            .map(|values| values.iter().map(TextForm::spell).collect::<Vec<_>>())
    };
    assert_eq!(
        texts("none,gshare:14,10, tage:3,8,9,4,40,2bit,2bit:3,perfect").unwrap(),
        [
            "none",
            "gshare:14,10",
            "tage:3,8,9,4,40",
            "2bit:12",
            "2bit:3",
            "perfect"
        ]
    );
    let units: Vec<Units> = list("--units", "2,float-add=2,load=1,unlimited").unwrap();
    assert_eq!(units.len(), 3);
    assert_eq!(units[1].spell(), "float-add=2,load=1");
    let registers: Vec<PhysicalRegisters> =
        list("--physical-registers", "16,general=8,vector=4,unlimited").unwrap();
    assert_eq!(registers.len(), 3);
    assert_eq!(registers[1].spell(), "general=8,vector=4");
}

#[test]
fn messages_say_what_and_where() {
    let message = list::<Option<u64>>("--window", "16,b\u{1b}g").unwrap_err();
    assert_eq!(
        message.to_string(),
        "--window: \"b\\u{1b}g\" is not understood; write a number of instructions (16, 1k, 10M) or `all` for a window without end"
    );
    let message = list::<Option<u64>>("--window", "1k,1000").unwrap_err();
    assert_eq!(
        message.to_string(),
        "--window: \"1000\" is in the list twice; give each value once"
    );
}
