// Elements of the page, and the browser's storage.

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}
function make<K extends keyof HTMLElementTagNameMap>(
    tag: K, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

// Long paths break after their separators, not within words.
function fill(element: HTMLElement, text: string) {
  element.append(...text.split(/(?<=\/|::)/).flatMap(part => [part, make("wbr")]));
}

// A link to somewhere in the picture.
function link(text: string): HTMLButtonElement {
  const made = make("button");
  fill(made, text);
  made.className = "link";
  return made;
}

// Storage may be forbidden (file://, private windows): then nothing is saved.
function remembered(key: string): string | null {
  try { return localStorage.getItem(key); } catch { return null; }
}
function remember(key: string, value: string) {
  try { localStorage.setItem(key, value); } catch { /* lost when the page closes */ }
}

function token(): string { return encodeURIComponent(new URLSearchParams(location.search).get("token") ?? ""); }
