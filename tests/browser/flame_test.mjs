// A flame graph in a browser: zoom, search, reset, text below the pointer; as SVG and as a page, at several widths.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, main, skein } from "./common.mjs";

const folded = "main;serve;parse 30\nmain;serve;parse;copy 20\nmain;serve;send_[k] 10\nmain;idle 40\n";

function draw(scratch, name, ...options) {
  const output = join(scratch, name);
  execFileSync(skein, ["flame", "-", "-o", output, ...options], { input: folded });
  return "file://" + output;
}

async function open(browser, url, scripts = true) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 700 }, javaScriptEnabled: scripts });
  const page = await context.newPage();
  page.on("pageerror", error => expect(false, `${url}: an error`, error.stack));
  page.on("request", request => expect(request.url() === url, `${url}: a request to`, request.url()));
  await page.goto(url);
  return page;
}

// The boxes that are shown: name, left, width.
const shown = page => page.evaluate(() =>
    Object.fromEntries([...document.querySelectorAll("#frames > g:not(.gone)")].map(g => {
      const rect = g.querySelector("rect");
      return [g.querySelector("title").textContent.replace(/ \(.*/, ""),
              [Number(rect.getAttribute("x")), Number(rect.getAttribute("width"))]];
    })));
const text = (page, id) => page.locator("#" + id).textContent();
const click = (page, name) => page.locator("#frames > g", { hasText: name + " (" }).first().locator("rect").click({ force: true });
const near = (a, b) => Math.abs(a - b) < 0.1;

await main(async (browser, scratch) => {
  for (const [name, width, ...options] of [["a.svg", 1200], ["b.html", 1200], ["c.svg", 500, "--icicle"], ["d.svg", 2000]]) {
    const inner = width - 20;
    const page = await open(browser, draw(scratch, name, "--width", String(width), ...options));
    const whole = await shown(page);
    expect(Object.keys(whole).sort().join() === "all,copy,idle,main,parse,send,serve", `${name}: boxes`, JSON.stringify(whole));
    expect(near(whole.serve[1], 0.6 * inner), `${name}: width`, whole.serve[1]);
    expect(await page.locator("#reset").isHidden(), `${name}: nothing to reset`);

    await click(page, "parse");
    const zoomed = await shown(page);
    expect(Object.keys(zoomed).sort().join() === "all,copy,main,parse,serve", `${name}: zoomed`, JSON.stringify(zoomed));
    expect(near(zoomed.parse[1], inner) && near(zoomed.parse[0], 10), `${name}: zoomed to`, zoomed.parse);
    expect(near(zoomed.copy[1], 0.4 * inner), `${name}: zoomed child`, zoomed.copy);
    await page.locator("#reset").click();
    expect(JSON.stringify(await shown(page)) === JSON.stringify(whole), `${name}: reset`);

    let answer = "copy|send";
    page.on("dialog", dialog => answer === null ? dialog.dismiss() : dialog.accept(answer));
    await page.keyboard.press("Control+f");
    expect(await text(page, "matched") === "Matched: 30.00%", `${name}: matched`, await text(page, "matched"));
    expect(await page.locator(".hit").count() === 2, `${name}: hits`);
    await click(page, "parse");
    expect(await text(page, "matched") === "Matched: 40.00%", `${name}: matched in the zoom`, await text(page, "matched"));
    await page.keyboard.press("Escape");
    expect(await text(page, "matched") === "" && await page.locator(".hit").count() === 0, `${name}: search ends`);
    await page.keyboard.press("Escape");
    expect(JSON.stringify(await shown(page)) === JSON.stringify(whole), `${name}: zoom ends`);
    answer = "(";
    await page.locator("#search").click();
    expect((await text(page, "matched")).includes("Invalid regular expression"), `${name}: wrong expression`);

    answer = "COPY";
    await page.keyboard.press("Control+f");
    expect(await text(page, "matched") === "Matched: 0.00%", `${name}: another case`, await text(page, "matched"));
    await page.keyboard.press("Control+i");
    expect(await text(page, "matched") === "Matched: 20.00%", `${name}: any case`, await text(page, "matched"));
    await page.locator("#case").click();
    expect(await text(page, "matched") === "Matched: 0.00%", `${name}: its case again`, await text(page, "matched"));
    await page.keyboard.press("Escape");

    const box = whole.parse, top = await page.locator("#frames > g", { hasText: "parse (" }).first().locator("rect").getAttribute("y");
    const again = await open(browser, `${page.url().replace(/\?.*/, "")}?x=${box[0].toFixed(2)}&y=${top}&s=COPY&i=1`);
    expect(Object.keys(await shown(again)).sort().join() === "all,copy,main,parse,serve", `${name}: zoomed by its address`);
    expect(await text(again, "matched") === "Matched: 40.00%", `${name}: search by its address`, await text(again, "matched"));
    await again.locator("#reset").click();
    expect(new URL(again.url()).searchParams.get("s") === "COPY" && !again.url().includes("x="), `${name}: address`, again.url());
    await again.context().close();

    await page.locator("#frames > g", { hasText: "idle (" }).locator("rect").hover({ force: true });
    expect(await text(page, "detail") === "idle (40 samples, 40.00%)", `${name}: pointer`, await text(page, "detail"));
    await page.context().close();
  }
  // Without scripts: the same boxes, and nothing to click at.
  const page = await open(browser, draw(scratch, "e.svg"), false);
  expect(await page.locator("#search").isHidden(), "no search without scripts");
  expect(await page.locator("#frames > g").count() === 7, "boxes without scripts");
});
