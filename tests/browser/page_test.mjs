// A page that `skein html` wrote, opened from disk: input of all kinds, hostile and damaged traces, and
// draw lists that equal those of the native viewer.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { expect, generate, hang, html, main, notesShown, open, printLists, settled, source, span, steps } from "./common.mjs";

const net = join(process.env.SKEIN_DATA ?? join(source, "../shared/data"), "net.ctf");

// The steps of print_lists.cc.
async function lists(page) {
  return page.evaluate(async () => {
    const { module } = window.skein, { calls } = module;
    let all = "";
    const print = what => { calls.list_text(); all += `# ${what}\n${module.result()}`; };
    calls.set_hint(0);
    calls.set_legend_shown(0);
    calls.resize(1000, 600);
    print("whole");
    for (let i = 0; i < 6; i++) {
      calls.wheel(300, 200, 0, -240, 0);
      print("zoomed");
    }
    calls.wheel(300, 200, 200, 0, 0);
    print("panned");
    calls.pointer_down(300, 120, 0);
    calls.pointer_up(300, 120);
    calls.pointer_move(400, 300);
    print("selected");
    module.with(["e"], (at, size) => calls.search(at, size));
    print("searched");
    for (const name of ["search-next", "rows-higher", "toggle-legend", "fit-all"]) {
      module.with([name], (at, size) => calls.run_command(at, size));
      print(name);
    }
    return all;
  });
}

function firstDifference(a, b) {
  const left = a.split("\n"), right = b.split("\n");
  const at = left.findIndex((line, i) => line !== right[i]);
  return `line ${at + 1}: native ${left[at]}, wasm ${right[at]}`;
}

// The legend is shown until it is closed, and then stays closed.
async function showsLegend(page) {
  const legend = () => page.evaluate(() => [skein.module.calls.legend_shown(), document.querySelector("[data-run=toggle-legend]").ariaPressed].join());
  expect(await legend() === "1,true", "a legend at first", await legend());
  await page.click("[data-run=toggle-legend]");
  await settled(page);
  expect(await legend() === "0,false", "a legend goes away", await legend());
  await page.reload();
  await page.waitForFunction(() => window.skein);
  expect(await legend() === "0,false", "and does not come again", await legend());
  await page.click("[data-run=toggle-legend]");
}

// Wheel, keys, buttons.
async function movesWindow(page) {
  const whole = await span(page);
  await page.mouse.move(400, 300);
  await page.mouse.wheel(0, -400);
  await settled(page);
  const zoomed = await span(page);
  expect(zoomed[1] - zoomed[0] < whole[1] - whole[0], "the wheel zooms", String(zoomed));
  await page.mouse.down();
  await page.mouse.move(300, 300, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  const dragged = await span(page);
  expect(dragged[0] > zoomed[0], "dragging pans", String(dragged));
  await page.click("[data-run=fit-all]");
  await settled(page);
  expect((await span(page)).join() === whole.join(), "Fit shows all", String(await span(page)));
  await page.focus("#picture");
  await page.keyboard.press("+");
  await settled(page);
  expect((await span(page))[1] < whole[1], "+ zooms");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("u");
  await page.click("[data-run=fit-all]");
}

// Search.
async function searches(page) {
  await page.keyboard.press("/");
  await settled(page);
  expect(await page.evaluate(() => document.activeElement.id) === "search", "/ goes to the search field");
  await page.keyboard.type("task");
  await settled(page);
  const found = await page.textContent("#found");
  expect(/^\d+ match(es)?$|^\d+ of \d+$/.test(found), "the search counts", found);
  await page.keyboard.press("Enter");
  await settled(page);
  expect(/^\d+ of \d+$/.test(await page.textContent("#found")), "Enter goes to the first found",
         await page.textContent("#found"));
  const title = await page.textContent("#panel h2");
  expect(title.length > 0, "what was found is in the panel");
  await page.fill("#search", "there is no such text");
  await settled(page);
  expect(await page.textContent("#found") === "no matches", "nothing is found", await page.textContent("#found"));
  await page.keyboard.press("Escape");
  await settled(page);
  expect(await page.inputValue("#search") === "", "Escape ends the search");
  for (const key of ["Escape", "Shift+Escape"]) {
    await page.fill("#search", "task");
    await settled(page);
    await page.focus("#picture");
    await page.keyboard.press(key);
    await settled(page);
    const left = [await page.inputValue("#search"), await page.textContent("#found")].join();
    expect(left === ",", `${key} over the picture does, too, and empties the field`, left);
  }
  await page.fill("#search", "task");
  await page.press("#search", "Enter");
  await settled(page);

  // Select, and follow a link of the panel.
  await page.locator("#panel button", { hasText: "#" }).first().click();
  await settled(page);
  expect(await page.textContent("#panel h2") !== title, "a link leads to another task",
         await page.textContent("#panel h2"));
}

// Bookmarks survive a reload. Returns the saved notes.
async function keepsBookmarks(page) {
  await page.click("#bookmark-menu summary");
  await page.fill("#note input", "here <b>it</b> is");
  await page.keyboard.press("Enter");
  await settled(page);
  expect((await notesShown(page)).includes("here <b>it</b> is"), "a bookmark is listed");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-notes")]);
  const notes = readFileSync(await saved.path(), "utf8");
  expect(JSON.stringify(JSON.parse(notes)).includes("here <b>it</b> is"), "notes are saved", notes);
  // Editing the text changes nothing else.
  await page.fill("#bookmarks input", "there <i>it</i> is");
  await page.keyboard.press("Tab");
  await settled(page);
  expect(await page.evaluate(() => document.activeElement.title) === "Remove here <b>it</b> is", "Tab goes on from a note's text",
         await page.evaluate(() => document.activeElement.outerHTML));
  await page.evaluate(() => skein.module.calls.save_notes());
  const changed = await page.evaluate(() => skein.module.result());
  expect(changed === notes.replace("here <b>it</b> is", "there <i>it</i> is"), "a note has another text", changed);
  await page.fill("#bookmarks input", "here <b>it</b> is");
  await page.keyboard.press("Enter");
  await page.reload();
  await page.waitForFunction(() => window.skein);
  await page.click("#bookmark-menu summary");
  await settled(page);
  expect((await notesShown(page)).includes("here <b>it</b> is"), "a bookmark is kept");
  await page.click("#bookmarks [title^=Remove]");
  expect(await page.textContent("#bookmarks") === "", "a bookmark is removed");
  await page.setInputFiles("#load-notes", { name: "n.json", mimeType: "application/json", buffer: Buffer.from(notes) });
  await page.waitForFunction(() => document.querySelector("#bookmarks input")?.value.includes("here"));
  return notes;
}

// Reports an error in notes until the notes change.
async function refusesBadNotes(page, notes) {
  const problem = () => page.textContent("#note-problem"), live = await page.textContent("#live");
  const load = async text => {
    await page.setInputFiles("#load-notes", { name: "n.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await page.waitForFunction(() => document.getElementById("load-notes").value === "");
  };
  await load("{");
  expect(await problem() !== "", "bad notes are refused");
  await load(notes);
  expect(await problem() === "", "valid notes cause no message", await problem());
  await load("{");
  await page.fill("#note input", "another");
  await page.keyboard.press("Enter");
  expect(await problem() === "", "a new note clears the message", await problem());
  await load("{");
  expect(await problem() !== "", "the same file is refused again");
  await page.click("#bookmark-menu summary");
  await page.waitForFunction(() => document.getElementById("note-problem").textContent === "");
  expect(await page.textContent("#live") === live, "nothing stays", await page.textContent("#live"));
  await page.click("#bookmark-menu summary");
  while (await page.locator("#bookmarks li").count() > 0) await page.click("#bookmarks [title^=Remove]");
  await page.click("#title");
}

// Returns the number of bars in the picture.
async function bars(page) {
  return page.evaluate(() => { skein.module.calls.list_text(); return skein.module.result().split("\n").filter(line => / bar/.test(line)).length; });
}

// Filter.
async function filters(page) {
  await page.click("#filter summary");
  await page.waitForSelector("#filter[open]");
  const kinds = await page.locator("#filter [name=kind] option").allTextContents();
  expect(kinds.length > 1 && kinds[0] === "any", "kinds to choose from", kinds.join());
  await page.fill("#filter [name=label]", "there is no such text");
  await settled(page);
  const filtered = await bars(page);
  const says = async () => [await page.textContent("#filter summary"), await page.textContent("#found")].join();
  await page.keyboard.press("Escape");
  await page.fill("#search", "task");
  await settled(page);
  expect(await says() === "Filter: on,no matches (filter is on)", "an active filter is shown while its menu is closed", await says());
  await page.fill("#search", "");
  await page.click("#filter summary");
  await page.waitForSelector("#filter[open]");
  await page.click("#filter [type=reset]");
  await page.waitForTimeout(0);
  await settled(page);
  const all = await bars(page);
  expect(all > filtered, "the filter hides tasks", `${filtered} ${all}`);
  expect(await says() === "Filter,", "an inactive filter is not shown", await says());
  const total = await page.evaluate(() => skein.module.calls.window_to() / 1e6);
  for (const [longest, few] of [[String(total * 2), false], [String(total / 1000), true]]) {
    await page.fill("#filter [name=longest]", longest);
    await settled(page);
    expect((await bars(page) < all) === few, `at most ${longest} ms`, `${all} ${await bars(page)}`);
  }
  await page.click("#filter [type=reset]");
  await page.waitForTimeout(0);
  await settled(page);
}

// The table below the picture: follows the search, sorts, highlights, and remembers its height.
async function showsTable(page) {
  const names = () => page.locator("#pane tbody td:first-child").allTextContents();
  const yellow = () => page.evaluate(() => { skein.module.calls.list_text(); return skein.module.result().split("\n").filter(line => / highlight/.test(line)).length; });
  const height = () => page.evaluate(() => document.getElementById("picture").clientHeight);
  const whole = await height();
  expect(!await page.isVisible("#pane") && !await page.isVisible("#split"), "there is no table at first");
  await page.focus("#picture");
  await page.keyboard.press("g");
  await settled(page);
  const opened = await height();
  expect(opened < whole - 200, "the table takes room", `${whole} ${opened}`);
  const all = await names();
  expect(all.length > 3 && await page.textContent("#selection") !== "", "it has rows", all.join());
  expect(await page.getAttribute("[data-run=toggle-task-table]", "aria-pressed") === "true", "its button is pressed");

  // Sorts by each column, with the mouse and the keyboard.
  for (let column = 0; column < 7; column++) {
    const head = page.locator("#pane th").nth(column), sorted = () => head.getAttribute("aria-sort");
    await head.locator("button").click();
    await settled(page);
    const first = await sorted();
    await head.locator("button").press("Enter");
    await settled(page);
    expect(first !== "none" && await sorted() !== first && await sorted() !== "none", "a column sorts both ways", `${column}: ${first} ${await sorted()}`);
    expect(await page.locator("#pane [aria-sort$=scending]").count() === 1, "one column at a time");
  }
  await page.locator("#pane th button").first().click();
  await settled(page);
  const byName = await names();
  expect(byName.join() === [...byName].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(), "names in order", byName.join());

  // A row, by mouse and by keyboard.
  const none = await yellow();
  await page.locator("#pane tbody tr").nth(1).click();
  await settled(page);
  const chosen = () => page.locator("#pane [aria-selected=true]").evaluateAll(rows => rows.map(row => row.sectionRowIndex).join());
  expect(await chosen() === "1" && await yellow() > none, "a row highlights its tasks", `${await chosen()} ${none} ${await yellow()}`);
  const before = await span(page);
  await page.keyboard.press("ArrowDown");
  await settled(page);
  expect(await chosen() === "2" && (await span(page)).join() === before.join(), "arrow keys move in the table", await chosen());
  await page.keyboard.press("Enter");
  await settled(page);
  expect(await chosen() === "" && await yellow() === none, "Enter releases the row", await chosen());
  await page.keyboard.press(" ");
  await page.keyboard.press("Escape");
  await settled(page);
  expect(await chosen() === "" && await page.isVisible("#pane"), "and so does Escape", await chosen());

  await page.fill("#search", "there is no such text");
  await settled(page);
  expect((await names()).length === 0 && (await page.textContent("#omitted")) === "No tasks.", "the table follows the search");
  await page.fill("#search", "");
  await settled(page);
  expect((await names()).length === all.length, "and shows all again");

  // Its height.
  const split = await page.locator("#split").boundingBox();
  await page.mouse.move(split.x + 50, split.y + 2);
  await page.mouse.down();
  await page.mouse.move(split.x + 50, split.y + 82, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  expect(Math.abs(await height() - opened - 80) < 3, "the mouse changes its height", `${opened} ${await height()}`);
  await page.focus("#split");
  await page.keyboard.press("ArrowUp");
  await settled(page);
  const changed = await height();
  expect(Math.abs(changed - opened - 56) < 3, "and so do keys", `${opened} ${changed}`);
  await page.reload();
  await page.waitForFunction(() => window.skein);
  await settled(page);
  expect(await height() === changed && (await names()).length === all.length, "its height is kept", `${changed} ${await height()}`);
  await page.click("[data-run=toggle-task-table]");
  await settled(page);
  expect(await height() === whole && !await page.isVisible("#split"), "a closed table takes no room", `${whole} ${await height()}`);
  await page.reload();
  await page.waitForFunction(() => window.skein);
  expect(!await page.isVisible("#pane"), "and stays closed");
}

// The flame graph beside the table: a frame highlights its tasks in picture and table; the search only
// highlights frames.
async function showsFlame(page) {
  const yellow = () => page.evaluate(() => { skein.module.calls.list_text(); return skein.module.result().split("\n").filter(line => / highlight/.test(line)).length; });
  const pixels = colour => page.evaluate(([red, green, blue]) => {
    const canvas = document.getElementById("flame"), { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) count += data[i] === red && data[i + 1] === green && data[i + 2] === blue;
    return count;
  }, colour);
  const label = () => page.getAttribute("#flame", "aria-label");
  const framed = () => page.locator("#pane .framed").count();
  await page.focus("#picture");
  await page.keyboard.press("g");
  await settled(page);
  const box = await page.locator("#flame").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height - 4);
  await settled(page);
  const tooltip = () => page.textContent("#tooltip");
  expect(/^all\n.* 100\.0 %/.test(await tooltip()), "the outermost frame is below", await tooltip());
  expect((await page.locator("#flame-time option").allTextContents()).join() === "await: running", "the trace has no waits");
  await page.mouse.move(box.x + 20, box.y + box.height - 22);
  await settled(page);
  expect(/^(?!all).*\n.* of the selection/.test(await tooltip()), "a frame has its name, time and share", await tooltip());

  const none = await yellow();
  await page.mouse.click(box.x + 20, box.y + box.height - 22);
  await settled(page);
  expect(await yellow() > none && await framed() > 0, "a frame highlights its tasks", `${none} ${await yellow()} ${await framed()}`);
  await page.keyboard.press("Escape");
  await settled(page);
  expect(await yellow() === none && await framed() === 0 && await page.isVisible("#pane"), "Escape releases it");
  await page.keyboard.press("ArrowUp");
  const first = await label();
  await page.keyboard.press("Enter");
  await settled(page);
  expect(first !== "Flame graph" && await yellow() > none, "keys choose a frame", first);
  await page.keyboard.press("Escape");
  const before = await span(page);
  await page.keyboard.press("ArrowRight");
  expect((await span(page)).join() === before.join(), "arrow keys stay in the graph");

  const rows = await page.locator("#pane tbody tr").count(), name = first.split("\n")[0].split(" (")[0];
  expect(await pixels([0xff, 0xd8, 0x3d]) === 0, "no frame is yellow");
  await page.fill("#search", name);
  await settled(page);
  expect(await pixels([0xff, 0xd8, 0x3d]) > 50, "a search highlights frames", name);
  await page.fill("#search", "");
  await settled(page);
  expect(await page.locator("#pane tbody tr").count() === rows, "the search is over");
  await page.click("[data-run=toggle-task-table]");
  await settled(page);
  expect(!await page.isVisible("#flame"), "the graph closes with the table");
}

// Escape closes every menu and has no other effect.
async function closesMenus(page) {
  await page.fill("#search", "task");
  for (const menu of ["filter", "counter-menu", "bookmark-menu", "theme-menu"]) {
    for (const from of ["summary", "#picture"]) {
      await page.evaluate(menu => { if (!document.getElementById(menu).open) document.querySelector(`#${menu} summary`).click(); }, menu);
      await page.waitForSelector(`#${menu}[open]`);
      await page.focus(from === "summary" ? `#${menu} summary` : from);
      await page.keyboard.press("Escape");
      await settled(page);
      expect(await page.locator(".menu[open]").count() === 0, `Escape closes ${menu} from ${from}`);
      expect(await page.inputValue("#search") === "task", "and leaves the search");
    }
  }
  await page.fill("#search", "");
}

// A colour theme, selected by key or menu, survives a reload.
async function keepsColours(page) {
  const theme = () => page.evaluate(() => { skein.module.calls.theme_name(); return skein.module.result(); });
  const first = await theme();
  await page.focus("#picture");
  await page.keyboard.press("t");
  await settled(page);
  const second = await theme();
  await page.reload();
  await page.waitForFunction(() => window.skein);
  expect(second !== first && await theme() === second, "a theme chosen by key is kept", `${first} ${second} ${await theme()}`);
  await page.click("#theme-menu summary");
  await page.click(`#themes button:text-is("${first}")`);
  await settled(page);
  await page.reload();
  await page.waitForFunction(() => window.skein);
  expect(await theme() === first, "and one of the menu", await theme());
}

// Row height shrinks until all rows fit, and no further.
async function fitsRows(page) {
  await page.focus("#picture");
  await page.click("[data-run=fit-all]");
  const fitted = await bars(page);
  for (let i = 0; i < 90; i++) await page.keyboard.press("Shift+ArrowDown");
  await settled(page);
  expect(await bars(page) === fitted, "rows that fit get no lower", `${fitted} ${await bars(page)}`);
}

// Help.
async function showsHelp(page) {
  await page.focus("#picture");
  await page.keyboard.press("?");
  await settled(page);
  expect(await page.locator("#help[open]").count() === 1, "? opens help");
  expect((await page.textContent("#help")).includes("Mouse"), "help lists the mouse");
  expect(/Tap.*Select/.test(await page.textContent("#help")), "and fingers");
  await page.keyboard.press("Escape");
  await settled(page);
  expect(await page.locator("#help[open]").count() === 0, "Escape closes help");
}

async function works(browser, file) {
  const page = await open(browser, `file://${file}`);
  const notice = await page.textContent("#notice");
  expect(notice === "", "a whole trace has lost nothing", notice);
  await showsLegend(page);
  await movesWindow(page);
  await searches(page);
  await refusesBadNotes(page, await keepsBookmarks(page));
  await filters(page);
  await showsTable(page);
  await showsFlame(page);
  await closesMenus(page);
  await keepsColours(page);
  await fitsRows(page);
  await showsHelp(page);
  await page.context().close();
}

// Returns the texts at every place that shows texts of a trace, which must appear as text only.
async function texts(page) {
  return page.evaluate(() => {
    const of = selector => [...document.querySelectorAll(selector)].map(at => at.textContent);
    return { picture: [...window.drawn], tooltip: of("#tooltip"), title: [document.title, ...of("h1")], heading: of("#panel h2"),
             line: of("#panel dd"), link: of("#panel button"), notice: of("#notice"), counter: of("#counters label"),
             kind: of("#filter [name=kind] option"), executor: of("#filter [name=executor] option"), note: [...document.querySelectorAll("#bookmarks input")].map(at => at.value),
             table: of("#pane td, #pane p"), cell: [...document.querySelectorAll("#pane td")].map(at => at.title), problem: of("#note-problem"), remove: [...document.querySelectorAll("#bookmarks [title]")].map(at => at.title) };
  });
}

// Labels, a title and user input that are scripts, escape sequences, or a mebibyte long. `places`:
// the places that show such texts.
async function hostile(browser, scratch, trace, ...places) {
  const evil = join(scratch, `'"><img src=x onerror=alert(1)>\u202e`);
  rmSync(evil, { recursive: true, force: true });
  cpSync(trace, evil, { recursive: true });
  const file = html(evil, scratch, `evil "'<_alert(1)<.html`);
  const page = await open(browser, `file://${encodeURI(file).replaceAll("?", "%3f").replaceAll("#", "%23")}`, {
    allowed: url => url.startsWith("file:") && url.endsWith(".html"),
    before: () => {
      window.drawn = new Set();
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function(text, ...where) { window.drawn.add(text); fillText.call(this, text, ...where); };
    } });
  await page.keyboard.press("g");
  await settled(page);
  const seen = {};
  const look = async () => {
    for (const [place, some] of Object.entries(await texts(page))) some.forEach(text => (seen[place] ??= new Set()).add(text));
  };
  const elements = () => page.locator("body :not(#panel, #panel *, #bookmarks, #bookmarks *, #counters *, #pane *, option)").count();
  const before = await elements();
  await look();
  for (const sought of ["a", "<", "x", "%s", "\ufffd"]) {
    await page.fill("#search", sought);
    for (let i = 0; i < 16; i++) {
      await page.evaluate(async i => {
        const { module } = window.skein, canvas = document.getElementById("picture"), { left, top } = canvas.getBoundingClientRect();
        const run = name => module.with([name], (at, size) => module.calls.run_command(at, size));
        run("search-next");
        if (i % 8 === 3) run("highlight-related");
        if (i % 8 === 5) run("fit-selection");
        if (i % 8 === 7) run("fit-all");
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + 100 + i * 20, clientY: top + 40 + i * 13 }));
        await new Promise(requestAnimationFrame);
      }, i);
      await look();
    }
  }
  // A tooltip of a bar that is wide enough.
  await page.evaluate(() => skein.module.with(["fit-selection"], (at, size) => skein.module.calls.run_command(at, size)));
  const canvas = await page.locator("#picture").boundingBox();
  for (let y = 40; y < canvas.height - 100; y += 5) {
    await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + y);
    await look();
  }
  await page.click("#counter-menu summary");
  await look();
  await page.click("#filter summary");
  await page.waitForSelector("#filter[open]");
  await settled(page);
  await look();
  const script = "<img src=x onerror=alert(1)>", long = script + "x".repeat(1 << 20);
  for (const text of [script, long, "\u202e\u0000\ud800"]) {
    await page.fill("#search", text);
    await page.keyboard.press("Enter");
    await page.fill("#filter [name=label]", text);
    await settled(page);
    await look();
  }
  await page.click("#filter [type=reset]");
  await page.click("#bookmark-menu summary");
  await page.fill("#note input", long);
  await page.press("#note input", "Enter");
  await settled(page);
  await look();
  for (const notes of ["{", "[]", '{"__proto__":{"x":1}}', `{"<script>\u001b\u202e`, `{"bookmarks":[{"time":1e999,"text":"${"y".repeat(1 << 20)}"}]}`]) {
    await page.setInputFiles("#load-notes", { name: "n.json", mimeType: "application/json", buffer: Buffer.from(notes) });
    await page.waitForFunction(() => document.getElementById("load-notes").value === "");
    await look();
  }
  expect(await elements() === before, `${trace}: no element came from it`, `${before} ${await elements()}`);
  // Every element that the page created is of an expected kind.
  const foreign = await page.evaluate(() => [...document.querySelectorAll("#panel *, #pane *, #bookmarks *, #counters *, option, #tooltip *, footer *")]
      .filter(at => !["H2", "DL", "DT", "DD", "BUTTON", "LI", "LABEL", "INPUT", "OPTION", "SPAN", "WBR", "P", "TABLE", "THEAD", "TBODY", "TR", "TH", "TD", "DIV", "I", "CANVAS", "SELECT"].includes(at.tagName) ||
                    [...at.attributes].some(({ name }) => !["class", "title", "type", "value", "id", "role", "data-run", "hidden", "tabindex", "style", "aria-selected", "aria-sort", "aria-label", "width", "height"].includes(name)))
      .map(at => at.outerHTML.slice(0, 100)));
  expect(foreign.length === 0, `${trace}: all elements are the page's own`, foreign.slice(0, 3).join());
  for (const place of ["title", "remove", "note", "table", "cell", ...places])
    expect([...seen[place] ?? []].some(text => /[<>"&\ufffd]/.test(text)), `${trace}: hostile texts show as ${place}`, [...seen[place] ?? []].slice(0, 5).join(" | ").slice(0, 300));
  expect([...seen.problem].some(text => text !== ""), `${trace}: bad notes are refused`);
  for (const [place, some] of Object.entries(seen)) {
    const bad = [...some].filter(text => /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text));
    expect(bad.length === 0, `${trace}: texts in ${place} are safe`, JSON.stringify(bad.slice(0, 3)));
    expect(Math.max(...[...some].map(text => text.length)) < (/note|remove/.test(place) ? 5000 : 1500), `${trace}: texts in ${place} are cut`);
  }
  await page.context().close();
}

// Records a program with hostile labels and a hostile file name, which is also its thread name.
async function recorded(scratch) {
  const program = join(scratch, `<u>\u001b[1m"&`), trace = join(scratch, "recorded.d");
  cpSync(steps, program);
  execFileSync(program, { env: { ...process.env, SKEIN_TRACE: trace },
                          input: ["<script>alert(1)</script>", "\u001b[31m \u202e", "a\tb", "x".repeat(100_000), "& &lt; %s"].join("\n") + "\n" });
  return trace;
}

// A program that hangs: the page reports it without a request, leads to the task, and shows the
// reason.
async function stuck(browser, scratch) {
  const trace = join(scratch, "bad.skein"), arp = join(dirname(hang), "arp/arp");
  if (!existsSync(arp)) return;
  spawnSync(arp, ["--reply-first"], { env: { ...process.env, SKEIN_TRACE: trace }, stdio: "ignore" });
  const page = await open(browser, `file://${html(trace, scratch, "stuck.html")}`);
  const alarm = () => page.textContent("#alarm"), panel = () => page.textContent("#panel");
  expect(await alarm() === "1 stuck task: lost wake-up", "the error is shown", await alarm());
  await page.click("#alarm");
  await settled(page);
  const told = await panel();
  expect(/^send_one_byte.*why.*lost wake-up.*when no task was waiting.*notified by/s.test(told), "and why", told);
  await page.click("#panel dt:text-is('notified by') + dd button");
  await settled(page);
  expect(/^listen/.test(await panel()), "who notified is a link", await panel());
  await page.keyboard.press("e");
  await settled(page);
  expect(await panel() === told, "a key leads back", await panel());
  await page.context().close();
}

// A trace of several programs: the panel lists all of them.
async function programs(browser, scratch) {
  const trace = join(scratch, "two.json");
  const events = [[10, "client"], [20, "server"]].flatMap(([pid, name]) => [
    { ph: "M", name: "process_name", pid, tid: pid, args: { name } },
    { ph: "X", name: "work", pid, tid: pid, ts: 1, dur: 2 }]);
  writeFileSync(trace, JSON.stringify({ traceEvents: events }));
  const page = await open(browser, `file://${html(trace, scratch, "two.html")}`);
  const panel = await page.textContent("#panel");
  for (const name of ["client (process 10)", "server (process 20)"])
    expect(panel.includes(name), "the panel lists every program", panel);
  await page.context().close();
}

// A web server sends the page with a charset other than the page's.
async function hosted(browser, scratch, trace) {
  const bytes = readFileSync(trace);
  const noise = createHash("shake256", { outputLength: 2 << 20 }).update("noise").digest();
  const noisy = join(scratch, "noisy.ctf");
  writeFileSync(noisy, Buffer.concat([bytes, noise]));  // contains all pairs of bytes
  const body = readFileSync(html(noisy, scratch, "h\u00e9.html", "--title", "h\u00e9 \u{1f600}"));
  const server = createServer((_, response) =>
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const page = await open(browser, `http://127.0.0.1:${server.address().port}/`);
  expect(body.length > 2 << 20 && await page.evaluate(() => skein.module.calls.event_count() > 0), "a page on a web server opens");
  expect(await page.title() === "h\u00e9 \u{1f600} - skein", "its title is right", await page.title());
  await page.context().close();
  server.close();
}

// Opens 90 damaged traces with the page's own module. Each is shown, and its loss reported below
// the picture.
async function damaged(browser, file, trace) {
  const page = await open(browser, `file://${file}`);
  const bad = await page.evaluate(async base64 => {
    const { module, picture } = window.skein, { calls } = module;
    const data = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
    const whole = calls.event_count();
    let seed = 7;
    const used = [...data.keys()].filter(at => data[at] !== 0);  // most of the file is unused space
    const random = below => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
    const kinds = [];
    for (let i = 1; i <= 20; i++) kinds.push([`cut ${i}`, data.slice(0, used[Math.floor(used.length * i / 21)]), true]);
    for (let i = 0; i < 10; i++) {
      const at = used[random(used.length)], size = [1, 100, 4096, 8192][i % 4];
      kinds.push([`hole at ${at}`, data.slice().fill(0, at, at + size), size >= 100]);
    }
    for (let i = 0; i < 60; i++) {
      const at = i % 2 ? used[random(used.length)] : random(60), copy = data.slice();
      copy[at] ^= i % 3 ? 1 << random(8) : 0xff;
      kinds.push([`byte ${at} flipped`, copy, false]);  // some only change a time or number
    }
    const bad = [];
    const run = name => module.with([name], (at, size) => calls.run_command(at, size));
    for (const [what, bytes, is_lossy] of [...kinds, ["whole", data, false]]) {
      module.with(["0", bytes], (p, ps, b, bs) => calls.add_file(p, ps, b, bs));
      module.with(["0", "damaged"], (p, ps, t, ts) => calls.open_trace(0, p, ps, t, ts));
      const error = module.result();
      run("fit-all");
      picture.schedule();
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      const said = document.getElementById("notice").textContent;
      calls.notice();
      if (error !== "") bad.push(`${what}: ${error}`);
      else if (said !== module.result()) bad.push(`${what}: the page shows ${said}, the module ${module.result()}`);
      else if ((is_lossy || calls.event_count() < whole) && said === "") bad.push(`${what}: no loss is reported`);
      else if (what === "whole" && (said !== "" || calls.event_count() !== whole)) bad.push(`afterwards ${said}`);
    }
    return [kinds.length, ...bad];
  }, readFileSync(trace).toString("base64"));
  expect(bad[0] === 90 && bad.length === 1, "90 damaged traces open and report losses", bad.slice(0, 4).join("; "));
  await page.context().close();
}

await main(async (browser, scratch) => {
  const straight = join(scratch, "straight.ctf");
  execFileSync(generate, ["-o", straight, "--events", "2000"]);
  const traces = existsSync(net) ? [straight, net] : [straight];
  // A mirage trace, a skein trace, and both stacked.
  const ours = join(source, "tests/data/skein/every-event");
  for (const trace of [...traces, ours, [straight, ours]]) {
    const file = html(trace, scratch, "page.html");
    const page = await open(browser, `file://${file}`);
    const native = execFileSync(printLists, [trace].flat(), { maxBuffer: 1 << 30 }).toString();
    const wasm = await lists(page);
    expect(native.length > 10000 && native === wasm, `${trace}: the same draw lists`, firstDifference(native, wasm));
    if (trace === net) expect(statSync(file).size <= 250_000, "the page of net.ctf is small enough to mail", statSync(file).size);
    await page.context().close();
  }
  const file = html(straight, scratch, "straight.html");
  await works(browser, file);
  const labels = join(scratch, "labels.ctf");
  execFileSync("python3", [join(source, "tests/render/hostile_trace.py"), labels]);
  for (const trace of [join(source, "tests/data/mirage/hostile.ctf"), labels])
    await hostile(browser, scratch, trace, "picture", "tooltip", "heading", "line", "link", ...trace === labels ? ["counter"] : []);
  await hostile(browser, scratch, await recorded(scratch), "picture", "tooltip", "heading", "line", "executor");
  await stuck(browser, scratch);
  await programs(browser, scratch);
  await hosted(browser, scratch, straight);
  await damaged(browser, file, straight);
});
