/* One shape for each step of an edit's way; the same paths on the canvas and in the story. They lie within 6 units of their middle. */
const MARKS = {
  invoked: { d: "M5 0A5 5 0 1 1 5 -.01Z", fill: false, word: "made", what: "a person makes the edit" },
  began: { d: "M5 0A5 5 0 1 1 5 -.01ZM0 -5A5 5 0 0 0 0 5Z", fill: "half", word: "app gets it", what: "the app is called" },
  performed: { d: "M5 0A5 5 0 1 1 5 -.01Z", fill: true, word: "performed", what: "the app says that it is done" },
  refused: { d: "M5 0A5 5 0 1 1 5 -.01ZM-3.5 3.5L3.5 -3.5", fill: false, word: "refused", what: "the app or the iPad says no" },
  handedOver: { d: "M-4 -5.5L5.5 0L-4 5.5Z", fill: true, word: "handed over", what: "a service of the iPad answers for it" },
  handedBack: { d: "M4 -5.5L-5.5 0L4 5.5Z", fill: false, word: "handed back", what: "the service gives it back to the app" },
  committed: { d: "M0 -6.5L6.5 0L0 6.5L-6.5 0Z", fill: true, word: "committed", what: "iCloud has it" },
  seen: { d: "M-5 -5H5V5H-5Z", fill: false, word: "seen", what: "another iPad or account has it" },
  shown: { d: "M-5 -5H5V5H-5Z", fill: true, word: "shown", what: "a reader at the end finds it" },
  missing: { d: "M-5 -5H5V5H-5ZM-5 5L5 -5", fill: false, word: "missing", what: "a reader at the end does not find it" },
  damaged: { d: "M-5 -5H5V5H-5ZM-5 0L-1 -2L1 2L5 0", fill: false, word: "damaged", what: "a reader finds it cut off or changed" },
  replaced: { d: "M-5 -5L5 5M5 -5L-5 5", fill: false, bold: true, word: "replaced", what: "iCloud puts something else in its place" },
  answered: { d: "M0 -5.5L5.5 4.5H-5.5Z", fill: false, word: "answered", what: "the app hears what became of its request" },
  forgotten: { d: "M0 5.5L5.5 -4.5H-5.5Z", fill: false, word: "forgotten", what: "the app removes its last copy" },
  purged: { d: "M-5 -5L5 5M5 -5L-5 5M-6 0H6", fill: false, bold: true, word: "removed", what: "the iPad removes the app's data" },
  observed: { d: "M-5 0H5M0 -5V5", fill: false, word: "lies here", what: "a copy is found in a place" },
  pending: { d: "M-4 -5H4L-4 5H4Z", fill: false, word: "waits", what: "something still waits" },
};
const OTHER_MARK = { d: "M0 -5.5V5.5M-3 -5.5H3M-3 5.5H3", fill: false, word: "", what: "something else that matters to it" };
/* Short words for steps that have no shape of their own. */
const MARK_WORDS = {
  signedIn: "signs in", signedOut: "signs out", appLaunched: "app starts", appExited: "app ends", appSuspended: "suspended", appResumed: "resumed",
  powerCut: "power cut", rebooted: "reboot", faultBegan: "fault", faultHealed: "fault ends", identityChanged: "identity", stamped: "stamped",
  zoneDeleted: "zone deleted", transfersCancelled: "cancelled", cloudCrashed: "iCloud down", fetched: "looks", mark: "event",
};
const markOf = (kind) => MARKS[kind] || OTHER_MARK;
const VERB_WORDS = { put: "writes", delete: "deletes", effect: "sets" };
const markWord = (kind, verb) => (kind === "invoked" && verb ? VERB_WORDS[verb] || "writes" : MARKS[kind] ? MARKS[kind].word : MARK_WORDS[kind] || kind);
const markPaths = new Map();
function markPath(kind) {
  const mark = markOf(kind);
  if (!markPaths.has(mark)) markPaths.set(mark, new Path2D(mark.d));
  return markPaths.get(mark);
}

/* On the canvas, in one colour over the ground. */
function drawMark(ctx, kind, x, y, colour, ground, size = 1) {
  const mark = markOf(kind);
  const path = markPath(kind);
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(size, size);
  /* A rim of the ground's colour, so that it stands out on bars and lines. */
  ctx.lineWidth = 4.5;
  ctx.strokeStyle = ground;
  ctx.stroke(path);
  ctx.lineWidth = (mark.bold ? 2.6 : 1.6) / Math.sqrt(size);
  ctx.strokeStyle = colour;
  ctx.fillStyle = mark.fill === true ? colour : ground;
  if (mark.d.includes("Z")) ctx.fill(path);
  if (mark.fill === "half") { ctx.fillStyle = colour; ctx.fill(new Path2D("M0 -5A5 5 0 0 0 0 5Z")); }
  ctx.stroke(path);
  ctx.restore();
}
/* The same in SVG. */
function markNode(kind, x, y, colour, size = 1) {
  const mark = markOf(kind);
  const isClosed = mark.d.includes("Z");
  const half = mark.fill === "half" ? el("path", { d: "M0 -5A5 5 0 0 0 0 5Z", fill: colour }) : null;
  return el("g", { transform: `translate(${x} ${y}) scale(${size})` },
    el("path", { d: mark.d, fill: mark.fill === true ? colour : isClosed ? "var(--card)" : "none", stroke: colour, "stroke-width": mark.bold ? 2.6 : 1.6, "stroke-linecap": "round" }), half);
}
const markIcon = (kind, colour = "currentColor") => el("svg", { width: 15, height: 15, viewBox: "-7.5 -7.5 15 15", "aria-hidden": "true" }, markNode(kind, 0, 0, colour));
