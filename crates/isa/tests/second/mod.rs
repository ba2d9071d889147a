//! The facts of random instructions, compared with those of a second decoder, Zydis: for AVX-512 as well, which this
//! processor may not have.

mod exceptions;
mod facts;

use std::collections::{BTreeMap, BTreeSet};

use super::machine::generate::{Generator, Sample};
use facts::Facts;
use zydis::{AllOperands, Decoder};

#[test]
fn facts_agree_with_a_second_decoder() {
    let mut generator = Generator::new(512, true, 3);
    let decoder = Decoder::new64();
    let mut tested: BTreeMap<String, u32> = BTreeMap::new();
    let mut used = BTreeSet::new();
    let mut problems = Vec::new();
    let mut unknown = BTreeSet::new();
    while let Some(Sample { bytes, raw, .. }) = generator.next() {
        let name = format!("{:?}", raw.mnemonic()).to_lowercase();
        let Ok(Some(other)) = decoder.decode_first::<AllOperands>(&bytes) else {
            unknown.insert(name);
            continue;
        };
        let (ours, length) = parascan_isa::decode(&bytes, 0x1000).expect("a sample is valid");
        let encoding = format!("{:?}", raw.code().encoding());
        *tested.entry(encoding).or_default() += 1;
        let mut found = Facts::ours(&ours).differences(&Facts::theirs(&other));
        found.retain(|(kind, _)| {
            let reason = exceptions::covers(&name, *kind);
            used.extend(reason);
            reason.is_none()
        });
        let mut found: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
        if length != usize::from(other.length) {
            found.push(format!("{length} bytes here, {} there", other.length));
        }
        if !found.is_empty() {
            let shown: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let text = parascan_isa::format(&bytes, 0x1000);
            problems.push(format!("{shown} {text}: {}", found.join("; ")));
        }
    }
    println!("compared {tested:?}; not known to the second decoder: {unknown:?}");
    for problem in problems.iter().take(50) {
        println!("{problem}");
    }
    assert!(
        problems.is_empty(),
        "{} instructions differ",
        problems.len()
    );
    assert!(tested.values().sum::<u32>() >= 10_000, "{tested:?}");
    assert!(tested["EVEX"] >= 5_000, "{tested:?}");
    // Hints whose bytes have no meaning yet; everything else both must know.
    assert_eq!(unknown.into_iter().collect::<Vec<_>>(), ["reservednop"]);
    let idle = (0..exceptions::count()).filter(|number| !used.contains(number));
    let idle: Vec<String> = idle.map(exceptions::described).collect();
    assert!(idle.is_empty(), "exceptions without a case: {idle:?}");
}
