// How long the flame graph and the table of a profile's page take after a selection, in headless Chromium.
//
//   bench_pane 1000000 1 big && skein html big -o big.html
//   SKEIN_BROWSER_FOLDER=build/release/tests/browser SKEIN_BROWSER=$(command -v chromium) node bench/pane.mjs big.html [ROUNDS]
//
// Prints what, graph, and the medians of: ms of the graph; of the table; from the selection until a frame with both, and
// the timeline, has been drawn.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const { chromium } = createRequire(resolve(join(process.env.SKEIN_BROWSER_FOLDER, "package.json")))("playwright-core");
const [file, rounds = 9] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.SKEIN_BROWSER, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1800, height: 1000 } });
await page.goto(`file://${resolve(file)}`);
await page.waitForFunction(() => window.skein && document.getElementById("progress").hidden, undefined, { timeout: 0 });
await page.waitForTimeout(2000);
const median = values => [...values].sort((a, b) => a - b)[values.length >> 1].toFixed(1);
const choices = await page.evaluate(() => [...document.querySelectorAll("#flame-time option")].map(one => [Number(one.value), one.textContent]));
for (const [time, name] of choices) {
  for (const what of ["range", "lane", "frame"]) {
    const times = await page.evaluate(async ([time, what, rounds]) => {
      const { module, picture } = window.skein, { calls } = module;
      const run = name => module.with([name], (at, size) => calls.run_command(at, size));
      const key = name => module.with([name], (at, size) => calls.flame_key(at, size));
      const drawn = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
      calls.set_flame_time(time);
      picture.schedule();
      await drawn();
      const select = {
        range: i => { calls.pointer_down(100 + i, 5, 1); calls.pointer_move(1300 - i, 5); calls.pointer_up(1300 - i, 5); },
        lane: i => { calls.pointer_down(20, 45 + 16 * (i % 6), 0); calls.pointer_up(20, 45 + 16 * (i % 6)); },
        frame: i => { key("ArrowUp"); key("Enter"); },
      }[what];
      const all = { graph: [], table: [], frame: [] };
      for (let i = 0; i < rounds; i++) {
        select(i);
        let begin = performance.now();
        calls.task_table();
        all.table.push(performance.now() - begin);
        begin = performance.now();
        calls.flame();
        all.graph.push(performance.now() - begin);
        picture.schedule();
        await drawn();
        begin = performance.now();
        select(i + rounds);
        picture.schedule();
        await drawn();
        all.frame.push(performance.now() - begin);
        key("Escape");
      }
      for (let i = 0; i < 3; i++) run("escape");
      return all;
    }, [time, what, Number(rounds)]);
    console.log([what, name, ...["graph", "table", "frame"].map(each => median(times[each]))].join("\t"));
  }
}
await browser.close();
