// The picture in the page looks as it did: tests/golden/browser-THEME-ZOOM.png, at three zooms, light and
// dark. What they are after a change that was meant to be seen:
//
//    tools/update-golden build/dev browser/look
//
// Compared are the means of tiles, not pixels: letters of another font are another texture in the same
// place, but a bar, a row or a colour that is not where it was is seen. That both are so is tested here, too.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, generate, html, main, open, settled, source } from "./common.mjs";

const tile = 15;         // pixels, of its sides
const different = 14;    // of 255, in the mean of a tile's colour: not by letters alone
const most = 0.02;       // of all tiles
const largest = 60_000;  // bytes of a picture in the tree

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
  await page.reload();  // as it was
  await page.waitForFunction(() => window.skein);
  return picture;
}

// The share of tiles that are others.
async function difference(page, a, b) {
  return page.evaluate(async ([tile, different, ...images]) => {
    const [a, b] = await Promise.all(images.map(async base64 => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), c => c.charCodeAt(0))]));
      const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
      canvas.drawImage(image, 0, 0);
      return canvas.getImageData(0, 0, image.width, image.height);
    }));
    if (a.width !== b.width || a.height !== b.height) return 1;
    const columns = Math.ceil(a.width / tile), rows = Math.ceil(a.height / tile);
    const sums = new Float64Array(columns * rows * 4);
    for (let y = 0, i = 0; y < a.height; y++)
      for (let x = 0; x < a.width; x++, i += 4) {
        const at = 4 * (Math.floor(y / tile) * columns + Math.floor(x / tile));
        for (let k = 0; k < 3; k++) sums[at + k] += a.data[i + k] - b.data[i + k];
        sums[at + 3]++;
      }
    let others = 0;
    for (let at = 0; at < sums.length; at += 4)
      others += [0, 1, 2].some(k => Math.abs(sums[at + k]) > different * sums[at + 3]);
    return others / (columns * rows);
  }, [tile, different, a.toString("base64"), b.toString("base64")]);
}

const percent = share => `${(share * 100).toFixed(2)} % of the tiles are others`;

await main(async (browser, scratch) => {
  const trace = join(scratch, "trace.ctf");
  execFileSync(generate, ["-o", trace, "--events", "2000"]);
  const url = `file://${html(trace, scratch, "page.html")}`;
  const options = { viewport: { width: 1100, height: 560 } };
  const blank = await (await browser.newContext()).newPage();  // compares: no policy forbids it what it needs
  for (const theme of ["light", "dark"]) {
    const page = await open(browser, url, { ...options, colorScheme: theme });
    const golden = {};
    for (const zoom of Object.keys(zooms)) {
      const file = join(source, `tests/golden/browser-${theme}-${zoom}.png`);
      const now = await show(page, zoom);
      if (process.env.SKEIN_UPDATE_GOLDEN) writeFileSync(file, now);
      golden[zoom] = readFileSync(file);
      expect(golden[zoom].length <= largest, `${file} is small`, golden[zoom].length);
      const share = await difference(blank, now, golden[zoom]);
      expect(share <= most, `${theme}, ${zoom}: as it was`, percent(share));
    }

    // Other letters are the same picture; anything else is not.
    const others = await open(browser, url, { ...options, colorScheme: theme, before: () => {
      const font = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "font");
      Object.defineProperty(CanvasRenderingContext2D.prototype, "font", {
        set(value) { font.set.call(this, value.replace("sans-serif", "monospace")); }, get: font.get });
    } });
    for (const zoom of Object.keys(zooms)) {
      const now = await show(others, zoom), share = await difference(blank, now, golden[zoom]);
      expect(!now.equals(golden[zoom]) && share <= most, `${theme}, ${zoom}: another font is seen, and passes`, percent(share));
    }
    for (const [what, zoom, change] of [["a pan", "near", run => run("pan-right")], ["a zoom", "near", run => run("zoom-in")],
                                        ["a row less", "near", run => skein.module.calls.wheel(400, 200, 0, 60, 4)],
                                        ["no arrows", "near", run => run("toggle-arrows")], ["no counters", "whole", run => run("toggle-counters")],
                                        ["no legend", "nearest", run => run("toggle-legend")], ["other colours", "nearest", run => run("next-theme")]]) {
      const share = await difference(blank, await show(page, zoom, change), golden[zoom]);
      expect(share > most, `${theme}, ${zoom}: ${what} is seen`, percent(share));
    }
    await page.context().close();
    await others.context().close();
  }
  await blank.context().close();
});
