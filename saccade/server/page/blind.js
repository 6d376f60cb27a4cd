// The third tab: which of two outputs is better? Nobody knows who wrote which: two models, or a model
// and a person. Of the latter it also asks which one the machine wrote.

import { all, ask, find, make } from "/static/dom.js";
import { local } from "/static/storage.js";

const BETTER = "Which output is better?", MACHINE = "Which one did the machine write?";
const PERSON = "A model and a person translated the same sentence. Which output is better, and which one did the machine"
  + " write? Who wrote which is hidden, and drawn anew for every sentence.";
const KEYS = { 1: "left", 2: "right", 0: "same" };

export function blind(models) {
  const who = find("#who"), rater = find("#rater"), question = find("#question"), status = find("#blind-status");
  const same = find("[data-choice=same]", question);
  let current, preferred, human = false, busy = false, here = false, ready = Promise.resolve();

  const say = (text, bad = false) => {
    status.textContent = text;
    status.classList.toggle("bad", bad);
  };

  // Ask for the better one, or, once that is known, for the machine's.
  function wonder(choice) {
    preferred = choice;
    find("#wanted").textContent = choice ? MACHINE : BETTER;
    same.hidden = choice !== undefined;
  }

  async function next() {
    await ready;
    wonder();
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
    if (human && preferred === undefined) return wonder(choice);
    if (human && choice === "same") return;
    busy = true;
    const said = human ? { choice: preferred, machine: choice } : { choice };
    try {
      await ask("/v1/blind", { id: current.id, rater: rater.value.trim(), ...said });
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
    const sure = ({ low, high, p }) => `95 % interval ${percent(low)} to ${percent(high)}; p = ${p.toFixed(3)}`;
    const row = (...cells) => make("tr", {}, ...cells.map((cell) => make("td", {}, String(cell))));
    const found = told.ratings && told.share !== null
      ? `${a} was preferred in ${percent(told.share)} of the decided cases (${sure(told)}).`
      : "No case is decided yet.";
    find("#summary").replaceChildren(
      make("table", {}, make("thead", {}, make("tr", {}, ...["model", "preferred"].map((h) => make("th", {}, h)))),
        make("tbody", {}, row(a, told.wins[a]), row(b, told.wins[b]), row("no difference", told.same), row("the same text", told.equal))),
      make("p", { class: "hint" }, found),
      ...(told.machine?.share == null ? [] : [make("p", { class: "hint", id: "guessed" }, guessed(told.machine, percent, sure))]));
  }

  const guessed = (machine, percent, sure) =>
    `The machine was found in ${percent(machine.share)} of ${machine.right + machine.wrong} cases (${sure(machine)}). Chance is 50 %.`;

  // Learn what the model is compared with.
  async function know() {
    const { rival } = models.length ? await ask("/v1/blind").catch(() => ({})) : {};
    human = rival === "reference";
    if (human) find("#compared").textContent = PERSON;
    if (rival) return summarise().catch(() => {});
    who.hidden = true;
    say("The blind test needs two models, saccade serve MODEL MODEL, or saccade serve MODEL --blind reference.");
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
      ready = know();
    },
    leave: () => { here = false; },
  };
}
