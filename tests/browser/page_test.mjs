// A page that `skein html` wrote, opened from disk: input of all kinds, hostile and damaged traces, and
// the same draw lists as natively.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, generate, html, main, open, printLists, settled, source, span } from "./common.mjs";

const net = join(process.env.SKEIN_DATA ?? join(source, "../shared/data"), "net.ctf");

// The steps of print_lists.cc.
async function lists(page) {
  return page.evaluate(async () => {
    const { module } = window.skein, { calls } = module;
    let all = "";
    const print = what => { calls.list_text(); all += `# ${what}\n${module.result()}`; };
    calls.set_hint(0);
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

async function works(browser, file) {
  const page = await open(browser, `file://${file}`);
  const notice = () => page.textContent("#notice");
  expect(await notice() === "", "a whole trace has lost nothing", await notice());

  // Wheel, keys, buttons.
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

  // Search.
  await page.keyboard.press("/");
  await settled(page);
  expect(await page.evaluate(() => document.activeElement.id) === "search", "/ goes to the search field");
  await page.keyboard.type("task");
  await settled(page);
  const found = await page.textContent("#found");
  expect(/^\d+ found$|^\d+ of \d+$/.test(found), "the search counts", found);
  await page.keyboard.press("Enter");
  await settled(page);
  expect(/^\d+ of \d+$/.test(await page.textContent("#found")), "Enter goes to the first found",
         await page.textContent("#found"));
  const title = await page.textContent("#panel h2");
  expect(title.length > 0, "what was found is in the panel");
  await page.fill("#search", "there is no such text");
  await settled(page);
  expect(await page.textContent("#found") === "nothing", "nothing is found", await page.textContent("#found"));
  await page.keyboard.press("Escape");
  await settled(page);
  expect(await page.inputValue("#search") === "", "Escape ends the search");

  // Select, and follow a link of the panel.
  await page.locator("#panel button", { hasText: "#" }).first().click();
  await settled(page);
  expect(await page.textContent("#panel h2") !== title, "a link leads to another task",
         await page.textContent("#panel h2"));

  // Bookmark, kept over a reload.
  await page.click("#bookmark-menu summary");
  await page.fill("#note input", "here <b>it</b> is");
  await page.keyboard.press("Enter");
  await settled(page);
  expect((await page.textContent("#bookmarks")).includes("here <b>it</b> is"), "a bookmark is listed");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-notes")]);
  const notes = readFileSync(await saved.path(), "utf8");
  expect(JSON.stringify(JSON.parse(notes)).includes("here <b>it</b> is"), "notes are saved", notes);
  await page.reload();
  await page.waitForFunction(() => window.skein);
  await page.click("#bookmark-menu summary");
  await settled(page);
  expect((await page.textContent("#bookmarks")).includes("here <b>it</b> is"), "a bookmark is kept");
  await page.click("#bookmarks [title^=Remove]");
  expect(await page.textContent("#bookmarks") === "", "a bookmark is removed");
  await page.setInputFiles("#load-notes", { name: "n.json", mimeType: "application/json", buffer: Buffer.from(notes) });
  await page.waitForFunction(() => document.getElementById("bookmarks").textContent.includes("here"));
  await page.click("#bookmarks [title^=Remove]");
  await page.click("#title");

  // Filter.
  await page.click("#filter summary");
  await page.waitForSelector("#filter[open]");
  const kinds = await page.locator("#filter [name=kind] option").allTextContents();
  expect(kinds.length > 1 && kinds[0] === "any", "kinds to choose from", kinds.join());
  await page.fill("#filter [name=label]", "there is no such text");
  await settled(page);
  const bars = () => page.evaluate(() => { skein.module.calls.list_text(); return skein.module.result().split("\n").filter(line => / bar/.test(line)).length; });
  const filtered = await bars();
  await page.click("#filter [type=reset]");
  await page.waitForTimeout(0);
  await settled(page);
  expect(await bars() > filtered, "the filter hides tasks", `${filtered} ${await bars()}`);
  await page.keyboard.press("Escape");

  // Help.
  await page.focus("#picture");
  await page.keyboard.press("?");
  await settled(page);
  expect(await page.locator("#help[open]").count() === 1, "? opens help");
  expect((await page.textContent("#help")).includes("Mouse"), "help lists the mouse");
  await page.keyboard.press("Escape");
  await settled(page);
  expect(await page.locator("#help[open]").count() === 0, "Escape closes help");
  await page.context().close();
}

// Labels, a title and what a person types that are scripts, escape sequences, or a mebibyte long.
async function hostile(browser, scratch, trace) {
  const file = html(trace, scratch, `evil "'<_alert(1)<.html`);
  const page = await open(browser, `file://${encodeURI(file).replaceAll("?", "%3f").replaceAll("#", "%23")}`,
                          { allowed: url => url.startsWith("file:") && url.endsWith(".html") });
  const elements = () => page.locator("body :not(#panel, #panel *, #bookmarks, #bookmarks *, #counters *, option)").count();
  const before = await elements();
  // Everything a person can see of it.
  const [bad, longest] = await page.evaluate(async () => {
    const { module, picture } = window.skein, { calls } = module;
    const texts = [];
    const look = () => {
      calls.list_text(); texts.push(...module.result().split("\n"));
      calls.tooltip(); texts.push(...module.result().split("\n"));
      calls.panel(); texts.push(...JSON.parse(module.result()).lines.flat().map(String));
    };
    const run = name => module.with([name], (at, size) => calls.run_command(at, size));
    for (const sought of ["a", "<", "x", "%s", "\ufffd"]) {
      module.with([sought], (at, size) => calls.search(at, size));
      for (let i = 0; i < 40; i++) {
        run("search-next");
        calls.pointer_move(500, 40 + i * 16);
        if (i % 8 === 3) run("highlight-related");
        if (i % 8 === 5) run("fit-selection");
        if (i % 8 === 7) run("fit-all");
        look();
        if (i % 10 === 0) { picture.schedule(); await new Promise(requestAnimationFrame); }
      }
    }
    texts.push(...document.body.innerText.split("\n"));
    const bad = texts.filter(text => /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text));
    return [bad.slice(0, 3), Math.max(...texts.map(text => text.length))];
  });
  expect(bad.length === 0, `${trace}: texts are safe`, JSON.stringify(bad));
  expect(longest < 1000, `${trace}: texts are cut`, longest);
  for (const menu of ["#counter-menu", "#filter"]) await page.click(`${menu} summary`);
  const script = "<img src=x onerror=alert(1)>", long = script + "x".repeat(1 << 20);
  for (const text of [script, long, "\u202e\u0000\ud800"]) {
    await page.fill("#search", text);
    await page.keyboard.press("Enter");
    await page.fill("#filter [name=label]", text);
    await settled(page);
  }
  await page.click("#filter [type=reset]");
  await page.click("#bookmark-menu summary");
  await page.fill("#note input", long);
  await page.press("#note input", "Enter");
  await settled(page);
  const note = await page.textContent("#bookmarks");
  expect(note.includes(script) && note.length < 10000, `${trace}: a long note is cut`, note.length);
  for (const notes of ["{", "[]", '{"__proto__":{"x":1}}', `{"bookmarks":[{"time":1e999,"text":"${"y".repeat(1 << 20)}"}]}`]) {
    await page.setInputFiles("#load-notes", { name: "n.json", mimeType: "application/json", buffer: Buffer.from(notes) });
    await settled(page);
  }
  expect(await elements() === before, `${trace}: no element came from it`, `${before} ${await elements()}`);
  await page.context().close();
}

// 90 kinds of damage, all opened by the page's own core.
async function damaged(browser, file, trace) {
  const page = await open(browser, `file://${file}`);
  const bad = await page.evaluate(base64 => {
    const { module } = window.skein, { calls } = module;
    const data = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
    const whole = calls.event_count();
    let seed = 7;
    const random = below => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % below; };
    const kinds = [];
    for (let i = 1; i <= 20; i++) kinds.push([`cut ${i}`, data.slice(0, Math.floor(data.length * i / 21))]);
    for (let i = 0; i < 10; i++) {
      const at = random(data.length);
      kinds.push([`hole at ${at}`, data.slice().fill(0, at, at + [1, 100, 4096, 8192][i % 4])]);
    }
    for (let i = 0; i < 60; i++) {
      const at = i % 2 ? random(data.length) : random(60), copy = data.slice();
      copy[at] ^= i % 3 ? 1 << random(8) : 0xff;
      kinds.push([`byte ${at} flipped`, copy]);
    }
    const bad = [];
    for (const [what, bytes] of kinds) {
      module.with(["0", bytes], (p, ps, b, bs) => calls.add_file(p, ps, b, bs));
      module.with(["0", "damaged"], (p, ps, t, ts) => calls.open_trace(0, p, ps, t, ts));
      const error = module.result();
      calls.notice();
      const notice = module.result();
      if (error !== "") bad.push(`${what}: ${error}`);
      else if (calls.event_count() < whole && notice === "") bad.push(`${what}: nothing is said to be lost`);
      calls.paint(1, 300, 200);
    }
    return [kinds.length, ...bad];
  }, readFileSync(trace).toString("base64"));
  expect(bad[0] === 90 && bad.length === 1, "90 damages open and say what was lost", bad.slice(0, 4).join("; "));
  await page.context().close();
}

await main(async (browser, scratch) => {
  const straight = join(scratch, "straight.ctf");
  execFileSync(generate, ["-o", straight, "--events", "2000"]);
  const traces = existsSync(net) ? [straight, net] : [straight];
  for (const trace of traces) {
    const file = html(trace, scratch, "page.html");
    const page = await open(browser, `file://${file}`);
    const native = execFileSync(printLists, [trace], { maxBuffer: 1 << 30 }).toString();
    const wasm = await lists(page);
    expect(native.length > 10000 && native === wasm, `${trace}: the same draw lists`, firstDifference(native, wasm));
    await page.context().close();
  }
  const file = html(straight, scratch, "straight.html");
  await works(browser, file);
  const labels = join(scratch, "labels.ctf");
  execFileSync("python3", [join(source, "tests/render/hostile_trace.py"), labels]);
  for (const trace of [join(source, "tests/data/mirage/hostile.ctf"), labels]) await hostile(browser, scratch, trace);
  await damaged(browser, file, straight);
});
