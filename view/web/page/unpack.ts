/// <reference path="page.d.ts" />
// The page's first script, the only one that is not packed: unpacks the others and starts the shell
// (page.ts). The module comes first: browsers compile it on other threads while the rest is unpacked.

// What document.cc's seven_bits made. A character below 128 is 7 bits; one above stands for one of
// the three that HTML would not leave as they are, and has the 7 bits after it, too. It runs once, before
// the browser has compiled it well: no calls, few cases.
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const size = text.length;
  let held = 0, count = 0, at = 0;
  for (let i = 0; i < size; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) {
      held |= (code < 384 ? 0 : code < 512 ? 13 : 60) << count;
      count += 7;
      if (count > 7) {
        bytes[at++] = held;
        held >>= 8;
        count -= 8;
      }
    }
    held |= (code & 127) << count;
    count += 7;
    if (count > 7) {
      bytes[at++] = held;
      held >>= 8;
      count -= 8;
    }
  }
  return bytes.subarray(0, at);
}

// Not by a Blob, which would go through the browser's process.
function unpacked(id: string, type = ""): Response {
  const part = document.getElementById(id)!;
  const { readable, writable } = new DecompressionStream("gzip");
  const writer = writable.getWriter();
  const ignore = () => { /* whoever reads is told */ };
  writer.write(bytesOf(part.textContent!)).catch(ignore);
  writer.close().catch(ignore);
  part.remove();  // it will not be asked for again, and may be big
  return new Response(readable, { headers: { "Content-Type": type } });
}

const compiled = WebAssembly.compileStreaming(unpacked("module", "application/wasm"));
const shell = unpacked("shell").text();
const traces = unpacked("traces").arrayBuffer();  // of a live page: nothing
traces.catch(() => { /* page.ts says so */ });

shell.then(source => {
  const script = document.createElement("script");
  script.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")!.nonce;
  script.textContent = source;
  document.body.append(script);
}).catch(problem => {
  document.getElementById("progress")!.textContent = `This page cannot show the trace: ${problem}`;
});
