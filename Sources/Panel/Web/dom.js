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

/** A name within a sentence: its direction of writing is its own, not that of the words after it. */
export const isolate = (name) => `\u2068${String(name).replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`;

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
      row.end?.();
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

/** A slider that is not pulled away under the finger, and tells the station ten times a second at most. */
export class Slider {
  #touched = -Infinity;
  #timer = 0;
  #wanted = null;

  /** - label: what a screen reader says; title: what stands before it. */
  constructor(label, title, { min, max, step, text, send }) {
    this.text = text;
    this.send = send;
    this.value = el("output", {});
    this.input = el("input", { type: "range", min, max, step, ariaLabel: label, oninput: () => this.#moved() });
    this.element = el("label", { class: "slider" }, el("span", {}, title), this.input, this.value);
  }

  show(number) {
    if (performance.now() - this.#touched < 800) return;
    if (Number(this.input.value) !== number) this.input.value = number;
    this.#say(number);
  }

  #moved() {
    this.#touched = performance.now();
    this.#wanted = Number(this.input.value);
    this.#say(this.#wanted);
    if (!this.#timer) this.#tell();
  }

  #say(number) {
    setText(this.value, this.text(number));
    setAttribute(this.input, "aria-valuetext", this.text(number));
  }

  #tell() {
    this.#timer = 0;
    if (this.#wanted === null) return;
    this.send(this.#wanted);
    this.#wanted = null;
    this.#timer = setTimeout(() => this.#tell(), 100);
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
