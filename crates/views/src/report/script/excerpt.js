// Lines of source, marked, and the excerpt of a region.

/** Line `number` of a file, undefined where it is not in the report. */
function lineOf(file, number) {
  const part = files[file].parts.find((p) => number >= p.first && number < p.first + p.lines.length);
  return part?.lines[number - part.first];
}

const KEYWORDS = new Set(("alignas alignof auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern " +
  "false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator override private protected public register restrict return " +
  "short signed sizeof static static_assert struct switch template this throw true try typedef typename union unsigned using virtual void volatile while").split(" "));
const TOKEN = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|([A-Za-z_]\w*)|[^"'\/A-Za-z_]+|./g;
/** A line of C or C++ with comments, strings and keywords marked. Comments over several lines are known by their
 * stars. */
function marked(text) {
  if (/^\s*\*(?:[\s\/]|$)/.test(text)) return [el("span.tok-c", {}, text)];
  const out = [];
  let plain = "";
  for (const match of text.matchAll(TOKEN)) {
    const kind = match[1] ? "c" : match[2] ? "s" : match[3] && KEYWORDS.has(match[3]) ? "k" : null;
    if (!kind) { plain += match[0]; continue; }
    if (plain) out.push(plain);
    plain = "";
    out.push(el("span.tok-" + kind, {}, match[0]));
  }
  if (plain) out.push(plain);
  return out;
}

/** The lines of a region, at most `most`, with its directive as an added line; null where there is no source. */
function excerpt(region, most) {
  if (!region.line || lineOf(region.file, region.line) === undefined) return null;
  const rows = [];
  const added = (indent, lines) => lines.forEach((line) => rows.push(el("div.add", {}, el("span.no", {}, "+"), el("span", {}, indent + line))));
  let indent = "";
  const last = Math.max(region.end_line, region.patch?.last_line ?? 0);
  const from = Math.max(1, region.line - 1), to = Math.min(last, region.line + most - 1);
  for (let number = from; number <= to; number += 1) {
    const text = lineOf(region.file, number);
    if (text === undefined) continue;
    if (number === region.line) {
      indent = /^\s*/.exec(text)[0];
      added(indent, region.patch?.before ?? (region.pragma ? [region.pragma] : []));
    }
    rows.push(el(number === region.line ? "div.first" : "div", {}, el("span.no", {}, String(number)), el("span", {}, ...marked(text))));
  }
  if (to < last) rows.push(el("div", {}, el("span.no", {}, "⋮"), el("span.quiet", {}, `to line ${last}`)));
  added(indent, region.patch?.after ?? []);
  return el("pre.excerpt", { tabindex: 0, role: "group", "aria-label": "Source of " + region.id }, rows);
}
