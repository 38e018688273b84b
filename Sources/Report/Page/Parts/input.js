/* Mouse, keys, and what is under the pointer. */
function listen() {
  const lanes = byId("lanes");
  let drag = null;
  lanes.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.offsetX > lanes.clientWidth) return;
    drag = { x: event.clientX, y: event.clientY, top: lanes.scrollTop, moved: false };
    lanes.setPointerCapture(event.pointerId);
  });
  lanes.addEventListener("pointermove", (event) => {
    if (!drag) return hover(event);
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    if (!drag.moved) { drag.moved = true; drag.last = event.clientX; hideTip(); }
    lanes.classList.add("dragging");
    pan(drag.last - event.clientX);
    drag.last = event.clientX;
    if (event.pointerType === "mouse") lanes.scrollTop = drag.top - dy;
  });
  const release = (event) => {
    if (drag && !drag.moved && event.type === "pointerup") click(event);
    drag = null;
    lanes.classList.remove("dragging");
  };
  lanes.addEventListener("pointerup", release);
  lanes.addEventListener("pointercancel", release);
  lanes.addEventListener("pointerleave", hideTip);
  lanes.addEventListener("dblclick", (event) => zoom(0.4, event.clientX - lanes.getBoundingClientRect().left));
  lanes.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) { zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.012), event.clientX - lanes.getBoundingClientRect().left); event.preventDefault(); return; }
    const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (Math.abs(across) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) { pan(across); event.preventDefault(); }
  }, { passive: false });
  lanes.addEventListener("scroll", () => { VIEW.scroll = lanes.scrollTop; requestDraw(); });
  addEventListener("resize", resize);
  addEventListener("keydown", key);
  byId("do-in").onclick = () => zoom(0.5);
  byId("do-out").onclick = () => zoom(2);
  byId("do-all").onclick = () => showAll();
  byId("do-story").onclick = toStory;
  byId("do-help").onclick = () => byId("help").showModal();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
  addEventListener("beforeprint", () => { document.documentElement.classList.remove("dark"); document.documentElement.classList.add("light"); restyle(); resize(); draw(byId("canvas").getContext("2d")); });
  addEventListener("afterprint", () => { document.documentElement.classList.remove("light"); restyle(); resize(); });
}
function restyle() { readColours(); requestDraw(); }
function toStory() {
  const story = FILTER.edit && told(FILTER.edit);
  if (story) showSteps(story.steps.filter((step) => !NOT_PLACES.has(step.kind))); else showAll();
}

const KEYS = [
  ["\u2190 \u2192", "earlier, later", () => pan(-160), () => pan(160)], ["+ \u2212", "zoom in, zoom out"], ["0", "the whole run"], ["S", "the time of the story"],
  ["N P", "next, previous step of the story"], ["J K", "next, previous edit that came to harm"], ["M", "messages: network, all, none"],
  ["/", "type the name of an edit"], ["D", "light or dark"], ["Esc", "follow no edit"], ["?", "this help"],
];
function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) { if (event.key === "Escape") event.target.blur(); return; }
  const acts = {
    ArrowLeft: () => pan(-160), ArrowRight: () => pan(160), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: () => showAll(),
    Home: () => showAll(), s: toStory, n: () => nextStep(1), p: () => nextStep(-1), j: () => nextStory(1), k: () => nextStory(-1), m: nextMessages,
    "/": () => byId("pick-edit").focus(), d: flip, Escape: () => { hideTip(); follow(null, false); }, "?": () => byId("help").showModal(),
  };
  const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act || (byId("help").open && event.key !== "?")) return;
  event.preventDefault();
  act();
}
function nextStep(by) {
  const story = FILTER.edit && told(FILTER.edit);
  if (!story) return;
  pickStep(story, Math.max(0, Math.min(story.steps.length - 1, FILTER.step ? storyNumber + by : 0)));
}
function nextStory(by) {
  if (STORIES.length === 0) return;
  const now = STORIES.findIndex((story) => story.edit === FILTER.edit);
  follow(STORIES[(now + by + STORIES.length) % STORIES.length].edit, true);
}
function nextMessages() {
  const choices = ["network", "all", "none"];
  FILTER.messages = choices[(choices.indexOf(FILTER.messages) + 1) % 3];
  byId("pick-messages").value = FILTER.messages;
  requestDraw();
}
function flip() {
  const root = document.documentElement;
  const isDark = getComputedStyle(root).colorScheme === "dark";
  root.classList.toggle("dark", !isDark);
  root.classList.toggle("light", isDark);
  restyle();
}

/* What lies under a point: an edit's step before a message, a message before a fault or a stay. */
function under(x, y) {
  const t = VIEW.t(x);
  const reach = 8 * VIEW.perPixel();
  let best = null;
  const offer = (distance, find) => { if (best === null || distance < best.distance) best = { distance, ...find }; };
  for (let i = firstAtLeast(STEPS.t, t - reach), last = firstAtLeast(STEPS.t, t + reach); i < last; i++) {
    const edit = EDITS[STEPS.edit[i]];
    const step = edit.steps[STEPS.number[i]];
    const middle = FILTER.takes(edit) ? rowMiddle(step.place, edit.app) : null;
    if (middle !== null && Math.abs(middle - y) < 10) offer(Math.abs(VIEW.x(step.t) - x) + Math.abs(middle - y) / 4, { edit, step });
  }
  if (best) return best;
  if (FILTER.messages !== "none") {
    const [cache, wide] = [new Map(), Math.max(reach, MESSAGES.longest)];
    const first = firstAtLeast(MESSAGES.until, t - reach);
    for (let i = first; i < MESSAGES.count && MESSAGES.until[i] <= t + wide && i - first < 4000; i++) {
      if (FILTER.messages === "network" && MESSAGES.from[i] === MESSAGES.to[i]) continue;
      const [from, to] = [messageY(MESSAGES.from[i], cache), messageY(MESSAGES.to[i], cache)];
      if (from === null || to === null || y < Math.min(from, to) - 4 || y > Math.max(from, to) + 4) continue;
      const part = from === to ? 1 : (y - from) / (to - from);
      const distance = Math.abs(VIEW.x(MESSAGES.sent[i] + part * (MESSAGES.until[i] - MESSAGES.sent[i])) - x);
      if (distance < 5) offer(distance, { message: i });
    }
    if (best) return best;
  }
  for (const row of LANES.rows) {
    if (y < row.y || y > row.y + row.height) continue;
    if (row.kind === "faults") {
      const fault = FAULTS.find((one) => y >= row.y + 4 + one.row * 17 && y <= row.y + 20 + one.row * 17 && t >= one.from - reach && t <= one.until + reach);
      return fault ? { fault } : null;
    }
    const found = row.pad ? ROW_STAYS.get(rowKey(row.pad, row.kind === "app" ? row.app : null)) : null;
    const stay = found && found.stays[firstAtLeast(found.until, t)];
    return stay && stay.from <= t ? { stay } : null;
  }
  return null;
}
function point(event) {
  const box = byId("canvas").getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top + VIEW.scroll];
}
function click(event) {
  const [x, y] = point(event);
  const found = x > VIEW.gutter ? under(x, y) : null;
  if (found && found.edit) follow(found.edit.token, false);
}
function hover(event) {
  const [x, y] = point(event);
  const found = x > VIEW.gutter && y - VIEW.scroll > TOP ? under(x, y) : null;
  byId("lanes").classList.toggle("hit", Boolean(found && found.edit));
  if (!found) return hideTip();
  const tip = byId("tip");
  tip.replaceChildren(...wordsFor(found).map(([words, style], i) => el(i === 0 ? "b" : "div", { class: style || null }, words)));
  tip.hidden = false;
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 10)}px`;
  tip.style.top = `${event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18}px`;
}
function hideTip() { byId("tip").hidden = true; }
function wordsFor({ edit, step, message, fault, stay }) {
  if (edit) return [[`${edit.token}: ${markWord(step.kind, edit.verb)}`], [step.words || markOf(step.kind).what], [`${edit.app} / ${edit.item}${edit.value ? `  ${edit.value}` : ""}`, "soft"], [`${clock(step.t, 6)} on ${placeName(step.place)}; click to follow`, "soft"]];
  if (message !== undefined) {
    const [from, to] = [MESSAGES.names[MESSAGES.from[message]], MESSAGES.names[MESSAGES.to[message]]];
    const way = MESSAGES.until[message] - MESSAGES.sent[message];
    return [[`${MESSAGES.fate[message] === 1 ? "lost " : ""}${MESSAGES.kinds[MESSAGES.kind[message]]} ${MESSAGES.subjects[MESSAGES.subject[message]]}`], [`${from} to ${to}`], [`${clock(MESSAGES.until[message], 6)}${way > 0 ? `, ${span(way)} on its way` : ""}`, "soft"]];
  }
  if (fault) return [[`fault ${fault.kind}`], [fault.pads.length ? `on iPad ${fault.pads.join(", ")}` : "on every iPad, or iCloud"], [fault.open ? `at ${clock(fault.from)}` : `${clock(fault.from)} to ${clock(fault.until)}, ${span(fault.until - fault.from)}`, "soft"], [fault.id, "soft"]];
  return [[stay.app ? `${stay.app}: ${stay.state}` : `${stay.person || "somebody"}: ${stay.state}`], [stay.app ? `for ${stay.person || "nobody"} on iPad ${stay.pad}` : `on iPad ${stay.pad}`],
    [`${clock(stay.from)} to ${clock(stay.until)}, ${span(stay.until - stay.from)}${stay.ended ? `; ended: ${stay.ended}` : ""}`, "soft"]];
}
