// What the browser keeps for this page. Where that is blocked or full, it is kept until the page closes.

function careful(kind) {
  const memory = new Map();
  const attempt = (act, instead) => {
    try {
      return act(window[kind]);
    } catch {
      return instead();
    }
  };
  return {
    get: (name) => memory.get(name) ?? attempt((store) => store.getItem(name), () => null),
    set: (name, value) => {
      memory.delete(name);
      attempt((store) => store.setItem(name, value), () => memory.set(name, value));
    },
    remove: (name) => {
      memory.delete(name);
      attempt((store) => store.removeItem(name), () => {});
    },
  };
}

export const local = careful("localStorage");
export const session = careful("sessionStorage");
