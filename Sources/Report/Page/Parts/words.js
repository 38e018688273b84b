/* Words and small tools of all pages. Data never becomes markup: text goes in as text. */
function el(tag, attributes, ...children) {
  const isDrawn = el.drawn.has(tag);
  const node = isDrawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
el.drawn = new Set(["svg", "g", "path", "line", "rect", "circle", "text", "defs", "pattern", "polyline", "title", "tspan"]);
const byId = (id) => document.getElementById(id);

/* What each class of harm means, for a reader who has never seen one. */
const CLASSES = {
  lost: "A service or iCloud had accepted the edit, and now nobody has it.",
  unsaved: "The app said it was done and gave the edit to nobody; then the only copy went.",
  overwritten: "Another edit that never saw this one took its place, although the app promises to keep both.",
  resurrected: "The edit was deleted, the deletion was acknowledged, and it came back.",
  duplicated: "The edit was made once and is there twice.",
  damaged: "The edit is there, but cut off, changed, or in the wrong item.",
  stuck: "The edit still waits, long after everything that was in its way had healed.",
  diverged: "Two iPads of the same person still show different things after everything had healed.",
  leaked: "Another person could see or hold the edit.",
  undeployed: "Production refused the edit, because its schema does not have what the app saves.",
  stranded: "The only copy lies on an iPad that is out of reach. Counted; it does not make a run invalid.",
  excused: "Gone by a documented rule. Counted; it does not make a run invalid.",
  inflight: "Gone within a documented window. Counted; it does not make a run invalid.",
};
/* What the doomed step is called, where "data lost here" is not what happened. */
const DOOM_WORDS = {
  leaked: "leaked here", damaged: "damaged here", duplicated: "doubled here", resurrected: "came back here", stuck: "stuck here", diverged: "fell behind here", undeployed: "refused here",
};
const doomWords = (ending) => DOOM_WORDS[ending] || "data lost here";
/* How an edit ended that came to no harm. */
const ENDINGS = {
  kept: "every reader shows it", superseded: "replaced by a later edit that saw it", refused: "visibly refused: the person knows",
  unanswered: "neither performed nor refused in time", unread: "nothing was read at the end",
  beaten: "another edit of the item won by the channel's rule",
};
const isHarm = (ending) => ending in CLASSES;
const isViolation = (ending) => isHarm(ending) && !["stranded", "excused", "inflight"].includes(ending);

/* The verdict's sign: a shape for each, so that it needs no colour. */
function verdictSign(verdict) {
  const shapes = {
    valid: ["good", "M12 2a10 10 0 1 0 .01 0z", "M7 12.5l3.5 3.5L17 8.5"],
    invalid: ["harm", "M8 2h8l6 6v8l-6 6H8l-6-6V8z", "M8 8l8 8M16 8l-8 8"],
    unknown: ["open", "M12 1.5L22.5 12 12 22.5 1.5 12z", "M9.2 9.4a2.9 2.9 0 1 1 4.2 2.6c-1 .6-1.4 1-1.4 2M12 16.6v.6"],
  };
  const [tone, edge, inside] = shapes[verdict] || shapes.unknown;
  return el("svg", { viewBox: "0 0 24 24", class: tone, "aria-hidden": "true" },
    el("path", { d: edge, fill: "currentColor", opacity: ".14", stroke: "currentColor", "stroke-width": "1.6" }),
    el("path", { d: inside, fill: "none", stroke: "currentColor", "stroke-width": "2.2", "stroke-linecap": "round", "stroke-linejoin": "round" }));
}
const tone = (verdict) => ({ valid: "good", invalid: "harm", unknown: "open" }[verdict] || "open");

/* `1 edit`, `3 edits`. */
const many = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
/* A length of time in microseconds, short: `20 ms`, `1m34s`. */
function span(micros) {
  if (micros < 1000) return `${micros} us`;
  if (micros < 1e6) return `${Math.round(micros / 1000)} ms`;
  const seconds = micros / 1e6;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1).replace(/\.0$/, "") : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(Math.floor(seconds % 60)).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}
async function copyText(text, button) {
  try { await navigator.clipboard.writeText(text); } catch {
    /* A file opened from the disk may not use the clipboard: select it for the person. */
    const range = document.createRange();
    range.selectNodeContents(button.previousElementSibling);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    document.execCommand("copy");
  }
  button.textContent = "copied";
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}
