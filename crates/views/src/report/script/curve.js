// The curve of speedup over cores, of the plan's own figures.

{
  const { curve, on } = data.plan;
  const part = byId("curve");
  part.hidden = curve.length < 2;
  if (curve.length >= 2) {
    const width = 620, height = 260, left = 56, right = 24, top = 18, bottom = 46;
    const last = curve.at(-1)[0], first = curve[0][0], high = Math.max(1.2, ...curve.map(([, e]) => e.most)) * 1.05;
    const x = (cores) => left + Math.log(cores / first) / Math.log(last / first) * (width - left - right);
    const y = (speedup) => height - bottom - speedup / high * (height - top - bottom);
    const line = (of) => curve.map(([cores, e]) => `${x(cores).toFixed(1)} ${y(of(e)).toFixed(1)}`);
    const band = `M${line((e) => e.most).join("L")}L${line((e) => e.least).reverse().join("L")}Z`;
    const dots = curve.map(([cores, e]) => svg("circle", { cx: x(cores).toFixed(1), cy: y(e.speedup).toFixed(1), r: 4, fill: "var(--focus)" },
      svg("title", {}, `${cores} cores: expected ${times(e.speedup)}, ${times(e.least)} to ${times(e.most)}`)));
    byId("curve-chart").append(svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Expected speedup over cores, an estimate: ${curve.map(([cores, e]) => `${cores} cores ${times(e.speedup)}`).join(", ")}` },
      ...axes({ width, height, left, right, top, bottom },
        { title: "cores", marks: curve.map(([cores]) => ({ at: x(cores), text: String(cores) })) },
        { title: "speedup, estimated", marks: ticks(0, high, 6).map((v) => ({ at: y(v), text: String(Number(v.toFixed(2))) + "×", line: true })) }),
      svg("path.band", { d: band }), svg("path.step", { d: "M" + line((e) => e.speedup).join("L") }), dots));
    byId("curve-note").textContent = `An estimate: what the plan is expected to bring on other numbers of cores, made like the figure ${on}; the band is from the least to the most expected. No program was run for it.`;
  }
}
