// How the 3-D view is moved: one finger or the left button orbits, two or another button pan, pinch or wheel zoom.

/** Looks from near the camera that took the frame. */
function goHome() {
  const place = data.cameraToWorld.slice(12, 15), back = unit(data.cameraToWorld.slice(8, 11));
  const depths = frame.items.map(item => item.measured?.distanceMeters).filter(value => value > 0);
  const grid = frame.lidar ?? frame.metric;
  const known = grid ? grid.values.filter(value => value > 0).sort() : [];
  const depth = depths.length ? depths.reduce((sum, value) => sum + value, 0) / depths.length
    : known.length ? known[known.length >> 1] / 1000 : 1.5;
  eye.target = add(place, back, -depth);
  eye.yaw = Math.atan2(back[0], back[2]) + .5;
  eye.pitch = Math.min(1.2, Math.max(-1.2, Math.asin(back[1]) + .12));
  eye.distance = Math.max(.4, depth * 1.55);
  // What took the frame is in sight, in a narrow window too.
  for (let step = 0; step < 12 && !isInSight(place); step++) eye.distance *= 1.1;
  redraw();
}

/** Whether a place of the world is on the screen, and not at its very edge. */
function isInSight([x, y, z]) {
  const m = viewMatrix($("#view").clientWidth, $("#view").clientHeight);
  const [u, v, , w] = [0, 1, 2, 3].map(row => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
  return w > 0 && Math.abs(u) < .9 * w && Math.abs(v) < .9 * w;
}

function orbit(dx, dy) {
  eye.yaw -= dx * .008;
  eye.pitch = Math.min(1.55, Math.max(-1.55, eye.pitch + dy * .008));
  redraw();
}

function pan(dx, dy) {
  const back = unit(add(eyePlace(), eye.target, -1)), right = unit(cross([0, 1, 0], back)), up = cross(back, right);
  const {clientWidth, clientHeight} = $("#view");
  const unitsAPixel = 2 * eye.distance * Math.tan(fieldOfView / 2) / Math.min(clientWidth, clientHeight);
  eye.target = add(add(eye.target, right, -dx * unitsAPixel), up, dy * unitsAPixel);
  redraw();
}

function zoom(factor) {
  eye.distance = Math.min(60, Math.max(.1, eye.distance * factor));
  redraw();
}

function startOrbit(canvas) {
  const pointers = new Map();
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, event => pointers.delete(event.pointerId));
  }
  canvas.addEventListener("pointermove", event => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const place = [event.clientX, event.clientY], [dx, dy] = [place[0] - last[0], place[1] - last[1]];
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, place);
    if (other) {
      const apart = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
      zoom(apart(last) / Math.max(1, apart(place)));
      pan(dx / 2, dy / 2);
    } else if (event.buttons > 1 || event.shiftKey) pan(dx, dy);
    else orbit(dx, dy);
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoom(Math.exp(Math.sign(event.deltaY) * Math.min(60, Math.abs(event.deltaY)) * .003));
  }, {passive: false});
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("dblclick", goHome);
  canvas.addEventListener("keydown", event => {
    const moves = {
      ArrowLeft: () => orbit(-12, 0), ArrowRight: () => orbit(12, 0), ArrowUp: () => orbit(0, -12),
      ArrowDown: () => orbit(0, 12), "+": () => zoom(.9), "=": () => zoom(.9), "-": () => zoom(1.1), Home: goHome,
    };
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  });
}

async function startSpace() {
  const canvas = $("#view");
  if (!data.camera || !(frame.lidar || frame.metric)) {
    $("#space").hidden = true;
    return;
  }
  if (!startGL(canvas)) {
    $("#gestures").textContent = "This browser has no WebGL: open scene.glb in any 3-D viewer instead.";
    return;
  }
  const photo = await photoPixels();
  // Neighboring points touch at the pitch of their grid; the factor is a cell's side at one meter.
  const pitch = grid => 1.6 * frame.size[0] / data.camera.fx / grid.width;
  if (frame.lidar) {
    const lidar = cloud(frame.lidar, photo, {confidence: frame.confidence});
    space.clouds.lidar = {...lidar, pitch: pitch(frame.lidar) * 1.1};
  }
  if (frame.metric) {
    const step = Math.max(1, Math.ceil(Math.sqrt(frame.metric.values.length / 160000)));
    space.clouds.fused = {...cloud(frame.metric, photo, {edge: .04}), pitch: pitch(frame.metric) * step * 1.2};
  }
  space.points = frame.lidar ? "lidar" : "fused";
  $$("[data-points]").forEach(button => {
    button.hidden = !space.clouds[button.dataset.points];
    button.setAttribute("aria-pressed", String(button.dataset.points === space.points));
  });
  tabs("[data-points]", "points", name => { space.points = name; redraw(); });
  $$("[data-layer]").forEach(button => button.addEventListener("click", () => {
    const on = space.layers[button.dataset.layer] = !space.layers[button.dataset.layer];
    button.setAttribute("aria-pressed", String(on));
    redraw();
  }));
  $("#gestures").textContent = matchMedia("(pointer: coarse)").matches
    ? "One finger orbits, two pan and zoom" : "Drag to orbit, right-drag to pan, wheel to zoom";
  $("#home").addEventListener("click", goHome);
  canvas.addEventListener("webglcontextlost", event => event.preventDefault());
  startOrbit(canvas);
  focus.listeners.push(redraw);
  new ResizeObserver(redraw).observe(canvas);
  goHome();
}
