// See bench/page, which runs this with the build directory and the number of rounds.
//
// The machine may be busy: the best value is reported in addition to the median, and work spread
// over many processes is measured in CPU time.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { chromium } = createRequire(join(process.env.SKEIN_BROWSER_FOLDER, "package.json"))("playwright-core");
const [build, rounds] = [process.argv[2], Number(process.argv[3])];
const source = join(dirname(fileURLToPath(import.meta.url)), "..");
const net = join(process.env.SKEIN_DATA ?? join(source, "../shared/data"), "net.ctf");
const zooms = [1, 10, 100, 1000, 100000];
const rowHeights = { fit: 0, thin: 2, low: 6, high: 26 };

function print(what, trace, unit, values) {
  const sorted = [...values].sort((a, b) => a - b);
  const show = value => Number.isInteger(value) ? value : value.toFixed(2);
  console.log([what, trace, unit, show(sorted[0]), show(sorted[sorted.length >> 1])].join("\t"));
}

function launch() {
  return chromium.launch({ executablePath: process.env.SKEIN_BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
}

// CPU time of all processes of the browser, ms.
async function cpuOf(session) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return 1000 * processInfo.reduce((sum, process) => sum + process.cpuTime, 0);
}

// At this viewport size, the picture is 1500 x 900.
async function open(page, file) {
  await page.setViewportSize({ width: 1800, height: 1000 });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.skein, undefined, { timeout: 0 });
  const picture = await page.evaluate(() => {
    const { clientWidth, clientHeight } = document.getElementById("picture");
    return [clientWidth, clientHeight];
  });
  await page.setViewportSize({ width: 1800 + 1500 - picture[0], height: 1000 + 900 - picture[1] });
  await page.waitForFunction(() => document.getElementById("picture").width === 1500);
}

// Waits until the browser is idle: a new tab keeps it busy for a while.
async function quiet(session) {
  for (let before = await cpuOf(session);;) {
    await new Promise(done => setTimeout(done, 100));
    const now = await cpuOf(session);
    if (now - before < 5) return;
    before = now;
  }
}

// Uses a new tab, which is a new process: nothing is compiled or cached from earlier loads.
async function load(context, session, file) {
  const page = await context.newPage();
  const tab = await context.newCDPSession(page);
  await tab.send("Performance.enable", { timeDomain: "threadTicks" });
  await quiet(session);
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => performance.getEntriesByName("first picture").length);
  const { metrics } = await tab.send("Performance.getMetrics");
  const wall = await page.evaluate(() => {
    const [picture] = performance.getEntriesByName("first picture");
    return picture.startTime + picture.duration;
  });
  await page.close();
  return { wall, cpu: 1000 * metrics.find(({ name }) => name === "ThreadTime").value };
}

// The same while the browser writes a trace, which takes additional time: up to the first frame
// drawn after the first commit after the picture.
async function loadTraced(context, session, file) {
  const page = await context.newPage();
  await quiet(session);
  const events = [];
  const collect = ({ value }) => events.push(...value);
  session.on("Tracing.dataCollected", collect);
  const includedCategories = ["blink.user_timing", "devtools.timeline", "viz", "cc"];
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories } });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => performance.getEntriesByName("first picture").length);
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  const complete = new Promise(done => session.once("Tracing.tracingComplete", done));
  await session.send("Tracing.end");
  await complete;
  session.off("Tracing.dataCollected", collect);
  await page.close();
  const next = (from, test) => events.filter(event => event.ts > from.ts && test(event)).sort((a, b) => a.ts - b.ts)[0];
  const drawn = events.find(event => event.name === "first picture" && event.ph === "e");
  const began = events.find(event => event.name === "navigationStart" && event.pid === drawn.pid &&
                                     event.args.data?.documentLoaderURL?.startsWith("file:"));
  const commit = next(drawn, event => event.name === "Commit" && event.pid === drawn.pid && event.ph === "e");
  const shown = next(commit, event => event.name === "Display::DrawAndSwap");
  return (shown.ts + shown.dur - began.ts) / 1000;
}

// Writes a page with only such a canvas: a lower bound for every page of skein.
function emptyPage(file) {
  writeFileSync(file, `<!doctype html><style>html, body { height: 100%; margin: 0 } canvas { width: 1500px; height: 900px }</style>
<canvas width="1500" height="900"></canvas><script>
const context = document.querySelector("canvas").getContext("2d", { alpha: false });
context.font = "11px sans-serif";
context.fillText("a", 9, 9);
performance.measure("first picture");
</script>`);
  return file;
}

async function loads(name, file, empty) {
  const browser = await launch();
  const session = await browser.newBrowserCDPSession();
  const context = await browser.newContext({ viewport: { width: 1800, height: 1000 } });
  await context.newPage();
  const plain = [], nothing = [], traced = [];
  for (let i = 0; i < rounds; i++) {
    plain.push(await load(context, session, file));
    nothing.push(await load(context, session, empty));
    traced.push(await loadTraced(context, session, file));
  }
  print("first picture", name, "ms", plain.map(({ wall }) => wall));
  print("main thread", name, "CPU ms", plain.map(({ cpu }) => cpu));
  print("empty page, first picture", "-", "ms", nothing.map(({ wall }) => wall));
  print("empty page, main thread", "-", "CPU ms", nothing.map(({ cpu }) => cpu));
  print("main thread to the empty page", name, "ratio", plain.map(({ cpu }, i) => cpu / nothing[i].cpu));
  print("on screen", name, "ms", traced);
  await browser.close();
}

async function redraws(name, file) {
  const browser = await launch();
  const session = await browser.newBrowserCDPSession();
  const page = await browser.newPage();
  await open(page, file);
  for (const [rows, height] of Object.entries(rowHeights)) {
    for (const zoom of zooms) {
      await page.evaluate(([height, zoom]) => {
        const { module, picture } = window.skein, { calls } = module;
        const command = name => module.with([name], (at, size) => calls.run_command(at, size));
        calls.set_hint(0);
        command("fit-all");
        if (height > 0) {  // with all rows visible, the height is at least the fitting one
          for (let i = 0; i < 9; i++) calls.wheel(700, 400, 0, -1000, 4);  // up to the maximum, 80
          for (let i = 0; i < 9; i++) calls.wheel(700, 400, 0, 40 * Math.log2(80 / height), 4);
        }
        const from = calls.window_from(), span = calls.window_to() - from;
        if (zoom > 1) calls.show(from + 0.3 * span, from + (0.3 + 1 / zoom) * span);
        // Moves by another thousandth of the window each time: only the changed parts are redrawn.
        const first = calls.window_from(), width = calls.window_to() - first;
        window.frame = i => new Promise((done, failed) => requestAnimationFrame(() => {
          const before = calls.scene_version();
          calls.show(first, first + width * (1 - (i % 2) / 1000));
          const began = performance.now();
          picture.draw();
          const ended = performance.now();
          if (calls.scene_version() === before) failed(new Error("the picture was not drawn anew"));
          done(ended - began);
        }));
      }, [height, zoom]);
      const run = count => page.evaluate(async count => {
        const times = [];
        for (let i = 0; i < count; i++) times.push(await window.frame(i));
        return times;
      }, count);
      await run(3);
      const wall = [], cpu = [];
      for (let i = 0; i < rounds; i++) {
        const before = await cpuOf(session);
        wall.push(...await run(5));
        cpu.push((await cpuOf(session) - before) / 5);
      }
      print(`redraw x${zoom} ${rows}`, name, "ms", wall);
      print(`frame x${zoom} ${rows}`, name, "CPU ms", cpu);
    }
  }
  await browser.close();
}

const scratch = mkdtempSync(join(tmpdir(), "skein-bench-page-"));
try {
  const million = join(scratch, "million.ctf");
  execFileSync(join(build, "bench/bench_generate_mirage"), ["--events", "1000000", "-o", million]);
  const page = (trace, name) => {
    const file = join(scratch, "page.html");
    execFileSync(join(build, "skein"), ["html", trace, "-o", file], { stdio: "ignore" });
    print("size", name, "bytes", [statSync(file).size]);
    return file;
  };
  if (existsSync(net)) await loads("net.ctf", page(net, "net.ctf"), emptyPage(join(scratch, "empty.html")));
  await redraws("1 M events", page(million, "1 M events"));
} finally {
  rmSync(scratch, { recursive: true });
}
