/* The page over many runs. */
const ALL = JSON.parse(byId("data").textContent);
const seconds = (milliseconds) => (milliseconds < 60000 ? `${(milliseconds / 1000).toFixed(1)} s` : span(milliseconds * 1000));
const harmOf = (run) => run.counts.filter(([, , violates]) => violates).reduce((sum, [, count]) => sum + count, 0);
const shownCounts = (counts) => counts.map(([name, count]) => `${name} ${count}`).join(", ");

function showHead() {
  const runs = ALL.runs;
  const count = (test) => runs.filter(test).length;
  const missed = count((run) => !run.asExpected);
  const worst = missed === 0 ? "valid" : runs.some((run) => !run.asExpected && run.verdict === "invalid") ? "invalid" : "unknown";
  const tiles = [[runs.length, runs.length === 1 ? "run" : "runs"], [new Set(runs.map((run) => run.scenario)).size, "scenarios"], [count((run) => run.verdict === "valid"), "valid"],
    [count((run) => run.verdict === "invalid"), "invalid"], [count((run) => run.verdict === "unknown"), "unknown"],
    [runs.reduce((sum, run) => sum + run.edits, 0).toLocaleString("en"), "edits"], [runs.reduce((sum, run) => sum + harmOf(run), 0), "came to harm"]];
  byId("head").replaceChildren(
    el("div", { class: "verdict" }, verdictSign(worst), el("h1", {}, missed === 0 ? `All ${runs.length} runs gave what they expect` : `${missed} of ${many(runs.length, "run")} did not give what they expect`)),
    el("div", { class: "tiles" }, ...tiles.map(([number, words]) => el("div", {}, el("b", {}, String(number)), el("span", { class: "soft" }, words)))),
    ...ALL.remarks.map((remark) => el("p", { class: "notice" }, remark)));
}

const ORDERS = {
  worst: (a, b) => Number(a.asExpected) - Number(b.asExpected) || ["invalid", "unknown", "valid"].indexOf(a.verdict) - ["invalid", "unknown", "valid"].indexOf(b.verdict) || harmOf(b) - harmOf(a),
  name: (a, b) => (a.scenario < b.scenario ? -1 : a.scenario > b.scenario ? 1 : 0), slow: (a, b) => b.wall - a.wall,
};
function showRuns() {
  const [verdict, order, name] = ["pick-verdict", "pick-order", "pick-name"].map((id) => byId(id).value.trim());
  const runs = ALL.runs.filter((run) => (verdict === "" || (verdict === "other" ? !run.asExpected : run.verdict === verdict)) && run.scenario.includes(name));
  runs.sort((a, b) => ORDERS[order](a, b) || ORDERS.name(a, b));
  byId("rows").replaceChildren(...runs.slice(0, 2000).map((run) => el("tr", {},
    el("td", {}, el("span", { class: `verdict ${tone(run.verdict)}` }, verdictSign(run.verdict), run.verdict), run.asExpected && run.wanted === "valid" ? "" : el("div", { class: "first" }, run.asExpected ? "as expected" : `expected ${run.wanted}`)),
    el("td", {}, run.page ? el("a", { href: run.page }, run.scenario) : run.scenario, run.first && run.verdict !== "valid" ? el("div", { class: "first" }, run.first) : ""),
    el("td", { class: "number" }, run.seed), el("td", {}, run.mode), el("td", { class: "number" }, run.edits.toLocaleString("en")), el("td", {}, shownCounts(run.counts)),
    el("td", { class: "number" }, run.events === null ? "\u2013" : run.events.toLocaleString("en")), el("td", { class: "number" }, span(run.virtual * 1000)), el("td", { class: "number" }, run.wall > 0 ? seconds(run.wall) : "\u2013"))));
}

function showSlow() {
  const totals = new Map();
  for (const run of ALL.runs) {
    const one = totals.get(run.scenario) || { wall: 0, runs: 0 };
    one.wall += run.wall;
    one.runs += 1;
    totals.set(run.scenario, one);
  }
  const rows = [...totals].sort((a, b) => b[1].wall - a[1].wall).slice(0, 20);
  const most = Math.max(1, ...rows.map(([, one]) => one.wall));
  byId("bars").replaceChildren(...rows.map(([name, one]) => el("div", { class: "row" }, el("span", {}, name), el("i", { style: `width:${(one.wall / most) * 100}%` }), el("span", {}, `${seconds(one.wall)}, ${many(one.runs, "run")}`))));
}

/* A table of counts: the more, the darker, and the number says it too. */
function grid(head, body, columns, rows) {
  const most = Math.max(1, ...rows.flatMap((row) => row.counts));
  byId(head).parentElement.classList.toggle("narrow", columns.length > 8);
  byId(head).replaceChildren(el("tr", {}, el("th", {}, ""), ...columns.map((name) => el("th", {}, el("span", { class: columns.length > 8 ? "tall" : "" }, name)))));
  byId(body).replaceChildren(...rows.map((row) => el("tr", {}, el("th", {}, row.name), ...row.counts.map((count) => (count === 0 ? el("td", { class: "number none" }, "\u00b7")
    : el("td", { class: "number", style: `background:color-mix(in srgb, var(--front) ${Math.round(10 + (Math.log(count + 1) / Math.log(most + 1)) * 34)}%, transparent)` }, String(count)))))));
}
function showGrids() {
  const met = (row) => row.met.some((count) => count > 0);
  const faults = [...ALL.faults].sort((a, b) => Number(met(b)) - Number(met(a)) || (a.kind < b.kind ? -1 : 1));
  grid("fault-head", "fault-rows", ALL.states, faults.map((row) => ({ name: row.kind, counts: row.met })));
  const scenarios = [...new Set(ALL.runs.map((run) => run.scenario))].sort();
  const rows = ALL.marks.map((mark) => ({ name: mark, counts: scenarios.map((scenario) => ALL.runs.filter((run) => run.scenario === scenario && run.marks.includes(mark)).length) }));
  /* How many runs in all stands first: a mark that none reached is what to look for. */
  for (const row of rows) row.counts.unshift(row.counts.reduce((sum, count) => sum + count, 0));
  grid("mark-head", "mark-rows", ["all", ...scenarios], rows);
}

for (const id of ["pick-verdict", "pick-order"]) byId(id).onchange = showRuns;
byId("pick-name").oninput = showRuns;
showHead();
showRuns();
showSlow();
showGrids();
document.documentElement.dataset.ready = `${ALL.runs.length} runs`;
