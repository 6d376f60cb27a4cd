// Text and settings in the part of the address behind #, which no browser sends to a server.

const LONGEST = 20_000;  // letters of an address that browsers and mail programs still take

export function linkTo(state) {
  const given = Object.entries(state).filter(([, value]) => value !== "" && value !== undefined);
  const address = `${location.origin}${location.pathname}#translate?${new URLSearchParams(given)}`;
  if (address.length > LONGEST) throw new Error("The text is too long for a link. Download it instead.");
  return address;
}

// The tab that an address names, and the state it holds, if there is one.
export function read(hash) {
  const [tab, query] = hash.slice(1).split(/\?(.*)/s);
  return { tab: tab || "translate", state: query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query)) };
}
