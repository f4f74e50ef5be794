/// <reference path="page.d.ts" />
// The page's first script, the only one that is not packed: unpacks the shell (page.ts) and starts it.

// What document.cc's seven_bits made. A character below 128 is 7 bits; one above stands for one of
// the three that HTML would not leave as they are, and has the 7 bits after it, too.
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  let held = 0, count = 0, at = 0;
  const put = (bits: number) => {
    held |= bits << count;
    count += 7;
    if (count < 8) return;
    bytes[at++] = held;
    held >>= 8;
    count -= 8;
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) put([0, 13, 60][(code >> 7) - 2]);
    put(code & 127);
  }
  return bytes.subarray(0, at);
}

async function unpack(id: string): Promise<Uint8Array> {
  const part = document.getElementById(id)!;
  const stream = new Blob([bytesOf(part.textContent!)]).stream().pipeThrough(new DecompressionStream("gzip"));
  part.remove();  // it will not be asked for again, and may be big
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

unpack("shell").then(bytes => {
  const script = document.createElement("script");
  script.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")!.nonce;
  script.textContent = new TextDecoder().decode(bytes);
  document.body.append(script);
}).catch(problem => {
  document.getElementById("progress")!.textContent = `This page cannot show the trace: ${problem}`;
});
