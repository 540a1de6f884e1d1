// Puts the page together.
function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)"), button = $("#theme");
  let chosen = null;
  const show = () => {
    const theme = chosen ?? (system.matches ? "dark" : "light");
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    if (frame) redraw();
  };
  button.addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  show();
}

function showFacts() {
  const count = data.detections.length;
  const facts = [`${data.model.name ?? "detector"} ${data.model.input ?? ""}`.trim(), counted(count, "object"), `${frame.upright.join(" × ")}`];
  const {index = 0, count: frames = data.path.length} = data.position ?? {};
  if (frames > 1) facts.push(counted(frames, "frame"));
  $("#title").textContent = data.title;
  document.title = data.position && frames > 1 ? `${data.title}, frame ${index + 1} of ${frames}` : data.title;
  $("#facts").replaceChildren(...facts.map(textContent => make("li", {textContent})));
  $("#index").hidden = !data.index;
  if (data.index) $("#index").href = data.index;
  $("#notes").replaceChildren(...data.notes.map(textContent => make("li", {textContent})));
}

async function start() {
  startTheme();
  if (service) startService();
  if (!frame) return;
  $("main").hidden = false;
  showFacts();
  [frame.metric, frame.metricSource, frame.lidar, frame.confidence] =
    await Promise.all([data.metric, data.metricSource, data.lidar, data.confidence].map(unpacked));
  drawTable();
  drawTimes();
  drawFit();
  startPicture();
  $("[data-mode=depth]").hidden = !(frame.metric ?? frame.lidar);
  startEffects();
  await startSpace();
  document.documentElement.dataset.ready = "yes";
}

start().catch(error => {
  $("#busy").hidden = false;
  $("#busy").classList.add("bad");
  $("#busy").textContent = `This page cannot be shown: ${error.message}`;
  console.error(error);
});
