import {el, say, words} from "./dom.js"

export const link = Object.assign(new EventTarget(), {model: {}, state: "connecting", me: null})
export const changed = () => link.dispatchEvent(new Event("change"))
const isObject = value => value && typeof value === "object" && !Array.isArray(value)

function merge(value, patch) {
	if (!isObject(patch)) return patch
	// A peer may be called __proto__.
	const result = isObject(value) ? value : Object.create(null)
	for (const [key, change] of Object.entries(patch)) {
		if (change === null) delete result[key]
		else result[key] = merge(result[key], change)
	}
	return result
}

export async function rest(method, path, body) {
	if (body && !(body instanceof Blob)) body = new Blob([JSON.stringify(body)], {type: "application/json"})
	const answer = await fetch(path, {method, body})
	const {error, ...value} = await answer.json().catch(() => ({}))
	if (!answer.ok) throw new Error(error?.message ?? error ?? answer.status)
	return value
}

// A WebSocket that reconnects.
export function keepOpen(path, opened, heard, closed) {
	let socket, pause = 250, timer
	const isOpen = () => socket?.readyState === 1
	const start = () => {
		if (socket) return
		clearTimeout(timer)
		socket = Object.assign(new WebSocket(`wss://${location.host}/${path}`), {
			binaryType: "arraybuffer", onopen: opened,
			onmessage({data}) {
				pause = 250
				heard(data)
			},
			onclose() {
				socket = null
				timer = setTimeout(start, pause * (0.75 + Math.random() / 2))
				pause = Math.min(pause * 2, 8000)
				closed()
			},
		})
	}
	start()
	const send = (message, mostWaiting = Infinity) => {
		if (isOpen() && socket.bufferedAmount < mostWaiting) socket.send(message)
		return isOpen()
	}
	const close = () => socket?.close()
	const end = () => {
		clearTimeout(timer)
		if (socket) socket.onclose = null
		close()
	}
	return {start, isOpen, send, close, end}
}

const waiting = []
let wire, failures = 0

function settle(one, {ok, note, ...message}) {
	tell(note)
	if (ok) one?.resolve(message)
	else one?.reject(new Error(message.error))
}

const set = state => {
	link.state = state
	changed()
}

export function start() {
	wire ??= keepOpen("ws", () => {
		failures = 0
		subscribe().then(() => set("connected"), wire.close)
	}, data => {
		const message = JSON.parse(data)
		if (typeof message.ok === "boolean") return settle(waiting.shift(), message)
		link.model = merge(link.model, message)
		const {levels} = link.model
		if (levels) peers().forEach(([, one]) => one.levelDBFS = levels[one.place])
		changed()
	}, () => {
		failures += 1
		for (const one of waiting.splice(0)) settle(one, {error: ""})
		set("lost")
	})
	wire.start()
}

export const send = (request, fields) => new Promise((resolve, reject) => {
	if (wire?.send(JSON.stringify({request, ...fields}))) waiting.push({resolve, reject})
	else reject(new Error(""))
})

const sendAside = (request, fields) => new Promise((resolve, reject) => {
	const end = message => {
		aside.end()
		settle({resolve, reject}, message)
	}
	const aside = keepOpen(
		"ws", () => aside.send(JSON.stringify({request, ...fields})), data => end(JSON.parse(data)), () => end({error: ""}))
})

export const
	isSaving = () => localStorage.saving === "true",
	subscribe = () => send("subscribe", {levels: !isSaving() && "list"}).then(() => {link.model = {}}),
	node = () => link.model.node ?? {}

export const peers = () =>
	Object.entries(link.model.peers ?? {}).sort(([, one], [, other]) => one.place - other.place)

const rank = right => Object.keys(words.rights).indexOf(right)
export const may = right => rank(link.me.rights) >= rank(right)

export async function attempt(body) {
	try {
		return await body() ?? null
	} catch (error) {
		if (error.name !== "NotAllowedError") tell(error.message)
	}
}

export const ask = (request, fields, isLong) => attempt(() => (isLong ? sendAside : send)(request, fields))
const notice = document.getElementById("notice")
let timer, said, hint

export function tell(text) {
	if (!text) return
	clearTimeout(timer)
	timer = setTimeout(() => {said = ""; showNotice()}, 6000)
	said = text
	showNotice()
}

export function showNotice(next = hint) {
	hint = next
	const isLost = link.state === "lost", isUntrusted = isLost && failures > 2
	const text = isLost ? words.link[isUntrusted ? "untrusted" : "lost"] : said || hint
	say(notice, text)
	notice.hidden = !text
	notice.classList.toggle("bad", isLost)
	if (isUntrusted) notice.append(" ", el("a", {href: `http://${location.hostname}:8080/trust`}, words.link.trust))
}
