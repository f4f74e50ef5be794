// Input in the page: a touch screen, a mouse, a touch pad, only the keyboard; and what a screen
// reader gets.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, generate, html, main, open, settled, span } from "./common.mjs";

const width = ([from, to]) => to - from;
const about = (a, b) => Math.abs(a - b) < 0.02 * Math.abs(b);
const list = page => page.evaluate(() => { skein.module.calls.list_text(); return skein.module.result(); });
const selected = page => page.textContent("#panel h2");
// Returns the smallest distance between bars of adjacent rows; row heights differ.
const rowHeight = async page => {
  const ys = [...new Set([...(await list(page)).matchAll(/^fill \S+ (\S+) \S+ bar/gm)].map(([, y]) => Number(y)))].sort((a, b) => a - b);
  return Math.min(...ys.slice(1).map((y, i) => y - ys[i]).filter(distance => distance > 2));
};
// Returns the middle, in page coordinates, of a bar that is wide enough to click.
const someBar = async page => {
  const box = await page.locator("#picture").boundingBox();
  const bars = [...(await list(page)).matchAll(/^fill (\S+) (\S+) ([0-9.]+)x(\S+) bar/gm)].map(([, ...numbers]) => numbers.map(Number));
  const [x, y, w, h] = bars.find(([x, y, w, h]) => w > 30 && x > 0 && x + w < box.width && y + h < box.height - 150);
  return [box.x + x + w / 2, box.y + y + h / 2];
};

async function fingers(browser, file) {
  const page = await open(browser, `file://${file}`, { hasTouch: true, viewport: { width: 420, height: 800 } });
  await page.click("[data-run=toggle-legend]");  // the legend contains bars, too
  const screen = await page.context().newCDPSession(page);
  const box = await page.locator("#picture").boundingBox();
  const middle = box.y + box.height / 2;
  const put = (type, ...points) =>
      screen.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y = middle], id) => ({ x, y, id })) });

  const whole = await span(page);
  await put("touchStart", [180]);
  await put("touchStart", [180], [220]);
  await put("touchMove", [120], [280]);
  await put("touchMove", [60], [340]);
  await settled(page);
  const pinched = await span(page);
  expect(width(pinched) < width(whole) / 2, "two fingers zoom", String(pinched));
  // One finger is lifted; the picture must not jump to the other.
  await put("touchEnd", [60]);
  await put("touchMove", [70]);
  await put("touchEnd");
  await settled(page);
  expect((await span(page)).join() === pinched.join(), "lifting one of two fingers moves nothing", String(await span(page)));

  await put("touchStart", [300]);
  await put("touchMove", [200]);
  await put("touchMove", [100]);
  await put("touchEnd");
  await settled(page);
  const panned = await span(page);
  expect(about(panned[0] - pinched[0], width(pinched) * 200 / box.width) && about(width(panned), width(pinched)),
         "a finger pans", String(panned));

  await page.click("[data-run=fit-all]");
  await settled(page);
  const before = await list(page), height = await rowHeight(page), times = await span(page);
  await put("touchStart", [200, middle - 40]);
  await put("touchStart", [200, middle - 40], [210, middle + 40]);
  for (let by = 45; by <= 120; by += 5) await put("touchMove", [200, middle - by], [210, middle + by]);
  await put("touchEnd");
  await settled(page);
  expect(about(width(await span(page)), width(times)) && await rowHeight(page) > height, "two fingers, one above the other, make rows higher",
         `${height} ${await rowHeight(page)}`);
  await page.click("[data-run=undo-zoom]");
  await settled(page);
  expect(await list(page) === before, "which is undone");

  await page.evaluate(() => skein.module.calls.show(skein.module.calls.window_from(), skein.module.calls.window_to() / 20));
  await settled(page);
  const title = await selected(page);
  await page.touchscreen.tap(...await someBar(page));
  await settled(page);
  expect(await selected(page) !== title, "a tap selects", await selected(page));
  const chosen = await span(page);
  expect(await page.evaluate(() => [scrollX, scrollY, visualViewport.scale].join()) === "0,0,1", "the page itself neither scrolls nor zooms");
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a narrow page is not wider than the window");
  expect((await span(page)).join() === chosen.join(), "a tap moves nothing");
  await page.context().close();
}

// A phone shows the full width of the page and of its menus.
async function narrow(browser, file) {
  const page = await open(browser, `file://${file}`, { hasTouch: true, viewport: { width: 320, height: 640 } });
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await wide() === 320, "a page is as wide as a phone", await wide());
  const picture = await page.locator("#picture").boundingBox();
  expect(picture.width === 320 && picture.height > 200, "with a picture", JSON.stringify(picture));
  for (const menu of ["#filter", "#counter-menu", "#bookmark-menu", "#theme-menu"]) {
    await page.click(`${menu} summary`);
    await page.waitForSelector(`${menu}[open]`);
    const outside = await page.evaluate(menu => [...document.querySelectorAll(`${menu} > :not(summary), ${menu} > :not(summary) *`)]
        .map(at => [at.outerHTML.slice(0, 60), at.getBoundingClientRect()])
        .filter(([, { left, right, width }]) => width > 0 && (left < 0 || right > 320)).map(([what]) => what), menu);
    expect(outside.length === 0, `${menu} has room`, outside.slice(0, 3).join());
    expect(await wide() === 320, `${menu} makes the page no wider`, await wide());
    await page.click("#title");
  }
  await page.fill("#search", "e");
  await page.keyboard.press("Enter");
  await settled(page);
  expect(await wide() === 320 && /\d/.test(await page.textContent("#found")), "the matches have the same width", await wide());
  await page.context().close();
}

// A wheel in lines or pages, as in some browsers; single and double clicks.
async function mouse(browser, file) {
  const page = await open(browser, `file://${file}`);
  const after = async (deltaMode, deltaY) => {
    await page.click("[data-run=fit-all]");
    await settled(page);
    await page.evaluate(([deltaMode, deltaY]) => {
      const canvas = document.getElementById("picture"), { left, top } = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new WheelEvent("wheel", { clientX: left + 300, clientY: top + 200, deltaMode, deltaY, cancelable: true }));
    }, [deltaMode, deltaY]);
    await settled(page);
    return (await span(page)).join();
  };
  const whole = await after(0, 0);
  for (const [mode, count, pixels, what] of [[1, -3, -48, "three lines"], [2, -1, -400, "a page"]]) {
    const [inPixels, other] = [await after(0, pixels), await after(mode, count)];
    expect(inPixels !== whole && other === inPixels, `${what} of a wheel are ${pixels} pixels`, `${whole} ${inPixels} ${other}`);
  }
  await page.click("[data-run=fit-all]");
  await page.evaluate(() => skein.module.calls.show(0, skein.module.calls.window_to() / 20));
  await settled(page);
  const before = await span(page), title = await selected(page), at = await someBar(page);
  await page.mouse.click(...at);
  await settled(page);
  const clicked = await span(page), task = await selected(page);
  expect(clicked.join() === before.join() && task !== title, "a click selects, and moves nothing", `${before} ${clicked} ${task}`);
  await page.mouse.dblclick(...at);
  await settled(page);
  expect((await span(page)).join() !== before.join() && await selected(page) === task, "two clicks show what was clicked", String(await span(page)));
  await page.context().close();
}

async function touchPad(browser, file) {
  const page = await open(browser, `file://${file}`);
  await page.click("[data-run=toggle-legend]");
  const wheel = async (dx, dy, ...keys) => {
    for (const key of keys) await page.keyboard.down(key);
    await page.mouse.wheel(dx, dy);
    for (const key of keys) await page.keyboard.up(key);
    await settled(page);
    return span(page);
  };
  const box = await page.locator("#picture").boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + 200);
  const whole = await span(page);
  const timeAt = ([from, to], share) => from + share * (to - from);
  let pinched = whole;
  for (let i = 0; i < 10; i++) pinched = await wheel(0, -8, "Control");  // as for a pinch
  expect(width(pinched) < width(whole) * 0.6 && width(pinched) > width(whole) * 0.2, "a pinch zooms by small steps", String(pinched));
  expect(about(timeAt(pinched, 0.25), timeAt(whole, 0.25)), "under the pointer", `${timeAt(whole, 0.25)} ${timeAt(pinched, 0.25)}`);
  expect(await page.evaluate(() => devicePixelRatio * visualViewport.scale) === 1, "the browser does not zoom the page");
  const sideways = await wheel(50, 3);
  expect(about(sideways[0] - pinched[0], width(pinched) * 50 / box.width) && about(width(sideways), width(pinched)), "two fingers sideways pan", String(sideways));
  const shifted = await wheel(0, -50, "Shift");
  expect(about(shifted[0], pinched[0]), "as does shift", String(shifted));
  const height = await rowHeight(page);
  const rows = await wheel(0, -200, "Alt");
  expect(rows.join() === shifted.join() && await rowHeight(page) > height, "alt makes rows higher", `${height} ${await rowHeight(page)}`);
  await page.context().close();
}

// The keyboard alone reaches every control of the page, and leaves the picture again.
async function keysAlone(browser, file) {
  const page = await open(browser, `file://${file}`);
  const active = () => page.evaluate(() => {
    const { activeElement: at } = document;
    return at.id || at.dataset.run || at.textContent.slice(0, 30);
  });
  await page.focus("#search");
  const way = [await active()];
  while (way.length < 60 && !way.includes("picture")) {
    await page.keyboard.press("Tab");
    way.push(await active());
  }
  for (const wanted of ["search", "search-next", "zoom-in", "fit-all", "undo-zoom", "Filter", "Counters", "Notes", "Colours", "toggle-legend", "help", "picture"])
    expect(way.includes(wanted), `Tab reaches ${wanted}`, way.join());
  await page.keyboard.press("Shift+Tab");
  expect(await active() === "help", "the picture lets go of the keyboard", await active());
  await page.focus("#picture");

  // Every key of the table works without an error; some have a specific effect.
  const whole = await span(page);
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await settled(page);
  expect(width(await span(page)) < width(whole), "+ zooms", String(await span(page)));
  const table = await page.evaluate(() => skein.module.json(() => skein.module.calls.keys()));
  expect(table.length > 40, "the table of keys", table.length);
  for (const [name, , keys] of table.filter(([name]) => name !== "")) {
    for (const key of keys.split(" ").filter(key => key !== "")) {
      await page.focus("#picture");
      await page.keyboard.press(key.replace("Ctrl+", "Control+"));
      await settled(page);
      if (name === "help") expect(await page.locator("#help[open]").count() === 1, `${key} opens help`);
      if (name === "search") expect(await active() === "search", `${key} goes to the search field`, await active());
      if (name === "filter") expect(await page.locator("#filter[open]").count() === 1, `${key} opens the filter`);
      await page.keyboard.press("Escape");
      await settled(page);
    }
  }
  expect(await page.locator("#help[open], #filter[open]").count() === 0, "Escape closes what keys open");
  await effects(page, table);

  // Selects a task and follows a link of its panel.
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement.id === "search");
  await page.keyboard.type("ring");
  await page.keyboard.press("Enter");
  await settled(page);
  const title = await selected(page);
  await page.focus("#picture");
  for (let i = 0; i < 20 && !/#\d/.test(await active()); i++) await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement.closest("#panel") !== null), "Tab reaches the panel's links", await active());
  await page.keyboard.press("Enter");
  await settled(page);
  expect(await selected(page) !== title, "Enter follows one", await selected(page));
  expect(await page.evaluate(() => document.activeElement.closest("#panel, #picture") !== null), "and does not lose the keyboard", await active());

  // Goes to a note.
  await page.focus("#picture");
  await page.keyboard.press("b");
  await page.focus("#picture");
  await page.click("[data-run=fit-all]");
  await page.focus("#bookmark-menu summary");
  await page.keyboard.press("Enter");
  await settled(page);
  await page.focus("#bookmarks button");
  await page.evaluate(() => skein.module.calls.show(0, skein.module.calls.window_to() / 50));
  const elsewhere = await span(page);
  await page.keyboard.press("Enter");
  await settled(page);
  const there = await span(page);
  expect(there[0] > elsewhere[1] && about(width(there), width(elsewhere)), "Enter goes to a note", `${elsewhere} ${there}`);
  await page.context().close();
}

// Every key changes the page, in a state in which its command has an effect.
async function effects(page, table) {
  const lines = () => page.evaluate(() => skein.module.json(() => skein.module.calls.panel()).lines);
  const run = names => page.evaluate(names => {
    const { module } = skein, { calls } = module;
    for (const name of names) module.with([name], (at, size) => calls.run_command(at, size));
    skein.picture.schedule();
  }, names);
  const find = text => page.evaluate(text => {
    const { module } = skein, { calls } = module;
    module.with([text], (at, size) => calls.search(at, size));
    module.with(["search-next"], (at, size) => calls.run_command(at, size));
  }, text);
  const ends = /^(read the (result|failure) of|was (woken|ended|awaited) by)$/;
  const begins = /^(its (result|failure) went to|woke|ended|began to wait for)$/;
  // Find a task with all kinds of neighbours.
  let task = "";
  for (let id = 1; task === "" && id < 400; id++) {
    await find(`#${id}`);
    const names = (await lines()).filter(([, , link]) => link !== 0).map(([name]) => name);
    const counts = (await lines()).map(([name]) => name);
    if (names.includes("parent") && counts.includes("children") && names.some(name => ends.test(name)) && names.some(name => begins.test(name))) task = `#${id}`;
  }
  expect(task !== "", "a task with a parent, children, and arrows to it and from it");
  const state = () => page.evaluate(() => {
    const { module } = skein, { calls } = module;
    const text = call => { call(); return module.result(); };
    return [text(calls.list_text), text(calls.panel), text(calls.theme_name), text(calls.found), text(calls.bookmarks),
            calls.window_from(), calls.window_to(), calls.help_shown(), calls.search_shown(), calls.filter_shown(), calls.legend_shown()].join("\n");
  });
  // Shows the middle of the trace and its rows, with a selection, matches, and a bookmark on either
  // side.
  const prepare = async name => {
    await run(["escape", "escape", "escape", "clear-search", "clear-measure", "expand-all", "fit-all"]);
    await find(task);
    await page.evaluate(() => {
      const { module } = skein, { calls } = module;
      module.with(["a"], (at, size) => calls.search(at, size));
      const from = calls.window_from(), span = calls.window_to() - from;
      while (module.json(() => calls.bookmarks()).length > 0) calls.remove_bookmark(0);
      for (const part of [0.05, 0.95]) module.with([`at ${part}`], (at, size) => calls.add_bookmark(from + part * span, at, size));
      calls.show(from + 0.2 * span, from + 0.8 * span);
    });
    await run(["rows-higher", "rows-higher", "rows-higher", "page-down", ...{
      "redo-zoom": ["undo-zoom"], "clear-measure": ["measure"], "expand-all": ["collapse"], escape: ["help"],
      "pan-down": ["page-up", "page-up", "page-up"], "page-down": ["page-up", "page-up", "page-up"],
      "select-previous": ["select-next"], "highlight-related": ["clear-search", "fit-all"]
    }[name] ?? []]);
    await page.focus("#picture");
    await settled(page);
  };
  // This trace has no error; page_test.mjs tests next-stuck.
  for (const [name, , keys] of table.filter(([name]) => !["", "next-stuck"].includes(name))) {
    for (const key of keys.split(" ").filter(key => key !== "")) {
      await prepare(name);
      const before = await state(), panel = await lines();
      await page.keyboard.press(key.replace("Ctrl+", "Control+"));
      await settled(page);
      expect(await state() !== before, `${key} does nothing: ${name}`);
      const wanted = name === "follow-to-source" ? ends : name === "follow-to-destination" ? begins : undefined;
      if (wanted) {
        const title = await selected(page);
        expect(panel.some(([role, value]) => wanted.test(role) && value.startsWith(title)), `${key} leads along an arrow`, `${title} ${JSON.stringify(panel)}`);
      }
    }
  }
  await run(["escape", "escape", "escape", "clear-search", "clear-measure", "expand-all", "fit-all"]);
  await page.evaluate(() => { while (skein.module.json(() => skein.module.calls.bookmarks()).length > 0) skein.module.calls.remove_bookmark(0); });
}

// Chromium's accessibility tree.
async function names(browser, file) {
  const page = await open(browser, `file://${file}`);
  for (const menu of ["#counter-menu", "#bookmark-menu", "#theme-menu", "#filter"]) await page.evaluate(menu => document.querySelector(menu).open = true, menu);
  await page.fill("#search", "ring");
  await page.press("#search", "Enter");
  await settled(page);
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const shown = nodes.filter(node => !node.ignored).map(node => ({ role: node.role?.value, name: node.name?.value ?? "" }));
  const named = ["button", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "application", "dialog", "DisclosureTriangle"];
  const nameless = shown.filter(({ role, name }) => named.includes(role) && name.trim() === "");
  expect(nameless.length === 0, "everything that can be used has a name", JSON.stringify(nameless));
  for (const [role, name] of [["application", /Tasks over time/], ["searchbox", /Search/], ["complementary", /Details/], ["heading", /./], ["button", /Zoom in/]])
    expect(shown.some(node => node.role === role && name.test(node.name)), `a ${role} is called ${name}`, JSON.stringify(shown.filter(node => node.role === role)));
  const spoken = await page.evaluate(() => ["panel", "found", "notice", "live"].map(id => {
    const at = document.getElementById(id);
    return at.getAttribute("aria-live") ?? at.getAttribute("role") ?? at.tagName;
  }).join());
  expect(spoken === "polite,OUTPUT,status,status", "changes without user input are announced", spoken);
  await page.context().close();
}

await main(async (browser, scratch) => {
  const trace = join(scratch, "straight.ctf");
  execFileSync(generate, ["-o", trace, "--events", "2000"]);
  const file = html(trace, scratch, "straight.html");
  await fingers(browser, file);
  await narrow(browser, file);
  await mouse(browser, file);
  await touchPad(browser, file);
  await keysAlone(browser, file);
  await names(browser, file);
});
