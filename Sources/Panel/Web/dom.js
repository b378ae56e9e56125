import {may} from "./link.js"
import {words} from "./words.js"

export * from "./link.js"
export {words}

export const
	now = () => performance.now(),
	on = (target, events, listener) => events.split(" ").forEach(event => target.addEventListener(event, listener)),
	onHidden = listener => on(document, "visibilitychange", () => listener(document.hidden)),
	randomName = () => crypto.randomUUID().slice(-17).replace("-", ""),
	clamp = (low, value, high) => Math.max(low, Math.min(value, high)),
	isAtEnd = pane => pane.scrollHeight - pane.scrollTop - pane.clientHeight < 80

export function say(element, text) {
	text = String(text || "")
	if (element.textContent !== text) element.textContent = text
}

// Properties, attributes and classes (".name").
function set(element, all) {
	for (const [key, value] of Object.entries(all)) {
		const name = key.replace(/[A-Z]/g, letter => "-" + letter.toLowerCase())
		if (key[0] === ".") element.classList.toggle(key.slice(1), !!value)
		else if (key in element && !key.startsWith("aria")) element[key] !== value && (element[key] = value)
		else if (value === null) element.removeAttribute(name)
		else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value)
	}
}

// "tag.class" or ".class", texts, elements, what `set` takes, and functions for `refresh` that give a text or that.
export function el(tag, ...parts) {
	const [name, ...classes] = tag.split("."), element = document.createElement(name || "div")
	element.classList.add(...classes)
	element.live = []
	for (const part of parts.flat().filter(Boolean)) {
		if (typeof part === "function") element.live.push(part)
		else if (typeof part === "string" || part instanceof Node) element.append(part)
		else set(element, part)
	}
	return element
}

export function refresh(element) {
	for (const part of element.live ?? []) {
		const next = part(element)
		if (typeof next === "object") set(element, next)
		else if (next !== undefined) say(element, next)
	}
	for (const child of element.children) refresh(child)
}

// Children for the items, or `[key, item]`; `make` gets what reads the item, and the key.
export function rows(items, make) {
	const all = new Map()
	return parent => {
		const list = new Map(items().map(one => (Array.isArray(one) ? one : [one.id ?? one.name, one])))
		for (const [key, {element}] of all) {
			if (list.has(key)) continue
			element.end?.()
			element.remove()
			all.delete(key)
		}
		let at = 0
		for (const [key, item] of list) {
			const row = all.get(key) ?? {}
			row.item = item
			row.element ??= make(() => row.item, key)
			all.set(key, row)
			const there = parent.children[at++] ?? null
			if (there !== row.element) parent.insertBefore(row.element, there)
		}
	}
}

export const
	needs = right => () => ({disabled: !may(right)}),
	operators = needs("operate"), talkers = needs("talk"),
	join = (...parts) => parts.filter(Boolean).join(", ")

// What cannot be seen, or turns the direction of what follows, is shown as �.
export const safe = text =>
	String(text).replace(/(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]|[\u2028\u2029]/gu, "\ufffd")

// A name within a sentence has a direction of writing of its own.
export const isolate = name => `\u2068${safe(name)}\u2069`
export const about = (word, name) => `${word}: ${isolate(name)}`

export function some(names, most = 4) {
	const shown = names.slice(0, most).map(isolate).join(", ")
	return names.length > most ? words.more(shown, names.length - most) : shown
}

export const
	clock = seconds => new Date(seconds * 1000).toISOString().slice(14, 19),
	button = (kind, text, onclick, ...more) => el("button" + kind, {onclick, type: "button"}, text, ...more),
	tool = (kind, ariaLabel, onclick, ...more) => button(".tool." + kind, "", onclick, {ariaLabel}, ...more),
	card = (title, ...parts) => el(".card", el("h2", title), ...parts),
	small = (...parts) => el("small", ...parts),
	list = (items, make, ...parts) => el("ul", ...parts, rows(items, make)),
	nameOf = read => el("strong", {dir: "auto"}, () => safe(read() || "")),
	titled = (read, detail, ...more) => el("span.line", nameOf(read), small(detail), ...more),
	check = (text, change, ...input) => el(
		"label.check", el("input", {type: "checkbox", onchange: ({target}) => change?.(target.checked)}, ...input), text),
	danger = (word, question, act, ...more) => button(".danger", word, async () => await sure(question, word) && act(), ...more)

export function fold(name, ...parts) {
	const box = el(".fold", {hidden: true}, ...parts)
	const arrow = tool("more", about(words.fold, name), () => {
		box.hidden = !box.hidden
		refresh(arrow)
	}, () => ({ariaExpanded: !box.hidden, textContent: box.hidden ? "▾" : "▴"}))
	return [arrow, box]
}

export function paper(canvas) {
	const [width, height] = [canvas.width, canvas.height] = [canvas.clientWidth * 2, canvas.clientHeight * 2]
	return [canvas.getContext("2d"), width, height]
}

export const quietest = -60

export function meter(ariaLabel, read) {
	const bar = el("i"), line = el("b")
	let peak = quietest, told = -Infinity
	return el(".meter", {role: "meter", ariaLabel, ariaValuemin: quietest, ariaValuemax: 0}, bar, line, box => {
		const [level = quietest, top = level] = [read()].flat(), shown = clamp(quietest, level, 0)
		peak = Math.max(shown, Math.min(0, top), peak - 1)
		bar.style.clipPath = `inset(0 ${(shown / quietest) * 100}% 0 0)`
		line.style.transform = `translateX(${(1 - peak / quietest) * 100}%)`
		box.classList.toggle("hot", peak > -3)
		if (now() - told < 1000) return
		told = now()
		return {ariaValuenow: Math.round(shown)}
	})
}

export const who = (read, detail, ...more) => [
	el("span.dot", ({style}) => {
		const {colour} = read()
		style.background = /^[0-9a-f]{6}$/i.test(colour) ? "#" + colour : ""
	}),
	el(".who", titled(() => read().name, detail), meter(read().name, () => read().levelDBFS), ...more),
]

export function slider(title, name, [min, max, step], text, read, send) {
	let touched = -Infinity, timer
	const value = () => Number(input.value), shown = () => text(value())
	const input = el("input", {type: "range", min, max, step, ariaLabel: about(title, name), oninput() {
		touched = now()
		timer ??= setTimeout(() => {send(value()); timer = null}, 50)
		refresh(box)
	}}, operators, () => {
		const number = Math.round(read() / step) * step
		if (now() - touched > 800 && value() !== number) input.value = number
		return {ariaValuetext: shown()}
	})
	const box = el("label.slider", el("span", title), input, el("output", shown))
	return box
}

export const form = (kind, send, ...parts) => el("form" + kind, {onsubmit(event) {
	event.preventDefault()
	send()
}}, ...parts)

export function entry(right, ariaLabel, word, send, maxLength = 200) {
	const input = el("input", {required: true, autocomplete: "off", maxLength, ariaLabel, placeholder: ariaLabel}, needs(right))
	return form(".entry", async () => {
		if (await send(input.value)) input.value = ""
	}, input, el("button", word, needs(right)))
}

export const sure = (text, yes = words.yes, ...more) => new Promise(resolve => {
	const dialog = el("dialog", {ariaLabel: text, onclose() {dialog.remove(); resolve(dialog.returnValue === "yes")}}, el("p", text), ...more,
		el(".buttons", button("", words.no, () => dialog.close()), button(".danger", yes, () => dialog.close("yes"))))
	document.body.append(dialog)
	dialog.showModal()
})
