/* The run as the page uses it: columns in typed arrays, edits as objects. */
const RAW = JSON.parse(byId("data").textContent);
const RUN = RAW.run;
const END = Math.max(RAW.end, 1);
const text = (index) => (index < 0 ? null : RAW.texts[index]);

/* The clock that people at the school see: a run begins at 08:00. */
function clock(micros, digits = 3) {
  const day = 86400e6;
  const total = micros + (RUN.epoch % day);
  const inDay = ((total % day) + day) % day;
  const pad = (number, width) => String(Math.floor(number)).padStart(width, "0");
  let out = `${pad(inDay / 3600e6, 2)}:${pad((inDay / 60e6) % 60, 2)}:${pad((inDay / 1e6) % 60, 2)}`;
  if (digits === 3) out += `.${pad((inDay / 1000) % 1000, 3)}`;
  if (digits === 6) out += `.${pad(inDay % 1e6, 6)}`;
  const days = Math.floor(total / day);
  return days > 0 ? `day ${days + 1} ${out}` : out;
}

const STEP = ([t, kind, place, tokens, by, words, doom]) => ({ t, kind: text(kind), place: text(place), tokens, by, words, doom: doom === 1 });
const STAYS = RAW.stays.map(([pad, app, person, state, from, length, ended]) => ({
  pad, app: text(app), person: text(person), state: text(state), from, until: from + length, ended: text(ended),
}));
const EDITS = RAW.edits.map(([token, person, app, item, verb, ending, pad, value, steps], index) => ({
  index, token: text(token), person: text(person), app: text(app), item: text(item), verb: text(verb), ending: text(ending), pad, value,
  steps: steps.map(STEP),
}));
const EDIT = new Map(EDITS.map((edit) => [edit.token, edit]));
const STORIES = RAW.stories.map((story) => ({ ...story, steps: story.steps.map(STEP) }));
const STORY = new Map(STORIES.map((story) => [story.edit, story]));
const FAULTS = RAW.faults;
const PHASES = RAW.phases.map(([from, name], index) => ({ from, name, until: index + 1 < RAW.phases.length ? RAW.phases[index + 1][0] : END }));
const PEOPLE = [...new Set([...STAYS.map((stay) => stay.person), ...EDITS.map((edit) => edit.person)])].filter((name) => name !== null).sort();

/* Messages: `until` grows; `from` and `to` are positions in `names`. */
const MESSAGES = (() => {
  const raw = RAW.messages;
  const count = raw.until.length;
  const until = new Float64Array(count);
  const sent = new Float64Array(count);
  let last = 0;
  let longest = 0;
  for (let i = 0; i < count; i++) {
    last += raw.until[i];
    until[i] = last;
    sent[i] = last - raw.lasted[i];
    if (raw.lasted[i] > longest) longest = raw.lasted[i];
  }
  const network = new Uint8Array(raw.kinds.map((kind) => (["request", "response", "failure", "push"].includes(kind) ? 1 : 0)));
  const kind = Uint8Array.from(raw.kind);
  /* The network's messages apart: of a hundred thousand they are the few that most readers want. */
  const wires = new Int32Array(count);
  let wired = 0;
  for (let i = 0; i < count; i++) if (network[kind[i]]) wires[wired++] = i;
  return {
    count, until, sent, longest, kind, wires: wires.subarray(0, wired), from: Uint16Array.from(raw.from), to: Uint16Array.from(raw.to),
    subject: Int32Array.from(raw.subject), fate: Uint8Array.from(raw.fate), names: raw.names, kinds: raw.kinds, subjects: raw.subjects,
  };
})();

/* The steps of all edits in the order of time, as columns: what the timeline draws. */
const STEPS = (() => {
  const all = [];
  for (const edit of EDITS) edit.steps.forEach((step, number) => { if (step.tokens.includes(edit.token)) all.push([step.t, edit.index, number]); });
  all.sort((a, b) => a[0] - b[0]);
  return {
    count: all.length, t: Float64Array.from(all, (row) => row[0]), edit: Int32Array.from(all, (row) => row[1]),
    number: Int32Array.from(all, (row) => row[2]),
  };
})();

/* The first position in a column that grows whose value is at least `value`. */
function firstAtLeast(column, value, count = column.length) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}
const padOf = (place) => { const found = /^ipad-(\d+)/.exec(place); return found ? Number(found[1]) : 0; };
const placeName = (place) => (place === "cloud" ? "iCloud" : place === "people" ? "school" : `iPad ${padOf(place)}`);
