/* The stretch of time that is shown, and what can be done to it. */
const VIEW = {
  from: 0, until: END, gutter: 132, width: 800, height: 400, scroll: 0,
  x(t) { return this.gutter + ((t - this.from) / (this.until - this.from)) * (this.width - this.gutter); },
  t(x) { return this.from + ((x - this.gutter) / (this.width - this.gutter)) * (this.until - this.from); },
  perPixel() { return (this.until - this.from) / Math.max(1, this.width - this.gutter); },
};
const SPAN_MIN = 2000;
const SPAN_MAX = END * 1.04;

/* Shows a stretch, kept within the run. */
function showSpan(from, until) {
  const length = Math.min(SPAN_MAX, Math.max(SPAN_MIN, until - from));
  const middle = (from + until) / 2;
  let start = middle - length / 2;
  start = Math.max(-END * 0.02, Math.min(start, END * 1.02 - length));
  if (length >= SPAN_MAX) start = -END * 0.02;
  VIEW.from = start;
  VIEW.until = start + length;
  requestDraw();
}
function zoom(factor, x = VIEW.gutter + (VIEW.width - VIEW.gutter) / 2) {
  const at = VIEW.t(x);
  const length = Math.min(SPAN_MAX, Math.max(SPAN_MIN, (VIEW.until - VIEW.from) * factor));
  const part = (at - VIEW.from) / (VIEW.until - VIEW.from);
  showSpan(at - part * length, at + (1 - part) * length);
}
function pan(pixels) {
  const by = pixels * VIEW.perPixel();
  showSpan(VIEW.from + by, VIEW.until + by);
}
/* All of it, with a little room for what happens at its ends. */
const showAll = () => showSpan(-END * 0.02, END * 1.02);
/* Moves so that a moment is to be seen, without another scale where that is not needed. */
function showMoment(t) {
  const length = VIEW.until - VIEW.from;
  if (t >= VIEW.from + length * 0.06 && t <= VIEW.until - length * 0.06) return requestDraw();
  showSpan(t - length / 2, t + length / 2);
}
/* The time of some steps with room on both sides. */
function showSteps(steps) {
  if (steps.length === 0) return showAll();
  const from = Math.min(...steps.map((step) => step.t));
  const until = Math.max(...steps.map((step) => step.t));
  const room = Math.max(5000, (until - from) * 0.08);
  showSpan(from - room, until + room);
}

/* Round steps of a clock, in microseconds. */
const TICKS = [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 10e6, 30e6, 60e6, 120e6, 300e6, 600e6, 1800e6, 3600e6, 7200e6, 14400e6, 43200e6, 86400e6, 604800e6];
function ticks() {
  const step = TICKS.find((size) => size / VIEW.perPixel() >= 92) || TICKS[TICKS.length - 1];
  const first = Math.ceil(Math.max(0, VIEW.from) / step) * step;
  const out = [];
  for (let t = first; t <= Math.min(VIEW.until, END * 1.02); t += step) out.push(t);
  return { out, digits: step >= 1e6 ? 0 : 3 };
}

/* Colours of the page's style sheet, for the canvas. */
let INK = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  INK = {};
  for (const name of ["paper", "card", "ink", "soft", "faint", "rule", "edit", "other", "harm", "good", "front", "back", "sleep", "session", "fault", "cloud"]) {
    INK[name] = style.getPropertyValue(`--${name}`).trim();
  }
  INK.hatch = hatch(INK.fault, 7, 1.2, 0.34);
  INK.backHatch = hatch(INK.front, 5, 1.6, 0.9);
}
function hatch(colour, size, width, alpha) {
  const tile = document.createElement("canvas");
  const ratio = devicePixelRatio || 1;
  tile.width = tile.height = size * ratio;
  const ctx = tile.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.globalAlpha = alpha;
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const shift of [-size, 0, size]) { ctx.moveTo(shift - 1, size + 1); ctx.lineTo(shift + size + 1, -1); }
  ctx.stroke();
  const pattern = ctx.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}
