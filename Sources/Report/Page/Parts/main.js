/* Puts the page together. */
function resize() {
  const lanes = byId("lanes");
  const isPrinted = matchMedia("print").matches;
  const room = isPrinted ? LANES.height : Math.min(LANES.height, Math.round(innerHeight * 0.72));
  const ratio = devicePixelRatio || 1;
  VIEW.width = Math.max(320, lanes.clientWidth);
  VIEW.height = Math.max(120, Math.min(room, 6000));
  const canvas = byId("canvas");
  canvas.width = Math.round(VIEW.width * ratio);
  canvas.height = Math.round(VIEW.height * ratio);
  canvas.style.width = `${VIEW.width}px`;
  canvas.style.height = `${VIEW.height}px`;
  byId("tall").style.height = `${LANES.height}px`;
  VIEW.scroll = lanes.scrollTop;
  requestDraw();
}
/* What the shapes and patterns of the timeline mean. */
function showLegend() {
  const bar = (draw) => el("svg", { class: "swatch", viewBox: "0 0 30 12", "aria-hidden": "true" }, ...draw);
  const box = (height, fill, stroke) => el("rect", { x: 0.5, y: 6 - height / 2, width: 29, height, fill, stroke });
  const slants = (colour, y, height) => [0, 5, 10, 15, 20, 25].map((x) => el("line", { x1: x, y1: y + height, x2: x + 5, y2: y, stroke: colour, "stroke-width": 1.4 }));
  byId("lanes-legend").replaceChildren(...[
    [[box(9, "var(--front)", "var(--front)")], "app in front"], [[box(8, "none", "var(--front)"), ...slants("var(--front)", 2, 8)], "in the background"],
    [[box(3, "var(--sleep)", "none")], "suspended"], [[box(8, "none", "var(--front)")], "launched"],
    [[el("path", { d: "M10 1L20 11M20 1L10 11", stroke: "var(--harm)", "stroke-width": 2 })], "killed without notice"],
    [[box(9, "var(--session)", "var(--faint)")], "a person's session"], [[box(11, "none", "var(--fault)"), ...slants("var(--fault)", 0.5, 11)], "fault at work"],
    [[el("path", { d: "M2 11L26 2M26 2L19 2.5M26 2L22 7", fill: "none", stroke: "var(--soft)" })], "request"],
    [[el("path", { d: "M2 2L26 10", fill: "none", stroke: "var(--soft)", "stroke-dasharray": "5 3" })], "response"],
    [[el("path", { d: "M2 2L26 10", fill: "none", stroke: "var(--soft)", "stroke-dasharray": "1.5 3" })], "push"],
    [[el("path", { d: "M2 10L15 6M12 3L18 9M18 3L12 9", fill: "none", stroke: "var(--harm)" })], "failed or lost"],
  ].map(([draw, words]) => el("span", {}, bar(draw), words)));
}
function fillHelp() {
  const close = el("button", { type: "button", onclick: () => byId("help").close() }, "close");
  byId("help").replaceChildren(
    el("h2", {}, "How to read this page ", close),
    el("p", {}, "On top the verdict; under it the story of one edit, step by step. The timeline shows the whole run: a row for iCloud, and for each iPad its session and its apps. An edit climbs from its iPad to iCloud and comes down on the other iPads."),
    el("p", {}, "Drag to move. Hold Ctrl and turn the wheel, pinch or double-click to zoom; Shift and the wheel move in time. Point at anything to read what it is; click an edit to follow it."),
    el("h3", {}, "Keys"), el("dl", { class: "two" }, ...KEYS.flatMap(([name, what]) => [el("dt", {}, ...name.split(" ").flatMap((one) => [el("kbd", {}, one), " "])), el("dd", {}, what)])),
    el("h3", {}, "Marks"), el("dl", { class: "two" }, ...Object.entries(MARKS).flatMap(([kind, mark]) => [el("dt", {}, markIcon(kind), ` ${mark.word}`), el("dd", {}, mark.what)])));
}

function start() {
  readColours();
  showHead();
  showPick();
  fillFilter();
  layOut(null, null);
  showLegend();
  fillHelp();
  showTable();
  resize();
  listen();
  showAll();
  const first = STORIES[0] || null;
  byId("story").hidden = first === null;
  const asked = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; } };
  if (EDIT.has(asked())) follow(asked(), true); else if (first) { follow(first.edit, false); showAll(); }
  addEventListener("hashchange", () => { if (EDIT.has(asked())) follow(asked(), true); });
  /* For tests: the page is whole, and how long that took. */
  document.documentElement.dataset.milliseconds = Math.round(performance.now());
  document.documentElement.dataset.ready = `${EDITS.length} edits, ${MESSAGES.count} messages, ${STORIES.length} stories`;
}
start();
