//! Facts of one instruction of every code of the 64-bit mode: that each has a class, and that wide and masked forms
//! agree with the forms they extend, which the test `processor` compares with a processor even where that has no
//! AVX-512.

mod build;

use std::collections::BTreeMap;

use build::{ADDRESS, Choice, build, encode};
use iced_x86::{Code, CpuidFeature, Instruction as Raw, Mnemonic, OpKind};
use parascan_isa::location::VectorPart;
use parascan_isa::{Instruction, InstructionClass, Location};

const PLAIN: Choice = Choice {
    memory: false,
    mask: 0,
    zeroing: false,
    immediate: 1,
};

/// Register and memory form.
const FORMS: [Choice; 2] = [
    PLAIN,
    Choice {
        memory: true,
        ..PLAIN
    },
];

fn facts(raw: &Raw) -> Option<Instruction> {
    let bytes = encode(raw)?;
    let (facts, length) = parascan_isa::decode(&bytes, ADDRESS).ok()?;
    // Codes like `fstenv` are assembled to a `wait` and another instruction.
    (length == bytes.len()).then_some(facts)
}

fn built(code: Code, choice: Choice) -> Option<(Raw, Instruction)> {
    let raw = build(code, choice)?;
    Some((raw, facts(&raw)?))
}

/// Codes with no encoding that the decoder takes for them: of other processors, behind options, or assembled to two
/// instructions.
fn is_out_of_scope(code: Code) -> bool {
    let name = format!("{code:?}");
    let features = code.cpuid_features();
    let description = code.op_code();
    !description.is_instruction()
        || !description.mode64()
        || features.contains(&CpuidFeature::KNC)
        || features.contains(&CpuidFeature::CYRIX_D3NOW)
        || features.contains(&CpuidFeature::UDBG)
        || features.contains(&CpuidFeature::PADLOCK_PMM)
        || features.contains(&CpuidFeature::PCOMMIT)
        // With a prefix that Intel's processors ignore.
        || name.ends_with("_16")
        || name.contains("_rel16")
        || name.contains("rel8_16")
        // With 32-bit addresses.
        || name.contains("_r32_m512")
        || name.ends_with("_ECX") && name.contains("_16_")
        || description.fwait()
        // With or without a second byte, depending on the processor.
        || code == Code::Ud0
}

/// What is in no class, and why.
fn may_be_other(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        // Information about the processor, its clock, its random numbers, its state.
        M::Cpuid | M::Rdtsc | M::Rdtscp | M::Rdpid | M::Rdpmc | M::Rdpru | M::Rdrand | M::Rdseed
            | M::Xgetbv | M::Xtest | M::Rdpkru | M::Wrpkru | M::Xstore | M::Xstore_alt
            // Segment descriptors.
            | M::Lar | M::Lsl | M::Verr | M::Verw
            // Shadow stacks.
            | M::Incsspd | M::Incsspq | M::Rstorssp | M::Saveprevssp | M::Wrssd | M::Wrssq
            // User interrupts, profiling, enclaves, virtual machines, and waiting in the way of operating systems.
            | M::Clui | M::Stui | M::Testui | M::Senduipi | M::Llwpcb | M::Slwpcb | M::Lwpins
            | M::Lwpval | M::Ptwrite | M::Enclu | M::Getsec | M::Getsecq | M::Vmfunc | M::Mcommit
            | M::Monitor | M::Mwait
            // Tile registers are given back; documented by nobody.
            | M::Tilerelease | M::Undoc
    )
}

#[test]
fn every_instruction_has_a_class() {
    let mut unclassified = Vec::new();
    let mut missing = Vec::new();
    let mut codes = 0;
    for code in Code::values() {
        let forms: Vec<_> = FORMS
            .iter()
            .filter_map(|choice| built(code, *choice))
            .collect();
        codes += u32::from(!forms.is_empty());
        if forms.is_empty() && !is_out_of_scope(code) {
            missing.push(code);
        }
        for (raw, facts) in forms {
            if facts.class == InstructionClass::Other && !may_be_other(raw.mnemonic()) {
                unclassified.push(code);
            }
        }
    }
    assert!(missing.is_empty(), "not decoded: {missing:?}");
    assert!(unclassified.is_empty(), "without a class: {unclassified:?}");
    assert!(codes >= 4000, "only {codes} codes");
}

#[test]
fn facts_are_well_formed() {
    for code in Code::values() {
        for choice in FORMS {
            let Some((_, facts)) = built(code, choice) else {
                continue;
            };
            assert!(facts.reads.is_sorted_by(|a, b| a < b), "{code:?}");
            assert!(facts.writes.is_sorted_by(|a, b| a < b), "{code:?}");
            assert!(facts.slots.is_sorted_by_key(|slot| !slot.read), "{code:?}");
            for slot in &facts.slots {
                assert!((slot.read || slot.write) && slot.size > 0, "{code:?}");
            }
            assert!(!facts.dynamic || facts.slots.is_empty(), "{code:?}");
            if facts.class == InstructionClass::Load {
                let loads = facts.slots.iter().any(|slot| slot.read);
                assert!(facts.dynamic || loads, "{code:?} loads nothing");
            }
            if facts.class == InstructionClass::Store {
                let stores = facts.slots.iter().any(|slot| slot.write);
                assert!(facts.dynamic || stores, "{code:?} stores nothing");
            }
        }
    }
}

/// Codes by name.
fn names() -> BTreeMap<String, Code> {
    Code::values()
        .map(|code| (format!("{code:?}"), code))
        .collect()
}

/// The name of the VEX code that an EVEX code without mask extends.
fn vex_name(evex: &str) -> Option<String> {
    let name = evex.strip_prefix("EVEX_")?;
    let mut parts: Vec<String> = Vec::new();
    for part in name.split('_') {
        if matches!(part, "k1" | "k1z" | "er" | "sae") {
            continue;
        }
        let broadcast = ["b16", "b32", "b64"]
            .iter()
            .find_map(|end| part.strip_suffix(end).filter(|rest| rest.contains('m')));
        parts.push(broadcast.unwrap_or(part).to_owned());
    }
    let plain = match parts[0].as_str() {
        "Vmovdqa32" | "Vmovdqa64" => "Vmovdqa",
        "Vmovdqu8" | "Vmovdqu16" | "Vmovdqu32" | "Vmovdqu64" => "Vmovdqu",
        "Vpandd" | "Vpandq" => "Vpand",
        "Vpandnd" | "Vpandnq" => "Vpandn",
        "Vpord" | "Vporq" => "Vpor",
        "Vpxord" | "Vpxorq" => "Vpxor",
        "Vextractf32x4" | "Vextractf64x2" => "Vextractf128",
        "Vextracti32x4" | "Vextracti64x2" => "Vextracti128",
        "Vinsertf32x4" | "Vinsertf64x2" => "Vinsertf128",
        "Vinserti32x4" | "Vinserti64x2" => "Vinserti128",
        other => other,
    };
    parts[0] = plain.to_owned();
    Some(format!("VEX_{}", parts.join("_")))
}

#[test]
fn evex_without_mask_is_as_vex() {
    let names = names();
    let mut compared = 0;
    for (name, &code) in &names {
        let Some(&vex) = vex_name(name).and_then(|vex| names.get(&vex)) else {
            continue;
        };
        for choice in FORMS {
            let (Some((_, wide)), Some((_, narrow))) = (built(code, choice), built(vex, choice))
            else {
                continue;
            };
            // Gathers have a mask of another kind.
            if !wide.dynamic {
                assert_eq!(wide, narrow, "{name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 900, "only {compared} forms");
}

#[test]
fn registers_of_512_bits_are_as_of_256() {
    let names = names();
    let mut compared = 0;
    for (name, &code) in &names {
        if !name.starts_with("EVEX_") || name.contains("xmm") || name.contains("ymm") {
            continue;
        }
        let narrow = name.replace("zmm", "ymm").replace("m512", "m256");
        let narrow = narrow.replace("_er", "").replace("_sae", "");
        let Some(&narrow) = names.get(&narrow) else {
            continue;
        };
        for choice in FORMS {
            let (Some((_, wide)), Some((_, mut half))) =
                (built(code, choice), built(narrow, choice))
            else {
                continue;
            };
            if name.contains("m512") {
                for slot in &mut half.slots {
                    slot.size *= 2;
                }
            }
            assert_eq!(wide, half, "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 500, "only {compared} forms");
}

/// Parts of the destination that stay under a merging mask.
fn kept(raw: &Raw) -> Vec<Location> {
    let register = raw.op0_register();
    let number = register.number() as u8;
    let scalar = ["ss", "sd", "sh"]
        .iter()
        .any(|end| format!("{:?}", raw.mnemonic()).ends_with(end))
        && !format!("{:?}", raw.mnemonic()).starts_with("Vp")
        && !matches!(
            raw.mnemonic(),
            Mnemonic::Vbroadcastss | Mnemonic::Vbroadcastsd
        );
    let parts: &[VectorPart] = if scalar {
        &[VectorPart::Low]
    } else if register.is_xmm() {
        &[VectorPart::Low, VectorPart::High]
    } else {
        &[VectorPart::Low, VectorPart::High, VectorPart::Wide]
    };
    parts
        .iter()
        .map(|part| Location::vector(number, *part))
        .collect()
}

#[test]
fn a_mask_is_read_and_keeps_the_destination() {
    let mask = Location::mask(1);
    let mut compared = 0;
    for code in Code::values() {
        for choice in FORMS {
            let masked = |zeroing| {
                built(
                    code,
                    Choice {
                        mask: 1,
                        zeroing,
                        ..choice
                    },
                )
            };
            let Some((raw, plain)) = built(code, choice) else {
                continue;
            };
            // Blends choose by the mask: nothing is kept.
            let blends = format!("{:?}", code.mnemonic()).contains("blendm");
            if code.op_code().require_op_mask_register() || blends {
                continue;
            }
            let expect = |more: &[Location]| {
                let mut expected = plain.clone();
                expected.reads.push(mask);
                expected.reads.extend(more);
                expected.reads.sort();
                expected.reads.dedup();
                expected
            };
            if let Some((_, zeroing)) = masked(true) {
                assert_eq!(zeroing, expect(&[]), "{code:?} with zeroing");
                compared += 1;
            }
            let Some((_, merging)) = masked(false) else {
                continue;
            };
            let to_memory = raw.op0_kind() == OpKind::Memory;
            let mut expected = if !to_memory && raw.op0_register().is_vector_register() {
                expect(&kept(&raw))
            } else {
                expect(&[])
            };
            if to_memory {
                for slot in &mut expected.slots {
                    slot.read = true;
                }
            }
            assert_eq!(merging, expected, "{code:?} with merging");
            compared += 1;
        }
    }
    assert!(compared >= 2000, "only {compared} forms");
}
