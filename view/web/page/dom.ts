// Elements of the page, and what the browser keeps for it.

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}
function make<K extends keyof HTMLElementTagNameMap>(
    tag: K, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

// Long paths break after their separators, not inside of words.
function fill(element: HTMLElement, text: string) {
  element.append(...text.split(/(?<=\/|::)/).flatMap(part => [part, make("wbr")]));
}

// What leads somewhere within the picture.
function link(text: string): HTMLButtonElement {
  const made = make("button");
  fill(made, text);
  made.className = "link";
  return made;
}

// Storage may be forbidden (file://, private windows): then nothing is remembered.
function remembered(key: string): string | null {
  try { return localStorage.getItem(key); } catch { return null; }
}
function remember(key: string, value: string) {
  try { localStorage.setItem(key, value); } catch { /* forgotten when the page closes */ }
}

function token(): string { return encodeURIComponent(new URLSearchParams(location.search).get("token") ?? ""); }
