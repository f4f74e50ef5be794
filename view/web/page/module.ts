/// <reference path="dom.ts" />
/// <reference path="page.d.ts" />
// The WebAssembly module. Texts are passed as UTF-8 in its memory, traces as bundles.

interface TraceFiles { title: string; path: string; gone?: string[]; files: [string, number, (number | [number, number][])?][] }

class Module {
  private readonly encoder = new TextEncoder();
  private readonly decoder = new TextDecoder();
  constructor(readonly calls: PageModule) {}

  bytes(at: Address, size: number): Uint8Array { return new Uint8Array(this.calls.memory.buffer, at, size); }
  text(at: Address, size: number): string { return this.decoder.decode(this.bytes(at, size)); }

  // Calls `use` with address and size of each text, valid during the call.
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

// A bundle is a size (4 bytes, little-endian), that many bytes of JSON, then the files' bytes
// (bundle.h).
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

function setTheme(module: Module, name: string) {
  module.with([name], (at, size) => module.calls.set_theme(at, size));
}
function themeOf(module: Module): string { module.calls.theme_name(); return module.result(); }
function wantedTheme(): string {
  return remembered("skein theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
