/// <reference path="page.d.ts" />
// The page's shell: forwards input to the module, paints what it draws, keeps the widgets around the
// picture up to date. Whatever can be decided without a screen is decided in the module (view/viewer).
// Texts of a trace reach the page by textContent and fillText alone, never as markup.

declare const compiled: Promise<WebAssembly.Module>, traces: Promise<ArrayBuffer>;  // unpack.ts
declare const pageStyle: string, pageBody: string;  // page.css, body.html

interface Settings { live: boolean; notes: string; kept: string; problem: string; together?: boolean; path?: [number, string] }
interface TraceFiles { title: string; path: string; gone?: string[]; files: [string, number, (number | [number, number][])?][] }

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}
function make<K extends keyof HTMLElementTagNameMap>(
    tag: K, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

// What leads somewhere within the picture.
function link(text: string): HTMLButtonElement {
  const made = make("button", text);
  made.className = "link";
  return made;
}

// Storage may be forbidden (file://, private windows): then nothing is remembered.
function remembered(key: string): string | null {
  try { return localStorage.getItem(key); } catch { return null; }
}
function remember(key: string, value: string) {
  try { localStorage.setItem(key, value); } catch { /* forgotten when the page closes */ }
}

// Texts go in and out as UTF-8 in the module's memory.
class Module {
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder();
  constructor(readonly calls: PageModule) {}

  bytes(at: Address, size: number): Uint8Array { return new Uint8Array(this.calls.memory.buffer, at, size); }
  text(at: Address, size: number): string { return this.decoder.decode(this.bytes(at, size)); }

  // Calls `use` with address and size of each text, which are there during the call.
  with(texts: (string | Uint8Array)[], use: (...places: number[]) => void) {
    const places: number[] = [];
    for (const text of texts) {
      const bytes = typeof text === "string" ? this.encoder.encode(text) : text;
      const at = this.calls.allocate(bytes.length + 1);
      this.bytes(at, bytes.length).set(bytes);
      places.push(at, bytes.length);
    }
    use(...places);
    for (let i = 0; i < places.length; i += 2) this.calls.release(places[i]);
  }
  result(): string { return this.text(this.calls.result(), this.calls.result_size()); }
  json<T>(call: () => void): T { call(); return JSON.parse(this.result()) as T; }
}

// A bundle is a length (4 bytes, little-endian), so many bytes of JSON, then the files' bytes (bundle.h).
function openBundle(module: Module, bundle: Uint8Array): string {
  const { calls } = module;
  const size = new DataView(bundle.buffer, bundle.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bundle.subarray(4, 4 + size))) as { traces: TraceFiles[]; links?: number };
  let at = 4 + size;
  let error = "";
  header.traces.forEach((trace, which) => {
    for (const path of trace.gone ?? []) module.with([path], (p, ps) => calls.remove_file(p, ps));
    for (const [path, size, how] of trace.files) {
      const parts = typeof how === "object" ? how : [], packed = typeof how === "number" ? how : 0;
      const sent = parts.length > 0 ? parts.reduce((sum, [, length]) => sum + length, 0) : packed || size;
      const bytes = bundle.subarray(at, at += sent);
      module.with([path, bytes, new Uint8Array(new Uint32Array(parts.flat()).buffer)], (p, ps, b, bs, s, ss) => {
        if (parts.length > 0) calls.patch_file(p, ps, b, bs, s, ss, size);
        else if (packed) calls.add_packed_file(p, ps, b, bs, size);
        else calls.add_file(p, ps, b, bs);
      });
    }
    module.with([trace.path, trace.title], (p, ps, t, ts) => calls.open_trace(which, p, ps, t, ts));
    error ||= module.result();
  });
  if (header.links) module.with([bundle.subarray(at, at + header.links)], (b, bs) => calls.set_links(b, bs));
  return error;
}

const enum Shape { Fill, Line, Arrow, Text }
const primitiveSize = 24;
const modifiersOf = (event: MouseEvent | KeyboardEvent) =>
    (event.shiftKey ? 1 : 0) | (event.ctrlKey || event.metaKey ? 2 : 0) | (event.altKey ? 4 : 0);

// As many pixels as the screen has there. False: so it is already.
function fit(canvas: HTMLCanvasElement): boolean {
  const width = Math.round(canvas.clientWidth * devicePixelRatio);
  const height = Math.round(canvas.clientHeight * devicePixelRatio);
  if (canvas.width === width && canvas.height === height) return false;
  canvas.width = width;
  canvas.height = height;
  return true;
}

// Style and widgets, which are packed with this.
function furnish(title: string) {
  const style = make("style", pageStyle);
  style.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")!.nonce;
  document.head.append(style);
  document.body.insertAdjacentHTML("afterbegin", pageBody);
  element("title").textContent = title;
}

// What of the first picture needs no module, while that is compiled: memory for the canvas, and the font,
// for which the first text asks the system.
function prepare() {
  const canvas = element<HTMLCanvasElement>("picture"), context = canvas.getContext("2d", { alpha: false })!;
  fit(canvas);
  context.font = "11px sans-serif";
  context.fillText("a", 0, 0);
}

const never = -1, notKept = -2;  // what is there instead of a version

class Picture {
  private readonly canvas = element<HTMLCanvasElement>("picture");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private readonly scene = document.createElement("canvas");
  private readonly sceneContext = this.scene.getContext("2d", { alpha: false })!;
  private drawn = never;  // which version of the scene is kept
  private scheduled = false;
  private readonly touches = new Map<number, { x: number; y: number }>();
  private spread = 0;
  private pinchesRows = false;

  private updated = () => { /* nobody is to be told */ };

  constructor(private readonly module: Module) { this.resize(); }

  // Takes input, and follows the window's size, from now on.
  begin(updated: () => void) {
    this.updated = updated;
    this.listen();
    new ResizeObserver(() => { if (this.resize()) this.draw(); }).observe(this.canvas);
  }

  focus() { this.canvas.focus({ preventScroll: true }); }

  // False: it has that size already, or none.
  private resize(): boolean {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return false;
    this.module.calls.resize(clientWidth, clientHeight);
    return fit(this.canvas);
  }

  // Draws before the next frame, however often it is called until then.
  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      if (this.module.calls.changed()) this.draw();
      this.updated();
    });
  }

  // The scene only when it is another one: a pointer that moves changes the readouts. It is kept for
  // that in a canvas of its own, but the first one, which has not been waited for by a pointer yet.
  draw() {
    const { calls } = this.module;
    const { width, height } = this.canvas;
    if (this.drawn === never) {
      this.drawn = notKept;
      this.drawScene(this.context);
    } else {
      const resized = this.scene.width !== width || this.scene.height !== height;
      if (resized) Object.assign(this.scene, { width, height });
      if (resized || this.drawn !== calls.scene_version()) {
        this.drawn = calls.scene_version();
        this.drawScene(this.sceneContext);
      }
      this.context.drawImage(this.scene, 0, 0);
    }
    calls.readouts();
    this.drawRest(this.context);
  }

  private drawScene(context: CanvasRenderingContext2D) {
    const { calls } = this.module;
    const { width, height } = this.canvas;
    const pixels = calls.paint(devicePixelRatio, width, height);
    const data = new Uint8ClampedArray(calls.memory.buffer, pixels, width * height * 4);
    context.putImageData(new ImageData(data, width, height), 0, 0);
    this.drawRest(context);
  }

  // What the module leaves to us: texts, and what lies above texts (legend, readouts).
  private drawRest(context: CanvasRenderingContext2D) {
    const { calls } = this.module;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const count = calls.primitive_count();
    const view = new DataView(calls.memory.buffer, calls.primitives(), count * primitiveSize);
    const texts = this.module.bytes(calls.texts(), calls.texts_size());
    const colours = this.module.bytes(calls.colours(), 3 * 256);
    const decoder = new TextDecoder();
    let style = "";
    let font = 0;
    for (let i = 0; i < count; i++) {
      const at = i * primitiveSize;
      const shape: Shape = view.getUint8(at + 20);
      const x = view.getFloat32(at, true), y = view.getFloat32(at + 4, true);
      const w = view.getFloat32(at + 8, true), h = view.getFloat32(at + 12, true);
      const ink = view.getUint8(at + 21) * 3, alpha = view.getUint8(at + 22), size = view.getUint8(at + 23);
      const wanted = `rgb(${colours[ink]} ${colours[ink + 1]} ${colours[ink + 2]} / ${alpha / 255})`;
      if (wanted !== style) context.fillStyle = context.strokeStyle = style = wanted;
      if (shape === Shape.Fill) {
        context.fillRect(x, y, w, h);
      } else if (shape === Shape.Text) {
        const from = view.getUint32(at + 16, true);
        const text = decoder.decode(texts.subarray(from, texts.indexOf(0, from)));
        if (size !== font) context.font = `${font = size}px sans-serif`;
        if (w > 0) context.fillText(text, x, y, w);
        else context.fillText(text, x, y);
      } else {
        this.drawStroke(context, calls.stroke(i), shape);
      }
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
  }

  private drawStroke(context: CanvasRenderingContext2D, at: Address, shape: Shape) {
    if (at === 0) return;
    const [x, y, toX, toY, width, ...head] = new Float64Array(this.module.calls.memory.buffer, at, 11);
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(toX, toY);
    context.stroke();
    if (shape !== Shape.Arrow) return;
    context.beginPath();
    for (let i = 0; i < head.length; i += 2) context.lineTo(head[i], head[i + 1]);
    context.fill();
  }

  private listen() {
    const { calls } = this.module;
    const canvas = this.canvas;
    const after = () => this.schedule();
    canvas.addEventListener("pointerdown", event => {
      if (event.pointerType === "mouse" && event.button !== 0) return;
      this.focus();
      canvas.setPointerCapture(event.pointerId);
      this.touches.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (this.touches.size === 1) calls.pointer_down(event.offsetX, event.offsetY, modifiersOf(event));
      else if (this.touches.size === 2) this.pinchBegins();
      after();
    });
    canvas.addEventListener("pointermove", event => {
      if (this.touches.has(event.pointerId))
        this.touches.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (this.touches.size === 2) this.pinch();
      else calls.pointer_move(event.offsetX, event.offsetY);
      after();
    });
    const lift = (event: PointerEvent) => {
      const last = this.touches.delete(event.pointerId) && this.touches.size === 0;
      if (last) calls.pointer_up(event.offsetX, event.offsetY);
      after();
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => { calls.pointer_leave(); after(); });
    canvas.addEventListener("dblclick", event => { calls.double_click(event.offsetX, event.offsetY); after(); });
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      calls.wheel(event.offsetX, event.offsetY, event.deltaX * unit, event.deltaY * unit, modifiersOf(event));
      after();
    }, { passive: false });
  }

  // Of the two fingers.
  private distances(): [number, number] {
    const [a, b] = [...this.touches.values()];
    return [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
  }
  private pinchBegins() {
    const [dx, dy] = this.distances();
    this.spread = Math.hypot(dx, dy);
    this.pinchesRows = dy > 2 * dx;
    this.module.calls.pinch(0, 0, 1);  // what the first finger began has an end
  }
  // Fingers one above the other make rows higher: there is no key and no wheel on a screen.
  private pinch() {
    const { calls } = this.module, [a, b] = [...this.touches.values()];
    const before = this.spread;
    this.spread = Math.hypot(...this.distances());
    const x = (a.x + b.x) / 2, y = (a.y + b.y) / 2, factor = this.spread / before;
    if (!(factor > 0 && factor < Infinity)) return;
    if (this.pinchesRows) calls.wheel(x, y, 0, -pixelsPerOctave * Math.log2(factor), 4);
    else calls.pinch(x, y, factor);
  }
}
const pixelsPerOctave = 360;  // of a wheel

// Everything around the picture.
class Widgets {
  private shown = "";
  private legend = this.module.calls.legend_shown();
  private theme = themeOf(this.module);
  private kept?: string;  // notes as they were kept last
  private posted = Promise.resolve();
  constructor(private readonly module: Module, private readonly changed: () => void,
              private readonly settings: Settings) {
    this.listen();
    this.listThemes();
  }

  // What may have changed with the picture. Cheap when nothing did.
  update() {
    const { calls } = this.module;
    calls.panel();
    const panel = this.module.result();
    if (panel !== this.shown) this.showPanel(JSON.parse(this.shown = panel));
    const search = element<HTMLInputElement>("search");
    const { count, at, searched } = this.module.json<{ count: number; at: number; searched: boolean }>(() => calls.found());
    if (!searched) search.value = "";  // a key has ended it
    const filters = calls.filters();
    element("found").textContent = !searched ? "" : count === 0 ? `nothing${filters ? " (filter is on)" : ""}` : at > 0 ? `${at} of ${count}` : `${count} found`;
    calls.notice();
    element("notice").textContent = this.module.result();
    const alarm = element("alarm");
    calls.alarm();
    alarm.hidden = (alarm.textContent = this.module.result()) === "";
    const legend = calls.legend_shown();
    if (legend !== this.legend) remember("skein legend", (this.legend = legend) ? "on" : "off");
    document.querySelector("[data-run=toggle-legend]")!.setAttribute("aria-pressed", String(Boolean(legend)));
    const help = element<HTMLDialogElement>("help");
    if (calls.help_shown() && !help.open) this.showHelp();
    if (!calls.help_shown() && help.open) help.close();
    if (calls.search_shown() && document.activeElement !== search) {
      search.focus();
      search.select();
    }
    const filter = element<HTMLDetailsElement>("filter");
    if (Boolean(calls.filter_shown()) !== filter.open) {
      filter.open = !filter.open;
      if (filter.open) {
        this.listChoices();
        filter.querySelector("input")!.focus();
      }
    }
    filter.querySelector("summary")!.textContent = filters ? "Filter: on" : "Filter";
    const theme = themeOf(this.module);
    if (theme !== this.theme) remember("skein theme", this.theme = theme);
    document.documentElement.classList.toggle("dark", theme.includes("dark"));
  }

  tooltip(x: number, y: number) {
    this.module.calls.tooltip();
    const box = element("tooltip");
    box.textContent = this.module.result();
    box.hidden = box.textContent === "";
    if (box.hidden) return;
    box.style.left = `${Math.max(0, Math.min(x + 14, innerWidth - box.offsetWidth - 4))}px`;
    box.style.top = `${y + 18 + box.offsetHeight < innerHeight ? y + 18 : y - box.offsetHeight - 8}px`;
  }
  hideTooltip() { element("tooltip").hidden = true; }

  run(name: string) {
    this.module.with([name], (at, size) => this.module.calls.run_command(at, size));
    this.keepNotes();
    this.changed();
  }

  listCounters() {
    const list = element("counters");
    const counters = this.module.json<[string, boolean, number][]>(() => this.module.calls.counters());
    const several = counters.some(([, , track]) => track > 0);
    list.replaceChildren(...counters.map(([name, shown, track], which) => {
      const label = make("label"), box = make("input");
      box.type = "checkbox";
      box.checked = shown;
      box.addEventListener("change", () => { this.module.calls.show_counter(which, Number(box.checked)); this.changed(); });
      label.append(box, several ? `${track + 1}: ${name}` : name);
      return label;
    }));
    if (counters.length === 0) list.textContent = "This trace has no counters.";
  }

  // The filter's choices; what was chosen stays chosen while the trace grows.
  private listChoices() {
    const lists = this.module.json<string[][]>(() => this.module.calls.choices());
    ["kind", "executor"].forEach((name, which) => {
      const select = element("filter").querySelector<HTMLSelectElement>(`[name=${name}]`)!;
      const chosen = select.value;
      select.replaceChildren(...["", ...lists[which]].map(choice => {
        const option = make("option", choice === "" ? "any" : choice);
        option.value = choice;
        return option;
      }));
      select.value = chosen;
    });
  }

  listBookmarks() {
    const bookmarks = this.module.json<[string, string][]>(() => this.module.calls.bookmarks());
    element("bookmarks").replaceChildren(...bookmarks.map(([time, text], which) => {
      const item = make("li"), go = link(time), field = make("input"), remove = make("button", "\u00d7");
      field.value = text;
      field.title = `Text at ${time}`;
      field.addEventListener("change", () => {
        this.module.with([field.value], (at, size) => this.module.calls.rename_bookmark(which, at, size));
        this.keepNotes();
        this.changed();
      });
      go.addEventListener("click", () => { this.module.calls.go_to_bookmark(which); this.changed(); });
      remove.title = `Remove ${text}`;
      remove.addEventListener("click", () => { this.module.calls.remove_bookmark(which); this.notesChanged(); });
      item.append(go, field, remove);
      return item;
    }));
  }

  private loadNotes(json: string) {
    this.module.with([json], (at, size) => this.module.calls.load_notes(at, size));
    const error = this.module.result();
    this.notesChanged();
    element("note-problem").textContent = error;
  }
  // Those that are kept, once, when the trace is there.
  openNotes() {
    if (this.kept !== undefined) return;
    const { live, notes, kept, problem } = this.settings;
    const json = (live ? null : remembered(`skein notes ${notes}`)) ?? kept;
    if (json !== "") this.module.with([json], (at, size) => this.module.calls.load_notes(at, size, Number(live)));
    this.kept = this.notes();
    element("note-problem").textContent = problem;
    this.listBookmarks();
    this.changed();
  }
  // Beside the trace if somebody serves it, else in the browser.
  private keepNotes() {
    const json = this.notes();
    if (this.kept === undefined || json === this.kept) return;
    this.kept = json;
    if (this.settings.live) this.posted = this.posted.then(() => this.post(json));
    else remember(`skein notes ${this.settings.notes}`, json);
  }
  private async post(json: string) {
    let problem = "";
    try {
      const answer = await fetch(`notes?token=${token()}`, { method: "POST", body: json });
      if (!answer.ok) problem = (await answer.text()).slice(0, 500);
    } catch (error) {
      problem = String(error);
    }
    if (problem === "") return;
    element<HTMLDetailsElement>("bookmark-menu").open = true;
    element("note-problem").textContent = `Notes are not saved: ${problem}`;
  }
  private notes(): string { this.module.calls.save_notes(); return this.module.result(); }
  notesChanged() {
    element("note-problem").textContent = "";
    this.keepNotes();
    this.listBookmarks();
    this.changed();
  }

  private showPanel(panel: { title: string; lines: [string, string, number, boolean][] }) {
    const list = make("dl");
    for (const [name, value, target, heading] of panel.lines) {
      const entry = make("dd", target === 0 ? value : "");
      if (target !== 0) {
        const follow = link(value);
        follow.addEventListener("click", () => { this.module.calls.click(target); this.changed(); });
        entry.append(follow);
      }
      const term = make("dt", name);
      if (heading) entry.className = term.className = "heading";
      list.append(term, entry);
    }
    // Who reads it by keyboard stays where they were.
    const box = element("panel"), links = () => [...box.querySelectorAll("button")];
    const focused = links().indexOf(document.activeElement as HTMLButtonElement);
    box.replaceChildren(make("h2", panel.title), list);
    if (focused >= 0) (links()[Math.min(focused, links().length - 1)] ?? element("picture")).focus();
  }

  private showHelp() {
    const dialog = element<HTMLDialogElement>("help");
    const groups = new Map<string, HTMLTableElement>();
    for (const [, group, keys, help] of this.module.json<string[][]>(() => this.module.calls.keys())) {
      if (keys === "") continue;
      if (!groups.has(group)) groups.set(group, make("table"));
      const row = groups.get(group)!.insertRow(), cell = row.insertCell();
      for (const key of group === "Mouse" || group === "Touch" ? [keys] : keys.split(" ")) cell.append(make("kbd", key), " ");
      row.insertCell().textContent = help;
    }
    const columns = make("div");
    columns.append(...[...groups].map(([group, table]) => {
      const section = make("section");
      section.append(make("h3", group), table);
      return section;
    }));
    dialog.replaceChildren(columns);
    dialog.showModal();
  }

  private listThemes() {
    const names = this.module.json<string[]>(() => this.module.calls.theme_names());
    element("themes").replaceChildren(...names.map(name => {
      const button = make("button", name);
      button.addEventListener("click", () => { setTheme(this.module, name); this.changed(); });
      return button;
    }));
  }

  private applyFilter() {
    const form = element("filter").querySelector("form")!;
    const field = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
    this.module.with([field("label").value, field("kind").value, field("executor").value], (l, ls, k, ks, e, es) =>
      this.module.calls.set_filter(l, ls, k, ks, e, es, Number(field("shortest").value) * 1e6, Number(field("longest").value) * 1e6, Number(field("stuck").checked)));
    this.changed();
  }

  private listen() {
    const { calls } = this.module;
    for (const button of document.querySelectorAll<HTMLElement>("[data-run]"))
      button.addEventListener("click", () => this.run(button.dataset.run!));
    const search = element<HTMLInputElement>("search");
    search.addEventListener("input", () => {
      this.module.with([search.value], (at, size) => calls.search(at, size));
      this.changed();
    });
    search.addEventListener("keydown", event => {
      if (event.key === "Enter") this.run(event.shiftKey ? "search-previous" : "search-next");
      if (event.key === "Escape") { search.value = ""; this.run("clear-search"); element("picture").focus(); }
      event.stopPropagation();
    });
    search.addEventListener("blur", () => calls.set_search_shown(0));
    // The module decides whether the filter is open: a key can open it, too.
    element("filter").querySelector("summary")!.addEventListener("click", event => {
      event.preventDefault();
      calls.set_filter_shown(Number(!calls.filter_shown()));
      this.changed();
    });
    const filter = element("filter").querySelector("form")!;
    filter.addEventListener("input", () => this.applyFilter());
    filter.addEventListener("reset", () => setTimeout(() => this.applyFilter()));
    filter.addEventListener("submit", event => event.preventDefault());
    element("counter-menu").addEventListener("toggle", () => this.listCounters());
    element("bookmark-menu").addEventListener("toggle", event => {
      this.listBookmarks();
      if (!(event.target as HTMLDetailsElement).open) element("note-problem").textContent = "";  // it has been read
    });
    const note = element<HTMLFormElement>("note");
    note.addEventListener("submit", event => {
      event.preventDefault();
      const field = note.elements.namedItem("text") as HTMLInputElement;
      const middle = (calls.window_from() + calls.window_to()) / 2;
      this.module.with([field.value], (at, size) => calls.add_bookmark(middle, at, size));
      field.value = "";
      this.notesChanged();
    });
    element("save-notes").addEventListener("click", () => {
      const link = make("a");
      link.href = URL.createObjectURL(new Blob([this.notes()], { type: "application/json" }));
      link.download = "skein-notes.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href));
    });
    element<HTMLInputElement>("load-notes").addEventListener("change", async event => {
      const field = event.target as HTMLInputElement, file = field.files?.[0];
      if (file) this.loadNotes(await file.text());
      field.value = "";  // the same one can be chosen again, mended
    });
    element<HTMLDialogElement>("help").addEventListener("close", () => { calls.set_help_shown(0); this.changed(); });
    document.addEventListener("keydown", event => {
      const { target } = event;
      if (event.key === "Escape" && this.closeMenus()) return element("picture").focus();
      if (!(target instanceof HTMLElement) || target.closest("input, select, dialog")) return;
      if (target.closest("button, summary") && (event.key === "Enter" || event.key === " ")) return;
      this.module.with([event.key], (at, size) => {
        if (calls.key(at, size, modifiersOf(event))) event.preventDefault();
      });
      this.listBookmarks();
      this.keepNotes();
      this.changed();
    });
    // One menu at a time, and none after a click elsewhere.
    document.addEventListener("pointerdown", event => this.closeMenus(event.target as Node));
  }

  // Those that are open, but one with `kept` in it. False: there is none.
  private closeMenus(kept?: Node): boolean {
    const menus = [...document.querySelectorAll<HTMLDetailsElement>(".menu[open]")].filter(menu => !menu.contains(kept ?? null));
    for (const menu of menus) {
      if (menu.id === "filter") this.module.calls.set_filter_shown(0);
      menu.open = false;
    }
    return menus.length > 0;
  }
}

// The body of an answer, with the bar going on as it comes.
async function received(response: Response, progress: HTMLProgressElement): Promise<Uint8Array> {
  const size = Number(response.headers.get("X-Skein-Size") ?? 0);
  const bytes = new Uint8Array(size);
  const reader = response.body!.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.set(value, at);
    at += value.length;
    progress.value = at / size;
  }
  return bytes;
}

function token(): string { return encodeURIComponent(new URLSearchParams(location.search).get("token") ?? ""); }

// Asks the server for the trace as it is now, every second; while nothing is new it says so.
async function follow(module: Module, changed: () => void) {
  const status = element("live"), cover = element("progress");
  const progress = cover.querySelector("progress")!;
  let version = "", life = 0;
  for (;;) {
    const asked = performance.now();
    let busy = 0;  // all of the trace is read again, during which the page does nothing else
    try {
      const response = await fetch(`bundle?token=${token()}&have=${version}`);
      const state = response.headers.get("X-Skein-State") ?? "";
      // While the program runs the answer has the time, by its clock: so long what is alive has lasted.
      const now = Number(response.headers.get("X-Skein-Now") ?? 0);
      module.calls.set_life(life = now || life, Number(now > 0));
      let error = "";
      if (response.status === 200) {
        const bundle = await received(response, progress), began = performance.now();
        if (response.headers.get("X-Skein-Update") !== "1") module.calls.forget_files();
        error = openBundle(module, bundle);
        busy = performance.now() - began;
        version = response.headers.get("X-Skein-Version") ?? "";
        cover.hidden = true;
        changed();
      } else if (response.status === 204) {
        const began = performance.now();
        module.calls.go_on();
        busy = performance.now() - began;
        changed();
      } else {
        error = (await response.text()).slice(0, 200);
      }
      status.textContent = error !== "" ? error : state;
    } catch {
      status.textContent = "skein serve does not answer any more; this is what was read last";
      return;
    }
    // So that a big trace leaves the page nine tenths of its time, and the server most of its own.
    await new Promise(resolve => setTimeout(resolve, Math.max(1000, 3 * (performance.now() - asked), 10 * busy)));
  }
}

function setTheme(module: Module, name: string) {
  module.with([name], (at, size) => module.calls.set_theme(at, size));
}
function themeOf(module: Module): string { module.calls.theme_name(); return module.result(); }
function wantedTheme(): string {
  return remembered("skein theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

async function main() {
  const settings = JSON.parse(element("settings").textContent!) as Settings;
  furnish(document.title.replace(/ - skein$/, ""));
  prepare();
  const instance = await WebAssembly.instantiate(await compiled, {
    // The core uses no system: whatever its library asks for is not there (ENOSYS).
    wasi_snapshot_preview1: new Proxy({}, { get: () => () => 52 }),
  });
  const calls = instance.exports as unknown as PageModule;
  calls._initialize();
  calls.start();
  const module = new Module(calls);
  if (settings.together) calls.begin_together();
  const error = settings.live ? "" : openBundle(module, new Uint8Array(await traces));
  if (!settings.live) calls.forget_files();  // a live page is told what changes in them
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
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));  // the picture is shown first

  const widgets = new Widgets(module, () => picture.schedule(), settings);
  picture.begin(() => widgets.update());
  const canvas = element("picture");
  canvas.addEventListener("pointermove", event => widgets.tooltip(event.clientX, event.clientY));
  canvas.addEventListener("pointerleave", () => widgets.hideTooltip());
  if (error !== "") element("live").textContent = error;
  if (!settings.live) widgets.openNotes();
  if (hint) remember("skein hint", "seen");
  widgets.update();
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
