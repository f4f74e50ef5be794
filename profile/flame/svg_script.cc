#include "profile/flame/svg_script.h"

namespace skein {

// Not "]]>" in the text: it is in a CDATA section, which a page ignores.
const std::string_view svg_script = R"js(//
"use strict";
(() => {
  const svg = document.currentScript ? document.currentScript.closest("svg") : document.documentElement;
  const one = (id) => svg.querySelector("#" + id);
  const baseline = Number(svg.dataset.baseline), character = Number(svg.dataset.letter);
  const icicle = svg.dataset.icicle === "1", before = svg.dataset.name ? svg.dataset.name + " " : "";
  const margin = 10;
  const boxes = [...one("frames").children].map((g) => {
    const rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
    return {
      g, rect, title, name: g.dataset.name || title.slice(0, title.lastIndexOf(" (")),
      x: Number(rect.getAttribute("x")), width: Number(rect.getAttribute("width")),
      y: Number(rect.getAttribute("y")), text: g.querySelector("text"),
    };
  });
  const all = boxes[0];
  let zoomed = all, pattern = null, ignores_case = false;

  // The address has the zoom and the search, as that of flamegraph.pl: a copy shows the same. Some
  // browsers refuse that for files.
  const is_alone = document.querySelectorAll("svg").length === 1;
  const remember = () => {
    if (!is_alone) return;
    const state = new URLSearchParams();
    if (zoomed !== all) {
      state.set("x", zoomed.x.toFixed(2));
      state.set("y", zoomed.y.toFixed(0));
    }
    if (pattern) state.set("s", pattern.source);
    if (pattern && ignores_case) state.set("i", "1");
    const text = state.toString();
    try {
      history.replaceState(null, "", location.pathname + (text ? "?" + text : ""));
    } catch (error) {
      return;
    }
  };

  const label = (box, x, width) => {
    const fits = Math.floor((width - 6) / character);
    if (fits < 3) {
      if (box.text) box.text.classList.add("gone");
      return;
    }
    if (!box.text) {
      box.text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      box.text.setAttribute("y", (box.y + baseline).toFixed(0));
      box.g.append(box.text);
    }
    box.text.classList.remove("gone");
    box.text.setAttribute("x", (x + 3).toFixed(2));
    box.text.textContent = box.name.length <= fits ? box.name : box.name.slice(0, fits - 2) + "..";
  };

  // Boxes below and above the one that is zoomed; both ends are rounded to hundredths.
  const zoom = (to) => {
    zoomed = to;
    const factor = all.width / to.width, slack = 0.02;
    for (const box of boxes) {
      const inside = box.x >= to.x - slack && box.x + box.width <= to.x + to.width + slack;
      const around = box.x <= to.x + slack && box.x + box.width >= to.x + to.width - slack;
      const above = icicle ? box.y < to.y : box.y > to.y;
      const parent = above && around && box !== to;
      const shown = parent || (inside && !above);
      box.g.classList.toggle("gone", !shown);
      box.g.classList.toggle("parent", parent);
      if (!shown) continue;
      const x = parent ? all.x : margin + (box.x - to.x) * factor;
      const width = parent ? all.width : box.width * factor;
      box.rect.setAttribute("x", x.toFixed(2));
      box.rect.setAttribute("width", width.toFixed(2));
      label(box, x, width);
    }
    one("reset").classList.toggle("gone", to === all);
    measure();
    remember();
  };

  // The share of the pattern in the visible boxes: boxes in boxes count once.
  const measure = () => {
    const out = one("matched");
    if (!pattern) {
      out.textContent = "";
      return;
    }
    const hits = boxes.filter((box) => box.g.classList.contains("hit") &&
                                       !box.g.classList.contains("gone") &&
                                       !box.g.classList.contains("parent"));
    const outer = zoomed.g.classList.contains("hit") ||
        boxes.some((box) => box.g.classList.contains("hit") && box.g.classList.contains("parent"));
    hits.sort((a, b) => a.x - b.x || b.width - a.width);
    let end = -Infinity, sum = 0;
    for (const box of hits) {
      if (box.x + box.width <= end + 0.005) continue;
      sum += box.x + box.width - Math.max(box.x, end);
      end = box.x + box.width;
    }
    const share = outer ? 1 : Math.min(1, sum / zoomed.width);
    out.textContent = "Matched: " + (100 * share).toFixed(2) + "%";
  };

  const search = (text) => {
    try {
      pattern = text ? new RegExp(text, ignores_case ? "i" : "") : null;
    } catch (error) {
      one("matched").textContent = error.message;
      return;
    }
    for (const box of boxes)
      box.g.classList.toggle("hit", pattern !== null && box !== all && pattern.test(box.name));
    one("search").textContent = pattern ? "Reset search" : "Search";
    measure();
    remember();
  };
  const set_ignores_case = (ignores) => {
    ignores_case = ignores;
    one("case").textContent = ignores ? "Match case" : "Ignore case";
    if (pattern) search(pattern.source);
  };
  const prompt_for = () => {
    const text = prompt("Search for (a regular expression):", pattern ? pattern.source : "");
    if (text !== null) search(text);
  };

  const box_of = (event) => {
    const g = event.target.closest("#frames > *");
    return g && boxes.find((box) => box.g === g);
  };
  svg.addEventListener("click", (event) => {
    const box = box_of(event);
    const follows = box && box.g.nodeName === "a" && !(event.ctrlKey || event.metaKey);
    if (box && !follows) event.preventDefault();
    if (follows) return;
    if (box) zoom(box);
    else if (event.target.id === "reset") zoom(all);
    else if (event.target.id === "search") pattern ? search("") : prompt_for();
    else if (event.target.id === "case") set_ignores_case(!ignores_case);
  });
  svg.addEventListener("mouseover", (event) => {
    const box = box_of(event);
    one("detail").textContent = box ? before + box.title : "";
  });
  window.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "f" || event.key === "F3") {
      event.preventDefault();
      prompt_for();
    } else if ((event.ctrlKey || event.metaKey) && event.key === "i") {
      event.preventDefault();
      set_ignores_case(!ignores_case);
    } else if (event.key === "Escape") {
      pattern ? search("") : zoom(all);
    }
  });
  one("search").classList.remove("gone");
  one("case").classList.remove("gone");

  const state = new URLSearchParams(is_alone ? location.search : "");
  const x = Number(state.get("x")), y = Number(state.get("y"));
  const box = state.has("x") && boxes.find((one) => Math.abs(one.x - x) < 0.01 && Math.abs(one.y - y) < 1);
  const text = state.get("s");
  if (state.get("i") === "1") set_ignores_case(true);
  if (box) zoom(box);
  if (text) search(text);
})();
)js";

}  // namespace skein
