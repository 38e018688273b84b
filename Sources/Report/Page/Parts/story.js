/* The story of one edit: a picture with a column for each step, and the same steps in words. */
let storyNumber = 0;

/* What is told: the story of an edit that came to harm, or the way of any other. */
function told(token) {
  const story = STORY.get(token);
  const edit = EDIT.get(token);
  if (story) return { token, edit, harm: story.class, summary: story.summary, steps: story.steps };
  if (!edit) return null;
  return { token, edit, harm: isHarm(edit.ending) ? edit.ending : null, summary: ENDINGS[edit.ending] || edit.ending, steps: edit.steps };
}

function showStory(token) {
  const story = told(token);
  byId("story").hidden = story === null;
  if (story === null) return;
  const { edit, harm } = story;
  const who = edit ? `${edit.person}'s edit of ${edit.item} in ${edit.app}` : token;
  const pad = edit && edit.pad ? `, made on iPad ${edit.pad}` : "";
  byId("story-title").replaceChildren(
    el("span", { class: `pill ${harm ? (isViolation(harm) ? "harm" : "open") : "good"}` }, harm || (edit ? edit.ending : "")),
    el("span", {}, `${who}${pad}`), el("code", { class: "soft" }, token));
  byId("story-summary").textContent = sentence(story.summary);
  byId("story-class").textContent = harm ? CLASSES[harm] : "";
  byId("story-picture").replaceChildren(storyPicture(story));
  byId("story-words").replaceChildren(...story.steps.map((step, index) => el("li",
    { class: step.doom ? "doom" : "", "data-step": index, onclick: () => pickStep(story, index) },
    el("span", { class: "no" }, String(index + 1)), el("span", { class: "clock" }, clock(step.t)), el("span", { class: "place" }, placeName(step.place)),
    el("span", {}, step.words || `${markWord(step.kind)} ${step.tokens.join(", ")}`, step.doom ? el("b", {}, `\u2190 ${doomWords(harm)}`) : null))));
  const kinds = [...new Set(story.steps.map((step) => step.kind))].filter((kind) => MARKS[kind]);
  byId("story-legend").replaceChildren(...kinds.map((kind) => el("span", {}, markIcon(kind), `${MARKS[kind].word}: ${MARKS[kind].what}`)));
}
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/* Follows a step on the timeline too. */
function pickStep(story, index) {
  const step = story.steps[index];
  for (const node of document.querySelectorAll("[data-step]")) node.classList.toggle("on", Number(node.dataset.step) === index);
  storyNumber = index;
  FILTER.step = (story.edit ? story.edit.steps : story.steps).find((one) => one.t === step.t && one.kind === step.kind) || step;
  showMoment(step.t);
}

const NOT_PLACES = new Set(["faultBegan", "faultHealed"]);
/* Rows: iCloud above, the iPads under it. */
function placesOf(steps) {
  const places = new Set(steps.filter((step) => !NOT_PLACES.has(step.kind)).map((step) => step.place));
  const order = (place) => (place === "cloud" ? 0 : place === "people" ? 0.5 : padOf(place));
  return [...places].sort((a, b) => order(a) - order(b));
}
/* Columns: a step each; the more time passes between two, the wider, but never by the clock: a run is nearly all waiting. */
function columnsOf(steps, left, room) {
  const gaps = steps.map((step, i) => (i === 0 ? 0 : 1 + 0.28 * Math.log10(1 + Math.max(0, step.t - steps[i - 1].t) / 1e6)));
  const total = gaps.reduce((sum, gap) => sum + gap, 0) || 1;
  const unit = Math.max(66, Math.min(110, room / total));
  let x = left;
  return steps.map((_, i) => (x += gaps[i] * unit));
}

function storyPicture(story) {
  const { steps, token } = story;
  const places = placesOf(steps);
  const left = 128;
  const xs = columnsOf(steps, left, Math.max(500, Math.min(1312, innerWidth - 48) - 40 - left - 70));
  const rowHeight = FAULTS.length > 0 ? 98 : 84;
  const top = 34;
  const width = (xs[xs.length - 1] || left) + 78;
  const height = top + places.length * rowHeight + 30;
  const y = (place) => top + places.indexOf(place) * rowHeight + rowHeight / 2;
  const harm = story.harm && isViolation(story.harm);
  const colours = tokenColours(steps, token, harm);
  const svg = el("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `The way of ${token} step by step; the same in words follows` },
    el("defs", {}, el("pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      el("line", { x1: 0, y1: 0, x2: 0, y2: 7, stroke: "var(--fault)", "stroke-width": 1.6, opacity: 0.5 }))));
  for (const place of places) {
    const middle = y(place);
    svg.append(el("rect", { x: 0, y: middle - rowHeight / 2 + 3, width, height: rowHeight - 6, rx: 8, fill: place === "cloud" ? "var(--cloud)" : "var(--paper)" }),
      el("text", { x: 12, y: middle + 4, class: "place" }, placeName(place)));
  }
  svg.append(...faultBands(steps, xs, places, y, rowHeight));
  svg.append(...timeMarks(steps, xs, top, height));
  for (const [name, look] of colours) svg.append(...wayOf(name, look, story, xs, y));
  steps.forEach((step, i) => svg.append(stepNode(step, i, xs[i], step.place, story, colours, y)));
  return svg;
}

/* The edit itself, and the others that its steps name: each with a colour, a dash and a height of its own. */
function tokenColours(steps, token, harm) {
  const looks = new Map([[token, { colour: harm ? "var(--harm)" : "var(--edit)", dash: null, shift: 9 }]]);
  const others = [...new Set(steps.flatMap((step) => [...step.tokens, ...step.by]))].filter((name) => name !== token);
  others.slice(0, 2).forEach((name, i) => looks.set(name, { colour: i === 0 ? "var(--other)" : "var(--edit)", dash: i === 0 ? "6 4" : "2 3", shift: i === 0 ? -11 : -19 }));
  return looks;
}
/* The steps of one token in their order. Of a replacement what takes the place is there too. */
const tokenOf = (step, colours, token) => (step.doom || step.tokens.includes(token) || step.tokens.length === 0 ? token : step.tokens.find((name) => colours.has(name)) || token);
function wayOf(name, look, story, xs, y) {
  const points = [];
  story.steps.forEach((step, i) => {
    const isOwn = step.tokens.includes(name) || (step.doom && name === story.token) || (step.kind === "replaced" && step.by.includes(name));
    if (isOwn && !NOT_PLACES.has(step.kind)) points.push([xs[i], y(step.place) + look.shift, step.doom]);
  });
  /* What comes after the loss is only looked for: a thin line of dots. */
  const end = name === story.token ? points.findIndex((point) => point[2]) : -1;
  /* An edit stays where it is until it goes on: along its row first, then to the next one. */
  const bent = (list) => list.flatMap(([x, at], i) => (i > 0 && at !== list[i - 1][1] ? [[Math.max(list[i - 1][0], x - 46), list[i - 1][1]], [x, at]] : [[x, at]]));
  const way = (list, more) => (list.length < 2 ? [] : [el("polyline", { points: bent(list).map(([x, at]) => `${x},${at}`).join(" "), fill: "none", stroke: look.colour,
    "stroke-width": 2.4, "stroke-dasharray": look.dash, "stroke-linejoin": "round", "stroke-linecap": "round", opacity: 0.85, ...more })]);
  if (end < 0) return way(points, {});
  return [...way(points.slice(0, end + 1), {}), ...way(points.slice(end), { "stroke-width": 1.4, "stroke-dasharray": "1 5" })];
}

function stepNode(step, index, x, place, story, colours, y) {
  const isFault = NOT_PLACES.has(step.kind);
  const name = tokenOf(step, colours, story.token);
  const look = step.tokens.length === 0 && !step.doom ? { colour: "var(--soft)", shift: 9 } : colours.get(name);
  const at = isFault ? 46 : y(place) + look.shift;
  const below = look.shift > 0;
  const words = markWord(step.kind, EDIT.has(name) ? EDIT.get(name).verb : null);
  const group = el("g", { class: "step", "data-step": index, onclick: () => pickStep(story, index) },
    isFault ? null : el("rect", { class: "halo", x: x - 31, y: at - 22, width: 62, height: 44, rx: 7 }),
    el("title", {}, `${clock(step.t)}  ${placeName(step.place)}: ${step.words}`));
  if (isFault) {
    group.append(el("text", { x, y: 30, "text-anchor": "middle", class: "small" }, `${step.kind === "faultBegan" ? "fault" : "fault ends"}`));
    return group;
  }
  if (step.doom) {
    group.append(el("circle", { cx: x, cy: at, r: 12, fill: "var(--card)", stroke: "var(--harm)", "stroke-width": 2.2 }));
    group.append(el("rect", { x: x - 52, y: at + 15, width: 104, height: 19, rx: 4, fill: "var(--harm)" }),
      el("text", { x, y: at + 28.5, "text-anchor": "middle", style: "fill:var(--card);font-weight:700" }, doomWords(story.harm)));
  }
  group.append(markNode(step.kind, x, at, look.colour, 1.15));
  group.append(el("text", { x, y: below && !step.doom ? at + 21 : at - 13, "text-anchor": "middle", class: "small", style: `fill:${step.doom ? "var(--harm)" : "var(--soft)"}` }, words));
  if (step.kind === "invoked") group.append(el("text", { x: x - 10, y: at + 4, "text-anchor": "end", style: `fill:${look.colour};font-weight:600` }, name));
  return group;
}

/* Numbers on top, as in the words; below them how much time passed where it was long. */
function timeMarks(steps, xs, top, height) {
  return steps.flatMap((step, i) => {
    const nodes = [el("text", { x: xs[i], y: 14, "text-anchor": "middle", class: "small", style: "font-weight:600" }, String(i + 1))];
    const gap = i > 0 ? step.t - steps[i - 1].t : 0;
    if (i === 0) nodes.push(el("text", { x: xs[i], y: height - 8, "text-anchor": "middle", class: "small" }, clock(step.t, 0)));
    else if (gap >= 1e6) {
      nodes.push(el("text", { x: (xs[i] + xs[i - 1]) / 2, y: height - 8, "text-anchor": "middle", class: "small" }, `+ ${span(gap)}`));
      nodes.push(el("line", { x1: (xs[i] + xs[i - 1]) / 2, x2: (xs[i] + xs[i - 1]) / 2, y1: top, y2: height - 22, stroke: "var(--rule)", "stroke-dasharray": "2 4" }));
    }
    return nodes;
  });
}

/* Where a fault was at work while something happened on an iPad: hatched, with its name. */
function faultBands(steps, xs, places, y, rowHeight) {
  const nodes = [];
  const t0 = steps[0].t;
  /* What came after the loss did not cause it. */
  const t1 = (steps.find((step) => step.doom) || steps[steps.length - 1]).t;
  const [named, covered, free] = [new Set(), new Map(), new Map()];
  const place = (t) => {
    let i = steps.findIndex((step) => step.t >= t);
    if (i < 0) return xs[xs.length - 1] + 34;
    if (i === 0) return xs[0] - 34;
    return (xs[i - 1] + xs[i]) / 2;
  };
  for (const fault of FAULTS) {
    if (fault.until < t0 || fault.from > t1 || (fault.until - fault.from < 1 && !fault.open)) continue;
    const pads = fault.pads.map((pad) => `ipad-${pad}`).filter((name) => places.includes(name));
    for (const name of pads) {
      const key = `${fault.kind} ${name}`;
      const [from, until] = [place(fault.from), fault.open ? place(fault.from) + 12 : place(fault.until)];
      if (named.has(key) || until - from < 4 || named.size > 5) continue;
      named.add(key);
      const over = y(name) - rowHeight / 2 + 3;
      /* Hatched once where two overlap; their names stand side by side. */
      const open = Math.max(from, covered.get(name) ?? 0);
      covered.set(name, Math.max(open, until));
      const left = Math.max(from + 6, free.get(name) ?? 0);
      free.set(name, left + fault.kind.length * 7 + 14);
      if (until > open) nodes.push(el("rect", { x: open, y: over, width: until - open, height: rowHeight - 6, fill: "url(#hatch)", rx: 6 }));
      nodes.push(el("rect", { x: from, y: over, width: until - from, height: rowHeight - 6, fill: "none", stroke: "var(--fault)", "stroke-width": 1, rx: 6 }),
        el("text", { x: left, y: over + rowHeight - 11, class: "small", style: "fill:var(--fault);font-weight:600;paint-order:stroke;stroke:var(--paper);stroke-width:4px" }, fault.kind));
    }
  }
  return nodes;
}
