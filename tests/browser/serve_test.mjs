// `skein serve` on a running program: its events appear in the page as they happen, the viewport
// does not move, and requests without the token are refused.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, generate, hang, main, notesShown, open, settled, skein, source, span, steps } from "./common.mjs";

const children = [];  // killed if a test fails, because they would keep ctest's pipe open
process.on("exit", () => children.forEach(child => child.kill("SIGKILL")));

function start(program, words, environment = {}) {
  const process_ = spawn(program, words, { env: { ...process.env, ...environment }, stdio: ["pipe", "pipe", "inherit"] });
  children.push(process_);
  const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
  return { process: process_, line: async () => (await lines.next()).value };
}

async function until(condition) {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 20));
}

const ask = (url, headers = {}) => new Promise((resolve, reject) =>
    get(url, { headers }, response => {
      let body = "";
      response.on("data", data => body += data);
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    }).on("error", reject));

// Serves the tutorial's program while it hangs: the page shows what the task waits for.
async function hanging(browser, scratch) {
  let program;
  do {  // on a busy machine the answer may arrive in time, so that the program ends
    program = spawn(hang, ["10"], { env: { ...process.env, SKEIN_TRACE: join(scratch, "hang-%p") }, stdio: "ignore" });
    children.push(program);
    const hangs = () => spawnSync(skein, ["ps", "--json", String(program.pid)]).stdout.includes('"wait"');
    while (program.exitCode === null && !hangs()) await new Promise(resolve => setTimeout(resolve, 20));
  } while (program.exitCode !== null);
  const server = start(skein, ["serve", String(program.pid)]);
  const link = await server.line();
  const page = await open(browser, link, { ends: true, allowed: url => url.startsWith(new URL(link).origin) });
  await page.waitForFunction(() => document.getElementById("live").textContent.endsWith("runs"));
  // The query has been sent, after its answer arrived: no more events follow.
  await page.waitForFunction(() => {
    const { module } = window.skein;
    return module.json(() => module.with(["wait"], (at, size) => module.calls.search(at, size))).count > 0;
  });
  await page.fill("#search", "use_network");
  await page.press("#search", "Enter");
  await settled(page);
  expect(/use_network/.test(await page.textContent("#panel h2")), "the task that hangs is found", await page.textContent("#panel h2"));
  const panel = await page.textContent("#panel");
  expect(/query/.test(panel), "and on what it waits", panel);
  // Without events, the picture still advances, and the panel shows the growing duration of the
  // wait.
  const waits = () => page.evaluate(() => Number(/for ([\d.]+) s so far/.exec(document.getElementById("panel").textContent)?.[1] ?? 0));
  const longer = than => page.waitForFunction(than => Number(/for ([\d.]+) s so far/.exec(document.getElementById("panel").textContent)?.[1]) > than, than);
  await page.click("[data-run=fit-all]");
  await page.waitForFunction(() => skein.module.calls.window_to() > 1.5e9);
  await settled(page);
  const duration = await waits(), [, end] = await span(page);
  const rounding = 1.005;  // three significant digits
  expect(duration > 1 && duration < end / 1e9 * rounding, "for how long it waits", `${duration} s of ${end} ns`);
  await page.waitForFunction(end => skein.module.calls.window_to() > end + 5e8, end);
  await longer(duration);
  // A viewport in the past is not redrawn; the panel is updated.
  await page.evaluate(() => skein.module.calls.show(0, 1e6));
  await settled(page);
  const scene = await page.evaluate(() => skein.module.calls.scene_version()), before = await waits();
  await longer(before);
  expect(await page.evaluate(() => skein.module.calls.scene_version()) === scene, "invisible rows are not drawn");
  await page.click("[data-run=fit-all]");
  await page.waitForFunction(end => skein.module.calls.window_to() > end + 1e9, end);
  program.kill("SIGKILL");
  await once(program, "exit");
  await page.waitForFunction(() => document.getElementById("live").textContent.includes("has ended"));
  await page.waitForFunction(() => /for [\d.]+ s(?! so far)/.test(document.getElementById("panel").textContent));
  expect((await span(page))[1] > end + 1e9, "what was seen last stays", String(await span(page)));
  await page.context().close();
  server.process.kill("SIGTERM");
  await once(server.process, "exit");
}

// A ring overwrites its beginning while a page shows it. An event keeps its time: on the axis and
// in the panel, in every page, after a reload, and in the notes that the next server finds.
async function forgetting(browser, scratch) {
  const trace = join(scratch, "ring"), beside = `${trace}.skein-notes.json`;
  const program = start(steps, [], { SKEIN_TRACE: `${trace},size=16k` });
  const tick = async text => {
    program.process.stdin.write(`${text}\n`);
    await program.line();
  };
  await tick("first");
  const server = start(skein, ["serve", String(program.process.pid)]);
  const link = await server.line(), allowed = url => url.startsWith("http://127.0.0.1:");
  const page = await open(browser, link, { ends: true, allowed });
  for (let i = 0; i < 3000; i++) await tick(`label ${i}`);
  await tick("the last");
  const ring = JSON.parse(execFileSync(skein, ["info", "--json", trace]));
  expect(ring.overwritten_packets > 0, "its beginning is forgotten");
  const created = async page => {
    await page.waitForFunction(() => window.skein && document.getElementById("progress").hidden);
    await page.fill("#search", "the last");
    await page.waitForFunction(() => /^1 /.test(document.getElementById("found").textContent));
    await page.press("#search", "Enter");
    await settled(page);
    return page.evaluate(() => /created(?=[\d.]+ m?s)([\d.]+) (m?)s/.exec(document.getElementById("panel").textContent));
  };
  const [text, number, milli] = await created(page), time = Number(number) * (milli ? 1e6 : 1e9);
  await page.click("#panel button:text-is('" + text.slice("created".length) + "')");
  await settled(page);
  const [from, to] = await span(page);
  expect(from < time && time < to, "the panel and the axis agree", `${time} ns in ${from} to ${to}`);
  await page.waitForFunction(() => document.getElementById("found").textContent === "1 of 1");
  const events = await page.evaluate(() => skein.module.calls.event_count());
  await tick("one more");
  await page.waitForFunction(events => skein.module.calls.event_count() !== events, events);
  await settled(page);
  expect(await page.textContent("#found") === "1 of 1", "the place in the search stays", await page.textContent("#found"));
  await page.reload();
  expect((await created(page))[0] === text, "the same time after a reload", text);

  await page.evaluate(time => skein.module.calls.show(time - 1e3, time + 1e3), time);
  await page.click("#bookmark-menu summary");
  await page.fill("#note [name=text]", "here");
  await page.press("#note [name=text]", "Enter");
  await until(() => existsSync(beside));
  const listed = await page.textContent("#bookmarks");
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll("#bookmarks li").length === 1);
  expect(await page.textContent("#bookmarks") === listed, "the bookmark, too", listed);
  const next = start(skein, ["serve", String(program.process.pid)]);
  const again = await open(browser, await next.line(), { ends: true, allowed });
  expect((await created(again))[0] === text && await again.textContent("#bookmarks") === listed, "served again", text);
  await again.context().close();
  await page.context().close();
  program.process.stdin.end();
  for (const each of [server, next]) {
    each.process.kill("SIGTERM");
    await once(each.process, "exit");
  }
}

// The critical path of a task is shown initially, and not again after the user removes it.
async function critical(browser, scratch) {
  const trace = join(scratch, "critical");
  const program = start(steps, [], { SKEIN_TRACE: trace });
  const tick = async text => {
    program.process.stdin.write(`${text}\n`);
    await program.line();
  };
  await tick("first");
  const nobody = spawnSync(skein, ["serve", trace, "--critical-path", "no-such-task"]);
  expect(nobody.status === 1 && /no task has/.test(nobody.stderr), "there is no such task", String(nobody.stderr));
  const words = ["--critical-path", "the session"];
  const server = start(skein, ["serve", String(program.process.pid), ...words]);
  const page = await open(browser, await server.line(), { ends: true, allowed: url => url.startsWith("http://127.0.0.1:") });
  const told = () => page.evaluate(() => document.getElementById("panel").textContent.includes("critical path"));
  await page.waitForFunction(() => document.getElementById("panel").textContent.includes("critical path"));
  expect(/the session/.test(await page.textContent("#panel h2")), "it is selected", await page.textContent("#panel h2"));
  const more = async text => {
    const events = await page.evaluate(() => skein.module.calls.event_count());
    await tick(text);
    await page.waitForFunction(events => skein.module.calls.event_count() > events, events);
    await settled(page);
  };
  await more("second");
  expect(await told(), "new events are announced as well");
  await page.focus("#picture");
  await page.keyboard.press("k");
  await page.waitForFunction(() => !document.getElementById("panel").textContent.includes("critical path"));
  await more("third");
  expect(!await told(), "it was taken away");
  await page.context().close();
  program.process.stdin.end();
  server.process.kill("SIGTERM");
  await once(server.process, "exit");

  const file = join(scratch, "critical.html");
  execFileSync(skein, ["html", trace, "-o", file, ...words]);
  const still = await open(browser, `file://${file}`);
  expect(/critical path/.test(await still.textContent("#panel")), "so does a page that is a file", await still.textContent("#panel"));
  await still.context().close();
}

// Checks access control.
async function refuses(link) {
  const { origin } = new URL(link);
  const good = await ask(link);
  expect(good.status === 200, "with the link", good.status);
  const policy = good.headers["content-security-policy"];
  expect(/default-src 'none'/.test(policy) && /script-src 'nonce-[0-9a-f]{32}' 'wasm-unsafe-eval'/.test(policy) &&
         !policy.includes("unsafe-inline"), "the policy is strict", policy);
  expect(good.headers["cache-control"] === "no-store" && good.headers["x-content-type-options"] === "nosniff" &&
         good.headers["referrer-policy"] === "no-referrer", "headers", JSON.stringify(good.headers));
  expect(!good.body.includes("<b>&.d"), "the path is escaped");
  for (const [url, headers] of [[`${origin}/`], [`${origin}/bundle`], [`${origin}/?token=${"0".repeat(32)}`],
                                [`${origin}/bundle?token=`], [link, { Host: "evil.example" }],
                                [link, { Host: "127.0.0.1:1" }]]) {
    const refused = await ask(url, headers);
    expect(refused.status === 403 && refused.body.length < 200, `${url} is refused`, refused.status);
  }
  expect((await ask(link.replace("/?", "/etc?"))).status === 404, "no other page");
}

// Notes are stored beside the trace, and found by the next server.
async function keepsNotes(browser, scratch, page, program, trace) {
  const beside = `${trace}.skein-notes.json`;
  await page.click("#picture", { position: { x: 300, y: 200 } });
  await page.keyboard.press("b");
  await until(() => existsSync(beside));
  await page.click("#bookmark-menu summary");
  await page.fill("#note [name=text]", "<i>typed");
  await page.press("#note [name=text]", "Enter");
  await until(() => JSON.parse(readFileSync(beside, "utf8")).bookmarks.length === 2);
  const again = start(skein, ["serve", String(program.process.pid)]);
  const again_page = await open(browser, await again.line(), { ends: true, allowed: () => true });
  await again_page.waitForFunction(() => document.querySelectorAll("#bookmarks li").length === 2);
  expect((await notesShown(again_page)).includes("<i>typed"), "a note that was served before");
  await again_page.context().close();
  again.process.kill("SIGTERM");
  await once(again.process, "exit");
  // A page of `skein html` contains them, too.
  const document_ = join(scratch, "noted.html");
  execFileSync(skein, ["html", trace, "-o", document_]);
  const noted = await open(browser, `file://${document_}`);
  await noted.waitForFunction(() => document.querySelectorAll("#bookmarks li").length === 2);
  await noted.context().close();
  // A file that another program wrote there is not overwritten, and the page reports that.
  const letter = readFileSync(beside, "utf8");
  writeFileSync(beside, "a letter");
  await page.evaluate(() => document.getElementById("note").requestSubmit());
  await page.waitForFunction(() => document.getElementById("note-problem").textContent.includes("not saved"));
  expect(readFileSync(beside, "utf8") === "a letter", "it is as it was");
  writeFileSync(beside, letter);
  await page.evaluate(() => { document.getElementById("bookmark-menu").open = false; });
}

// New events arrive; the viewport does not move.
async function follows(page, before, tick) {
  await page.evaluate(() => skein.module.calls.show(0, 1000));
  await settled(page);
  const window_ = await span(page);
  for (let i = 0; i < 5; i++) await tick(`label ${i} <script>alert(1)</script>`);
  await page.waitForFunction(least => skein.module.calls.event_count() >= least, before + 15);
  expect((await span(page)).join() === window_.join(), "the window stays", String(await span(page)));
  await page.fill("#search", "label 4");
  await page.waitForFunction(() => /^1 /.test(document.getElementById("found").textContent));

  // If the end is visible, the viewport follows it.
  await page.click("[data-run=fit-all]");
  await settled(page);
  const [, end] = await span(page);
  await tick("last");
  await page.waitForFunction(end => skein.module.calls.window_to() > end, end);
}

// Serves a file that grows; refuses a missing file.
async function servesFile(browser, scratch) {
  const file = join(scratch, "file.ctf");
  execFileSync(generate, ["-o", file, "--events", "2000"]);
  const whole = readFileSync(file), all = JSON.parse(execFileSync(skein, ["info", "--json", file])).events;
  writeFileSync(file, whole.subarray(0, 10_000));
  const of_file = start(skein, ["serve", file]);
  const file_link = await of_file.line();
  const file_page = await open(browser, file_link, { ends: true, allowed: url => url.startsWith(new URL(file_link).origin) });
  const half = await file_page.evaluate(() => skein.module.calls.event_count());
  expect(half > 100 && half < all, "a file is served", `${half} of ${all}`);
  writeFileSync(file, whole);
  await file_page.waitForFunction(all => skein.module.calls.event_count() === all, all);
  expect(await file_page.textContent("#live") === "" && await file_page.textContent("#notice") === "", "and is whole then");
  of_file.process.kill("SIGTERM");
  expect((await once(of_file.process, "exit"))[0] === 0, "SIGTERM ends it");
  const nothing = spawn(skein, ["serve", join(scratch, "missing")], { stdio: "ignore" });
  expect((await once(nothing, "exit"))[0] === 2, "a file that is no trace exits with 2");
}

// Serves a running program until it ends, with notes made while it runs.
async function recording(browser, scratch) {
  const trace = join(scratch, "trace <b>&.d");
  const program = start(steps, [], { SKEIN_TRACE: trace });
  const tick = async text => {
    program.process.stdin.write(`${text}\n`);
    expect(await program.line() === text, "the program answers");
  };
  await tick("first");
  await tick("second");

  const server = start(skein, ["serve", String(program.process.pid)]);
  const link = await server.line();
  expect(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{32}$/.test(link), "the link is the first line", link);
  await refuses(link);

  const page = await open(browser, link, { ends: true, allowed: url => url.startsWith(`${new URL(link).origin}/`) });
  const events = () => page.evaluate(() => skein.module.calls.event_count());
  const before = await events();
  expect(before > 0, "events are there", before);
  await page.waitForFunction(() => document.getElementById("live").textContent.endsWith("runs"));
  await keepsNotes(browser, scratch, page, program, trace);
  await follows(page, before, tick);

  program.process.stdin.end();
  await once(program.process, "exit");
  await page.waitForFunction(() => document.getElementById("live").textContent.includes("has ended"));

  // Ctrl-C.
  server.process.kill("SIGINT");
  const [code] = await once(server.process, "exit");
  expect(code === 0, "an interrupt is a good end", code);
  await page.waitForFunction(() => document.getElementById("live").textContent.includes("does not respond"));
  await page.context().close();
}

await main(async (browser, scratch) => {
  if (existsSync(hang)) await hanging(browser, scratch);
  await forgetting(browser, scratch);
  await critical(browser, scratch);
  await recording(browser, scratch);
  await servesFile(browser, scratch);
});
