import {attempt, changed, el, isolate, join, link, may, now, on, onHidden, randomName, refresh, rows, small, some, tell, words} from "./dom.js"
import {askKey, ownKeys, talkKey, talks} from "./guest.js"

const t = words.keys
const beatTime = 300, beatLimit = 3, shownTime = 700, clickTime = 500, slideLength = 42
const buzz = time => navigator.vibrate?.(time)

// What this page holds. It says itself what was a tap, as messages may come late.
const fingers = new Map()
const send = (request, fields) => attempt(() => askKey(request, fields))

function forget({key, timer}) {
	clearInterval(timer)
	fingers.delete(key.name)
}

function press(key) {
	if (fingers.has(key.name)) return
	let waiting = 0
	const holder = randomName(), finger = {key, holder, pressed: now()}
	fingers.set(key.name, finger)
	finger.timer = setInterval(() => {
		if (waiting >= beatLimit) return
		waiting += 1
		askKey("key-hold", {holder}).finally(() => waiting -= 1).catch(() => {})
	}, beatTime)
	askKey("key-press", {key: key.name, holder}).then(() => finger.taken = now(), error => {
		if (fingers.get(key.name) === finger) forget(finger)
		tell(error.message)
	}).then(changed)
}

function release(name, isLost) {
	const finger = fingers.get(name)
	if (!finger) return
	const {key, holder, pressed} = finger
	forget(finger)
	send("key-release", {key: name, holder, tap: !isLost && now() - pressed < key.latchMilliseconds})
}

const lose = name => release(name, true)
export const loseAll = () => [...fingers.keys()].forEach(lose)

function compare({name, isHeld}) {
	const finger = fingers.get(name)
	if (finger?.taken === undefined || isHeld || now() - finger.taken < shownTime) return
	forget(finger)
	buzz([60, 40, 60])
}

function pad(read, isMain) {
	let key, wasTalking = false, seen = {}, pointer = null, ended = -Infinity, start = 0
	const update = () => refresh(box)
	const ifMay = how => {if (key && seen.isKnown && may("talk")) how(); update()}
	const down = () => ifMay(() => {buzz(20); press(key)})
	const up = isLost => {release(key?.name, isLost); update()}
	const end = () => up(true)
	const over = isLost => event => {
		if (event.pointerId !== pointer) return
		;[pointer, ended] = [null, now()]
		up(isLost)
	}
	const typed = how => event => {
		if (event.key !== " " && event.key !== "Enter") return
		event.preventDefault()
		if (!event.repeat) how()
	}
	const look = () => {
		const next = read()
		if (key && key.name !== next?.name) lose(key.name)
		key = next
		if (key) compare(key)
		const {name = "", tally: lamp = "", lines = [], talkers = [], activation, latchMilliseconds: latch, ...is} = key ?? {}
		const held = fingers.has(name)
		const isOpening = held && fingers.get(name).taken && talks.includes(activation) && is.isHeld === false && !wasTalking
		if (!held) wasTalking = lamp.startsWith("talk")
		const isKnown = key !== undefined && link.state === "connected"
		const tally = !isKnown ? "" : isOpening ? (lamp === "listen" ? "talk-listen" : "talk") : lamp
		const isTalking = tally.startsWith("talk"), isLatched = isKnown && is.isLatched, isOpen = isLatched && isTalking
		const who = isKnown && is.isPresent && some(talkers)
		const word = isKnown ? t[isTalking ? "talks" : tally] : words.talk.unknown
		const what = lines.join() === name ? "" : t.lines(some(lines))
		const big = isTalking ? (held ? "held" : "latched") : latch === 0 ? "hold" : "off"
		seen = {
			isKnown, who: !isMain && who, title: isMain ? words.talk[hasOthers() ? "all" : "button"] : name,
			state: isMain ? words.talk[!isKnown ? "unknown" : may("talk") ? big : "forbidden"] : isOpen ? t.latched : word,
		}
		return {
			hidden: isMain && hasOthers() && !key, ariaDisabled: isKnown && may("talk") ? null : true, dataTally: tally,
			ariaPressed: isTalking || isLatched || (isKnown && held), ".down": held, ".air": isTalking, ".latched": isLatched,
			".small": isMain && hasOthers(), ".present": is.isPresent && isKnown,
			...(!isMain && {title: what, ariaLabel: join(isolate(name), isOpen ? t.latched : word, what, who && t.talk(who))}),
		}
	}
	const box = el("button" + (isMain ? ".key" : ".pad"), {
		onpointerdown(event) {
			// The first finger on the screen: the one before is gone.
			if (event.button > 0 || (pointer !== null && !event.isPrimary)) return
			;[pointer, start] = [event.pointerId, event.clientX]
			try {box.setPointerCapture(pointer)} catch {/* It is gone. */}
			down()
		},
		onpointermove({pointerId, clientX}) {
			if (pointerId !== pointer || !isMain || Math.abs(clientX - start) < slideLength) return
			if (wasTalking || !key.latchMilliseconds || !fingers.has(key.name)) return
			buzz([20, 40, 20])
			send("talk", {on: true})
			end()
		},
		onpointerup: over(), onpointercancel: over(true), onlostpointercapture: over(true),
		oncontextmenu: event => event.preventDefault(),
		onkeydown: typed(down), onkeyup: typed(() => up()),
		onblur() {if (pointer === null) end()},
		onclick() {if (pointer === null && now() - ended > clickTime) ifMay(() => send("key-tap", {key: key.name}))},
	}, look, el("i.lamp"), el("strong", {dir: "auto"}, () => seen.title), small(() => seen.state), el("small.present", {dir: "auto"}, () => seen.who))
	box.end = end
	return box
}

const own = () => talkKey(ownKeys())
const others = () => ownKeys().filter(one => one.name !== own()?.name)
const hasOthers = () => others().length > 0

export function keyGrid() {
	onHidden(isHidden => isHidden && loseAll())
	on(document, "freeze", loseAll)
	on(window, "pagehide blur", loseAll)
	on(link, "change", () => {if (link.state !== "connected") loseAll()})
	return [
		el(".pads", {role: "group", ariaLabel: t.title}, () => ({hidden: !hasOthers(), ".many": others().length > 6}),
			rows(others, read => pad(read))),
		pad(own, true),
	]
}
