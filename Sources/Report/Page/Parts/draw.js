/* The timeline on its canvas: rows, sessions, apps, faults, time. Only what is to be seen is drawn, and many small things as one. */
let isAsked = false;
function requestDraw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => { isAsked = false; draw(byId("canvas").getContext("2d")); });
}
const FONT = "12px system-ui, -apple-system, sans-serif";
/* Ways to end that came without notice. */
const ABRUPT = new Set(["memory", "kill", "forceQuit", "crash", "watchdog", "powerCut", "reboot", "rebooted", "erase", "update", "removed"]);

function draw(ctx) {
  const ratio = devicePixelRatio || 1;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, VIEW.width, VIEW.height);
  ctx.font = FONT;
  ctx.textBaseline = "middle";
  ctx.save();
  ctx.translate(0, -VIEW.scroll);
  drawGround(ctx);
  ctx.save();
  ctx.beginPath();
  ctx.rect(VIEW.gutter, VIEW.scroll, VIEW.width - VIEW.gutter, VIEW.height);
  ctx.clip();
  drawTicks(ctx);
  drawFaultGround(ctx);
  for (const row of LANES.rows) if (isSeen(row.y, row.height)) drawRow(ctx, row);
  drawMessages(ctx);
  drawNames(ctx);
  drawMoments(ctx);
  drawSteps(ctx);
  drawTrail(ctx);
  ctx.restore();
  drawLabels(ctx);
  ctx.restore();
  drawAxis(ctx);
}
const isSeen = (y, height) => y + height >= VIEW.scroll && y <= VIEW.scroll + VIEW.height;

function drawGround(ctx) {
  ctx.fillStyle = INK.cloud;
  ctx.fillRect(0, LANES.cloud.y, VIEW.width, LANES.cloud.height);
  ctx.strokeStyle = INK.rule;
  ctx.lineWidth = 1;
  for (const { top } of LANES.padTop.values()) line(ctx, 0, top + 0.5, VIEW.width, top + 0.5);
}
function line(ctx, x1, y1, x2, y2) { ctx.beginPath(); ctx.moveTo(x1, y1); ctx.lineTo(x2, y2); ctx.stroke(); }

/* The part of a line that is to be seen: far in, its ends may be a million pixels away, and dashes are drawn one by one. */
function shortLine(ctx, x1, y1, x2, y2) {
  const [low, high] = [VIEW.gutter - 30, VIEW.width + 30];
  if ((x1 < low && x2 < low) || (x1 > high && x2 > high)) return;
  const at = (x) => y1 + ((x - x1) / (x2 - x1)) * (y2 - y1);
  const cut = (x, y) => (x < low ? [low, at(low)] : x > high ? [high, at(high)] : [x, y]);
  line(ctx, ...cut(x1, y1), ...cut(x2, y2));
}

function drawTicks(ctx) {
  ctx.strokeStyle = INK.rule;
  for (const t of ticks().out) { const x = Math.round(VIEW.x(t)) + 0.5; line(ctx, x, TOP, x, LANES.height); }
}
/* Time and phases stay on top while the rows scroll. */
function drawAxis(ctx) {
  ctx.fillStyle = INK.card;
  ctx.fillRect(0, 0, VIEW.width, TOP - 2);
  ctx.textAlign = "left";
  const { out, digits } = ticks();
  ctx.fillStyle = INK.soft;
  for (const t of out) { const x = VIEW.x(t); if (x > VIEW.gutter + 2) ctx.fillText(clock(t, digits), x + 3, 12); }
  ctx.strokeStyle = INK.rule;
  for (const t of out) { const x = Math.round(VIEW.x(t)) + 0.5; if (x > VIEW.gutter) line(ctx, x, 3, x, 20); }
  for (const phase of PHASES) {
    const from = Math.max(VIEW.gutter, VIEW.x(phase.from));
    const until = Math.min(VIEW.width, VIEW.x(phase.until));
    if (until < VIEW.gutter || from > VIEW.width || until - from < 2) continue;
    ctx.fillStyle = INK.session;
    ctx.fillRect(from + 0.5, 24, until - from - 1, 16);
    ctx.fillStyle = INK.soft;
    label(ctx, phase.name.replace("-", " "), from + 6, 32, until - from - 10);
  }
  ctx.fillStyle = INK.soft;
  ctx.fillText("phase", 12, 32);
  ctx.strokeStyle = INK.rule;
  line(ctx, 0, TOP - 1.5, VIEW.width, TOP - 1.5);
}
/* Text, shortened where there is not enough room. */
function label(ctx, words, x, y, room) {
  if (room < 14) return;
  let shown = words;
  for (let length = words.length - 1; length > 1 && ctx.measureText(shown).width > room; length--) shown = `${words.slice(0, length)}\u2026`;
  if (shown.length > 2 || shown === words) ctx.fillText(shown, x, y);
}

function drawLabels(ctx) {
  ctx.fillStyle = INK.card;
  ctx.fillRect(0, TOP, VIEW.gutter - 6, LANES.height);
  ctx.fillStyle = INK.cloud;
  ctx.fillRect(0, LANES.cloud.y, VIEW.gutter - 6, LANES.cloud.height);
  ctx.textAlign = "left";
  for (const row of LANES.rows) {
    if (!isSeen(row.y, row.height)) continue;
    const isHead = row.kind !== "app";
    ctx.font = isHead ? `600 ${FONT}` : FONT;
    ctx.fillStyle = isHead ? INK.ink : INK.soft;
    label(ctx, row.label, isHead ? 12 : 22, row.y + row.height / 2, VIEW.gutter - (isHead ? 20 : 30));
  }
  ctx.font = FONT;
  ctx.strokeStyle = INK.rule;
  for (const { top } of LANES.padTop.values()) line(ctx, 0, top + 0.5, VIEW.gutter, top + 0.5);
}

function drawFaultGround(ctx) {
  ctx.fillStyle = INK.hatch;
  for (const [pad, place] of LANES.padTop) {
    if (!isSeen(place.top, place.bottom - place.top)) continue;
    for (const [begin, end] of FAULT_TIMES.get(pad) || []) {
      const [from, until] = [VIEW.x(begin), VIEW.x(end)];
      if (until < VIEW.gutter || from > VIEW.width || until - from < 1) continue;
      ctx.fillRect(from, place.top + 1, until - from, place.bottom - place.top - 1);
    }
  }
}
function drawFaults(ctx, row) {
  for (const fault of FAULTS) {
    const from = VIEW.x(fault.from);
    const until = Math.max(from + 3, VIEW.x(fault.until));
    if (until < VIEW.gutter || from > VIEW.width) continue;
    const y = row.y + 4 + fault.row * 17;
    ctx.fillStyle = INK.hatch;
    ctx.fillRect(from, y, until - from, 14);
    ctx.strokeStyle = INK.fault;
    ctx.lineWidth = 1;
    ctx.strokeRect(Math.round(from) + 0.5, y + 0.5, Math.max(2, until - from - 1), 13);
    const words = fault.kind + (fault.pads.length > 0 && fault.pads.length < 4 ? ` on iPad ${fault.pads.join(", ")}` : "");
    /* The name begins in the band and may go on behind it, as far as nothing else stands in the row. */
    const x = Math.max(from, VIEW.gutter) + 5;
    const room = Math.min(VIEW.width, VIEW.x(fault.next)) - x - 4;
    ctx.font = "11.5px system-ui, sans-serif";
    ctx.fillStyle = INK.card;
    ctx.globalAlpha = 0.9;
    if (room > 14) ctx.fillRect(x - 2, y + 1, Math.min(room + 3, ctx.measureText(words).width + 5), 12);
    ctx.globalAlpha = 1;
    ctx.fillStyle = INK.ink;
    label(ctx, words, x, y + 7.5, room);
    ctx.font = FONT;
  }
}

function drawRow(ctx, row) {
  if (row.kind === "faults") return drawFaults(ctx, row);
  if (row.kind === "cloud") return;
  const found = ROW_STAYS.get(rowKey(row.pad, row.kind === "app" ? row.app : null));
  if (!found) return;
  const smallest = VIEW.perPixel() * 0.7;
  let covered = -Infinity;
  for (let i = firstAtLeast(found.until, VIEW.from); i < found.stays.length; i++) {
    const stay = found.stays[i];
    if (stay.from > VIEW.until) break;
    /* What is narrower than a pixel and lies on what was drawn adds nothing. */
    if (stay.until - stay.from < smallest && stay.until < covered) continue;
    covered = stay.from + smallest * 1.4;
    drawStay(ctx, row, stay);
  }
}
function drawStay(ctx, row, stay) {
  const from = VIEW.x(stay.from);
  const width = Math.max(1, VIEW.x(stay.until) - from);
  const isOther = FILTER.person !== null && stay.person !== FILTER.person;
  ctx.globalAlpha = isOther ? 0.25 : 1;
  const middle = row.y + row.height / 2;
  if (row.kind === "session") {
    ctx.fillStyle = INK.session;
    ctx.fillRect(from, row.y + 2, width, row.height - 5);
    ctx.strokeStyle = INK.faint;
    ctx.setLineDash(stay.state === "guest" ? [3, 3] : []);
    if (width > 3) ctx.strokeRect(Math.round(from) + 0.5, row.y + 2.5, width - 1, row.height - 6);
    ctx.setLineDash([]);
    NAMES.push({ stay, row, from, width });
  } else {
    const shapes = {
      foreground: [16, INK.front], background: [10, INK.backHatch], launched: [10, INK.card], suspended: [3, INK.sleep],
    };
    const [height, fill] = shapes[stay.state] || shapes.launched;
    ctx.fillStyle = fill;
    ctx.fillRect(from, middle - height / 2, width, height);
    ctx.strokeStyle = stay.state === "suspended" ? INK.sleep : INK.front;
    ctx.lineWidth = 1;
    if (height > 4 && width > 2) ctx.strokeRect(Math.round(from) + 0.5, Math.round(middle - height / 2) + 0.5, width - 1, height - 1);
  }
  if (stay.ended) drawEnd(ctx, stay, from + width, middle);
  ctx.globalAlpha = 1;
}
/* Names of people over the messages, so that they can be read. */
const NAMES = [];
function drawNames(ctx) {
  for (const { stay, row, from, width } of NAMES) {
    const start = Math.max(from, VIEW.gutter) + 6;
    const words = (stay.person || "somebody") + (stay.state === "guest" ? " (guest)" : "");
    const room = from + width - start - 4;
    if (room < 14) continue;
    ctx.fillStyle = INK.session;
    ctx.fillRect(start - 3, row.y + 4, Math.min(room, ctx.measureText(words).width) + 6, row.height - 9);
    ctx.fillStyle = FILTER.person !== null && stay.person !== FILTER.person ? INK.faint : INK.ink;
    label(ctx, words, start, row.y + row.height / 2 - 0.5, room);
  }
  NAMES.length = 0;
}
/* How an app or a session ended: a cross when it came without notice, else a small bar. */
function drawEnd(ctx, stay, x, y) {
  ctx.lineWidth = ABRUPT.has(stay.ended) ? 2.2 : 1.4;
  ctx.strokeStyle = ABRUPT.has(stay.ended) ? INK.harm : INK.faint;
  if (ABRUPT.has(stay.ended)) { line(ctx, x - 4, y - 5, x + 4, y + 5); line(ctx, x - 4, y + 5, x + 4, y - 5); } else line(ctx, x, y - 7, x, y + 7);
  ctx.lineWidth = 1;
}
