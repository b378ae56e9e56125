export const now = () => performance.now();

// "tag.class", then in any order: texts, elements, what has an `element`, and properties, of which `on…` are listeners.
export function el(tag, ...parts) {
	const [name, ...classes] = tag.split(".");
	const element = document.createElement(name);
	element.classList.add(...classes);
	for (const part of parts.filter(Boolean)) {
		if (typeof part === "string" || part instanceof Node) element.append(part);
		else if (part.element) element.append(part.element);
		else for (const [key, value] of Object.entries(part)) set(element, key, value);
	}
	return element;
}

function set(element, key, value) {
	if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
	else if (key in element && !key.startsWith("aria")) element[key] = value;
	else element.setAttribute(key.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase()), value);
}
export function say(element, text) {
	if (element.textContent !== text) element.textContent = text;
}

export function mark(element, name, value) {
	if (value === null) element.removeAttribute(name);
	else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

export function flag(element, flags) {
	for (const [name, isOn] of Object.entries(flags)) element.classList.toggle(name, Boolean(isOn));
}

// What cannot be seen, or turns the direction of what follows, is shown as �.
export const safe = (text) =>
	String(text).replace(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]|[\u2028\u2029]/gu, "\ufffd");

// A name within a sentence has a direction of writing of its own.
export const isolate = (name) => `\u2068${safe(name)}\u2069`;

export const clock = (seconds) => new Date(seconds * 1000).toISOString().slice(14, 19);

export const button = (text, onclick, kind = "") => el(`button${kind && "."}${kind}`, { onclick, type: "button" }, text);

export const buttons = (...all) => el("div.buttons", ...all);

export const card = (title, ...parts) => el("div.card", el("h2", title), ...parts);

export const nameOf = (text) => el("strong", { dir: "auto" }, safe(text));

export function makeDot() {
	const element = el("span.dot");
	const update = (colour) => {
		element.style.backgroundColor = /^[0-9a-f]{6}$/i.test(colour ?? "") ? `#${colour}` : "";
	};
	return { element, update };
}

export function makeFold(ariaLabel, ...parts) {
	const element = el("div.fold", ...parts);
	const open = (isOpen) => { element.hidden = !isOpen; mark(arrow, "aria-expanded", isOpen); };
	const arrow = el("button.tool.more", { ariaLabel, onclick: () => open(element.hidden) });
	open(false);
	return { element, arrow, close: () => open(false) };
}

export function makeRows(parent, make) {
	const rows = new Map();
	return (items) => {
		const keys = new Set(items.map(([key]) => key));
		for (const [key, row] of rows) {
			if (keys.has(key)) continue;
			row.end?.();
			row.element.remove();
			rows.delete(key);
		}
		items.forEach(([key, item], index) => {
			if (!rows.has(key)) rows.set(key, make(key, item));
			const row = rows.get(key);
			row.update?.(item);
			const there = parent.children[index];
			if (there !== row.element) parent.insertBefore(row.element, there ?? null);
		});
	};
}

const quietest = -60;

export function makeMeter(ariaLabel) {
	const [bar, line] = [el("i"), el("b")];
	const element = el("div.meter", { role: "meter", ariaLabel, ariaValuemin: quietest, ariaValuemax: 0, ariaValuenow: quietest }, bar, line);
	let [peak, told] = [quietest, 0];
	const show = (level, top = level) => {
		const shown = Math.max(quietest, Math.min(0, level ?? quietest));
		peak = Math.max(shown, Math.min(0, top ?? quietest), peak - 1);
		bar.style.clipPath = `inset(0 ${(shown / quietest) * 100}% 0 0)`;
		line.style.transform = `translateX(${(1 - peak / quietest) * 100}%)`;
		flag(element, { hot: peak > -3 });
		if (now() - told < 1000) return;
		told = now();
		mark(element, "aria-valuenow", Math.round(shown));
	};
	return { element, show };
}

export function makeSlider(ariaLabel, title, { min, max, step, text, send }) {
	let [touched, timer, wanted] = [-Infinity, 0, null];
	const value = el("output");
	const tell = (number) => {
		say(value, text(number));
		mark(input, "aria-valuetext", text(number));
	};
	const pass = () => {
		timer = 0;
		if (wanted === null) return;
		send(wanted);
		wanted = null;
		timer = setTimeout(pass, 100);
	};
	const input = el("input", { type: "range", min, max, step, ariaLabel, oninput: () => {
		touched = now();
		tell(wanted = Number(input.value));
		if (!timer) pass();
	} });
	const show = (number) => {
		if (now() - touched < 800) return;
		if (Number(input.value) !== number) input.value = number;
		tell(number);
	};
	return { element: el("label.slider", el("span", title), input, value), input, show };
}

export function makeEntry(ariaLabel, word, send, maxLength = 200) {
	const input = el("input", { required: true, autocomplete: "off", maxLength, ariaLabel, placeholder: ariaLabel });
	const onsubmit = async (event) => {
		event.preventDefault();
		if (await send(input.value)) input.value = "";
	};
	return el("form.entry", { onsubmit }, input, el("button", word));
}

export function makeChoice(title, options, send) {
	const select = el("select", { onchange: () => send(select.value) });
	const show = (value) => {
		if (document.activeElement === select) return;
		const all = options.includes(value ?? options[0]) ? options : [value, ...options];
		if (select.options.length !== all.length) select.replaceChildren(...all.map((one) => el("option", one)));
		select.value = value;
	};
	return { element: el("label.choice", el("span", { dir: "auto" }, title), select), select, show };
}

export function sure(text, yes, no) {
	return new Promise((resolve) => {
		const dialog = el(
			"dialog", { ariaLabel: text, onclose: () => { dialog.remove(); resolve(dialog.returnValue === "yes"); } },
			el("p", text), buttons(button(no, () => dialog.close("no")), button(yes, () => dialog.close("yes"), "danger")));
		document.body.append(dialog);
		dialog.showModal();
	});
}
