// The page: three tabs over the routes of the server.

import { all, ask, find, tabs } from "/static/dom.js";
import { translating } from "/static/translate.js";
import { training } from "/static/training.js";
import { blind } from "/static/blind.js";

const { models } = await ask("/v1/models").catch((error) => {
  find("#status").textContent = error.message;
  return { models: [] };
});

const rooms = { translate: translating(models), training: training(models), blind: blind(models) };
const choose = tabs(find("header [role=tablist]"), (tab) => {
  const name = tab.getAttribute("aria-controls");
  for (const panel of all("main > [role=tabpanel]")) panel.hidden = panel.id !== name;
  for (const [room, { enter, leave }] of Object.entries(rooms)) (room === name ? enter : leave)?.();
  history.replaceState(null, "", `#${name}`);
});
const asked = find(`#tab-${location.hash.slice(1) || "translate"}`);
if (asked) choose(asked);
document.body.dataset.ready = "yes";
