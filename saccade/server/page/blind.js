// The third tab: which of two outputs is better? Nobody knows which model wrote which.

import { all, ask, find, make } from "/static/dom.js";
import { local } from "/static/storage.js";

const KEYS = { 1: "left", 2: "right", 0: "same" };

export function blind(models) {
  const who = find("#who"), rater = find("#rater"), question = find("#question"), status = find("#blind-status");
  let current, busy = false, here = false;

  const say = (text, bad = false) => {
    status.textContent = text;
    status.classList.toggle("bad", bad);
  };

  async function next() {
    const told = await ask(`/v1/blind/next?rater=${encodeURIComponent(rater.value.trim())}`);
    current = told.done ? undefined : told;
    question.hidden = told.done === true;
    if (told.done) say("That was the last one. Thank you.");
    else {
      find("#asked").textContent = told.source;
      for (const side of ["left", "right"]) find(`[data-choice=${side}] span`, question).textContent = told[side] || "(nothing)";
    }
    summarise().catch(() => {});  // a later one mends it
  }

  async function answer(choice) {
    if (!current || busy) return;
    busy = true;
    try {
      await ask("/v1/blind", { id: current.id, rater: rater.value.trim(), choice });
      say("");
      await next();
    } catch (error) {
      say(error.message, true);
    } finally {
      busy = false;
    }
  }

  async function summarise() {
    const told = await ask("/v1/blind/summary");
    const [a, b] = told.models, percent = (share) => `${(100 * share).toFixed(0)} %`;
    const row = (...cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, String(cell))));
    const found = told.ratings && told.share !== null
      ? `${a} was preferred in ${percent(told.share)} of the decided cases (95 % interval ${percent(told.low)} to ${percent(told.high)}; p = ${told.p.toFixed(3)}).`
      : "No case is decided yet.";
    find("#summary").replaceChildren(
      make("table", {}, make("thead", {}, make("tr", {}, ...["model", "preferred"].map((h) => make("th", {}, h)))),
        make("tbody", {}, row(a, told.wins[a]), row(b, told.wins[b]), row("no difference", told.same), row("the same text", told.equal))),
      make("p", { class: "hint" }, found));
  }

  who.onsubmit = async (event) => {
    event.preventDefault();
    local.set("rater", rater.value.trim());
    try {
      say("");
      await next();
    } catch (error) {
      say(error.message, true);
    }
  };
  for (const button of all("[data-choice]", question)) button.onclick = () => answer(button.dataset.choice);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, textarea, select");
    if (here && !typing && KEYS[event.key]) { event.preventDefault(); answer(KEYS[event.key]); }
  });
  rater.value = local.get("rater") ?? "";
  return {
    enter: () => {
      here = true;
      if (models.length < 2) {
        who.hidden = true;
        say("The blind test needs two models: saccade serve MODEL MODEL.");
      } else summarise().catch(() => {});
    },
    leave: () => { here = false; },
  };
}
