"""Visits of a report page: taps, depths, queue and 3-D view, against the files that `ardf run` wrote."""

import io
import json

import numpy as np
from PIL import Image

# A page of a debug build on a busy machine takes its time.
patience = 240_000
SIZES = {"desk": (1440, 900, False), "phone": (390, 844, True)}
failures = 0
# What the page says of the codes of metric-source.png.
SOURCES = ("", "from the sensor", "guided by readings nearby", "by the fit", "by the fit, beyond what it has seen")


def check(name, holds, detail=""):
    """Prints one line; counts what does not hold."""
    global failures
    failures += not holds
    print(f"{'ok  ' if holds else 'FAIL'} {name}{': ' + detail if detail else ''}")


class Results:
    """The results in the files, in pixels of the stored picture."""

    def __init__(self, folder):
        self.detections = json.loads((folder / "detections.json").read_text())
        self.width, self.height = self.detections["imageSize"]
        self.objects = {o["id"]: o for o in json.loads((folder / "objects.json").read_text())["objects"]}
        metric = folder / "metric.npy"
        self.metric = np.load(metric) if metric.exists() else None
        source = folder / "metric-source.png"
        self.source = np.asarray(Image.open(source)) if source.exists() else None
        self.masks = {
            d["id"]: np.asarray(Image.open(folder / "masks" / f"{d['id']:03}.png")) > 0
            for d in self.detections["detections"]
        }

    def expected_object(self, x, y):
        """The rule of HitTest: masks before boxes, then the smallest box."""
        held = [
            d
            for d in self.detections["detections"]
            if 0 <= x - d["box"]["x"] < d["box"]["width"] and 0 <= y - d["box"]["y"] < d["box"]["height"]
        ]
        on_mask = [d for d in held if self.masks[d["id"]][int(y), int(x)]]
        best = min(on_mask or held, key=lambda d: d["box"]["width"] * d["box"]["height"], default=None)
        return None if best is None else best["id"]

    def titled(self, found):
        """An object's name on the page: by its track where it is followed."""
        thing = self.objects[found]
        return f"{thing['className']} #{thing['track']}" if "track" in thing else f"{thing['className']} {found}"

    def expected_depth(self, x, y):
        rows, columns = self.metric.shape
        value = float(self.metric[int(y * rows / self.height), int(x * columns / self.width)])
        return value if value > 0 else None

    def expected_source(self, x, y):
        rows, columns = self.source.shape
        return SOURCES[self.source[int(y * rows / self.height), int(x * columns / self.width)]]

    def points(self):
        """Points to try: within every mask, and spread over the picture."""
        generator = np.random.default_rng(7)
        points = []
        for mask in self.masks.values():
            rows, columns = np.nonzero(mask)
            if len(rows):
                for index in generator.integers(len(rows), size=4):
                    points.append((columns[index] + 0.5, rows[index] + 0.5))
        points += [(x + 0.5, y + 0.5) for x, y in generator.integers((0, 0), (self.width, self.height), (12, 2))]
        return points


class Visit:
    """One page in one window."""

    def __init__(self, browser, url, size, dark, served):
        width, height, touch = SIZES[size]
        self.name = f"{size}{' dark' if dark else ''}"
        self.touch = touch
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=touch,
            is_mobile=touch,
            device_scale_factor=2 if touch else 1,
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        self.page = self.context.new_page()
        self.messages, self.requests = [], []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        own = url if not served else url.rstrip("/") + "/"
        self.page.on(
            "request", lambda r: None if r.url.startswith((own, "data:", "blob:")) else self.requests.append(r.url)
        )
        self.page.set_default_timeout(patience)
        self.page.goto(url)
        # Selectors, since a served page's policy forbids evaluating text repeatedly.
        self.page.wait_for_selector("html[data-ready=yes]", state="attached")
        self.page.wait_for_timeout(300)

    def check(self, name, holds, detail=""):
        check(f"{self.name}, {name}", holds, detail)

    def until(self, holds):
        """Whether something comes to hold; a busy machine draws late. Asked here: a served page evaluates no text."""
        for _ in range(120):
            if holds():
                return True
            self.page.wait_for_timeout(250)
        return False

    def shot(self, folder, suffix=""):
        if folder:
            self.page.screenshot(path=folder / f"{self.name.replace(' ', '-')}{suffix}.png")

    def screen(self, x, y):
        """Where a stored point is in the window, by the page's own turn of the picture."""
        u, v = self.page.evaluate("([x, y]) => frame.toUpright(x, y)", [float(x), float(y)])
        self.page.locator("#overlay").scroll_into_view_if_needed()
        box = self.page.locator("#overlay").bounding_box()
        width, height = self.page.evaluate("frame.upright")
        return box["x"] + u * box["width"] / width, box["y"] + v * box["height"] / height

    def into_view(self, x, y):
        """As screen, after scrolling the point to the middle of the window."""
        for _ in range(2):
            left, top = self.screen(x, y)
            height = self.page.viewport_size["height"]
            if not 0 < top < height:
                self.page.evaluate("delta => scrollBy(0, delta)", top - height / 2)
        box = self.page.locator("#overlay").bounding_box()
        u, v = self.page.evaluate("([x, y]) => frame.toUpright(x, y)", [float(x), float(y)])
        width, height = self.page.evaluate("frame.upright")
        return box["x"] + u * box["width"] / width, box["y"] + v * box["height"] / height

    def stored(self, left, top):
        """The stored point that the page finds at a place of the window."""
        return self.page.evaluate("([x, y]) => frame.toStored(...uprightPoint({clientX: x, clientY: y}))", [left, top])

    def tap(self, left, top):
        if self.touch:
            self.page.touchscreen.tap(left, top)
        else:
            self.page.mouse.move(left, top)
            self.page.mouse.click(left, top)


def check_taps(visit, results):
    """Every tap opens the picker of the object that the masks name, or none."""
    page, wrong, moved, depths, sources, tried = visit.page, [], [], [], [], 0
    for x, y in results.points():
        # Windows have whole pixels: what is expected is what lies under the pixel that is tapped.
        left, top = (round(value) for value in visit.into_view(x, y))
        sx, sy = visit.stored(left, top)
        if not (0 <= sx < results.width and 0 <= sy < results.height):
            continue
        tried += 1
        visit.tap(left, top)
        if visit.stored(left, top) != [sx, sy]:
            moved.append((sx, sy))
        expected = results.expected_object(sx, sy)
        opened = page.locator("#picker").is_visible()
        title = page.locator("#picker-title").text_content() if opened else None
        named = results.titled(expected) if expected is not None else None
        if title != named:
            wrong.append((sx, sy, title, named))
        if results.metric is not None:
            shown = page.evaluate("document.querySelector('#reading').dataset.fused")
            depth = results.expected_depth(sx, sy)
            # The page has whole millimeters.
            if (shown == "") != (depth is None) or (depth and abs(float(shown) - depth) > 0.000501):
                depths.append((sx, sy, shown, depth))
            if results.source is not None and depth:
                told = page.locator("#reading").text_content()
                if results.expected_source(sx, sy) not in told:
                    sources.append((sx, sy, told))
        if opened:
            page.keyboard.press("Escape")
    visit.check("taps hit the object under them", not wrong, f"{tried} taps {wrong[:3] or ''}")
    visit.check("the picture stays where it is", not moved, f"{moved[:3] or ''}")
    if results.metric is not None:
        visit.check("depth under the pointer is that of metric.npy", not depths, f"{tried} points {depths[:3] or ''}")
        visit.check("how it is known is that of metric-source.png", not sources, f"{sources[:3] or ''}")


def check_keyboard(visit, results):
    """By keyboard alone: an object is chosen, its effects open and wait for a choice, one is queued and taken back."""
    page = visit.page
    if not any(o["box3D"] for o in results.objects.values()):
        return
    page.locator("#overlay").focus()
    for _ in results.objects:
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        enabled = page.locator("#picker button:enabled").count() > 0
        opened = page.locator("#picker").is_visible() and page.locator("#queued li").count() == 0
        visit.check("Enter opens the effects and chooses none", opened)
        if enabled:
            break
        page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    visit.check("Enter in the effects queues one", page.locator("#queued li").count() == 1)
    page.locator("#queued li button").focus()
    page.keyboard.press("Enter")
    visit.check("and takes it back", page.locator("#queued li").count() == 0)


def check_buttons(visit, results):
    """An effect is offered where there is a place for it, and fingers hit what they aim at."""
    page = visit.page
    offered = page.locator("#objects tbody button").count()
    placeable = sum(bool(o["box3D"]) for o in results.objects.values())
    visit.check("an effect is offered for every object with a box", offered == placeable, f"{offered} of {placeable}")
    low = page.evaluate("""() => [...document.querySelectorAll("button, a")].map(e => [e.textContent, e.getBoundingClientRect()])
      .filter(([, {height}]) => height > 0 && height < 24).map(([text, {height}]) => `${text} ${height}`)""")
    if visit.touch:
        visit.check("buttons and links are 24 pixels high at least", not low, ", ".join(low))


def check_queue(visit, results, served, shots):
    """An effect chosen for an object is queued, and becomes a command or a placed effect."""
    page = visit.page
    target = next((i for i, o in results.objects.items() if o["box3D"]), None)
    if target is None:
        return
    rows, columns = np.nonzero(results.masks[target])
    middle = len(rows) // 2
    left, top = visit.into_view(columns[middle] + 0.5, rows[middle] + 0.5)
    chosen = results.expected_object(*visit.stored(left, top))
    visit.tap(left, top)
    window = page.viewport_size

    def is_inside():
        box = page.locator("#picker").bounding_box()
        return (
            box
            and box["x"] >= 0
            and box["y"] >= 0
            and box["x"] + box["width"] <= window["width"] + 1
            and box["y"] + box["height"] <= window["height"] + 1
        )

    # It rises.
    visit.check("picker lies in the window", visit.until(is_inside), str(page.locator("#picker").bounding_box()))
    visit.shot(shots, "-picker")
    over = page.evaluate("""() => {
      const {left, right} = document.querySelector("#picker").getBoundingClientRect();
      const out = ({left: from, right: to}) => from < left + 8 || to > right - 8;
      const cut = button => button.scrollWidth > button.clientWidth;
      return [...document.querySelectorAll("#picker button")].filter(button => out(button.getBoundingClientRect())
        || cut(button)).map(button => button.textContent);
    }""")
    visit.check("its buttons lie in the picker, their names in them", not over, ", ".join(over))
    before = page.evaluate("space.drawn")
    page.locator("#picker-list [data-effect=debugCube]").click()
    visit.check("effect is queued", page.locator("#queued li").count() == 1)
    visit.check("queued effect is drawn", visit.until(lambda: page.evaluate("space.drawn") > before))
    if served:
        page.locator("#place").click()
        page.wait_for_selector("#queued li", state="detached")
        placed = page.locator("#placed").text_content()
        visit.check("effect is placed on the machine", f"{chosen}" in placed and "Debug cube" in placed, placed)
        return
    command = page.locator("#command").text_content()
    placing = command.startswith("ardf place") and f"--effect {chosen}=debugCube" in command
    visit.check("queue is a command", placing, command[-60:])
    capture = command.split(" --capture ")[1].lstrip("'")
    visit.check("that runs from any folder", capture.startswith("/"), capture[:40])
    earlier = page.evaluate("effects.placed.length")
    visit.check("and places what is placed already", command.count(" --effect ") == 1 + earlier, command[-90:])
    with page.expect_download() as download:
        page.locator("#save").click()
    visit.check("command is saved", download.value.suggested_filename == "place.sh")
    page.locator("#queued button").click()
    visit.check("queued effect is taken back", page.locator("#queued li").count() == 0)


def check_space(visit):
    """The 3-D view shows something, and something else after a drag."""
    page, view = visit.page, visit.page.locator("#view")
    view.scroll_into_view_if_needed()
    visit.until(lambda: page.evaluate("space.drawn") > 0)
    check_tags(visit)
    # The middle of it, without the names and hints that lie over it.
    page.evaluate("document.querySelector('#tags').hidden = true")

    def pixels():
        return np.asarray(Image.open(io.BytesIO(view.screenshot())).convert("RGB"), int)

    def settled():
        """The pixels shown once two looks in a row are the same, or after the tenth."""
        last = pixels()
        for _ in range(10):
            page.wait_for_timeout(250)
            now = pixels()
            if (now == last).all():
                break
            last = now
        return last

    def differs(before, least=0):
        return visit.until(lambda: np.abs(pixels() - before).mean() > least)

    drawn = visit.until(lambda: len(np.unique(pixels().reshape(-1, 3), axis=0)) > 500)
    visit.check("3-D view is not blank", drawn)
    first = settled()
    box = view.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y + 20, steps=4)
    page.mouse.up()
    visit.check("a drag orbits", differs(first, 2))
    turned = settled()
    page.mouse.wheel(0, -400)
    visit.check("the wheel zooms", visit.touch or differs(turned, 2))
    page.locator("#home").click()
    switches = ["[data-points=fused]", "[data-layer=boxes]", "[data-layer=path]"]
    if page.evaluate("space.effects.length"):
        switches.append("[data-layer=effects]")
    for button in switches:
        before = settled()
        if page.locator(button).is_visible():
            page.locator(button).click()
            view.scroll_into_view_if_needed()
            visit.check(f"{button} changes the view", differs(before))
    page.evaluate("document.querySelector('#tags').hidden = false")


def check_tags(visit):
    """Names in the 3-D view cover neither one another nor its edges, seen from four sides."""
    names = """yaw => {
      eye.yaw = yaw; drawSpace();
      const world = document.querySelector('#world').getBoundingClientRect();
      return [[world.left, world.top, world.right, world.bottom], ...[...document.querySelectorAll('#tags span')].map(name => {
        const box = name.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]; })];
    }"""
    shown = 0
    for yaw in (0, 0.8, 1.6, 2.4):
        world, *boxes = visit.page.evaluate(names, yaw)
        shown = max(shown, len(boxes))
        inside = [box for box in boxes if all(box[at] >= world[at] - 1 and box[2 + at] <= world[2 + at] + 1 for at in (0, 1))]
        apart = all(
            a[0] >= b[2] or a[2] <= b[0] or a[1] >= b[3] or a[3] <= b[1] for at, a in enumerate(boxes) for b in boxes[:at]
        )
        visit.check(f"names in 3-D are apart, yaw {yaw}", apart and len(inside) == len(boxes), str(boxes))
    visit.check("and some are shown", shown > 0)
    visit.page.locator("#home").click()


def check_page(browser, url, results, options):
    for size in SIZES:
        for dark in (False, True):
            visit = Visit(browser, url, size, dark, options.url is not None)
            visit.shot(options.shots)
            if options.shots:
                visit.page.screenshot(path=options.shots / f"{visit.name.replace(' ', '-')}-full.png", full_page=True)
            if not dark:
                check_taps(visit, results)
                if not visit.touch:
                    check_keyboard(visit, results)
                check_buttons(visit, results)
                check_queue(visit, results, options.url is not None, options.shots)
                check_space(visit)
                visit.page.locator("[data-mode=depth]").click()
                visit.page.wait_for_timeout(200)
                visit.page.evaluate("scrollTo(0, 0)")
                visit.shot(options.shots, "-depth")
            hidden = visit.page.eval_on_selector(".scroll", "table => table.scrollWidth - table.clientWidth")
            visit.check("the table needs no scrolling", hidden <= 0, f"{hidden} pixels")
            wide = visit.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            visit.check("nothing is wider than the window", wide <= 0, f"{wide} pixels")
            visit.check("no message on the console", not visit.messages, "; ".join(visit.messages[:3]))
            visit.check("no request leaves the page", not visit.requests, "; ".join(visit.requests[:3]))
            visit.context.close()
