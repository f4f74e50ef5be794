/// <reference path="dom.ts" />
/// <reference path="module.ts" />
// A served trace: reads it again while it grows.

// Returns the body of a response and updates the progress bar while it arrives.
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

// Requests the current trace from the server, at most once per second. Status 204: nothing is new.
async function follow(module: Module, changed: () => void) {
  const status = element("live"), cover = element("progress");
  const progress = cover.querySelector("progress")!;
  let version = "", life = 0;
  for (;;) {
    const asked = performance.now();
    let busy = 0;  // time spent reading the trace, which blocks the page
    try {
      const response = await fetch(`bundle?token=${token()}&have=${version}`);
      const state = response.headers.get("X-Skein-State") ?? "";
      // While the program runs, the response has its current time: live tasks extend to it.
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
      status.textContent = "skein serve does not respond; the page shows the last state received";
      return;
    }
    // So that a big trace leaves the page nine tenths of its time, and the server most of its time.
    await new Promise(resolve => setTimeout(resolve, Math.max(1000, 3 * (performance.now() - asked), 10 * busy)));
  }
}
