// The WebSocket to the station: requests and answers in their order, and the node's model kept up to date.

/** RFC 7396: what a patch makes of a value. */
export function merge(value, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  // Without a prototype: a peer may be called __proto__.
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  const result = Object.assign(Object.create(null), isObject ? value : null);
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) delete result[key];
    else result[key] = merge(result[key], change);
  }
  return result;
}

/** Events: `state` (connecting, connected, lost, refused), `model` after each change. */
export class Link extends EventTarget {
  #socket = null;
  #waiting = [];
  #pause = 250;
  #timer = 0;
  #isEnded = false;
  model = null;
  state = "connecting";
  /** How often in a row no connection came about. */
  failures = 0;

  start() {
    if (this.#isEnded || this.#socket) return;
    clearTimeout(this.#timer);
    const socket = new WebSocket(`wss://${location.host}/ws`);
    this.#socket = socket;
    socket.onopen = () => this.#opened();
    socket.onmessage = (event) => this.#heard(JSON.parse(event.data));
    socket.onclose = (event) => this.#closed(event);
  }

  stop() {
    this.#isEnded = true;
    this.#socket?.close();
  }

  /** The answer to a request; what the station refuses is an error with its words. */
  ask(request) {
    return new Promise((resolve, reject) => {
      if (this.#socket?.readyState !== WebSocket.OPEN) return reject(new Error(""));
      this.#waiting.push({ resolve, reject });
      this.#socket.send(JSON.stringify(request));
    });
  }

  /** The same over a connection of its own, so that what takes long holds up no key. */
  askAside(request) {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`wss://${location.host}/ws`);
      socket.onopen = () => socket.send(JSON.stringify(request));
      socket.onmessage = (event) => {
        const message = JSON.parse(event.data);
        if (message.ok) resolve(message);
        else reject(new Error(message.error));
        socket.close();
      };
      socket.onclose = () => reject(new Error(""));
    });
  }

  /** Peers in the order in which the node lists them: [key, peer]. */
  get peers() {
    const entries = Object.entries(this.model?.peers ?? {});
    return entries.sort(([, one], [, other]) => (one.place ?? 0) - (other.place ?? 0));
  }

  #opened() {
    this.#pause = 250;
    this.failures = 0;
    this.model = null;
    this.ask({ request: "subscribe", levels: true }).then(
      () => this.#set("connected"), () => this.#socket?.close());
  }

  #heard(message) {
    if (typeof message.ok === "boolean") {
      const one = this.#waiting.shift();
      if (message.ok) one?.resolve(message);
      else one?.reject(new Error(message.error));
      return;
    }
    this.model = merge(this.model, message);
    this.dispatchEvent(new Event("model"));
  }

  #closed() {
    this.#socket = null;
    this.failures += 1;
    for (const one of this.#waiting.splice(0)) one.reject(new Error(""));
    if (this.#isEnded) return;
    this.#set("lost");
    // Not all phones at once after the station was away.
    this.#timer = setTimeout(() => this.start(), this.#pause * (0.75 + Math.random() / 2));
    this.#pause = Math.min(this.#pause * 2, 8000);
  }

  #set(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }
}
