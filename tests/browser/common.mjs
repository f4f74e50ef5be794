// Helpers for the browser tests.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = process.env.SKEIN_BROWSER_FOLDER;
const { chromium } = createRequire(join(folder, "package.json"))("playwright-core");
export const [skein, source, printLists, steps, generate, hang, pictureDifference] = process.argv.slice(2);

// Timeout in ms; tests/choke sets a longer one.
const patience = 1000 * Number(process.env.SKEIN_TEST_SECONDS ?? 30);

let failures = 0;
export function expect(condition, what, detail = "") {
  if (condition) return;
  failures++;
  console.log(`FAILED: ${what} ${detail}`);
}

export function html(traces, scratch, name, ...options) {
  const output = join(scratch, name);
  execFileSync(skein, ["html", ...[traces].flat(), "-o", output, ...options]);
  return output;
}

// Calls `test` with a browser and a temporary folder, removes both, and exits.
export async function main(test) {
  const scratch = mkdtempSync(join(tmpdir(), "skein-browser-"));
  const browser = await chromium.launch({
    executablePath: process.env.SKEIN_BROWSER,
    timeout: patience,
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--font-render-hinting=none"],
  });
  try {
    await test(browser, scratch);
  } catch (problem) {
    expect(false, "a test stopped:", problem.stack);
  } finally {
    await browser.close();
    rmSync(scratch, { recursive: true });
  }
  process.exit(failures === 0 ? 0 : 1);
}

// Opens a page, which must cause no dialog, no error and no request. `allowed` selects permitted
// requests; `ends` permits the errors of a server that ends or refuses. `before` runs in the page
// before its own scripts.
export async function open(browser, url, { allowed = request => request === url, ends = false, before, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 }, deviceScaleFactor: 1,
                                             colorScheme: "light", ...options });
  context.setDefaultTimeout(patience);
  if (before) await context.addInitScript(before);
  const page = await context.newPage();
  page.on("dialog", dialog => { expect(false, `${url}: a dialog`, dialog.message()); dialog.dismiss(); });
  page.on("pageerror", error => expect(false, `${url}: an error`, error.stack));
  page.on("console", message =>
      expect(message.type() !== "error" || (ends && /ERR_CONNECTION_REFUSED|409 \(Conflict\)/.test(message.text())), `${url}: the console prints`, message.text()));
  page.on("request", request => {
    const to = request.url();
    expect(allowed(to) || to.startsWith("data:") || to.startsWith("blob:"), `${url}: a request to`, to);
  });
  await page.goto(url);
  await page.waitForFunction(() => window.skein && document.getElementById("progress").hidden);
  return page;
}

// Waits until a frame has been drawn and the widgets are up to date.
export const settled = page =>
    page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
export const span = page => page.evaluate(() => [skein.module.calls.window_from(), skein.module.calls.window_to()]);
export const notesShown = page => page.evaluate(() => [...document.querySelectorAll("#bookmarks input")].map(at => at.value).join("|"));
