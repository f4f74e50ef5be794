/// <reference path="page.d.ts" />
/// <reference path="dom.ts" />
/// <reference path="module.ts" />
/// <reference path="picture.ts" />
/// <reference path="widgets.ts" />
/// <reference path="flame.ts" />
/// <reference path="pane.ts" />
/// <reference path="live.ts" />
// The page's front end: forwards input to the module, paints its draw list, updates the widgets
// around the picture. Decisions that need no screen are in the module (view/viewer). Texts of a
// trace are inserted only with textContent and fillText, never as markup.

declare const compiled: Promise<WebAssembly.Module>, traces: Promise<ArrayBuffer>;  // unpack.ts
declare const pageStyle: string, pageBody: string;  // page.css, body.html


// Inserts style and widgets, which are packed with this script.
function furnish(title: string) {
  const style = make("style", pageStyle);
  style.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")!.nonce;
  document.head.append(style);
  document.body.insertAdjacentHTML("afterbegin", pageBody);
  element("title").textContent = title;
}

async function main() {
  const settings = JSON.parse(element("settings").textContent!) as Settings;
  furnish(document.title.replace(/ - skein$/, ""));
  prepare();
  const instance = await WebAssembly.instantiate(await compiled, {
    // The core uses no system calls: all that its library imports fail with ENOSYS.
    wasi_snapshot_preview1: new Proxy({}, { get: () => () => 52 }),
  });
  const calls = instance.exports as unknown as PageModule;
  calls._initialize();
  calls.start();
  const module = new Module(calls);
  if (settings.together) calls.begin_together();
  const error = settings.live ? "" : openBundle(module, new Uint8Array(await traces));
  if (!settings.live) calls.forget_files();  // updates of a live page refer to them
  const showPath = () => {
    if (settings.path && calls.show_path(settings.path[0], BigInt(settings.path[1]))) delete settings.path;
  };
  showPath();
  const hint = remembered("skein hint") === null;
  if (hint) calls.set_hint(1, Number(matchMedia("(pointer: coarse)").matches));
  if (remembered("skein legend") !== "off") calls.set_legend_shown(1);
  setTheme(module, wantedTheme());
  const picture = new Picture(module);
  picture.draw();
  element("progress").hidden = !settings.live;
  performance.measure("first picture");
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));  // shows the picture first

  const widgets = new Widgets(module, () => picture.schedule(), settings);
  const pane = new Pane(module, () => picture.schedule(), new Flame(module, picture, widgets));
  picture.begin(() => { widgets.update(); pane.update(); });
  const canvas = element("picture");
  canvas.addEventListener("pointermove", event => widgets.tooltip(event.clientX, event.clientY));
  canvas.addEventListener("pointerleave", () => widgets.hideTooltip());
  if (error !== "") element("live").textContent = error;
  if (!settings.live) widgets.openNotes();
  if (hint) remember("skein hint", "seen");
  widgets.update();
  pane.update();
  picture.focus();
  (window as unknown as Record<string, unknown>).skein = { module, picture };  // for tests and the console
  if (settings.live) await follow(module, () => {
    widgets.openNotes();
    showPath();
    picture.schedule();
  });
}

main().catch((problem: unknown) => {
  element("progress").textContent = `This page cannot show the trace: ${problem}`;
});
