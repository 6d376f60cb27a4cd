// Out of the page: to the clipboard, or into a file of the person who looks at it.

import { make } from "/static/dom.js";

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyOldWay(text);  // a page over plain HTTP has no clipboard
  }
}

function copyOldWay(text) {
  const area = make("textarea", { class: "away", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("The browser lets nothing be copied here. Select the text and press Ctrl + C.");
}

export function download(name, kind, text) {
  const address = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// One cell of a table: no tab and no line feed may stand in it.
export const cell = (value) => String(value ?? "").replace(/[\t\r\n]+/g, " ");
