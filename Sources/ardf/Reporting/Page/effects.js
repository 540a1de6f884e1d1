// The effect picker and the queue. On a page from a file the queue becomes a command; on a served page it is placed.
const effects = {queue: [], placed: []};
const effectName = type => type.replace(/([A-Z])/g, " $1").toLowerCase().replace(/^./, letter => letter.toUpperCase());

/** Where an effect would stand, by the rules of `ardf place`. */
function preview({type, id}) {
  const {box3D: box, worldWidth, worldHeight} = frame.item(id).measured;
  const lift = Math.min(.02, box.dimensions[1] / 2) - box.dimensions[1] / 2;
  const [x, y, z] = box.center;
  return {
    type, objectId: id, queued: true, scale: Math.min(3, Math.max(.1, worldWidth, worldHeight)),
    transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y + lift, z, 1],
  };
}

function openPicker(item, x, y) {
  setFocus(item.id);
  const picker = $("#picker"), canPlace = item.measured?.box3D != null;
  $("#picker-title").textContent = titled(item);
  $("#picker-text").textContent = canPlace
    ? `${distance(item.measured)} away. Choose an effect to queue.`
    : "This object has no distance, so there is no place for an effect.";
  $("#picker-list").replaceChildren(...data.effectTypes.map(type => {
    const dot = make("span", {className: "dot"}), button = make("button", {type: "button", disabled: !canPlace}, dot, effectName(type));
    dot.style.background = effectColors[type];
    button.dataset.effect = type;
    button.addEventListener("click", () => {
      effects.queue.push({type, id: item.id});
      closePicker();
      showQueue();
    });
    return button;
  }));
  picker.hidden = $("#veil").hidden = false;
  const {offsetWidth: width, offsetHeight: height} = picker;
  picker.style.left = `${Math.max(12, Math.min(innerWidth - width - 12, x + 14))}px`;
  picker.style.top = `${Math.max(12, Math.min(innerHeight - height - 12, y - 40))}px`;
  picker.opener = document.activeElement;
  (picker.querySelector("button:enabled") ?? picker).focus?.({preventScroll: true});
}

function closePicker() {
  $("#picker").hidden = $("#veil").hidden = true;
  $("#picker").opener?.focus?.({preventScroll: true});
}

/** A word as a shell takes it. */
const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The command that places what is placed already and the queue, from whatever folder it is run. */
function placeCommand() {
  const here = location.protocol === "file:" ? decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "") : "RESULTS";
  const words = ["ardf", "place", "--detections", `${here}/detections.json`, "--capture", data.capture, "--frame", data.title];
  if (data.metric) words.push("--fusion", here);
  const wishes = [...effects.placed.filter(effect => frame.item(effect.objectId)).map(effect => ({type: effect.type, id: effect.objectId})), ...effects.queue];
  wishes.forEach(({type, id}) => words.push("--effect", `${id}=${type}`));
  return [...words, "--out", `${here}-placed`].map(quoted).join(" ");
}

function showQueue() {
  $("#queued").replaceChildren(...effects.queue.map((entry, index) => {
    const item = frame.item(entry.id), dot = make("span", {className: "dot", style: "flex:none"});
    dot.style.background = effectColors[entry.type];
    const remove = make("button", {type: "button", className: "quiet", textContent: "Remove"});
    remove.addEventListener("click", () => {
      effects.queue.splice(index, 1);
      showQueue();
    });
    return make("li", {}, dot, make("span", {textContent: `${effectName(entry.type)} on ${titled(item)}`}), remove);
  }));
  $("#queue-empty").hidden = effects.queue.length > 0;
  $("#queue-actions").hidden = effects.queue.length === 0;
  $("#command").hidden = $("#copy").hidden = $("#save").hidden = service != null;
  $("#place").hidden = service == null;
  if (!service) $("#command").textContent = placeCommand();
  $("#placed").textContent = effects.placed.length
    ? `Placed: ${effects.placed.map(effect => `${effectName(effect.type)}${frame.item(effect.objectId) ? ` on ${titled(frame.item(effect.objectId))}` : ""}`).join(", ")}.`
    : "";
  space.effects = [...effects.placed, ...effects.queue.map(preview)];
  redraw();
}

// MARK: A served page

/** What is under way, or what went wrong. */
function tell(text, isBad = false) {
  $("#busy").hidden = !text;
  $("#busy").textContent = text ?? "";
  $("#busy").classList.toggle("bad", isBad);
}

/** A request that carries the token; throws what the service says. */
async function ask(path, method, body) {
  let answer;
  try {
    answer = await fetch(path, {method, body, headers: {"X-Ardf-Token": service.token}});
  } catch {
    throw new Error("ardf serve does not answer; is it still running?");
  }
  const text = await answer.text();
  let value = {};
  try { value = JSON.parse(text); } catch { value = {error: text || answer.statusText}; }
  if (!answer.ok) throw new Error(value.error ?? `status ${answer.status}`);
  return value;
}

async function placeQueue() {
  const wishes = effects.queue.map(({type, id}) => ({object: id, effect: type}));
  $("#place").disabled = true;
  try {
    const answer = await ask(service.place, "POST", JSON.stringify({effects: wishes}));
    effects.placed = answer.effects;
    effects.queue = [];
    tell(answer.refused.join(" ") || null, true);
    showQueue();
  } catch (error) {
    tell(error.message, true);
  }
  $("#place").disabled = false;
}

/** Files of a drop, folders opened, as pairs of relative name and file. */
async function droppedFiles(transfer) {
  const found = [];
  const visit = async (entry, prefix) => {
    if (entry.isFile) {
      found.push([prefix + entry.name, await new Promise((done, failed) => entry.file(done, failed))]);
    } else if (entry.isDirectory) {
      const reader = entry.createReader();
      for (;;) {
        // A reader gives a part of the folder at a time.
        const part = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (!part.length) break;
        for (const child of part) await visit(child, `${prefix}${entry.name}/`);
      }
    }
  };
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map(file => [file.name, file]);
  for (const entry of entries) await visit(entry, "");
  return found;
}

async function upload(files) {
  if (!files.length) return;
  try {
    const {upload: path} = await ask(service.upload, "POST");
    let count = 0;
    for (const [name, file] of files) {
      tell(`Sending ${++count} of ${files.length}: ${name}`);
      await ask(`${path}/${name.split("/").map(encodeURIComponent).join("/")}`, "PUT", file);
    }
    tell("Finding objects and depth…");
    const {page} = await ask(`${path}?run`, "POST");
    location.href = page;
  } catch (error) {
    tell(error.message, true);
  }
}

/** Shows another frame of the capture, which is run first. */
async function turn(position) {
  const controls = $$("#turn button, #turn input");
  try {
    tell(`Finding objects and depth in frame ${position + 1}…`);
    controls.forEach(control => { control.disabled = true; });
    const {page} = await ask(service.turn, "POST", JSON.stringify({to: position}));
    location.href = page;
  } catch (error) {
    tell(error.message, true);
    showTurn();
  }
}

/** The controls that turn to the frames of the capture. */
function showTurn() {
  const {index, count} = data.position;
  $("#turn").hidden = false;
  $("#count").textContent = count;
  Object.assign($("#position"), {value: index + 1, max: count, disabled: false});
  $("#before").disabled = index === 0;
  $("#after").disabled = index + 1 === count;
}

function startTurn() {
  showTurn();
  const {index, count} = data.position;
  $("#before").addEventListener("click", () => turn(index - 1));
  $("#after").addEventListener("click", () => turn(index + 1));
  $("#position").addEventListener("change", () => {
    const wanted = Math.min(count, Math.max(1, Math.round($("#position").valueAsNumber))) - 1;
    if (Number.isFinite(wanted) && wanted !== index) turn(wanted); else showTurn();
  });
  // A page that comes back from the browser's memory is asked again.
  addEventListener("pageshow", event => { if (event.persisted) { tell(null); showTurn(); } });
}

function startService() {
  document.body.classList.toggle("waiting", !frame);
  $("#drop-hint").hidden = !service.upload;
  $("#place").addEventListener("click", placeQueue);
  if (frame && service.turn && data.position?.count > 1) startTurn();
  if (frame) {
    $("#downloads").hidden = false;
    const names = service.names.filter(name => data.metric || !name.startsWith("metric."));
    $("#downloads").replaceChildren("Files: ", ...names.map(name =>
      make("a", {href: `${service.files}/${name}`, download: name, textContent: name})));
  }
  if (!service.upload) return;
  $("#files").addEventListener("change", event => upload([...event.target.files].map(file => [file.name, file])));
  let depth = 0;
  const over = change => { depth = Math.max(0, depth + change); document.body.classList.toggle("dropping", depth > 0); };
  addEventListener("dragenter", event => { event.preventDefault(); over(1); });
  addEventListener("dragleave", () => over(-1));
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", async event => {
    event.preventDefault();
    depth = 0;
    over(0);
    upload(await droppedFiles(event.dataTransfer));
  });
}

function startEffects() {
  if (!frame.items.some(item => item.measured?.box3D)) {
    $("#queue-empty").textContent = "No object here has a distance, so there is no place for an effect.";
  }
  effects.placed = data.effects;
  picture.tapped = openPicker;
  $("#veil").addEventListener("click", closePicker);
  addEventListener("keydown", event => { if (event.key === "Escape" && !$("#picker").hidden) closePicker(); });
  $("#copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(placeCommand());
      $("#copy").textContent = "Copied";
    } catch {
      // Without the clipboard's permission the text is selected, to be copied by hand.
      getSelection().selectAllChildren($("#command"));
      $("#copy").textContent = "Selected";
    }
    setTimeout(() => { $("#copy").textContent = "Copy command"; }, 1500);
  });
  $("#save").addEventListener("click", () => {
    const script = new Blob([`#!/bin/sh\n${placeCommand()}\n`], {type: "text/x-shellscript"});
    const link = make("a", {href: URL.createObjectURL(script), download: "place.sh"});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
  $("#clear").addEventListener("click", () => {
    effects.queue = [];
    showQueue();
  });
  showQueue();
}
