/* What is asked for, and the table of edits that answers it. */
const FILTER = {
  /* Of a large fleet only the iPads that the followed edit touched. */
  only: RAW.pads.length > 6, person: null, item: null, edit: null, step: null, messages: "network",
  takes(edit) {
    return (this.person === null || edit.person === this.person) && (this.item === null || edit.item.includes(this.item));
  },
};
const ROWS_MAX = 400;

function fillFilter() {
  byId("pick-person").replaceChildren(el("option", { value: "" }, "everybody"), ...PEOPLE.map((name) => el("option", { value: name }, name)));
  const items = [...new Set(EDITS.map((edit) => edit.item))].sort();
  byId("items").replaceChildren(...items.slice(0, 2000).map((item) => el("option", { value: item })));
  byId("tokens").replaceChildren(...EDITS.slice(0, 5000).map((edit) => el("option", { value: edit.token })));
  byId("pick-person").onchange = (event) => { FILTER.person = event.target.value || null; filterChanged(); };
  byId("pick-item").oninput = (event) => { FILTER.item = event.target.value.trim() || null; filterChanged(); };
  byId("pick-edit").oninput = (event) => {
    const name = event.target.value.trim();
    if (EDIT.has(name)) follow(name, true); else if (name === "") follow(null, false);
  };
  byId("pick-only").checked = FILTER.only;
  byId("pick-only").onchange = (event) => { FILTER.only = event.target.checked; filterChanged(); };
  byId("pick-messages").onchange = (event) => { FILTER.messages = event.target.value; requestDraw(); };
}

function filterChanged() {
  layOutFilter();
  showTable();
}
function layOutFilter() {
  const edit = FILTER.only ? EDIT.get(FILTER.edit) : null;
  let edits = FILTER.item === null ? null : EDITS.filter((one) => FILTER.takes(one));
  if (edit) {
    const others = edit.steps.flatMap((step) => (step.doom ? step.by : [])).map((token) => EDIT.get(token));
    edits = [edit, ...others.filter((other) => other)];
  }
  layOut(FILTER.person, edits);
  resize();
}

/* Follows an edit: its story above, its path on the timeline, its line in the table. */
function follow(token, moves) {
  FILTER.edit = token;
  FILTER.step = null;
  byId("pick-edit").value = token || "";
  for (const node of document.querySelectorAll("[data-story]")) node.setAttribute("aria-pressed", String(sameClass(node.dataset.story, token)));
  const choice = byId("pick-story");
  if (choice && STORY.has(token)) choice.value = token;
  for (const node of document.querySelectorAll("#rows tr")) node.classList.toggle("on", node.dataset.edit === token);
  layOutFilter();
  if (token !== null) {
    showStory(token);
    if (moves) showSteps(told(token).steps.filter((step) => !NOT_PLACES.has(step.kind)));
    scrollToEdit(EDIT.get(token));
  }
  requestDraw();
}
const sameClass = (one, other) => STORY.has(one) && STORY.has(other) && STORY.get(one).class === STORY.get(other).class;

/* The rows of an edit's iPad, when they are not to be seen. */
function scrollToEdit(edit) {
  if (!edit || !edit.pad) return;
  const place = LANES.padTop.get(edit.pad);
  if (place && (place.top < VIEW.scroll || place.bottom > VIEW.scroll + VIEW.height)) byId("lanes").scrollTop = Math.max(0, place.top - 140);
}

function showTable() {
  const found = EDITS.filter((edit) => FILTER.takes(edit));
  const rank = (edit) => (isViolation(edit.ending) ? 0 : isHarm(edit.ending) ? 1 : 2);
  const sorted = [...found].sort((a, b) => rank(a) - rank(b) || a.index - b.index);
  const shown = sorted.slice(0, ROWS_MAX);
  byId("table-count").textContent = `${many(found.length, "edit")}${found.length > shown.length ? `, the first ${shown.length} of them here; filter by person or item` : ""}. Those that came to harm stand first. Click one to follow it.`;
  byId("rows").replaceChildren(...shown.map((edit) => el("tr", { "data-edit": edit.token, class: edit.token === FILTER.edit ? "on" : "", onclick: () => { follow(edit.token, true); byId("story").scrollIntoView({ block: "nearest" }); } },
    el("td", {}, el("code", {}, edit.token)), el("td", {}, edit.person), el("td", { title: edit.value || null }, `${edit.app} / ${edit.item}`), el("td", {}, edit.pad ? String(edit.pad) : "\u2013"),
    el("td", { class: isViolation(edit.ending) ? "harm" : isHarm(edit.ending) ? "open" : "soft", style: isHarm(edit.ending) ? "font-weight:600" : "" }, edit.ending), el("td", { class: "ladder" }, ...ladderOf(edit)))));
}
/* The marks of an edit's way, each kind once. */
function ladderOf(edit) {
  const order = ["invoked", "began", "performed", "refused", "handedOver", "handedBack", "committed", "seen", "replaced", "forgotten", "shown", "missing", "damaged"];
  const there = new Map();
  for (const step of edit.steps) if (step.tokens.includes(edit.token)) there.set(step.kind, (there.get(step.kind) || 0) + 1);
  return order.filter((kind) => there.has(kind)).map((kind) => el("span", {}, markIcon(kind), MARKS[kind].word + (kind === "seen" && there.get(kind) > 1 ? ` ${there.get(kind)}x` : "")));
}
