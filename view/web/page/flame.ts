/// <reference path="dom.ts" />
/// <reference path="module.ts" />
/// <reference path="picture.ts" />
/// <reference path="widgets.ts" />
// The flame graph in the pane: a canvas with its draw list, and the choice of the time.

class Flame {
  private readonly canvas = element<HTMLCanvasElement>("flame");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private readonly choice = element<HTMLSelectElement>("flame-time");
  private shown = "";    // the choices, as JSON
  private theme = 0;  // of the picture: the address of its colours

  constructor(private readonly module: Module, private readonly picture: Picture, widgets: Widgets) {
    const { canvas } = this, { calls } = module;
    const changed = () => picture.schedule();
    new ResizeObserver(() => { if (this.resize()) this.draw(); }).observe(canvas);
    const tooltip = (event: MouseEvent) => widgets.tooltip(event.clientX, event.clientY, () => calls.flame_tooltip());
    canvas.addEventListener("pointermove", event => {
      calls.flame_move(event.offsetX, event.offsetY);
      tooltip(event);
      changed();
    });
    canvas.addEventListener("pointerleave", () => {
      calls.flame_move(-1, -1);
      widgets.hideTooltip();
      changed();
    });
    canvas.addEventListener("click", event => {
      calls.flame_click(event.offsetX, event.offsetY);
      changed();
    });
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      calls.flame_wheel(event.deltaY);
      changed();
    }, { passive: false });
    canvas.addEventListener("keydown", event => {
      module.with([event.key], (at, size) => {
        if (modifiersOf(event) !== 0 || !calls.flame_key(at, size)) return;
        event.preventDefault();
        event.stopPropagation();
        calls.flame_tooltip();
        canvas.ariaLabel = module.result() || "Flame graph";
        changed();
      });
    });
    this.choice.addEventListener("change", () => {
      calls.set_flame_time(Number(this.choice.value));
      changed();
    });
  }

  private resize(): boolean {
    this.module.calls.flame_resize(this.canvas.clientWidth, this.canvas.clientHeight);
    return fit(this.canvas);
  }

  update() {
    const { calls } = this.module;
    if (this.resize() || calls.flame_changed() || this.theme !== calls.colours()) this.draw();
  }

  private draw() {
    const { calls } = this.module;
    this.theme = calls.colours();
    calls.flame();
    const shown = this.module.result();
    if (shown !== this.shown) {
      const [chosen, all] = JSON.parse(this.shown = shown) as [number, [number, string, string][]];
      this.choice.replaceChildren(...all.map(([time, name, help]) => {
        const option = make("option", name);
        option.value = String(time);
        option.selected = time === chosen;
        if (option.selected) this.choice.title = help;
        return option;
      }));
    }
    this.picture.drawRest(this.context);
  }
}
