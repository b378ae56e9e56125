// Making and keeping elements; nothing here knows what is shown.

/** An element: properties by name, `on…` are listeners, `aria…` and `data…` attributes; null children are left out. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (key in element && !key.startsWith("aria")) element[key] = value;
    else element.setAttribute(key.replace(/[A-Z]/g, (c) => "-" + c.toLowerCase()), value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets a text only where it is another: screen readers read what changes. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Sets an attribute only where it is another; null takes it away. */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

/** Rows of a list by key: made once, updated, put in order, taken away. */
export class Rows {
  constructor(parent, make) {
    this.parent = parent;
    this.make = make;
    this.rows = new Map();
  }

  show(items) {
    const keys = new Set(items.map(([key]) => key));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    items.forEach(([key, item], index) => {
      let row = this.rows.get(key);
      if (!row) {
        row = this.make(key, item);
        this.rows.set(key, row);
      }
      row.update(item);
      if (this.parent.children[index] !== row.element) {
        this.parent.insertBefore(row.element, this.parent.children[index] ?? null);
      }
    });
  }
}

const quietest = -60;

/** A level meter with a peak that falls slowly; dBFS. */
export class Meter {
  constructor(label) {
    this.bar = el("i");
    this.mark = el("b");
    this.element = el(
      "div",
      { class: "meter", role: "meter", ariaLabel: label, ariaValuemin: quietest, ariaValuemax: 0 },
      this.bar, this.mark);
    this.peak = quietest;
    this.told = 0;
  }

  show(level, peak = level) {
    const shown = Math.max(quietest, Math.min(0, level ?? quietest));
    this.peak = Math.max(shown, Math.min(0, peak ?? quietest), this.peak - 1);
    this.bar.style.clipPath = `inset(0 ${(shown / quietest) * 100}% 0 0)`;
    this.mark.style.transform = `translateX(${(1 - this.peak / quietest) * 100}%)`;
    this.element.classList.toggle("hot", this.peak > -3);
    const now = performance.now();
    if (now - this.told > 1000) {
      this.told = now;
      this.element.setAttribute("aria-valuenow", Math.round(shown));
    }
  }
}

/** Asks before something that cannot be taken back. */
export function sure(text, yes, no) {
  return new Promise((resolve) => {
    const dialog = el(
      "dialog", { ariaLabel: text, onclose: () => { dialog.remove(); resolve(dialog.returnValue === "yes"); } },
      el("p", {}, text),
      el("div", { class: "buttons" },
        el("button", { onclick: () => dialog.close("no") }, no),
        el("button", { class: "danger", onclick: () => dialog.close("yes") }, yes)));
    document.body.append(dialog);
    dialog.showModal();
  });
}
