// The 3-D view: points, oriented boxes, effects, cameras. World: meters, right-handed, +y up.
const space = {points: "lidar", layers: {boxes: true, path: true, effects: true}, effects: [], clouds: {}, drawn: 0};
const eye = {target: [0, 0, 0], yaw: 0, pitch: 0, distance: 2};
const fieldOfView = 50 * Math.PI / 180;
const palette = ["#0fb5bf", "#e8872a", "#57b32c", "#a35bd1", "#d9a62a", "#3d6be0", "#d93a5c", "#8a8f96"];
const effectColors = {
  explosion: "#ff8b26", flamethrower: "#ff7a1a", dragonBreath: "#ff5a1f", smoke: "#9aa0a8", tornado: "#8b93a0",
  lightning: "#9fb4ff", magic: "#a06bff", aurora: "#5fd6a4", snow: "#cfe6ff", love: "#f0457a", dance: "#f2b01e",
  confetti: "#f2c230", debugCube: "#ff2d2d", debugMesh: "#ffe01a",
};
const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255);

// Vectors are arrays of three, matrices of sixteen numbers by columns.
const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = a => { const length = Math.hypot(...a) || 1; return a.map(value => value / length); };
const times = (m, [x, y, z]) => [0, 1, 2].map(row => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);

/** Where a stored point at a depth lies in the world; the camera looks along its -z. */
function world(x, y, depth) {
  const {fx, fy, cx, cy} = data.camera;
  // The principal point counts from the center of the first pixel.
  return times(data.cameraToWorld, [(x - .5 - cx) * depth / fx, -(y - .5 - cy) * depth / fy, -depth]);
}

/** The points of a grid with the photograph's colors. */
function cloud(grid, photo, {confidence = null, nearest = 100, farthest = 8000, edge = 0}) {
  const places = [], colors = [], stored = [];
  const [width, height] = frame.size;
  const step = Math.max(1, Math.ceil(Math.sqrt(grid.values.length / 160000)));
  for (let row = 0; row < grid.height; row += step) {
    for (let column = 0; column < grid.width; column += step) {
      const index = row * grid.width + column, value = grid.values[index];
      if (value < nearest || value > farthest || (confidence && confidence.values[index] < 1)) continue;
      // Between two surfaces an estimated map has depths of neither.
      if (edge && column + 1 < grid.width && row + 1 < grid.height) {
        const [right, below] = [grid.values[index + 1], grid.values[index + grid.width]];
        if (Math.abs(right - value) > edge * value || Math.abs(below - value) > edge * value) continue;
      }
      const x = (column + .5) * width / grid.width, y = (row + .5) * height / grid.height;
      places.push(...world(x, y, value / 1000));
      stored.push(x, y);
      const [u, v] = frame.toUpright(x, y);
      const pixel = 4 * (Math.min(photo.height - 1, Math.floor(v * photo.height / frame.upright[1])) * photo.width
        + Math.min(photo.width - 1, Math.floor(u * photo.width / frame.upright[0])));
      for (let channel = 0; channel < 3; channel++) colors.push(photo.data[pixel + channel] / 255);
    }
  }
  return {places: new Float32Array(places), colors: new Float32Array(colors), stored};
}

/** The photograph's pixels. */
async function photoPixels() {
  const image = make("img", {src: data.pictures.photo});
  await image.decode();
  const canvas = make("canvas", {width: image.naturalWidth, height: image.naturalHeight});
  const context = canvas.getContext("2d", {willReadFrequently: true});
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

// MARK: Drawing

const shaders = [`
  attribute vec3 place; attribute vec3 color; uniform mat4 view; uniform float size; uniform float alpha;
  varying vec4 tint;
  void main() {
    gl_Position = view * vec4(place, 1.0);
    gl_PointSize = clamp(size / gl_Position.w, 1.0, 24.0);
    tint = vec4(color, alpha);
  }`, `
  precision mediump float; varying vec4 tint;
  void main() { gl_FragColor = vec4(tint.rgb * tint.a, tint.a); }`];

function startGL(canvas) {
  const gl = canvas.getContext("webgl", {antialias: true, preserveDrawingBuffer: true});
  if (!gl) return null;
  const program = gl.createProgram();
  [gl.VERTEX_SHADER, gl.FRAGMENT_SHADER].forEach((type, index) => {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, shaders[index]);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  });
  gl.bindAttribLocation(program, 0, "place");
  gl.bindAttribLocation(program, 1, "color");
  gl.linkProgram(program);
  gl.useProgram(program);
  gl.enableVertexAttribArray(0);
  const uniform = name => gl.getUniformLocation(program, name);
  return Object.assign(space, {gl, view: uniform("view"), size: uniform("size"), alpha: uniform("alpha")});
}

/** Draws positions in one color, or in `colors`. Static arrays keep their buffers. */
function drawShape(mode, places, color, {alpha = 1, size = 1, colors = null} = {}) {
  const {gl} = space;
  const bind = (slot, array) => {
    array.buffer_ ??= gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, array.buffer_);
    if (!array.filled_) gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
    array.filled_ = true;
    gl.vertexAttribPointer(slot, 3, gl.FLOAT, false, 0, 0);
  };
  const array = places instanceof Float32Array ? places : new Float32Array(places);
  bind(0, array);
  if (colors) {
    gl.enableVertexAttribArray(1);
    bind(1, colors);
  } else {
    gl.disableVertexAttribArray(1);
    gl.vertexAttrib3f(1, ...color);
  }
  gl.uniform1f(space.alpha, alpha);
  gl.uniform1f(space.size, size);
  gl.drawArrays(mode, 0, array.length / 3);
  if (!(places instanceof Float32Array)) gl.deleteBuffer(array.buffer_);
}

const boxEdges = [0, 1, 1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 7, 7, 4, 0, 4, 1, 5, 2, 6, 3, 7];
const boxFaces = [0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 5, 1, 0, 4, 5, 1, 6, 2, 1, 5, 6, 2, 7, 3, 2, 6, 7, 3, 4, 0, 3, 7, 4];

/** Where the viewer stands. */
function eyePlace() {
  const [cosine, sine] = [Math.cos(eye.pitch), Math.sin(eye.pitch)];
  return add(eye.target, [Math.sin(eye.yaw) * cosine, sine, Math.cos(eye.yaw) * cosine], eye.distance);
}

/** The matrix from the world to the screen. */
function viewMatrix(width, height) {
  const place = eyePlace(), back = unit(add(place, eye.target, -1));
  const right = unit(cross([0, 1, 0], back)), up = cross(back, right);
  // The field of view is that of the shorter side.
  const focal = 1 / Math.tan(fieldOfView / 2);
  const fy = height > width ? focal * width / height : focal, fx = fy * height / width;
  const near = .02, far = 200, a = (near + far) / (near - far), b = 2 * near * far / (near - far);
  const move = axis => -dot(axis, place);
  const m = [];
  for (let column = 0; column < 3; column++) {
    m.push(fx * right[column], fy * up[column], a * back[column], -back[column]);
  }
  return new Float32Array([...m, fx * move(right), fy * move(up), a * move(back) + b, -move(back)]);
}

/** A plane of an effect's film, turned about +y to the viewer: its middle and the halves of its sides. */
function billboard(effect) {
  const place = effect.transform.slice(12, 15), side = effect.scale;
  const [dx, , dz] = add(eyePlace(), place, -1), yaw = Math.atan2(dx, dz);
  const right = [Math.cos(yaw) * side, 0, -Math.sin(yaw) * side], up = [0, side, 0];
  return (x, y) => add(add(place, right, x), up, y);
}

/** A soft disc in the outline of its plane: there is no film on the page to show. */
function drawBillboard(effect, gl, color) {
  const at = billboard(effect), discs = 14, corners = 40;
  for (let disc = 1; disc <= discs; disc++) {
    const radius = .96 * (disc / discs) ** 1.3, fan = [at(0, 0)];
    for (let corner = 0; corner <= corners; corner++) {
      const angle = 2 * Math.PI * corner / corners;
      fan.push(at(radius * Math.cos(angle), radius * Math.sin(angle)));
    }
    drawShape(gl.TRIANGLE_FAN, fan.flat(), color, {alpha: effect.queued ? .025 : .045});
  }
  drawShape(gl.LINE_LOOP, [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)].flat(), color, {alpha: effect.queued ? .5 : .9});
}

/** The sensor's points on an object's mask. */
function pointsOn(item) {
  const {places, stored} = space.clouds.lidar ?? {places: [], stored: []}, kept = [];
  for (let at = 0; at < stored.length; at += 2) {
    if (item.mask?.has(Math.floor(stored[at]), Math.floor(stored[at + 1]))) kept.push(...places.slice(at * 3 / 2, at * 3 / 2 + 3));
  }
  return new Float32Array(kept);
}

function drawEffect(effect, gl) {
  const color = rgb(effectColors[effect.type] ?? "#ffffff"), item = frame.item(effect.objectId);
  const box = item?.measured?.box3D;
  if (effect.type === "debugCube" && box) {
    drawShape(gl.TRIANGLES, boxFaces.flatMap(at => box.corners[at]), color, {alpha: effect.queued ? .25 : .45});
  } else if (effect.type === "debugMesh" && item) {
    item.points ??= pointsOn(item);
    drawShape(gl.POINTS, item.points, color, {size: space.pixels * .012});
  } else drawBillboard(effect, gl, color);
}

function drawCamera(matrix, color, size) {
  const {gl} = space, [width, height] = frame.size, {fx, fy, cx, cy} = data.camera;
  const corners = [[0, 0], [width, 0], [width, height], [0, height]].map(([x, y]) =>
    times(matrix, [(x - .5 - cx) * size / fx, -(y - .5 - cy) * size / fy, -size]));
  const center = matrix.slice(12, 15);
  drawShape(gl.LINES, corners.flatMap((corner, at) => [...center, ...corner, ...corner, ...corners[(at + 1) % 4]]), color);
}

function drawSpace() {
  space.pending = false;
  const {gl} = space, canvas = gl.canvas, ratio = Math.min(2, devicePixelRatio || 1);
  const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  gl.viewport(0, 0, width, height);
  const background = getComputedStyle($("#world")).backgroundColor.match(/[\d.]+/g).map(value => value / 255);
  gl.clearColor(background[0], background[1], background[2], 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const matrix = viewMatrix(width, height);
  gl.uniformMatrix4fv(space.view, false, matrix);
  space.pixels = Math.min(width, height) / Math.tan(fieldOfView / 2) / 2;
  const shown = space.clouds[space.points];
  if (shown) drawShape(gl.POINTS, shown.places, null, {colors: shown.colors, size: space.pixels * shown.pitch});
  if (space.layers.path) drawPath(gl);
  gl.depthMask(false);
  if (space.layers.boxes) {
    frame.items.forEach((item, index) => {
      const box = item.measured?.box3D, color = rgb(palette[index % palette.length]);
      if (!box) return;
      drawShape(gl.TRIANGLES, boxFaces.flatMap(at => box.corners[at]), color, {alpha: item.id === focus.id ? .28 : .1});
      drawShape(gl.LINES, boxEdges.flatMap(at => box.corners[at]), color);
    });
  }
  if (space.layers.effects) space.effects.forEach(effect => drawEffect(effect, gl));
  gl.depthMask(true);
  drawTags(matrix);
  space.drawn++;
}

function drawPath(gl) {
  const dark = document.documentElement.dataset.theme === "dark", soft = dark ? [.62, .64, .68] : [.42, .44, .48];
  const places = data.path.map(pose => pose.matrix.slice(12, 15));
  if (places.length > 1) drawShape(gl.LINE_STRIP, places.flat(), soft);
  const step = Math.ceil(data.path.length / 40);
  data.path.forEach((pose, at) => { if (at % step === 0) drawCamera(pose.matrix, soft, .04); });
  drawCamera(data.cameraToWorld, dark ? [1, 1, 1] : [.05, .05, .06], .1);
}

/** Names above the boxes, and of effects. */
function drawTags(m) {
  const {clientWidth: width, clientHeight: height} = space.gl.canvas, tags = [];
  const tag = (place, text, color, isFocus = false) => {
    const [x, y, , w] = [0, 1, 2, 3].map(row => m[row] * place[0] + m[4 + row] * place[1] + m[8 + row] * place[2] + m[12 + row]);
    if (w <= .02 || Math.abs(x) > w || Math.abs(y) > w) return;
    const element = make("span", {textContent: text});
    element.style.boxShadow = `inset 3px 0 ${color}`;
    tags.push({element, x: (x / w + 1) / 2 * width, y: (1 - y / w) / 2 * height, distance: isFocus ? 0 : w});
  };
  if (space.layers.boxes) {
    frame.items.forEach((item, index) => {
      const box = item.measured?.box3D;
      if (box) tag([box.center[0], box.center[1] + box.dimensions[1] / 2, box.center[2]],
        `${item.track == null ? item.className : titled(item)} ${distance(item.measured)}`, palette[index % palette.length], item.id === focus.id);
    });
  }
  if (space.layers.effects) space.effects.filter(effect => effect.type !== "debugMesh").forEach(effect =>
    tag(effect.transform.slice(12, 15), effect.queued ? `${effectName(effect.type)} (queued)` : effectName(effect.type), effectColors[effect.type]));
  arrangeTags(tags, width, height);
}

/**
 * Puts each name above its place, the nearest first and the chosen object's before all. One that would cover another
 * moves by up to three lines up or down, and is left out where there is no room. Numbers are CSS pixels.
 */
function arrangeTags(tags, width, height) {
  tags.sort((a, b) => a.distance - b.distance);
  $("#tags").replaceChildren(...tags.map(tag => tag.element));
  const sizes = tags.map(({element}) => element.getBoundingClientRect()), taken = [];
  tags.forEach(({element, x, y}, index) => {
    const {width: wide, height: high} = sizes[index];
    const left = Math.max(0, Math.min(width - wide, x - wide / 2));
    const top = [0, -1, 1, -2, 2, -3, 3].map(lines => y - 1.2 * high + lines * (high + 2)).find(top =>
      top >= 0 && top + high <= height
        && taken.every(other => left >= other.right || left + wide <= other.left || top >= other.bottom || top + high <= other.top));
    if (top === undefined) return element.remove();
    element.style.transform = `translate(${left}px,${top}px)`;
    taken.push({left, right: left + wide, top, bottom: top + high});
  });
}

/** Draws soon, once for many changes. */
function redraw() {
  if (!space.gl || space.pending) return;
  space.pending = true;
  requestAnimationFrame(drawSpace);
}
