// The summary.

document.title = "parascan report: " + data.program.split("/").at(-1);
byId("program").textContent = data.program.split("/").at(-1) || "(unknown program)";
byId("program").title = data.program;
for (const section of document.querySelectorAll("main > section")) {
  if (!section.hidden) byId("sections").append(el("a", { href: "#" + section.id }, section.querySelector("h2").textContent));
}
const tile = (name, value, note) => el("div", {}, el("dt", {}, name), el("dd", {}, value, el("small", {}, note)));
// What to expect comes first; what unlimited cores could do says so.
byId("tiles").append(
  !data.plan.entries.length ? tile("Speedup by the plan", "none", "nothing meets the thresholds") : data.plan.expected ? tile("Expected speedup", times(data.plan.expected.speedup), `${data.plan.on}, ${times(data.plan.expected.least)} to ${times(data.plan.expected.most)}; ideal ${times(data.plan.speedup)}`) : tile("Speedup by the plan", times(data.plan.speedup), data.plan.cores ? `ideal; ${times(data.plan.speedup_on_cores)} on ${data.plan.cores} cores` : "ideal, unlimited cores"),
  tile("Total parallelism", factor(data.total_parallelism), "at most so many times faster, on unlimited cores"),
  tile("Places to change", String(data.plan.entries.length), data.plan.entries.length ? "see the plan" : "the plan is empty"),
  tile("Work", short(data.work), "units of latency"),
  tile("Regions", grouped(regions.length), `${grouped(regions.filter((r) => r.kind === "loop").length)} loops, ${grouped(regions.filter((r) => r.kind === "function").length)} functions`),
);
for (const [title, text] of data.summary) byId("sentences").append(el("div", {}, el("h3", {}, title), el("p", {}, prose(text))));
if (data.remarks.length) {
  byId("remarks").append(el("p.note", {}, data.partial ? "This profile covers a part of the run only. " : "", el("a", { href: "#blind" }, data.remarks.length === 1 ? "A remark" : `${data.remarks.length} remarks`), " on how the figures came about."));
}
