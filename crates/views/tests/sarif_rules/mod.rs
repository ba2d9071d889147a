//! The rules that Microsoft's SARIF validator checks beyond the schema (`docs/ValidationRules.md` of
//! microsoft/sarif-sdk), as far as they can apply to what is written here, and those of GitHub's code scanning.
//! `docs/exports.md` says which do not.

use std::path::Path;

use serde_json::Value;

/// Every rule that is broken: its id, where (a JSON pointer), and what is there.
pub fn broken(log: &Value) -> Vec<String> {
    let mut found = RuleViolations(Vec::new());
    let schema = log["$schema"].as_str().unwrap_or_default();
    found.unless(
        !schema.is_empty(),
        "SARIF2008.ProvideSchema",
        "/$schema",
        schema,
    );
    found.unless(
        schema.ends_with("2.1.0") || schema.ends_with("2.1.0.json"),
        "SARIF1011.ReferenceFinalSchema",
        "/$schema",
        schema,
    );
    for (number, run) in list(&log["runs"]).iter().enumerate() {
        found.run(run, &format!("/runs/{number}"));
    }
    found.0
}

struct RuleViolations(Vec<String>);

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

impl RuleViolations {
    fn unless(&mut self, holds: bool, rule: &str, at: &str, what: &str) {
        if !holds {
            self.0.push(format!("{rule} {at}: {what}"));
        }
    }

    fn run(&mut self, run: &Value, at: &str) {
        let driver = &run["tool"]["driver"];
        let name = driver["name"].as_str().unwrap_or_default();
        let words = name.split_whitespace().count();
        let rule = "SARIF2005.ProvideToolProperties";
        self.unless((1..=3).contains(&words), rule, at, name);
        let version = driver["version"].as_str().unwrap_or_default();
        self.unless(
            version.starts_with(|c: char| c.is_ascii_digit()),
            rule,
            at,
            version,
        );
        let rules = list(&driver["rules"]);
        for rule in rules {
            self.rule(rule, at);
        }
        for (name, base) in run["originalUriBaseIds"].as_object().into_iter().flatten() {
            self.base(base, &format!("{at}/originalUriBaseIds/{name}"));
        }
        // SARIF1006: times of invocations; there are none.
        for invocation in list(&run["invocations"]) {
            let rule = "SARIF1006.InvocationPropertiesMustBeConsistent";
            let timed = invocation["startTimeUtc"].is_string();
            self.unless(!timed, rule, at, "has times: check their order here");
            for note in list(&invocation["toolExecutionNotifications"]) {
                self.text(&note["message"], at);
            }
        }
        // GH1004: limits of code scanning.
        let results = list(&run["results"]);
        let rule = "GH1004.ReviewArraysThatExceedConfigurableDefaults";
        self.unless(rules.len() <= 25_000, rule, at, "rules");
        self.unless(results.len() <= 25_000, rule, at, "results");
        for (number, result) in results.iter().enumerate() {
            self.result(result, rules, run, &format!("{at}/results/{number}"));
        }
    }

    fn rule(&mut self, rule: &Value, at: &str) {
        let id = rule["id"].as_str().unwrap_or_default();
        let name = rule["name"].as_str().unwrap_or_default();
        self.unless(id != name, "SARIF1001.RuleIdentifiersMustBeValid", at, id);
        let letters = id.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = id.len() - letters.len();
        let conventional = (1..=5).contains(&letters.len())
            && letters.bytes().all(|b| b.is_ascii_uppercase())
            && (1..=4).contains(&digits);
        let kind = "SARIF2009.ConsiderConventionalIdentifierValues";
        self.unless(conventional, kind, at, id);
        let pascal = name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|b| b.is_ascii_alphanumeric());
        self.unless(pascal, "SARIF2012.ProvideRuleProperties", at, name);
        for text in ["shortDescription", "fullDescription", "help"] {
            self.text(&rule[text], &format!("{at} {id} {text}"));
        }
        let rule_text = rule["fullDescription"]["text"].as_str().unwrap_or_default();
        let kind = "SARIF2001.TerminateMessagesWithPeriod";
        self.unless(rule_text.ends_with('.'), kind, at, rule_text);
    }

    fn base(&mut self, base: &Value, at: &str) {
        let uri = base["uri"].as_str().unwrap_or_default();
        self.uri(uri, at);
        let rule = "SARIF1004.ExpressUriBaseIdsCorrectly";
        self.unless(uri.starts_with("file:///"), rule, at, uri);
        self.unless(uri.ends_with('/'), rule, at, uri);
        self.unless(!uri.contains(['?', '#']), rule, at, uri);
        self.unless(!uri.split('/').any(|s| s == ".."), rule, at, uri);
    }

    /// RFC 3986, as far as paths have to do with it; `file` URIs have no `..`.
    fn uri(&mut self, uri: &str, at: &str) {
        let mut rest = uri.bytes();
        let mut valid = !uri.is_empty();
        while let Some(byte) = rest.next() {
            valid &= match byte {
                b'%' => {
                    let hex = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_hexdigit());
                    hex(rest.next()) && hex(rest.next())
                }
                b => b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&b),
            };
        }
        // The first part of a relative reference has no colon: that would be a scheme.
        let first = uri.split('/').next().unwrap_or_default();
        valid &= uri.starts_with("file:///") || !first.contains(':');
        self.unless(valid, "SARIF1002.UrisMustBeValid", at, uri);
        let upwards = uri.starts_with("file:") && uri.split('/').any(|s| s == "..");
        self.unless(!upwards, "SARIF1002.UrisMustBeValid", at, uri);
    }

    fn result(&mut self, result: &Value, rules: &[Value], run: &Value, at: &str) {
        let id = result["ruleId"].as_str().unwrap_or_default();
        let indexed = result["ruleIndex"]
            .as_u64()
            .and_then(|i| rules.get(i as usize));
        let kind = "SARIF1009.IndexPropertiesMustBeConsistentWithArrays";
        self.unless(indexed.is_some(), kind, at, id);
        let kind = "SARIF1010.RuleIdMustBeConsistent";
        let same = indexed.is_some_and(|rule| rule["id"] == id);
        self.unless(!id.is_empty() && same, kind, at, id);
        // SARIF2004: one of the two forms.
        self.unless(
            result["rule"].is_null() && result["analysisTarget"].is_null(),
            "SARIF2004.OptimizeFileSize",
            at,
            id,
        );
        let message = &result["message"];
        self.text(message, at);
        // SARIF1012: a message by id needs that id in the rule and its arguments.
        let by_id = message["id"].is_string() || message["arguments"].is_array();
        let kind = "SARIF1012.MessageArgumentsMustBeConsistentWithRule";
        self.unless(!by_id, kind, at, "by id: check its arguments here");
        let text = message["text"].as_str().unwrap_or_default();
        let kind = "SARIF2001.TerminateMessagesWithPeriod";
        self.unless(text.ends_with('.'), kind, at, text);
        let locations = list(&result["locations"]);
        let kind = "GH1001.ProvideRequiredLocationProperties";
        self.unless(!locations.is_empty(), kind, at, "locations");
        for location in locations.iter().chain(list(&result["relatedLocations"])) {
            self.physical(&location["physicalLocation"], run, at);
        }
        for location in list(&result["relatedLocations"]) {
            let text = location["message"]["text"].is_string();
            let kind = "GH1007.ProvideRequiredRelatedLocationProperties";
            self.unless(text, kind, at, "message");
        }
        let kind = "GH1002.InlineThreadFlowLocations";
        self.unless(result["codeFlows"].is_null(), kind, at, "codeFlows");
    }

    fn physical(&mut self, physical: &Value, run: &Value, at: &str) {
        if physical.is_null() {
            // A profile whose modules do not know their files: `parascan-cc` always does.
            return;
        }
        let artifact = &physical["artifactLocation"];
        let uri = artifact["uri"].as_str().unwrap_or_default();
        self.unless(
            !uri.is_empty(),
            "GH1001.ProvideRequiredLocationProperties",
            at,
            uri,
        );
        self.uri(uri, at);
        let absolute = uri.starts_with("file:");
        let kind = "GH1005.LocationsMustBeRelativeUrisOrFilePaths";
        self.unless(absolute || !uri.contains("://"), kind, at, uri);
        let kind = "SARIF1004.ExpressUriBaseIdsCorrectly";
        self.unless(absolute || !uri.starts_with('/'), kind, at, uri);
        match artifact["uriBaseId"].as_str() {
            Some(base) => {
                self.unless(!absolute, kind, at, uri);
                let known = run["originalUriBaseIds"][base].is_object();
                self.unless(known, kind, at, base);
                // What lies below the base is told from it.
                let climbs = Path::new(uri).components().any(|c| c.as_os_str() == "..");
                self.unless(!climbs, kind, at, uri);
            }
            None => {
                let below = run["originalUriBaseIds"].as_object().into_iter().flatten();
                let mut bases = below.filter_map(|(_, base)| base["uri"].as_str());
                let kind = "SARIF2016.FileUrisShouldBeRelative";
                self.unless(!bases.any(|base| uri.starts_with(base)), kind, at, uri);
            }
        }
        let region = &physical["region"];
        let context = &physical["contextRegion"];
        let kind = "SARIF1008.PhysicalLocationPropertiesMustBeConsistent";
        if region.is_null() {
            self.unless(context.is_null(), kind, at, "contextRegion alone");
            return;
        }
        self.region(region, at);
        if !context.is_null() {
            self.region(context, at);
            let (inner, outer) = (extent(region), extent(context));
            let within = outer.0 <= inner.0 && inner.1 <= outer.1 && inner != outer;
            self.unless(within, kind, at, &format!("{region} {context}"));
        }
    }

    fn region(&mut self, region: &Value, at: &str) {
        let kind = "SARIF1007.RegionPropertiesMustBeConsistent";
        let line = region["startLine"].as_u64();
        self.unless(
            line.is_some(),
            "GH1003.ProvideRequiredRegionProperties",
            at,
            "startLine",
        );
        let (start, end) = extent(region);
        self.unless(
            line > Some(0) && start <= end,
            kind,
            at,
            &region.to_string(),
        );
    }

    /// A message is there, and no brace in it is taken for a placeholder (SARIF 2.1.0, 3.11.5): none has arguments.
    fn text(&mut self, message: &Value, at: &str) {
        let text = message["text"].as_str().unwrap_or_default();
        let kind = "SARIF1012.MessageArgumentsMustBeConsistentWithRule";
        let left = text.replace("{{", "").replace("}}", "");
        self.unless(
            !text.is_empty() && !left.contains(['{', '}']),
            kind,
            at,
            text,
        );
    }
}

/// First and last place of a region: line and column. Without an end it is one line; without a column, the whole line.
fn extent(region: &Value) -> ((u64, u64), (u64, u64)) {
    let of = |name: &str| region[name].as_u64();
    let line = of("startLine").unwrap_or(0);
    let start = (line, of("startColumn").unwrap_or(1));
    let end = of("endLine").unwrap_or(line);
    (start, (end, of("endColumn").unwrap_or(u64::MAX)))
}
