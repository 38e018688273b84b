/* Messages and the ways of edits, over the rows. */
const STEPS_MAX = 2500;
const LINES_MAX = 1500;

/* The middle of the row that a participant's messages come from: its app's, if that is known. */
function messageY(name, cache) {
  if (cache.has(name)) return cache.get(name);
  const place = MESSAGES.names[name];
  const y = rowMiddle(place, null);
  cache.set(name, y);
  return y;
}

function drawMessages(ctx) {
  if (FILTER.messages === "none" || MESSAGES.count === 0) return;
  const isAll = FILTER.messages === "all";
  const list = isAll ? null : MESSAGES.wires;
  const at = (i) => (list ? list[i] : i);
  const count = list ? list.length : MESSAGES.count;
  const search = (t) => {
    let [low, high] = [0, count];
    while (low < high) { const middle = (low + high) >> 1; if (MESSAGES.until[at(middle)] < t) low = middle + 1; else high = middle; }
    return low;
  };
  const first = search(VIEW.from);
  const last = search(VIEW.until + MESSAGES.longest);
  const cache = new Map();
  if (last - first > LINES_MAX) return drawDensity(ctx, first, last, at, cache);
  ctx.lineWidth = 1;
  for (let i = first; i < last; i++) {
    const index = at(i);
    if (MESSAGES.sent[index] > VIEW.until) continue;
    const [from, to] = [messageY(MESSAGES.from[index], cache), messageY(MESSAGES.to[index], cache)];
    const kind = MESSAGES.kinds[MESSAGES.kind[index]];
    /* People have no row: what they do is a tick where it comes. Of an iPad that is left out nothing is drawn. */
    if ((from === null && MESSAGES.names[MESSAGES.from[index]] !== "people") || (to === null && MESSAGES.names[MESSAGES.to[index]] !== "people")) continue;
    if (from === null && to === null) continue;
    drawMessage(ctx, index, kind, from === null ? to : from, to === null ? from : to);
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
}
function drawMessage(ctx, index, kind, from, to) {
  const [x1, x2] = [VIEW.x(MESSAGES.sent[index]), VIEW.x(MESSAGES.until[index])];
  const isLost = MESSAGES.fate[index] === 1;
  const isBad = isLost || kind === "failure" || (kind === "response" && !/^[23]/.test(MESSAGES.subjects[MESSAGES.subject[index]]));
  ctx.strokeStyle = isBad ? INK.harm : INK.soft;
  ctx.globalAlpha = isBad ? 0.75 : 0.42;
  ctx.setLineDash(kind === "push" ? [1.5, 3] : kind === "response" ? [5, 3] : []);
  if (from === to) {
    /* Inside an iPad, or from people to it: a tick. */
    line(ctx, x2, to - 7, x2, to + 7);
    return;
  }
  const part = isLost ? 0.55 : 1;
  const [ex, ey] = [x1 + (x2 - x1) * part, from + (to - from) * part];
  shortLine(ctx, x1, from, ex, ey);
  ctx.setLineDash([]);
  if (isBad) { line(ctx, ex - 3, ey - 3, ex + 3, ey + 3); line(ctx, ex - 3, ey + 3, ex + 3, ey - 3); return; }
  /* The head of an arrow, where it comes. */
  const down = ey > from ? 1 : -1;
  ctx.beginPath();
  ctx.moveTo(ex - 2.5, ey - 5 * down);
  ctx.lineTo(ex, ey);
  ctx.lineTo(ex + 2.5, ey - 5 * down);
  ctx.stroke();
}
/* Too many for lines: how many there are in each pixel of each row. */
function drawDensity(ctx, first, last, at, cache) {
  const bins = new Map();
  const scale = 1 / VIEW.perPixel();
  const width = Math.ceil(VIEW.width - VIEW.gutter);
  for (let i = first; i < last; i++) {
    const index = at(i);
    const x = ((MESSAGES.until[index] - VIEW.from) * scale) | 0;
    if (x < 0 || x >= width) continue;
    const y = messageY(MESSAGES.to[index], cache);
    if (y === null) continue;
    let bin = bins.get(y);
    if (!bin) { bin = new Uint16Array(width); bins.set(y, bin); }
    if (bin[x] < 65535) bin[x]++;
  }
  ctx.fillStyle = INK.soft;
  ctx.globalAlpha = 0.5;
  for (const [y, bin] of bins) {
    for (let x = 0; x < width; x++) if (bin[x]) { const height = Math.min(14, 2 + Math.log2(bin[x]) * 2); ctx.fillRect(VIEW.gutter + x, y + 8 - height, 1, height); }
  }
  ctx.globalAlpha = 1;
}

/* Steps of all edits that the filter lets through. */
function drawSteps(ctx) {
  const first = firstAtLeast(STEPS.t, VIEW.from);
  const last = firstAtLeast(STEPS.t, VIEW.until);
  const taken = new Map();
  const isCrowded = last - first > STEPS_MAX;
  for (let i = first; i < last; i++) {
    const edit = EDITS[STEPS.edit[i]];
    if (!FILTER.takes(edit) || edit.token === FILTER.edit) continue;
    const step = edit.steps[STEPS.number[i]];
    const y = rowMiddle(step.place, edit.app);
    if (y === null || !isSeen(y - 8, 16)) continue;
    const x = VIEW.x(step.t);
    /* One mark where many would lie on each other. */
    if (Math.abs((taken.get(y) ?? -99) - x) < (isCrowded ? 3 : 7)) continue;
    taken.set(y, x);
    const colour = isViolation(edit.ending) ? INK.harm : INK.edit;
    ctx.globalAlpha = FILTER.edit ? 0.35 : 0.85;
    if (isCrowded) { ctx.fillStyle = colour; ctx.fillRect(x - 1, y - 5, 2, 10); } else drawMark(ctx, step.kind, x, y, colour, INK.card, 0.72);
  }
  ctx.globalAlpha = 1;
}

const MOMENT_WORDS = { cloudCrashed: "iCloud down", cloudRestarted: "iCloud back", "push-lost": "push lost", zoneDeleted: "zone deleted" };
function drawMoments(ctx) {
  ctx.lineWidth = 1.4;
  let free = -Infinity;
  for (const [t, kind, place] of RAW.moments) {
    if (t < VIEW.from || t > VIEW.until) continue;
    const pad = padOf(place);
    const room = pad ? LANES.padTop.get(pad) : { top: LANES.cloud.y, bottom: LANES.cloud.y + LANES.cloud.height };
    if (!room) continue;
    const x = VIEW.x(t);
    ctx.strokeStyle = INK.fault;
    line(ctx, x, room.top + 1, x, room.bottom - 1);
    ctx.fillStyle = INK.soft;
    if (pad !== 0 || x < free) continue;
    const words = MOMENT_WORDS[kind] || kind;
    label(ctx, words, x + 4, room.top + 8, 110);
    free = x + ctx.measureText(words).width + 12;
  }
}

/* The edit that is followed, and the one that took its place: a path with a name at each mark that has room. */
function drawTrail(ctx) {
  const edit = EDIT.get(FILTER.edit);
  if (!edit) return;
  const story = STORY.get(edit.token);
  const doom = edit.steps.find((step) => step.doom);
  if (doom) for (const token of doom.by) if (EDIT.has(token) && token !== edit.token) drawPath(ctx, EDIT.get(token), INK.other, [6, 4], 6);
  drawPath(ctx, edit, isViolation(edit.ending) ? INK.harm : INK.edit, [], story ? -3 : 0);
  if (doom) drawDoom(ctx, doom, edit);
}
function drawPath(ctx, edit, colour, dash, shift) {
  const steps = edit.steps.filter((step) => (step.doom || step.tokens.includes(edit.token)) && rowMiddle(step.place, edit.app) !== null);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2.2;
  ctx.lineJoin = "round";
  ctx.setLineDash(dash);
  steps.forEach((step, number) => {
    const last = steps[number - 1];
    if (!last) return;
    /* What comes after the loss is only looked for. */
    if (last.doom) { ctx.setLineDash([1.5, 5]); ctx.lineWidth = 1.4; }
    /* It stays in its row until shortly before it goes on. */
    const [x1, y1, x2, y2] = [VIEW.x(last.t), rowMiddle(last.place, edit.app) + shift, VIEW.x(step.t), rowMiddle(step.place, edit.app) + shift];
    const bend = Math.max(x1, x2 - 22);
    shortLine(ctx, x1, y1, bend, y1);
    shortLine(ctx, bend, y1, x2, y2);
  });
  ctx.setLineDash([]);
  let free = -Infinity;
  ctx.font = "600 11.5px system-ui, sans-serif";
  for (const step of steps) {
    const [x, y] = [VIEW.x(step.t), rowMiddle(step.place, edit.app) + shift];
    drawMark(ctx, step.kind, x, y, colour, INK.card, step === FILTER.step ? 1.5 : 1.05);
    const words = `${step.kind === "invoked" ? `${edit.token} ` : ""}${markWord(step.kind, edit.verb)}`;
    const width = ctx.measureText(words).width;
    if (x < free || x < VIEW.gutter - 20 || step.doom) continue;
    const left = Math.min(x + 8, VIEW.width - width - 8);
    ctx.fillStyle = INK.card;
    ctx.globalAlpha = 0.85;
    ctx.fillRect(left, y - 19, width + 4, 13);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colour;
    ctx.fillText(words, left + 2, y - 12);
    free = x + width + 18;
  }
  ctx.font = FONT;
}
function drawDoom(ctx, doom, edit) {
  const y = rowMiddle(doom.place, edit.app);
  if (y === null) return;
  const x = VIEW.x(doom.t);
  ctx.strokeStyle = INK.harm;
  ctx.lineWidth = 2;
  ctx.beginPath();
  ctx.arc(x, y - 3, 11, 0, Math.PI * 2);
  ctx.stroke();
  ctx.font = "700 12px system-ui, sans-serif";
  const words = doomWords(edit.ending);
  const width = ctx.measureText(words).width + 14;
  const left = Math.min(VIEW.width - width - 4, x - width / 2);
  ctx.fillStyle = INK.harm;
  ctx.fillRect(left, y + 13, width, 18);
  ctx.fillStyle = INK.card;
  ctx.fillText(words, left + 7, y + 22.5);
  ctx.font = FONT;
  ctx.lineWidth = 1;
}
