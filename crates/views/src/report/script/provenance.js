// Blind spots, caveats, provenance.

const blindBody = byId("blind-body");
for (const remark of data.remarks) blindBody.append(el("p.note", {}, prose(remark)));
if (data.blind_spots.length) {
  const more = Math.max(0, data.blind_spots.length - 200);
  blindBody.append(
    el("p", {}, "These functions could not be looked into. What they read and write in memory is not known; dependences through them are missing, and regions that call them may look more parallel than they are."),
    el("div.scroll", { tabindex: 0, role: "group", "aria-label": "Functions that could not be looked into" }, el("table", { "aria-labelledby": "blind-title" }, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Function"), el("th.number", { scope: "col" }, "Calls"))),
      el("tbody", {}, data.blind_spots.slice(0, 200).map(([name, calls]) => el("tr", {}, el("td", {}, name), el("td.number", {}, grouped(calls))))))),
    more ? el("p.quiet", {}, `and ${grouped(more)} more`) : "");
} else if (!data.remarks.length) {
  blindBody.append(el("p", {}, "None: every function that was called could be looked into or has a model, and the program ended by itself."));
}
const without = files.filter((entry) => !entry.parts.length).length;
if (without) blindBody.append(el("p.quiet", {}, `${grouped(without)} of ${grouped(files.length)} source files are not shown; the source view says why.`));

for (const profile of data.profiles) {
  const fact = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
  byId("profiles").append(el("dl.facts", {},
    fact("Command", profile.command), fact("Directory", profile.directory),
    fact("Recorded", new Date(profile.started * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC, in " + (profile.duration_ms / 1000).toFixed(1) + " s"),
    fact("Machine", profile.machine), fact("Measured", profile.measured),
    fact("Work", units(profile.work)), fact("Critical path", units(profile.critical_path)), fact("Version", "parascan " + profile.parascan)));
}
