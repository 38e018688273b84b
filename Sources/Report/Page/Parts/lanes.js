/* Which rows the timeline has, and where: iCloud on top, then an iPad under the other, each with its session and its apps. */
const LANES = { rows: [], height: 0, cloud: null, sessions: new Map(), apps: new Map(), padTop: new Map(), faultRows: 0 };
const TOP = 46;

/* The stays of each row in the order of time, with their beginnings and ends as columns for the search. */
const ROW_STAYS = (() => {
  const rows = new Map();
  for (const stay of STAYS) {
    const key = rowKey(stay.pad, stay.app);
    if (!rows.has(key)) rows.set(key, []);
    rows.get(key).push(stay);
  }
  return new Map([...rows].map(([key, stays]) => [key, {
    stays, from: Float64Array.from(stays, (stay) => stay.from), until: Float64Array.from(stays, (stay) => stay.until),
  }]));
})();
function rowKey(pad, app) { return app === null ? `${pad}` : `${pad}/${app}`; }

/* Faults in as few rows as do not overlap; very many share the last one. */
const FAULT_ROWS = (() => {
  const ends = [];
  const rowsMax = 5;
  for (const fault of FAULTS) {
    /* A name needs some room: two that follow closely go under each other. */
    const room = Math.max(fault.until, fault.from + END / 14);
    let row = ends.findIndex((end) => end <= fault.from);
    if (row < 0) row = ends.length < rowsMax ? ends.length : rowsMax - 1;
    ends[row] = Math.max(ends[row] || 0, room);
    fault.row = row;
  }
  /* Where the next one of its row begins: its name has room until there. */
  const next = [];
  for (const fault of [...FAULTS].reverse()) { fault.next = next[fault.row] ?? Infinity; next[fault.row] = fault.from; }
  return ends.length;
})();

/* When anything was at work on an iPad, faults that overlap as one: hatching over hatching is dark and says nothing more. */
const FAULT_TIMES = (() => {
  const times = new Map();
  for (const fault of [...FAULTS].sort((a, b) => a.from - b.from)) {
    for (const pad of fault.pads) {
      if (!times.has(pad)) times.set(pad, []);
      const all = times.get(pad);
      const last = all[all.length - 1];
      if (last && fault.from <= last[1]) last[1] = Math.max(last[1], fault.until); else all.push([fault.from, fault.until]);
    }
  }
  return times;
})();

/* - person, item, edit: what is asked for; iPads that have no part in it are left out. */
function layOut(person, edits) {
  const rows = [];
  let y = TOP;
  const add = (kind, height, more) => { const row = { kind, y, height, ...more }; rows.push(row); y += height; return row; };
  if (FAULT_ROWS > 0) add("faults", FAULT_ROWS * 17 + 6, { label: "faults" });
  LANES.cloud = add("cloud", 40, { label: "iCloud" });
  LANES.sessions.clear();
  LANES.apps.clear();
  LANES.padTop.clear();
  const asked = person === null && edits === null ? null : padsOf(person, edits);
  const apps = new Map();
  for (const stay of STAYS) if (stay.app !== null && (person === null || stay.person === person)) {
    if (!apps.has(stay.pad)) apps.set(stay.pad, new Set());
    apps.get(stay.pad).add(stay.app);
  }
  for (const pad of RAW.pads) {
    if (asked !== null && !asked.has(pad)) continue;
    const top = y;
    y += 8;
    const session = add("session", 22, { label: `iPad ${pad}`, pad });
    LANES.sessions.set(pad, session);
    for (const app of [...(apps.get(pad) || [])].sort()) LANES.apps.set(rowKey(pad, app), add("app", 24, { label: app, pad, app }));
    y += 8;
    LANES.padTop.set(pad, { top, bottom: y });
  }
  const ctx = byId("canvas").getContext("2d");
  ctx.font = FONT;
  VIEW.gutter = Math.min(210, Math.max(100, ...rows.map((row) => ctx.measureText(row.label).width + 40)));
  LANES.rows = rows;
  LANES.height = y + 8;
}
function padsOf(person, edits) {
  const pads = new Set();
  if (person !== null) for (const stay of STAYS) if (stay.person === person) pads.add(stay.pad);
  if (edits === null) return pads;
  const touched = new Set();
  for (const edit of edits) for (const step of edit.steps) { const pad = padOf(step.place); if (pad) touched.add(pad); }
  return person === null ? touched : new Set([...pads].filter((pad) => touched.has(pad)));
}
/* The middle of the row in which something of a place is drawn; null: that row is not there. */
function rowMiddle(place, app) {
  if (place === "cloud") return LANES.cloud.y + LANES.cloud.height / 2;
  const pad = padOf(place);
  if (!pad) return null;
  const row = (app && LANES.apps.get(rowKey(pad, app))) || LANES.sessions.get(pad);
  return row ? row.y + row.height / 2 : null;
}
