/// <reference path="dom.ts" />
/// <reference path="module.ts" />
/// <reference path="picture.ts" />
// Panel, search, filter, counters, bookmarks, help and themes: everything around the picture.

interface Settings { live: boolean; notes: string; kept: string; problem: string; together?: boolean; path?: [number, string] }

class Widgets {
  private shown = "";
  private legend = this.module.calls.legend_shown();
  private theme = themeOf(this.module);
  private kept?: string;  // the notes saved last
  private posted = Promise.resolve();
  constructor(private readonly module: Module, private readonly changed: () => void,
              private readonly settings: Settings) {
    this.listen();
    this.listThemes();
  }

  // Updates everything that may change with the picture. Cheap if nothing did.
  update() {
    const { calls } = this.module;
    calls.panel();
    const panel = this.module.result();
    if (panel !== this.shown) this.showPanel(JSON.parse(this.shown = panel));
    const search = element<HTMLInputElement>("search");
    const { count, at, searched } = this.module.json<{ count: number; at: number; searched: boolean }>(() => calls.found());
    if (!searched) search.value = "";  // a key has cleared it
    const filters = calls.filters();
    element("found").textContent = !searched ? "" : count === 0 ? `no matches${filters ? " (filter is on)" : ""}`
      : at > 0 ? `${at} of ${count}` : `${count} ${count === 1 ? "match" : "matches"}`;
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

  tooltip(x: number, y: number, write = () => this.module.calls.tooltip()) {
    write();
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

  // The filter's choices; the selected ones stay selected while the trace grows.
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
      field.title = `Note at ${time}`;
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
  // Loads the saved notes, once, when the trace is loaded.
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
  // Saves notes beside the trace if it is served, otherwise in the browser.
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
      const entry = make("dd");
      if (target === 0) fill(entry, value);
      else {
        const follow = link(value);
        follow.addEventListener("click", () => { this.module.calls.click(target); this.changed(); });
        entry.append(follow);
      }
      const term = make("dt", name);
      if (heading) entry.className = term.className = "heading";
      list.append(term, entry);
    }
    // Keeps the keyboard focus.
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
      if (!(event.target as HTMLDetailsElement).open) element("note-problem").textContent = "";  // it was read
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
      field.value = "";  // the same file can be chosen again after a fix
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
    // One menu at a time; a click elsewhere closes all.
    document.addEventListener("pointerdown", event => this.closeMenus(event.target as Node));
  }

  // Closes the open menus, except one that contains `kept`. Returns false if there is none.
  private closeMenus(kept?: Node): boolean {
    const menus = [...document.querySelectorAll<HTMLDetailsElement>(".menu[open]")].filter(menu => !menu.contains(kept ?? null));
    for (const menu of menus) {
      if (menu.id === "filter") this.module.calls.set_filter_shown(0);
      menu.open = false;
    }
    return menus.length > 0;
  }
}
