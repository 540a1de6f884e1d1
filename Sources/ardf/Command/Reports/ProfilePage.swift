import NNRuntime

/// A profile as one self-contained page: table, timeline, roofline.
struct ProfilePage {
  let profile: NetworkProfile
  let environment: MeasurementEnvironment

  var text: String {
    let table = ProfileTable(profile: profile)
    let timeline = profile.traces.first.map { TimelinePlot(trace: $0).svg } ?? ""
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="generator" content="ardf">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Profile of \(escaped(profile.network))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <h1>\(escaped(profile.network))</h1>
      <p>\(escaped(environment.line))<br>\(escaped(table.head))</p>
      \(warnings(table))
      <ul>\(table.foot.map { "<li>\(escaped($0))</li>" }.joined())</ul>
      <h2>Timeline of one iteration</h2>
      \(Self.plot(timeline))
      <h2>Roofline</h2>
      \(Self.plot(RooflinePlot(profile: profile).svg))
      <h2>Layers</h2>
      <p>A click on a column sorts by it; another turns the order round.</p>
      <div class="wide"><table id="layers"><thead><tr>\(header)</tr></thead>
      <tbody>
      \(body(table))</tbody></table></div>
      <script>\(Self.script)</script>
      </body>
      </html>

      """
  }

  /// Warnings about doubtful figures, above the figures.
  private func warnings(_ table: ProfileTable) -> String {
    guard !table.warnings.isEmpty else { return "" }
    return "<div class=\"warning\" role=\"note\"><strong>Read with care</strong><ul>"
      + table.warnings.map { "<li>\(escaped($0))</li>" }.joined() + "</ul></div>"
  }

  /// A drawing that can be made larger, by its buttons or by the wheel with Ctrl.
  private static func plot(_ svg: String) -> String {
    """
    <div class="zoom"><button aria-label="Larger">+</button><button aria-label="Smaller">\u{2212}</button>\
    <button>Fit</button></div>
    <div class="wide plot" tabindex="0">\(svg)</div>
    """
  }

  private var header: String {
    ProfileTable.header.map { "<th scope=\"col\"><button>\(escaped($0))</button></th>" }.joined()
  }

  private func body(_ table: ProfileTable) -> String {
    zip(table.rows, profile.rows).map { cells, row in
      let columns = cells.enumerated().map { column, cell in
        "<td\(ProfileTable.numbers.contains(column) ? " class=\"n\"" : "")>\(escaped(cell))</td>"
      }
      return "<tr\(row.isOverhead ? " class=\"o\"" : "")>\(columns.joined())</tr>\n"
    }.joined()
  }

  private static let style = """

    body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222; background: #fff; }
    .wide { overflow: auto; max-height: 90vh; }
    table { border-collapse: collapse; font-size: 12px; }
    th { position: sticky; top: 0; background: #eee; text-align: left; }
    th button { all: unset; cursor: pointer; }
    th button:focus-visible { outline: 2px solid #2a6fb0; }
    th[aria-sort=ascending] button::after { content: " \u{25B2}"; }
    th[aria-sort=descending] button::after { content: " \u{25BC}"; }
    th, td { padding: 2px 8px; border-bottom: 1px solid #ddd; white-space: nowrap; }
    td.n { text-align: right; font-variant-numeric: tabular-nums; }
    tr.o { color: #777; }
    svg { max-width: 100%; height: auto; font: 11px system-ui, sans-serif; }
    svg text { fill: currentColor; }
    svg .name { fill: #fff; font-size: 10px; pointer-events: none; }
    .warning { border-left: 4px solid #c77700; background: #fff4e0; padding: .5em 1em; margin: 1em 0; }
    .zoom { display: flex; gap: 4px; margin-bottom: 4px; }
    .zoom button { font: inherit; min-width: 2.2em; }
    @media (prefers-color-scheme: dark) {
      body { color: #e0e0e0; background: #161616; }
      th { background: #2a2a2a; }
      th, td { border-color: #3a3a3a; }
      tr.o { color: #a0a0a0; }
      .warning { background: #33260d; }
      svg line[stroke="#ddd"] { stroke: #3a3a3a; }
      svg line[stroke="#b03a2a"] { stroke: #ff7a66; }
      svg circle { fill: #6fb1f0; stroke: #9fcfff; }
    }
    @media (max-width: 700px) { body { margin: 1em; } .wide svg { min-width: 720px; } }

    """

  /// Sorts by number where both cells are numbers, by text elsewhere; a second click turns the order round.
  private static let script = """

    const body = document.querySelector("#layers tbody");
    const heads = document.querySelectorAll("#layers th");
    let last = -1, up = false;
    heads.forEach((head, column) => head.firstChild.addEventListener("click", () => {
      up = column === last ? !up : false;
      last = column;
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => row.cells[column].textContent;
      const order = (a, b) => {
        if (a === "" || b === "") return (a === "") - (b === "");
        const difference = isNaN(a) || isNaN(b) ? b.localeCompare(a) : b - a;
        return up ? -difference : difference;
      };
      [...body.rows].sort((a, b) => order(key(a), key(b))).forEach(row => body.append(row));
    }));
    document.querySelectorAll(".plot").forEach(plot => {
      const svg = plot.querySelector("svg");
      const [larger, smaller, fit] = plot.previousElementSibling.children;
      if (!svg) return plot.previousElementSibling.remove();
      let factor = 1;
      const zoom = (wanted, x) => {
        const middle = (plot.scrollLeft + x) / plot.scrollWidth;
        factor = Math.min(40, Math.max(1, wanted));
        svg.style.maxWidth = "none";
        svg.style.width = factor === 1 ? "" : `${100 * factor}%`;
        if (factor === 1) svg.style.maxWidth = "";
        plot.scrollLeft = middle * plot.scrollWidth - x;
      };
      larger.addEventListener("click", () => zoom(factor * 1.5, plot.clientWidth / 2));
      smaller.addEventListener("click", () => zoom(factor / 1.5, plot.clientWidth / 2));
      fit.addEventListener("click", () => zoom(1, 0));
      plot.addEventListener("wheel", event => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        zoom(factor * (event.deltaY < 0 ? 1.2 : 1 / 1.2), event.clientX - plot.getBoundingClientRect().left);
      }, {passive: false});
    });

    """
}

/// Text between tags or in an attribute.
func escaped(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}
