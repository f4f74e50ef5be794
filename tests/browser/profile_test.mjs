// The page of a profile of a server that nothing has prepared (tests/profile/page/server.cc: g++ -O2, without frame
// pointers): table, timeline, and the flame graphs of logical, physical and await stacks, each of which restricts or
// highlights the others. What the graph counts is compared with SQL over the same samples.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, html, main, open, pictureDifference, settled, skein, source, span } from "./common.mjs";

const code = join(source, "tests/profile/page/server.cc");
const scratch = mkdtempSync(join(tmpdir(), "skein-browser-profile-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
function skip(why) {
  console.log("skipped:", why);
  process.exit(77);
}

const server = join(scratch, "server"), data = join(scratch, "server.data");
const built = spawnSync("g++", ["-std=c++20", "-g", "-O2", "-fomit-frame-pointer", "-pthread", code, "-o", server], { encoding: "utf8" });
if (built.error) skip("no g++");
if (/asio\.hpp: No such file/.test(built.stderr)) skip("no Asio");
expect(built.status === 0, "the server is built", built.stderr);

// Profiles the server while clients load it.
async function profile(output) {
  const profiler = spawn(skein, ["profile", "-o", output, "--", server, "serve", "2"], { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  profiler.stderr.on("data", text => errors += text);
  const ended = once(profiler, "exit");
  const port = String(await Promise.race([once(profiler.stdout, "data"), ended])).trim().split("\n")[0];
  profiler.stdout.resume();
  spawnSync(server, ["load", port, "3"]);
  const [status] = await ended;
  if (/perf_event_open/.test(errors)) skip(errors);
  expect(status === 0, "the server is profiled", errors);
}
await profile(data);

const rows = sql => execFileSync(skein, ["query", data, "--csv", sql], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .trim().split("\n").slice(1);
const count = sql => Number(rows(sql)[0]);
const line = text => 1 + readFileSync(code, "utf8").split("\n").findIndex(each => each.includes(text));

// The frames of the graph: what is shown for each when the pointer is over it, and a point in it.
const frames = page => page.evaluate(() => {
  const { module } = window.skein, { calls } = module, canvas = document.getElementById("flame");
  const found = {};
  for (let y = canvas.clientHeight - 8; y > 24; y -= 17) {
    for (let x = 1; x < canvas.clientWidth; x += 2) {
      calls.flame_move(x, y);
      calls.flame_tooltip();
      const [name, weight] = module.result().split("\n");
      if (name && !(name in found)) found[name] = { x, y, weight: weight.split(",").slice(0, -1).join(), samples: Number(weight.split(" samples")[0].replaceAll(",", "")) };
    }
  }
  calls.flame_move(-1, -1);
  return found;
});
const samples = async page => (await frames(page)).all?.samples ?? 0;
const yellow = page => page.evaluate(() => { skein.module.calls.list_text(); return skein.module.result().split("\n").filter(each => / highlight/.test(each)).length; });
// In the lanes of the two threads, which are the first rows.
const yellowMarks = page => page.evaluate(() => {
  const canvas = document.getElementById("picture"), { data } = canvas.getContext("2d").getImageData(0, 34, canvas.width, 36);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += data[i] === 0xff && data[i + 1] === 0xd8 && data[i + 2] === 0x3d;
  return count;
});
const selection = page => page.textContent("#selection");
const framed = page => page.locator("#pane .framed td:first-child").allTextContents();
const choose = async (page, label) => {
  await page.selectOption("#flame-time", { label });
  await settled(page);
};
async function clickFrame(page, name) {
  const at = (await frames(page))[name];
  expect(at !== undefined, "a frame to click", name);
  await page.locator("#flame").click({ position: at });
  await settled(page);
}
async function clear(page) {
  await page.focus("#picture");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+Escape");
  await page.click("[data-run=fit-all]");
  await settled(page);
  expect(await selection(page) === "Tasks of: whole trace", "nothing is selected", await selection(page));
}

const all = () => count("SELECT count(*) FROM sample");
const session = `shop::session (server.cc:${line("co_await answer(")})`;
const answer = `shop::answer (server.cc:${line("co_await quote(")})`;

async function showsStacks(page) {
  const choices = await page.locator("#flame-time option").allTextContents();
  expect(choices.join() === "samples: logical,samples: physical,await: running,await: suspended,await: all", "graphs to choose from", choices.join());
  const logical = await frames(page), names = Object.keys(logical);
  for (const name of [session, answer, "shop::quote", "shop::price_of", "shop::query", "shop::sort_rows", "shop::refresh"])
    expect(name in logical, `logical stacks have ${name}`, names.join());
  expect(logical.all.samples === all(), "all samples are in the graph", `${logical.all.samples} ${all()}`);
  // The event loop is below no coroutine.
  expect(logical[session].y > logical[answer].y && logical[answer].y > logical["shop::quote"].y, "the callers are below");
  const prices = count(`SELECT count(*) FROM sample WHERE stack IN (SELECT stack FROM stack_frame WHERE function LIKE '%price_of%')`);
  const shown = logical["shop::price_of"].samples;
  expect(shown <= prices && shown > 0.9 * prices, "samples of a function", `${shown} of ${prices}`);

  await choose(page, "samples: physical");
  const physical = Object.keys(await frames(page));
  expect(await samples(page) === all(), "physical stacks of the same samples");
  expect(!physical.some(name => /server\.cc:/.test(name)) && physical.some(name => /^asio::.*run/.test(name)), "with the event loop", physical.join());

  await choose(page, "await: suspended");
  const waits = await frames(page);
  expect(/ s$/.test(waits.all.weight) && session in waits, "waits by logical stack", JSON.stringify(waits));
  await choose(page, "await: running");
  expect(/ s$|ms$/.test((await frames(page)).all.weight), "running time");
  await choose(page, "samples: logical");
}

async function followsFrame(page) {
  const none = await yellow(page);
  await clickFrame(page, "shop::price_of");
  const marked = await framed(page);
  expect(marked.includes("shop::quote") && !marked.includes("shop::query") && !marked.includes("shop::refresh"), "the rows of a frame", marked.join());
  expect(await yellow(page) > none, "its tasks are highlighted in the timeline", `${none} ${await yellow(page)}`);
  expect(await yellowMarks(page) > 0, "and its samples in the lanes");
  expect(await samples(page) === all(), "a frame restricts nothing");
  await page.locator("#flame").press("Escape");
  await settled(page);
  expect(await yellow(page) === none && (await framed(page)).length === 0, "Escape releases it");
  expect(await yellowMarks(page) === 0, "and the samples");
}

// Returns the times of its ends, ns. Both are shares of the width.
async function dragRange(page, begin, end) {
  const box = await page.locator("#picture").boundingBox(), [from, to] = await span(page);
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + begin * box.width, box.y + 150);
  await page.mouse.down();
  await page.mouse.move(box.x + end * box.width, box.y + 150, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await settled(page);
  return [begin, end].map(share => from + share * (to - from));
}

async function followsRange(page) {
  const times = await dragRange(page, 0.3, 0.6);
  expect(/^Tasks of: .* to .* \(/.test(await selection(page)), "a range is selected", await selection(page));
  const expected = count(`SELECT count(*) FROM sample WHERE time_ns >= ${times[0]} AND time_ns < ${times[1]}`), shown = await samples(page);
  // A pixel is 2 ms.
  expect(Math.abs(shown - expected) <= 16 && shown < all(), "the samples of the range", `${shown} ${expected}`);
  await choose(page, "await: running");
  const running = (await frames(page)).all.weight;
  expect(/ms$/.test(running) && parseFloat(running) < 1300, "and its time", running);
  await choose(page, "samples: logical");
  await clear(page);
}

async function followsTask(page) {
  await page.fill("#search", "shop::session");
  await settled(page);
  expect(/matches of 'shop::session'/.test(await selection(page)), "the table is of the matches", await selection(page));
  expect((await page.locator("#pane tbody td:first-child").allTextContents()).join() === "shop::session", "their rows");
  expect(await samples(page) === all(), "a search restricts no graph");
  await page.press("#search", "Enter");
  await settled(page);
  expect(/matches of 'shop::session'/.test(await selection(page)), "also while one of them is selected", await selection(page));
  await page.fill("#search", "");  // without the search, that task is left
  await settled(page);
  const id = /shop::session \(#(\d+)\) with [\d,]+ tasks below/.exec(await selection(page))?.[1];
  expect(id !== undefined, "a task with its subtree", await selection(page));
  const expected = count(`WITH RECURSIVE below(id) AS (SELECT ${id} UNION SELECT task.id FROM task JOIN below ON task.parent = below.id)
      SELECT count(*) FROM sample WHERE task IN (SELECT id FROM below)`);
  const shown = await frames(page);
  expect(shown.all.samples === expected && expected < all(), "its samples", `${shown.all.samples} ${expected}`);
  expect(!("shop::refresh" in shown) && session in shown, "and no others", Object.keys(shown).join());
  const panel = await page.textContent("#panel");
  expect(/first sample/.test(panel) && /last sample/.test(panel) && !/ended|read the result/.test(panel), "the panel knows only samples", panel);
  await clear(page);
}

async function followsLane(page) {
  const box = await page.locator("#picture").boundingBox();
  let y = 30;
  while (y < 120 && !/tasks on server\//.test(await selection(page))) {
    await page.mouse.click(box.x + 20, box.y + (y += 4));
    await settled(page);
  }
  const name = /tasks on (server\/\d+)/.exec(await selection(page))?.[1];
  expect(name !== undefined, "a lane is selected by its name", await selection(page));
  const expected = count(`SELECT count(*) FROM sample WHERE executor = '${name}'`);
  expect(await samples(page) === expected && expected < all(), "the samples of its thread", `${await samples(page)} ${expected}`);
  await clear(page);
}

async function followsRow(page) {
  const none = await yellow(page);
  await page.locator("#pane tbody tr", { hasText: "shop::refresh" }).click();
  await settled(page);
  const shown = await frames(page);
  const expected = count("SELECT count(*) FROM sample JOIN task ON task.id = sample.task WHERE task.function LIKE '%refresh%'");
  expect(!(session in shown) && "shop::refresh" in shown && shown.all.samples === expected, "a row restricts the graph", `${JSON.stringify(shown.all)} ${expected}`);
  expect(await yellow(page) > none, "and highlights its tasks");
  await clear(page);
}

// What the pane shows is inside it, at each width.
async function fits(page, width) {
  const cut = await page.evaluate(() => {
    const tasks = document.getElementById("tasks"), flame = document.getElementById("flame");
    return { table: tasks.scrollWidth - tasks.clientWidth, flame: flame.clientWidth, picture: document.getElementById("picture").clientHeight };
  });
  expect(cut.table <= 0, `the table has its columns at ${width} px`, JSON.stringify(cut));
  expect(cut.flame > 250 && cut.picture > 150, `graph and timeline have room at ${width} px`, JSON.stringify(cut));
}

// The README's picture is the page as it is now, of the trace beside it (`skein export ctf`). To replace it:
// tools/update-golden build/dev browser/profile
async function isInReadme(browser, folder) {
  const name = "docs/pictures/server.png", file = join(source, name);
  const page = await open(browser, "file://" + html(join(source, "docs/pictures/server"), folder, "readme.html"),
                          { viewport: { width: 1200, height: 800 } });
  await page.evaluate(() => skein.module.calls.set_hint(0));
  await dragRange(page, 0.35, 0.65);
  await page.mouse.move(1190, 400);
  await settled(page);
  const now = await page.screenshot();
  if (process.env.SKEIN_UPDATE_GOLDEN) writeFileSync(file, now);
  expect(now.length < 200_000, "the picture is small", now.length);
  expect(readFileSync(join(source, "README.md"), "utf8").includes(name), "the README shows it");
  const seen = join(folder, "seen.png");
  const difference = () => Number(execFileSync(pictureDifference, [seen, file], { encoding: "utf8" }));
  writeFileSync(seen, now);
  if (pictureDifference) expect(difference() < 0.05, "the README's picture is the page", difference());
  await clickFrame(page, "shop::quote");
  writeFileSync(seen, await page.screenshot());
  if (pictureDifference) expect(difference() > 0.05, "another state of it is seen", difference());
  await page.context().close();
}

await main(async (browser, folder) => {
  const page = await open(browser, "file://" + html(data, folder, "server.html"), { viewport: { width: 1400, height: 900 } });
  expect(await page.isVisible("#pane"), "the pane is open");
  const note = await page.textContent("#alarm");
  expect(/^From samples at [\d,]+ Hz: .*not known/.test(note), "the note", note);
  expect(!/ended/.test(await page.textContent("#panel")), "no task has ended, as far as is known", await page.textContent("#panel"));
  await page.focus("#picture");
  await page.keyboard.press("Escape");  // the hint
  for (const test of [showsStacks, followsFrame, followsRange, followsTask, followsLane, followsRow]) await test(page);
  await page.context().close();
  for (const [width, height] of [[1200, 700], [1024, 768], [1920, 1080]]) {
    const other = await open(browser, "file://" + join(folder, "server.html"), { viewport: { width, height } });
    await settled(other);
    await fits(other, width);
    await other.context().close();
  }

  await isInReadme(browser, folder);

  // In one step, as in the README.
  const direct = join(folder, "direct.html");
  await profile(direct);
  const other = await open(browser, "file://" + direct);
  await settled(other);
  expect(session in await frames(other), "skein profile -o x.html writes the same page");
  await other.context().close();
});
