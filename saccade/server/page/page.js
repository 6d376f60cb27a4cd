// The page: three tabs over the routes of the server.

import { all, ask, find, tabs } from "/static/dom.js";
import { translating } from "/static/translate.js";
import { training } from "/static/training.js";
import { blind } from "/static/blind.js";
import { read } from "/static/link.js";

const { models, limits } = await ask("/v1/models").catch((error) => {
  find("#status").textContent = error.message;
  return { models: [] };
});

const rooms = { translate: translating(models, limits), training: training(models), blind: blind(models) };
const choose = tabs(find("header [role=tablist]"), (tab) => {
  const name = tab.getAttribute("aria-controls");
  for (const panel of all("main > [role=tabpanel]")) panel.hidden = panel.id !== name;
  for (const [room, { enter, leave }] of Object.entries(rooms)) (room === name ? enter : leave)?.();
  if (read(location.hash).tab !== name) history.replaceState(null, "", `#${name}`);
});

// Go where an address says; a link has a text and settings with it.
function follow() {
  const { tab, state } = read(location.hash);
  const asked = Object.hasOwn(rooms, tab) ? find(`#tab-${tab}`) : find("#tab-translate");
  choose(asked);
  if (state && models.length) rooms.translate.restore(state);
}

window.addEventListener("hashchange", follow);
follow();
document.body.dataset.ready = "yes";
