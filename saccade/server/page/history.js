// What was translated before, newest first. It stays in this browser.

import { find, make } from "/static/dom.js";
import { local } from "/static/storage.js";

const NAME = "saccade.history", MOST = 50, LONGEST = 5000;

export function remembered(restore) {
  const list = find("#history ol"), box = find("#history");

  const read = () => {
    try {
      const found = JSON.parse(local.get(NAME) ?? "[]");
      return Array.isArray(found) ? found.filter((one) => typeof one?.text === "string") : [];
    } catch {
      return [];
    }
  };

  const show = () => {
    const kept = read();
    box.hidden = !kept.length;
    list.replaceChildren(...kept.map((one) => {
      const button = make("button", { type: "button" },
        make("span", { dir: "auto" }, one.text), make("span", { dir: "auto", class: "hint" }, one.output ?? ""));
      button.onclick = () => restore(one);
      return make("li", {}, button);
    }));
  };

  find("#forget").onclick = () => {
    local.remove(NAME);
    show();
  };
  show();
  return {
    add: (one) => {
      if (one.text.length > LONGEST) return;
      const others = read().filter(({ text, model }) => text !== one.text || model !== one.model);
      local.set(NAME, JSON.stringify([one, ...others].slice(0, MOST)));
      show();
    },
  };
}
