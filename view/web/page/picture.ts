/// <reference path="dom.ts" />
/// <reference path="module.ts" />
// The canvas: paints the module's draw list and forwards input to the module.

const enum Shape { Fill, Line, Arrow, Text }
const primitiveSize = 36;
const modifiersOf = (event: MouseEvent | KeyboardEvent) =>
    (event.shiftKey ? 1 : 0) | (event.ctrlKey || event.metaKey ? 2 : 0) | (event.altKey ? 4 : 0);

// Sets the canvas size to device pixels. Returns false if it is unchanged.
function fit(canvas: HTMLCanvasElement): boolean {
  const width = Math.round(canvas.clientWidth * devicePixelRatio);
  const height = Math.round(canvas.clientHeight * devicePixelRatio);
  if (canvas.width === width && canvas.height === height) return false;
  canvas.width = width;
  canvas.height = height;
  return true;
}

// Prepares the first picture while the module is being compiled: memory for the canvas, and the
// font, which the first text requests from the system.
function prepare() {
  const canvas = element<HTMLCanvasElement>("picture"), context = canvas.getContext("2d", { alpha: false })!;
  fit(canvas);
  context.font = "11px sans-serif";
  context.fillText("a", 0, 0);
}

const never = -1, notKept = -2;  // special values of `drawn`

class Picture {
  private readonly canvas = element<HTMLCanvasElement>("picture");
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private readonly scene = document.createElement("canvas");
  private readonly sceneContext = this.scene.getContext("2d", { alpha: false })!;
  private drawn = never;  // version of the kept scene
  private scheduled = false;
  private readonly touches = new Map<number, { x: number; y: number }>();
  private spread = 0;
  private pinchesRows = false;

  private updated = () => { /* set by begin() */ };

  constructor(private readonly module: Module) { this.resize(); }

  // Starts to handle input and to follow the window's size.
  begin(updated: () => void) {
    this.updated = updated;
    this.listen();
    new ResizeObserver(() => { if (this.resize()) this.draw(); }).observe(this.canvas);
  }

  focus() { this.canvas.focus({ preventScroll: true }); }

  // Returns false if the size is unchanged or empty.
  private resize(): boolean {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return false;
    this.module.calls.resize(clientWidth, clientHeight);
    return fit(this.canvas);
  }

  // Draws once before the next frame, however often it is called.
  schedule() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      if (this.module.calls.changed()) this.draw();
      this.updated();
    });
  }

  // Paints the scene only if it has changed: pointer movements change only the readouts. The scene
  // is kept in another canvas, except the first one, which is shown before any pointer movement.
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

  // Draws what the module leaves to the page: texts, and what is above texts (legend, readouts).
  drawRest(context: CanvasRenderingContext2D) {
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

  // The horizontal and vertical distance of the two fingers.
  private distances(): [number, number] {
    const [a, b] = [...this.touches.values()];
    return [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
  }
  private pinchBegins() {
    const [dx, dy] = this.distances();
    this.spread = Math.hypot(dx, dy);
    this.pinchesRows = dy > 2 * dx;
    this.module.calls.pinch(0, 0, 1);  // ends the first finger's gesture
  }
  // A vertical pinch changes the height of rows: a touch screen has no keys and no wheel.
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
