/// <reference path="page.d.ts" />
// The page's first script, the only one that is not packed: unpacks the others and starts page.ts.
// The module comes first: browsers compile it on other threads while the rest is unpacked.

// The bytes embedded by utf16_packed in document.cc: after a digit, the number of bytes that pad the
// last character, blocks of two bytes per character. It runs once, before the browser has optimised it:
// no calls, few cases. (Every platform with a browser is little-endian.)
function bytesOf(text: string): Uint8Array {
  const size = text.length;
  const units = new Uint16Array(size);
  let at = 0;
  for (let i = 1; i < size;) {
    const block = text.charCodeAt(i++), key = block & 0xff00;
    for (const end = i + (block & 0xff); i < end;) units[at++] = text.charCodeAt(i++) - key;
  }
  return new Uint8Array(units.buffer, 0, at * 2 - +text[0]);
}

const textOf = (id: string): string => {
  const part = document.getElementById(id)!;
  part.remove();  // no longer needed, and may be big
  return part.textContent!;
};

// With gzip. Not with a Blob, which would go through the browser's process.
function unpacked(id: string): Response {
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const ignore = () => { /* the reader gets the error */ };
  writer.write(bytesOf(textOf(id))).catch(ignore);
  writer.close().catch(ignore);
  return new Response(readable);
}

// The module, by unlzma.cc. Its memory has room for the decoder's own before the two.
function decompressed(packed: Uint8Array): Uint8Array {
  const size = new DataView(packed.buffer).getUint32(0, true);
  const { memory, unlzma } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(textOf("unlzma")))).exports as
      unknown as { memory: WebAssembly.Memory; unlzma(from: number, to: number, size: number): void };
  const from = memory.buffer.byteLength, to = from + packed.length;
  memory.grow(Math.ceil((packed.length + size) / 65536));
  new Uint8Array(memory.buffer, from).set(packed);
  unlzma(from + 4, to, size);
  return new Uint8Array(memory.buffer, to, size);
}

const compiled = WebAssembly.compile(decompressed(bytesOf(textOf("module"))));
const shell = unpacked("shell").text();
const traces = unpacked("traces").arrayBuffer();  // empty in a live page
traces.catch(() => { /* page.ts reports it */ });

shell.then(source => {
  const script = document.createElement("script");
  script.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")!.nonce;
  script.textContent = source;
  document.body.append(script);
}).catch(problem => {
  document.getElementById("progress")!.textContent = `This page cannot show the trace: ${problem}`;
});
