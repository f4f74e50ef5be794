/// <reference path="dom.ts" />
/// <reference path="module.ts" />
/// <reference path="flame.ts" />
// The pane below the picture: the table of the selected tasks, and their flame graph.

interface TaskTable {
  selection: string; omitted: number; sorted: number; descending: boolean; columns: [string, string][];
  rows: [boolean, boolean, number[], ...string[]][];
}
const statesColumn = 5, states = ["running", "runnable", "waiting"];

class Pane {
  private readonly box = element("pane");
  private readonly split = element("split");
  private readonly body = this.box.querySelector("tbody")!;
  private readonly button = document.querySelector("[data-run=toggle-task-table]")!;
  private shown = "";   // the table, as JSON
  private readonly key: string;
  private kept: string;  // whether it is open, and its height

  constructor(private readonly module: Module, private readonly changed: () => void,
              private readonly flame: Flame) {
    const profile = Boolean(module.calls.of_profile());  // its flame graph is what one looks for
    this.key = profile ? "skein profile pane" : "skein pane";
    this.kept = remembered(this.key) ?? (profile ? "on 320" : "off 220");
    const [open, height] = this.kept.split(" ");
    this.resize(Number(height), .5);
    module.calls.set_task_table_shown(Number(open === "on"));
    this.listen();
  }

  update() {
    const { calls } = this.module, open = Boolean(calls.task_table_shown());
    if (open === this.box.hidden) {
      const focused = this.box.contains(document.activeElement) || document.activeElement === this.split;
      this.box.hidden = this.split.hidden = !open;
      if (focused) element("picture").focus();
      this.button.setAttribute("aria-pressed", String(open));
    }
    const kept = `${open ? "on" : "off"} ${parseInt(this.box.style.height)}`;
    if (kept !== this.kept) remember(this.key, this.kept = kept);
    if (!open) return;
    calls.task_table();  // first: its row is a part of the selection
    this.flame.update();  // its frame is marked in the table
    calls.task_table();
    const table = this.module.result();
    if (table !== this.shown) this.show(JSON.parse(this.shown = table));
    if (calls.changed()) this.changed();  // the chosen row is of other tasks now
  }

  private resize(height: number, share = .6) {
    const most = element('left').clientHeight * share;
    this.box.style.height = `${Math.round(Math.max(60, Math.min(height || 220, most || 220)))}px`;
    this.changed();
  }

  private show({ selection, omitted, sorted, descending, columns, rows }: TaskTable) {
    element("selection").textContent = `Tasks of: ${selection}`;
    if (!element('states').hasChildNodes())
      element('states').append(...states.map((state, i) => {
        const part = make('span');
        part.append(this.state(i), state);
        return part;
      }));
    element("omitted").textContent = rows.length === 0 ? "No tasks." : omitted > 0 ? `${omitted} more rows are not shown.` : "";
    const head = this.box.querySelector("thead tr")!;
    if (head.children.length === 0) head.append(...columns.map(([name, help], column) => {
      const cell = make("th"), button = make("button");
      // Its words are above the table, where there is room.
      if (column === statesColumn)
        button.append(...states.map((_, i) => this.state(i)));
      else
        button.append(name);
      button.title = column === statesColumn ? `${name}: ${help}` : help;
      if (column === statesColumn) button.ariaLabel = name;
      button.addEventListener("click", () => { this.module.calls.sort_tasks(column); this.changed(); });
      cell.append(button);
      return cell;
    }));
    [...head.children].forEach((cell, column) => {
      cell.ariaSort = column !== sorted ? "none" : descending ? "descending" : "ascending";
    });
    const at = this.row(document.activeElement), chosen = rows.findIndex(([is]) => is);
    this.body.replaceChildren(...rows.map(([is, framed, shares, ...texts], i) => {
      const row = make("tr");
      row.ariaSelected = String(is);
      row.className = framed ? "framed" : "";
      row.tabIndex = i === Math.max(chosen, 0) ? 0 : -1;
      row.append(...texts.map((text, column) => {
        const cell = make("td", column === statesColumn ? "" : text);
        cell.title = column === statesColumn || column === 0 ? text : "";
        if (column === statesColumn) cell.append(this.bar(shares));
        return cell;
      }));
      return row;
    }));
    if (at >= 0) this.focus(chosen >= 0 ? chosen : at);
  }

  private state(which: number): HTMLElement {
    const made = make("i");
    made.className = states[which];
    return made;
  }
  private bar(shares: number[]): HTMLElement {
    const bar = make("div");
    bar.append(...shares.map((share, i) => {
      const part = this.state(i);
      part.style.flexGrow = String(share);
      return part;
    }));
    return bar;
  }

  // The number of the row that contains the element; -1: none.
  private row(of: Element | null): number { return [...this.body.rows].indexOf(of?.closest("tbody tr") as HTMLTableRowElement); }
  private focus(row: number) { this.body.rows[Math.max(0, Math.min(row, this.body.rows.length - 1))]?.focus(); }
  private choose(row: number) {
    this.module.calls.choose_tasks(row);
    this.changed();
  }

  private listen() {
    this.body.addEventListener("click", event => {
      const row = this.row(event.target as Element);
      this.focus(row);
      this.choose(row);
    });
    this.body.addEventListener("keydown", event => {
      const row = this.row(event.target as Element), last = this.body.rows.length - 1;
      const to = ({ ArrowUp: row - 1, ArrowDown: row + 1, Home: 0, End: last } as Record<string, number>)[event.key];
      if (to === undefined && event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      if (to === undefined) return this.choose(row);
      if (to < 0 || to > last || to === row) return;
      this.focus(to);
      this.choose(to);
    });
    const height = () => this.box.offsetHeight;
    this.split.addEventListener("pointerdown", event => {
      this.split.setPointerCapture(event.pointerId);
      const from = event.clientY + height();
      const move = (to: PointerEvent) => this.resize(from - to.clientY);
      this.split.addEventListener("pointermove", move);
      this.split.addEventListener("lostpointercapture", () => this.split.removeEventListener("pointermove", move), { once: true });
    });
    this.split.addEventListener("keydown", event => {
      const step = event.key === "ArrowUp" ? 24 : event.key === "ArrowDown" ? -24 : 0;
      if (step === 0) return;
      event.preventDefault();
      event.stopPropagation();
      this.resize(height() + step);
    });
  }
}
