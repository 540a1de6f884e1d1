"use strict";
// What the page was given, and how its parts are read. Coordinates: "stored" is the picture as the sensor has it,
// "upright" as it is shown; both in pixels from the top-left corner, y down.
const $ = selector => document.querySelector(selector);
const $$ = selector => [...document.querySelectorAll(selector)];
const given = id => JSON.parse(document.getElementById(id).textContent);
const data = given("data"), timing = given("timing"), service = given("service");

/** An element with properties and children. */
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A number with what it counts: "1 object", "2 objects". */
const counted = (count, noun) => `${count} ${count === 1 ? noun : `${noun}s`}`;

const meters = value => value == null ? "-- m" : `${value.toFixed(2)} m`;

/** Half of an interval, rounded up as in labels: ".04". */
const reach = ([low, high]) =>
  (Math.max(1, Math.ceil(50 * (high - low) - 1e-6)) / 100).toFixed(2).replace(/^0/, "");

/** A number with two decimals and its interval: "2.09 ± .04". */
const within = (value, interval) => value.toFixed(2) + (interval ? ` ± ${reach(interval)}` : "");

/** Every number of an object's box with its interval, a line each. */
function boxLines(box) {
  if (!box) return [];
  const known = box.interval95, three = name => box[name].map((value, axis) => within(value, known?.[name][axis]));
  return [
    `center ${three("center").join(", ")} m`, `yaw ${within(box.yaw, known?.yaw)} rad`,
    `floor area ${within(box.floorArea, known?.floorArea)} m²`, `volume ${within(box.volume, known?.volume)} m³`,
  ];
}

/** An object's distance, rounded as its label in the picture is. */
const distance = measured => measured?.label?.split("\n")[1] ?? meters(measured?.distanceMeters);

/** Bytes of base64 text that hold a zlib stream. */
async function inflated(base64) {
  const packed = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A grid of whole numbers, from differences to the one above as PackedPlane writes them. */
async function unpacked(plane) {
  if (!plane) return null;
  const {width, height} = plane;
  const codes = await inflated(plane.data);
  const values = new Uint16Array(width * height);
  for (let index = 0, large = width * height; index < width * height; index++) {
    let code = codes[index];
    if (code === 255) {
      code = codes[large] | codes[large + 1] << 8;
      large += 2;
    }
    const above = index < width ? 0 : values[index - width];
    values[index] = above + (code >> 1 ^ -(code & 1)) & 0xffff;
  }
  return {width, height, values};
}

/** The run lengths of a COCO text: by columns, first those outside. */
function runLengths(counts) {
  const runs = [];
  for (let at = 0; at < counts.length;) {
    let value = 0, shift = 0, more = true;
    while (more) {
      const code = counts.charCodeAt(at++) - 48;
      value |= (code & 31) << shift;
      shift += 5;
      more = (code & 32) !== 0;
      if (!more && code & 16) value |= -1 << shift;
    }
    if (runs.length > 2) value += runs[runs.length - 2];
    runs.push(value);
  }
  return runs;
}

/** A mask's pixels within the smallest rectangle of the stored picture that holds them. */
class Mask {
  constructor({size: [height], counts}) {
    const runs = runLengths(counts), spans = [];
    let left = Infinity, top = Infinity, right = -1, bottom = -1;
    for (let at = 0, run = 0; run < runs.length; at += runs[run++]) {
      if (run % 2 === 0) continue;
      // A run may go over the ends of columns.
      for (let start = at, end = at + runs[run]; start < end;) {
        const x = Math.floor(start / height), from = start % height;
        const to = Math.min(height, from + end - start);
        spans.push([x, from, to]);
        left = Math.min(left, x); right = Math.max(right, x);
        top = Math.min(top, from); bottom = Math.max(bottom, to - 1);
        start += to - from;
      }
    }
    Object.assign(this, {left, top, width: right - left + 1, height: bottom - top + 1});
    this.isEmpty = right < 0;
    this.bits = new Uint8Array(this.isEmpty ? 0 : this.width * this.height);
    for (const [x, from, to] of spans) {
      for (let y = from; y < to; y++) this.bits[(y - top) * this.width + x - left] = 1;
    }
  }

  /** Whether a stored pixel belongs to the object. */
  has(x, y) {
    x -= this.left; y -= this.top;
    return x >= 0 && y >= 0 && x < this.width && y < this.height && this.bits[y * this.width + x] === 1;
  }
}

/** The frame: detections with their masks and measures, depths, the turn of the picture. */
const frame = data && (() => {
  const [ox, oy, a, b, c, d] = data.image.uprightToStored;
  const determinant = a * d - b * c;
  const objects = new Map(data.objects.map(object => [object.id, object]));
  const items = data.detections.map(detection => ({
    ...detection, measured: objects.get(detection.id) ?? null, mask: detection.mask && new Mask(detection.mask),
  }));
  return {
    items, item: id => items.find(item => item.id === id),
    size: data.image.size, upright: data.image.upright,
    toStored: (u, v) => [ox + a * u + b * v, oy + c * u + d * v],
    toUpright: (x, y) => [(d * (x - ox) - b * (y - oy)) / determinant, (a * (y - oy) - c * (x - ox)) / determinant],
    /** The six numbers with which a canvas draws stored pixels upright. */
    canvasTransform: [d / determinant, -c / determinant, -b / determinant, a / determinant,
      (b * oy - d * ox) / determinant, (c * ox - a * oy) / determinant],
    metric: null, metricSource: null, lidar: null, confidence: null,
  };
})();

/** An object's name among the others: by its track where it is followed, as the pictures have it. */
const titled = item => item.track == null ? `${item.className} ${item.id}` : `${item.className} #${item.track}`;

/** The value of a grid at a stored point, of the cell that holds it; null where there is none. */
function valueAt(grid, x, y) {
  if (!grid) return null;
  const [width, height] = frame.size;
  if (x < 0 || y < 0 || x >= width || y >= height) return null;
  const cell = Math.floor(y * grid.height / height) * grid.width + Math.floor(x * grid.width / width);
  return grid.values[cell] || null;
}

/** Meters of a grid in millimeters at a stored point; null where there are none. */
const metersAt = (grid, x, y) => grid && valueAt(grid, x, y) && valueAt(grid, x, y) / 1000;

/** The object at a stored point: those whose mask is hit before those whose box is hit, then the smallest box. */
function objectAt(x, y) {
  const area = item => item.box.width * item.box.height;
  const held = frame.items.filter(({box}) =>
    x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height);
  const onMask = held.filter(({mask}) => mask?.has(Math.floor(x), Math.floor(y)));
  const candidates = onMask.length ? onMask : held;
  return candidates.reduce((best, item) => best && area(best) <= area(item) ? best : item, null);
}

// The object in focus, shared by picture, table and 3-D view.
const focus = {id: null, listeners: []};
function setFocus(id) {
  if (focus.id === id) return;
  focus.id = id;
  focus.listeners.forEach(listener => listener(id));
}

/** Presses one button of a group; `change` gets its data. */
function tabs(selector, key, change) {
  const buttons = $$(selector);
  buttons.forEach(button => button.addEventListener("click", () => {
    buttons.forEach(other => other.setAttribute("aria-pressed", String(other === button)));
    change(button.dataset[key]);
  }));
}
