import NNRuntime

/// A profile as one page that needs nothing else: table, timeline, roofline.
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
      <title>Profile of \(escaped(profile.network))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <h1>\(escaped(profile.network))</h1>
      <p>\(escaped(environment.line))<br>\(escaped(table.head))</p>
      <ul>\((table.foot + table.warnings).map { "<li>\(escaped($0))</li>" }.joined())</ul>
      <h2>Timeline of one iteration</h2>
      <div class="wide">\(timeline)</div>
      <h2>Roofline</h2>
      <div class="wide">\(RooflinePlot(profile: profile).svg)</div>
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
    svg .name { fill: #fff; font-size: 10px; pointer-events: none; }
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

    """
}

/// Text between tags or in an attribute.
func escaped(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}
