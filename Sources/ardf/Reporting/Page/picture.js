// The results picture: depth under the pointer, objects under a tap.
const picture = {mode: "results", outlines: new Map(), pointer: null, tapped: () => {}};
const tapSlop = 8;

/** Google's Turbo colors by their published polynomial; 0 is blue, 1 red. */
function turbo(t) {
  const x = Math.min(1, Math.max(0, t));
  const poly = k => Math.round(255 * Math.min(1, Math.max(0,
    k[0] + x * (k[1] + x * (k[2] + x * (k[3] + x * (k[4] + x * k[5])))))));
  return [
    poly([0.13572138, 4.6153926, -42.66032258, 132.13108234, -152.94239396, 59.28637943]),
    poly([0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604]),
    poly([0.1066733, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973]),
  ];
}

/** Sizes the stage to the picture, and the picture to what fits the window. */
function layOutPicture() {
  const [width, height] = frame.upright;
  $("#stage").style.aspectRatio = `${width} / ${height}`;
  // A picture much higher than wide leaves the rest of the row to the 3-D view.
  const share = Math.min(58, Math.max(36, 52 * width / height));
  document.documentElement.style.setProperty("--picture", `${share}fr`);
  const overlay = $("#overlay"), ratio = Math.min(2, devicePixelRatio || 1);
  overlay.width = Math.round(overlay.clientWidth * ratio);
  overlay.height = Math.round(overlay.clientHeight * ratio);
  drawOverlay();
}

/** A mask's pixels as a picture: its rim, and faintly its inside. */
function outline(item) {
  if (picture.outlines.has(item.id)) return picture.outlines.get(item.id);
  const {mask} = item, canvas = make("canvas", {width: mask.width, height: mask.height});
  const context = canvas.getContext("2d"), pixels = context.createImageData(mask.width, mask.height);
  const rim = Math.max(2, Math.round(Math.max(...frame.size) / 480));
  for (let y = 0, index = 0; y < mask.height; y++) {
    for (let x = 0; x < mask.width; x++, index++) {
      if (!mask.bits[index]) continue;
      const [sx, sy] = [x + mask.left, y + mask.top];
      const inside = mask.has(sx - rim, sy) && mask.has(sx + rim, sy) && mask.has(sx, sy - rim) && mask.has(sx, sy + rim);
      pixels.data.set([255, 255, 255, inside ? 34 : 235], 4 * index);
    }
  }
  context.putImageData(pixels, 0, 0);
  picture.outlines.set(item.id, canvas);
  return canvas;
}

function drawOverlay() {
  const canvas = $("#overlay"), context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const scale = canvas.width / frame.upright[0];
  const item = frame.item(focus.id);
  if (item) {
    const [a, b, c, d, e, f] = frame.canvasTransform;
    context.setTransform(a * scale, b * scale, c * scale, d * scale, e * scale, f * scale);
    if (item.mask && !item.mask.isEmpty) context.drawImage(outline(item), item.mask.left, item.mask.top);
    else {
      context.strokeStyle = "#fff";
      context.lineWidth = 3 / scale;
      context.strokeRect(item.box.x, item.box.y, item.box.width, item.box.height);
    }
  }
  if (picture.pointer) {
    context.setTransform(1, 0, 0, 1, 0, 0);
    const [x, y] = picture.pointer.map(value => value * scale);
    for (const [color, width] of [["rgba(0,0,0,.55)", 3.5], ["#fff", 1.5]]) {
      Object.assign(context, {strokeStyle: color, lineWidth: width});
      context.beginPath();
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        context.moveTo(x + 4 * dx, y + 4 * dy);
        context.lineTo(x + 12 * dx, y + 12 * dy);
      }
      context.stroke();
    }
  }
}

/** The upright point of a pointer event. */
function uprightPoint(event) {
  const box = $("#overlay").getBoundingClientRect();
  return [(event.clientX - box.left) * frame.upright[0] / box.width, (event.clientY - box.top) * frame.upright[1] / box.height];
}

/** How fused depth is known, by the codes of metric-source.png. */
const sources = [
  "", "from the sensor", "guided by readings nearby", "by the fit", "by the fit, beyond what it has seen",
];

/** Tells depth and object at an upright point. */
function read([u, v]) {
  const [x, y] = frame.toStored(u, v);
  const fused = metersAt(frame.metric, x, y), measured = metersAt(frame.lidar, x, y);
  const item = objectAt(x, y);
  const parts = [];
  if (frame.metric) {
    parts.push(make("b", {textContent: fused == null ? "-- m" : `${fused.toFixed(3)} m`}));
    const source = sources[valueAt(frame.metricSource, x, y) ?? 0];
    parts.push(data.fusion ? ` fused${source && `, ${source}`}` : " by the depth network");
  }
  if (frame.lidar) {
    if (parts.length) parts.push(" · ");
    parts.push(make("b", {textContent: measured == null ? "-- m" : `${measured.toFixed(3)} m`}), " sensor");
  }
  if (item) parts.push(`${parts.length ? " · " : ""}${item.className}`);
  $("#reading").replaceChildren(...(parts.length ? parts : ["No depth here"]));
  Object.assign($("#reading").dataset, {fused: fused ?? "", lidar: measured ?? "", object: item?.id ?? ""});
  picture.pointer = [u, v];
  $("#overlay").classList.toggle("hit", item != null);
  setFocus(item?.id ?? null);
  drawOverlay();
}

/** Metric depth in color, near is red; drawn when first shown. */
function drawDepth() {
  const grid = frame.metric ?? frame.lidar, canvas = $("#depth");
  if (!grid || picture.depthDrawn) return;
  picture.depthDrawn = true;
  const known = grid.values.filter(value => value > 0).sort();
  const [least, greatest] = [known[Math.floor(known.length * .02)], known[Math.floor(known.length * .98)]];
  const colors = Array.from({length: 256}, (_, index) => turbo(index / 255));
  const step = Math.max(1, Math.ceil(grid.width / 1024));
  const [width, height] = [Math.floor(grid.width / step), Math.floor(grid.height / step)];
  const small = make("canvas", {width, height});
  const context = small.getContext("2d"), pixels = context.createImageData(width, height);
  for (let row = 0, at = 0; row < height; row++) {
    for (let column = 0; column < width; column++, at += 4) {
      const value = grid.values[row * step * grid.width + column * step];
      // Even in 1 / Z, as eyes and networks judge depth.
      const t = (1 / value - 1 / greatest) / (1 / least - 1 / greatest || 1);
      if (value) pixels.data.set(colors[Math.round(255 * Math.min(1, Math.max(0, t)))], at);
      pixels.data[at + 3] = 255;
    }
  }
  context.putImageData(pixels, 0, 0);
  Object.assign(canvas, {width: frame.upright[0], height: frame.upright[1]});
  const target = canvas.getContext("2d");
  target.setTransform(...frame.canvasTransform);
  target.drawImage(small, 0, 0, ...frame.size);
  const stops = [0, .25, .5, .75, 1].map(t => `rgb(${turbo(1 - t)})`).join(",");
  $("#legend").replaceChildren(
    make("i", {style: `background:linear-gradient(90deg,${stops})`}),
    make("span", {}, make("span", {textContent: meters(least / 1000)}), make("span", {textContent: meters(greatest / 1000)})));
}

function showMode(mode) {
  picture.mode = mode;
  if (mode === "depth") drawDepth();
  else $("#image").src = data.pictures[mode];
  $("#depth").hidden = $("#legend").hidden = mode !== "depth";
}

function startPicture() {
  if (!frame.metric && !frame.lidar) $("#reading").textContent = "";
  showMode("results");
  layOutPicture();
  tabs("[data-mode]", "mode", showMode);
  const overlay = $("#overlay");
  let pressed = null;
  overlay.addEventListener("pointermove", event => read(uprightPoint(event)));
  overlay.addEventListener("pointerdown", event => {
    pressed = [event.clientX, event.clientY];
    read(uprightPoint(event));
  });
  overlay.addEventListener("pointerleave", event => {
    picture.pointer = null;
    if (event.pointerType === "mouse" && $("#picker").hidden) setFocus(null);
    drawOverlay();
  });
  overlay.addEventListener("click", event => {
    if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > tapSlop) return;
    const item = objectAt(...frame.toStored(...uprightPoint(event)));
    if (item) picture.tapped(item, event.clientX, event.clientY);
  });
  overlay.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const at = frame.items.findIndex(item => item.id === focus.id);
    if (step && frame.items.length) {
      setFocus(frame.items[(at + step + frame.items.length) % frame.items.length].id);
      event.preventDefault();
    } else if (event.key === "Enter" && at >= 0) {
      // Else the same key press would choose the first effect, which gets the focus.
      event.preventDefault();
      const box = overlay.getBoundingClientRect();
      picture.tapped(frame.items[at], box.left + box.width / 2, box.top + box.height / 3);
    }
  });
  focus.listeners.push(drawOverlay);
  addEventListener("resize", layOutPicture);
}
