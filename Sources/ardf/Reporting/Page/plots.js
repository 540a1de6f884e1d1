// The fit, the table of objects, the times.
const svgNames = "http://www.w3.org/2000/svg";
function svg(tag, attributes, ...children) {
  const element = document.createElementNS(svgNames, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** About `count` round numbers between two. */
function ticks(least, greatest, count) {
  const rough = (greatest - least) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(value => value >= rough);
  const list = [];
  for (let value = Math.ceil(least / step) * step; value <= greatest + step * 1e-6; value += step) list.push(+value.toPrecision(6));
  return list;
}

/** Meters of a relative depth by the fit. */
function fitted(relative) {
  const {fusion} = data;
  if (fusion.model === "linear") return fusion.alpha * relative + fusion.beta;
  const inverse = fusion.scale * relative + fusion.shift;
  return inverse > 0 ? 1 / inverse : null;
}

function drawFit() {
  const {fusion, pairs} = data;
  if (!fusion) { $("#fit").hidden = true; return; }
  const percent = value => `${(100 * value).toFixed(1)} %`;
  if (fusion.status !== "ok") {
    $("#fit-text").textContent = `No fit: ${fusion.status} (${counted(fusion.pairs, "pair")}). Distances come from the depth sensor alone.`;
  } else {
    const formula = fusion.model === "linear"
      ? `Z = ${fusion.alpha.toPrecision(4)} r ${fusion.beta < 0 ? "−" : "+"} ${Math.abs(fusion.beta).toPrecision(4)}`
      : `1 / Z = ${fusion.scale.toPrecision(4)} r ${fusion.shift < 0 ? "−" : "+"} ${Math.abs(fusion.shift).toPrecision(4)}`;
    $("#fit-text").textContent = `${formula}. ${counted(fusion.pairs, "pair")}, ${percent(fusion.inlierRatio)} inliers, `
      + `median residual ${percent(fusion.medianRelativeResidual)}, RMSE ${fusion.rmseMeters.toFixed(3)} m`;
  }
  if (!pairs?.relative.length) return;
  const narrow = $("#fit-plot").clientWidth < 480;
  const width = narrow ? 360 : 640, left = 40, right = 8, top = 8, high = 210, gap = 34, low = 80, bottom = 34;
  const height = top + high + gap + low + bottom;
  const quantile = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(share * (list.length - 1))];
  const [r0, r1] = [Math.min(...pairs.relative), Math.max(...pairs.relative)];
  const z1 = quantile(pairs.meters, .999) * 1.06;
  const x = r => left + (r - r0) / (r1 - r0 || 1) * (width - left - right);
  const y = z => top + high - Math.min(z / z1, 1) * high;
  const axis = top + high + gap + low / 2, bound = .2;
  const yResidual = value => axis - Math.max(-bound, Math.min(bound, value)) / bound * low / 2;
  const plot = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Fit and residuals"});
  const text = (at, content, anchor = "end") =>
    plot.append(Object.assign(svg("text", {x: at[0], y: at[1], "text-anchor": anchor}), {textContent: content}));
  for (const z of ticks(0, z1, 4)) {
    plot.append(svg("line", {class: "grid", x1: left, x2: width - right, y1: y(z), y2: y(z)}));
    text([left - 6, y(z) + 4], `${z}`);
  }
  for (const value of [-bound, 0, bound]) {
    plot.append(svg("line", {class: value ? "grid" : "zero", x1: left, x2: width - right, y1: yResidual(value), y2: yResidual(value)}));
    text([left - 6, yResidual(value) + 4], `${Math.round(value * 100)}`);
  }
  for (const r of ticks(r0, r1, narrow ? 4 : 7)) text([x(r), top + high + gap + low + 16], `${r}`, "middle");
  text([width - right, top + 12], "sensor, m");
  text([left, top + high + gap - 8], "Fitted − sensor, % of sensor", "start");
  text([width - right, height - 3], "relative depth r");
  const dots = svg("g", {class: "dot-in"});
  pairs.relative.forEach((r, index) => {
    const z = pairs.meters[index];
    dots.append(svg("circle", {cx: x(r).toFixed(1), cy: y(z).toFixed(1), r: 1.6}));
    const estimate = fusion.status === "ok" ? fitted(r) : null;
    if (estimate != null) dots.append(svg("circle", {cx: x(r).toFixed(1), cy: yResidual(estimate / z - 1).toFixed(1), r: 1.3}));
  });
  plot.append(dots);
  if (fusion.status === "ok") {
    const points = [];
    for (let step = 0; step <= 120; step++) {
      const r = r0 + (r1 - r0) * step / 120, z = fitted(r);
      if (z != null && z > 0 && z <= z1) points.push(`${x(r).toFixed(1)},${y(z).toFixed(1)}`);
    }
    plot.append(svg("polyline", {class: "curve", points: points.join(" ")}));
  }
  $("#fit-plot").replaceChildren(plot);
}

function drawTable() {
  const columns = [["Object"], ["Score", "n"], ["Distance", "n"], ["From"], ["W × H × D, m", "n"]];
  $("#objects thead").replaceChildren(make("tr", {}, ...columns.map(([name, kind = ""]) =>
    make("th", {textContent: name, className: kind, scope: "col"})), make("td")));
  const sources = {lidar: "sensor", fusion: "fusion", network: "depth network", none: "none"};
  const rows = frame.items.map((item, index) => {
    const {measured} = item, sides = measured?.box3D?.dimensions, source = measured?.distanceSource ?? "none";
    const sizes = measured?.box3D?.interval95?.dimensions, along = measured?.distanceInterval95;
    // The label has the distance's interval already.
    const apart = distance(measured).split(" ± ");
    const dot = make("span", {className: "dot"});
    dot.style.background = palette[index % palette.length];
    const button = make("button", {type: "button", textContent: "Effect…", className: "quiet"});
    button.setAttribute("aria-label", `Effect… on ${titled(item)}`);
    const row = make("tr", {},
      make("td", {}, dot, titled(item)),
      make("td", {className: "n", textContent: `${Math.round(100 * item.confidence)}%`}),
      make("td", {className: "n", textContent: apart.length > 1 ? `${apart[0]} m` : apart[0]},
        ...(along ? [make("small", {textContent: `± ${reach(along)} m`})] : [])),
      make("td", {className: source, textContent: sources[source]}),
      make("td", {className: "n", textContent: sides ? sides.map(side => side.toFixed(2)).join(" × ") : "–"},
        ...(sizes ? [make("small", {textContent: `± ${sizes.map(reach).join(" × ")}`})] : [])),
      // Without a place for an effect none is offered.
      make("td", {className: "n"}, ...(measured?.box3D ? [button] : [])));
    row.title = [...boxLines(measured?.box3D), (measured?.warnings ?? []).join(", ")].join("\n").trim();
    row.addEventListener("mouseenter", () => setFocus(item.id));
    row.addEventListener("click", event => {
      setFocus(item.id);
      picture.tapped(item, event.clientX, event.clientY);
    });
    return row;
  });
  $("#objects tbody").replaceChildren(...rows);
  if (!rows.length) $("#objects tbody").append(make("tr", {}, make("td", {colSpan: columns.length + 1, textContent: "No objects found"})));
  const light = id => rows.forEach((row, index) => row.classList.toggle("on", frame.items[index].id === id));
  focus.listeners.push(light);
}

function drawTimes() {
  $("#time").hidden = !timing.length;
  const longest = Math.max(...timing.map(entry => entry.milliseconds));
  const total = timing.reduce((sum, entry) => sum + entry.milliseconds, 0);
  const share = value => `${100 * value / longest}%`;
  const cells = timing.flatMap(({stage, milliseconds}) => {
    const bar = make("i");
    bar.style.width = share(milliseconds);
    return [make("span", {textContent: stage}), make("div", {}, bar), make("span", {textContent: `${milliseconds.toFixed(1)} ms`})];
  });
  $("#bars").replaceChildren(...cells, make("span", {textContent: "all stages"}), make("div"), make("span", {textContent: `${total.toFixed(1)} ms`}));
}
