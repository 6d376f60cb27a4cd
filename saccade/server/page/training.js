// The second tab: the curves of a run, drawn anew while it trains.

import { ask, draw, find, make, options } from "/static/dom.js";

const EVERY = 3000;  // milliseconds between two looks at a run that trains

export function training(models) {
  const run = find("#run"), state = find("#run-state"), charts = find("#charts");
  let timer, shown = false;

  const runs = models.filter(({ trains }) => trains);
  options(run, runs.map(({ name }) => [name, name]));

  async function look() {
    clearTimeout(timer);
    if (!run.value) {
      state.textContent = "None of the models served was trained here, so there are no curves.";
      return;
    }
    try {
      const told = await ask(`/v1/models/${encodeURIComponent(run.value)}/curves`);
      state.classList.remove("bad");
      const where = `step ${told.step.toLocaleString("en")}, epoch ${told.epoch}`;
      state.textContent = { training: `Training now: ${where}.`, finished: `Finished: ${where}.` }[told.state] ?? "No curves yet.";
      if (told.damaged) state.textContent += ` ${told.damaged}`;
      show(told.views);
      if (shown && told.state === "training") timer = setTimeout(look, EVERY);
    } catch (error) {
      state.textContent = error.message;
      state.classList.add("bad");
    }
  }

  function show(views) {
    const names = Object.keys(views);
    if (charts.children.length !== names.length) charts.replaceChildren(...names.map(() => make("div")));
    names.forEach((name, i) => draw(charts.children[i], views[name]));
  }

  run.onchange = () => { charts.replaceChildren(); look(); };
  return {
    enter: () => { shown = true; look(); },
    leave: () => { shown = false; clearTimeout(timer); },
  };
}
