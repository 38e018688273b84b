/* What stands on top: the verdict, what it is about, and the command that repeats the run. */
function showHead() {
  document.title = `${RUN.scenario}, seed ${RUN.seed}: ${RUN.verdict}`;
  const harmed = RUN.counts.filter(([, , violates]) => violates);
  const counted = RUN.counts.filter(([, , violates]) => !violates);
  const sum = harmed.reduce((total, [, count]) => total + count, 0);
  const list = (counts) => counts.map(([name, count]) => `${name} ${count}`).join(", ");
  const line = {
    valid: `no edit came to harm, of ${many(RUN.edits, "edit")}`,
    invalid: `${many(sum, "edit")} of ${RUN.edits} came to harm: ${list(harmed)}`,
    unknown: "the run proves nothing",
  }[RUN.verdict];
  const facts = [
    ["seed", RUN.seed], ["mode", RUN.mode], ["events", RUN.events === null ? "not recorded" : RUN.events.toLocaleString("en")],
    ["edits", `${RUN.edits} performed of ${RUN.attempted} tried${RUN.refused ? `, ${RUN.refused} refused` : ""}`],
    ["length", `${RUN.virtual} of virtual time`], ["digest", RUN.digest.slice(0, 12), RUN.digest], ["build", RUN.build],
  ];
  if (counted.length > 0) facts.push(["counted", list(counted)]);
  const copy = el("button", { type: "button", onclick: () => copyText(RUN.command, copy) }, "copy");
  byId("head").replaceChildren(
    el("div", { class: "verdict" }, verdictSign(RUN.verdict),
      el("h1", {}, el("span", { class: tone(RUN.verdict) }, RUN.verdict), ` \u2013 ${RUN.scenario}`)),
    el("p", { style: "font-size:15px" }, sentence(line), el("span", { class: "soft" },
      RUN.asExpected ? (RUN.wanted === "valid" ? ". The scenario expects that." : `. The scenario expects ${RUN.wanted}.`) : `. The scenario expects ${RUN.wanted}: this is not as expected.`)),
    el("p", { class: "soft" }, RUN.purpose),
    ...RUN.reasons.map((reason) => el("p", { class: "notice" }, `Unknown because: ${reason}`)),
    ...RUN.remarks.map((remark) => el("p", { class: "notice" }, `${RUN.mode}: ${remark}`)),
    el("dl", { class: "facts" }, ...facts.map(([name, value, whole]) => el("div", { title: whole || null }, el("dt", {}, name), el("dd", {}, value)))),
    el("div", { class: "command" }, el("code", {}, RUN.command), copy));
  if (RUN.drawn) byId("head").append(el("details", { class: "soft", style: "overflow-wrap:anywhere" }, el("summary", {}, "what the seed drew"), RUN.drawn));
  const cut = RAW.cut;
  if (!cut) return;
  const parts = [];
  if (cut.messages < cut.ofMessages) parts.push(`${cut.messages.toLocaleString("en")} of ${cut.ofMessages.toLocaleString("en")} messages, from ${clock(cut.from)} to ${clock(cut.until)}`);
  if (cut.edits < cut.ofEdits) parts.push(`${cut.edits.toLocaleString("en")} of ${cut.ofEdits.toLocaleString("en")} edits, those that came to harm first`);
  byId("cut").hidden = false;
  byId("cut").textContent = `The trace is larger than this page: it shows ${parts.join("; ")}. Sessions, apps and faults are all here.`;
}

/* The choice among what went wrong: the first of each class, then all others by name. */
function showPick() {
  const pick = byId("story-pick");
  if (STORIES.length < 2) { pick.replaceChildren(); return; }
  const firsts = STORIES.filter((story, index) => STORIES.findIndex((other) => other.class === story.class) === index);
  const nodes = firsts.map((story) => {
    const all = RUN.counts.find(([name]) => name === story.class);
    return el("button", { type: "button", "data-story": story.edit, "aria-pressed": "false", onclick: () => follow(story.edit, true) },
      `${story.class} ${all ? all[1] : ""}`);
  });
  if (STORIES.length > 1) {
    const choice = el("select", { id: "pick-story", "aria-label": "edit that came to harm", onchange: (event) => follow(event.target.value, true) },
      ...STORIES.map((story) => el("option", { value: story.edit }, `${story.edit}  ${story.class}`)));
    nodes.push(el("span", {}, "edit"), choice, el("span", {}, `${STORIES.length} told here`));
  }
  pick.replaceChildren(el("span", {}, "What went wrong:"), ...nodes);
}
