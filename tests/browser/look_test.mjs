// The picture in the page equals tests/golden/browser-THEME-ZOOM.png, at three zooms, light and
// dark. To update the golden files after an intended change:
//
//    tools/update-golden build/dev browser/look
//
// The test compares the means of tiles, not pixels (tests/look). Another font changes only the
// texture of a tile, but a moved bar or row and a changed colour change the mean. Both properties
// are tested, too.
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, generate, html, main, open, pictureDifference, settled, source } from "./common.mjs";

const most = 0.02;       // share of tiles
const largest = 60_000;  // bytes of a golden file

const zooms = {
  whole: () => {},
  near: run => { const { calls } = skein.module, span = calls.window_to(); calls.show(0.4 * span, 0.46 * span); run("fit-rows"); },
  nearest: run => { const { calls } = skein.module, span = calls.window_to(); calls.show(0.4 * span, 0.402 * span); run("toggle-legend"); },
};

async function show(page, zoom, change = "") {
  await page.evaluate(([zoom, change]) => {
    const { module } = window.skein;
    const run = name => module.with([name], (at, size) => module.calls.run_command(at, size));
    module.calls.set_hint(0);
    module.calls.set_legend_shown(0);
    run("fit-all");
    (0, eval)(`(${zoom})`)(run);
    if (change) (0, eval)(`(${change})`)(run);
    module.calls.pointer_leave();
    window.skein.picture.schedule();
  }, [String(zooms[zoom]), String(change)]);
  await settled(page);
  const picture = await page.locator("#picture").screenshot();
  await page.reload();  // to the initial state
  await page.waitForFunction(() => window.skein);
  return picture;
}

// Returns the share of tiles that differ. `golden` is a path.
function difference(now, golden, scratch) {
  const seen = join(scratch, "seen.png");
  writeFileSync(seen, now);
  return Number(execFileSync(pictureDifference, [seen, golden], { encoding: "utf8" }));
}

const percent = share => `${(share * 100).toFixed(2)} % of the tiles are others`;

if (!pictureDifference) {
  console.log("skipped: built without cairo, pictures cannot be compared");
  process.exit(77);
}
await main(async (browser, scratch) => {
  const trace = join(scratch, "trace.ctf");
  execFileSync(generate, ["-o", trace, "--events", "2000"]);
  const url = `file://${html(trace, scratch, "page.html")}`;
  const options = { viewport: { width: 1100, height: 560 } };
  for (const theme of ["light", "dark"]) {
    const page = await open(browser, url, { ...options, colorScheme: theme });
    const golden = {};
    for (const zoom of Object.keys(zooms)) {
      const file = join(source, `tests/golden/browser-${theme}-${zoom}.png`);
      const now = await show(page, zoom);
      if (process.env.SKEIN_UPDATE_GOLDEN) writeFileSync(file, now);
      golden[zoom] = file;
      expect(statSync(file).size <= largest, `${file} is small`, statSync(file).size);
      const share = difference(now, file, scratch);
      expect(share <= most, `${theme}, ${zoom}: as it was`, percent(share));
    }

    // Another font passes; any other change fails.
    const others = await open(browser, url, { ...options, colorScheme: theme, before: () => {
      const font = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "font");
      Object.defineProperty(CanvasRenderingContext2D.prototype, "font", {
        set(value) { font.set.call(this, value.replace("sans-serif", "monospace")); }, get: font.get });
    } });
    for (const zoom of Object.keys(zooms)) {
      const now = await show(others, zoom), share = difference(now, golden[zoom], scratch);
      expect(!now.equals(readFileSync(golden[zoom])) && share <= most, `${theme}, ${zoom}: another font is seen, and passes`, percent(share));
    }
    for (const [what, zoom, change] of [["a pan", "near", run => run("pan-right")], ["a zoom", "near", run => run("zoom-in")],
                                        ["a row less", "near", run => skein.module.calls.wheel(400, 200, 0, -60, 4)],
                                        ["no arrows", "near", run => run("toggle-arrows")], ["no counters", "whole", run => run("toggle-counters")],
                                        ["no legend", "nearest", run => run("toggle-legend")], ["other colours", "nearest", run => run("next-theme")]]) {
      const share = difference(await show(page, zoom, change), golden[zoom], scratch);
      expect(share > most, `${theme}, ${zoom}: ${what} is seen`, percent(share));
    }
    await page.context().close();
    await others.context().close();
  }
});
