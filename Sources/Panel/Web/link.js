// The WebSocket to the station: requests and answers in their order, and the node's model kept up to date.
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

export async function rest(method, path, content, headers) {
	const isFile = !content || content instanceof Blob;
	const answer = await fetch(path, {
		method, headers: headers ?? (isFile ? {} : { "Content-Type": "application/json" }),
		body: isFile ? content : JSON.stringify(content),
	});
	const { error, ...value } = await answer.json().catch(() => ({}));
	if (!answer.ok) throw new Error(error?.message ?? error ?? answer.status);
	return value;
}

const address = `wss://${location.host}/ws`;

export class Link extends EventTarget {
	#socket = null;
	#waiting = [];
	#pause = 250;
	#timer = 0;
	model = null;
	state = "connecting";
	failures = 0;

	start() {
		if (this.#socket) return;
		clearTimeout(this.#timer);
		const socket = this.#socket = new WebSocket(address);
		socket.onopen = () => this.#opened();
		socket.onmessage = (event) => this.#heard(JSON.parse(event.data));
		socket.onclose = () => this.#closed();
	}

	get isSaving() { return localStorage.saving === "1"; }

	subscribe() { return this.ask("subscribe", { levels: !this.isSaving }); }
	ask(request, fields) {
		return new Promise((resolve, reject) => {
			if (this.#socket?.readyState !== WebSocket.OPEN) return reject(new Error(""));
			this.#waiting.push({ resolve, reject });
			this.#socket.send(JSON.stringify({ request, ...fields }));
		});
	}

	askAside(request, fields) {
		return new Promise((resolve, reject) => {
			const socket = new WebSocket(address);
			socket.onopen = () => socket.send(JSON.stringify({ request, ...fields }));
			socket.onmessage = (event) => {
				const message = JSON.parse(event.data);
				if (message.ok) resolve(message);
				else reject(new Error(message.error));
				socket.close();
			};
			socket.onclose = () => reject(new Error(""));
		});
	}

	get peers() {
		const entries = Object.entries(this.model?.peers ?? {});
		return entries.sort(([, one], [, other]) => (one.place ?? 0) - (other.place ?? 0));
	}

	#opened() {
		this.#pause = 250;
		this.failures = 0;
		this.model = null;
		this.subscribe().then(() => this.#set("connected"), () => this.#socket?.close());
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
		this.#set("lost");
		this.#timer = setTimeout(() => this.start(), this.#pause * (0.75 + Math.random() / 2));
		this.#pause = Math.min(this.#pause * 2, 8000);
	}

	#set(state) {
		this.state = state;
		this.dispatchEvent(new Event("state"));
	}
}
