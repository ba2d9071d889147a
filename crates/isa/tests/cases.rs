//! Hand-checked facts of instructions: the table `cases.txt`.
//!
//! A line holds: bytes | text | reads | writes | memory operands | class | what is not usual (control transfer, move of
//! the x87 stack top). Names: `rax`, `ax`, `al`, `ah`, `rax.r` are parts of general registers; `v0` is a whole vector
//! register, `x0` its lowest 128 bits, `v0.l`, `v0.h` and `v0.w` its parts; `W0` is the upper part of each of the first
//! 16; `F` is CF, OF and the group of SF, ZF, AF, PF. A memory operand is `r`, `w` or `rw` with its size in bytes;
//! `dyn` means known only when executed. `rsp+` in the last column: it adds a constant to that register.

use std::collections::BTreeSet;

use parascan_isa::location::{Flags, GeneralPart, SingleRegister, VectorPart};
use parascan_isa::{Control, Location};

const CASES: &str = include_str!("cases.txt");

const GENERAL: [[&str; 4]; 16] = [
    ["rax", "ax", "al", "ah"],
    ["rcx", "cx", "cl", "ch"],
    ["rdx", "dx", "dl", "dh"],
    ["rbx", "bx", "bl", "bh"],
    ["rsp", "sp", "spl", ""],
    ["rbp", "bp", "bpl", ""],
    ["rsi", "si", "sil", ""],
    ["rdi", "di", "dil", ""],
    ["r8", "r8w", "r8b", ""],
    ["r9", "r9w", "r9b", ""],
    ["r10", "r10w", "r10b", ""],
    ["r11", "r11w", "r11b", ""],
    ["r12", "r12w", "r12b", ""],
    ["r13", "r13w", "r13b", ""],
    ["r14", "r14w", "r14b", ""],
    ["r15", "r15w", "r15b", ""],
];

/// The locations of one name.
fn locations(name: &str) -> Vec<Location> {
    use GeneralPart as G;
    use VectorPart as V;
    for (number, names) in GENERAL.iter().enumerate() {
        let parts: &[G] = match names.iter().position(|other| *other == name) {
            Some(0) => &[G::Low, G::High, G::Rest],
            Some(1) => &[G::Low, G::High],
            Some(2) => &[G::Low],
            Some(_) => &[G::High],
            None => continue,
        };
        return parts
            .iter()
            .map(|part| Location::general(number as u8, *part))
            .collect();
    }
    let number = |start: &str| -> Option<u8> { name.strip_prefix(start)?.parse().ok() };
    let vector = |number: u8, parts: &[V]| -> Vec<Location> {
        parts
            .iter()
            .map(|part| Location::vector(number, *part))
            .collect()
    };
    if name == "rax.r" {
        return vec![Location::general(0, G::Rest)];
    }
    if let Some((register, part)) = name.split_once('.') {
        let part = match part {
            "l" => V::Low,
            "h" => V::High,
            "w" => V::Wide,
            _ => panic!("no part: {name}"),
        };
        return vector(register[1..].parse().expect("a number"), &[part]);
    }
    if let Some(number) = number("v") {
        return vector(number, &[V::Low, V::High, V::Wide]);
    }
    if let Some(number) = number("x") {
        return vector(number, &[V::Low, V::High]);
    }
    for (start, make) in [
        ("k", Location::mask as fn(u8) -> Location),
        ("st", Location::x87),
        ("mm", Location::mmx),
    ] {
        if let Some(number) = number(start) {
            return vec![make(number)];
        }
    }
    let flags = |groups: &[Flags]| groups.iter().map(|group| Location::flags(*group)).collect();
    match name {
        "W0" => (0..16)
            .flat_map(|number| vector(number, &[V::Wide]))
            .collect(),
        "F" => flags(&[Flags::Carry, Flags::Overflow, Flags::Status]),
        "CF" => flags(&[Flags::Carry]),
        "OF" => flags(&[Flags::Overflow]),
        "SZAPF" => flags(&[Flags::Status]),
        "DF" => flags(&[Flags::Direction]),
        "x87sw" => vec![Location::single(SingleRegister::X87Status)],
        "x87cw" => vec![Location::single(SingleRegister::X87Control)],
        "mxcsr" => vec![Location::single(SingleRegister::Mxcsr)],
        "fsbase" => vec![Location::single(SingleRegister::FsBase)],
        "gsbase" => vec![Location::single(SingleRegister::GsBase)],
        "system" => vec![Location::single(SingleRegister::System)],
        _ => panic!("no location: {name}"),
    }
}

/// The locations of a list, in the order of the facts.
fn list(names: &str) -> Vec<Location> {
    let set: BTreeSet<Location> = names.split_whitespace().flat_map(locations).collect();
    set.into_iter().collect()
}

/// The name of a control transfer, empty for none; targets are all 0x40.
fn control(control: Control) -> &'static str {
    match control {
        Control::Next => "",
        Control::Branch { target: 0x40 } => "branch",
        Control::Jump { target: 0x40 } => "jump",
        Control::Call { target: 0x40 } => "call",
        Control::Branch { .. } | Control::Jump { .. } | Control::Call { .. } => "elsewhere",
        Control::IndirectJump => "ijump",
        Control::IndirectCall => "icall",
        Control::Return => "ret",
        Control::System => "system",
    }
}

#[test]
fn facts_are_as_checked_by_hand() {
    let mut count = 0;
    let mut problems = Vec::new();
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let mut columns: Vec<&str> = line.split('|').map(str::trim).collect();
        columns.resize(7, "");
        let bytes: Vec<u8> = (0..columns[0].len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&columns[0][at..at + 2], 16).expect("hexadecimal"))
            .collect();
        let (facts, length) = parascan_isa::decode(&bytes, 0).expect("an instruction");
        count += 1;
        let mut differs = |what: &str, found: String, expected: String| {
            if found != expected {
                problems.push(format!("{line}\n  {what}: {found}, not {expected}"));
            }
        };
        differs("length", length.to_string(), bytes.len().to_string());
        differs(
            "text",
            parascan_isa::format(&bytes, 0),
            columns[1].to_owned(),
        );
        let text = |locations: &[Location]| format!("{locations:?}");
        differs("reads", text(&facts.reads), text(&list(columns[2])));
        differs("writes", text(&facts.writes), text(&list(columns[3])));
        let mut slots: Vec<String> = facts
            .slots
            .iter()
            .map(|slot| {
                let read = if slot.read { "r" } else { "" };
                let write = if slot.write { "w" } else { "" };
                format!("{read}{write}{}", slot.size)
            })
            .collect();
        if facts.dynamic {
            slots.push("dyn".to_owned());
        }
        differs("memory", slots.join(" "), columns[4].to_owned());
        differs(
            "class",
            facts.class.name().to_owned(),
            columns[5].to_owned(),
        );
        let mut unusual = control(facts.control).to_owned();
        if facts.x87_move != 0 {
            unusual = format!("top {}", facts.x87_move);
        }
        if let Some(register) = facts.adds_to {
            let space = if unusual.is_empty() { "" } else { " " };
            unusual += &format!("{space}{}+", GENERAL[usize::from(register)][0]);
        }
        differs("unusual", unusual, columns[6].to_owned());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count >= 250, "only {count} lines");
}

#[test]
fn values_are_memory_and_registers_but_no_flags() {
    for (bytes, expected) in [
        (&[0x01_u8, 0xd8][..], true),                        // add eax, ebx
        (&[0x0f, 0xb6, 0xc3], true),                         // movzx eax, bl
        (&[0x89, 0x07], true),                               // mov [rdi], eax
        (&[0x50], true),                                     // push rax
        (&[0xc4, 0xe2, 0x7d, 0x2e, 0x08], true),             // vmaskmovps [rax], ymm0, ymm1
        (&[0x62, 0xf2, 0x7d, 0x49, 0xa0, 0x14, 0x8f], true), // vpscatterdd
        (&[0x0f, 0x05], true),                               // syscall
        (&[0x39, 0xd8], false),                              // cmp eax, ebx
        (&[0x66, 0x0f, 0x2e, 0xc1], false),                  // ucomisd xmm0, xmm1
        (&[0xd8, 0xd1], false),                              // fcom st(1)
        (&[0x74, 0x3e], false),                              // je
        (&[0xe8, 0x3b, 0, 0, 0], false),                     // call
        (&[0xff, 0x10], false),                              // call [rax]
        (&[0xc3], false),                                    // ret
        (&[0x90], false),                                    // nop
        (&[0x0f, 0x18, 0x08], false),                        // prefetcht0 [rax]
    ] {
        let (facts, _) = parascan_isa::decode(bytes, 0).expect("an instruction");
        assert_eq!(
            facts.creates_value(),
            expected,
            "{}",
            parascan_isa::format(bytes, 0)
        );
    }
}
