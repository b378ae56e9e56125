import {clamp, onHidden, randomName} from "./dom.js"
import {changed, isSaving, keepOpen, link, send, tell} from "./link.js"
import {addSound, askMicrophone, endTracks, frameLength, hasOpus, makeDecoder, makeEncoder, rate, toInteger, whyNot} from "./microphone.js"

export const talks = ["talk", "talk-listen", "talk-force-listen", "dual", "force-talk-force-listen"]

export function talkKey(keys) {
	const ofAll = keys.filter(({lines}) => lines.join() === "all"), one = ofAll.find(({name}) => name === "all") ?? ofAll[0]
	if (talks.slice(0, 3).includes(one?.activation)) return one
}

const opus = 1, pcm = 2
// Opus' table of contents of 10 ms of nothing: nobody talks.
const quietFrame = [30 << 3], quietFrames = 40, mostWaiting = 3000
const encoding = {bitrate: 48000, opus: {application: "lowdelay", frameDuration: 10000}}
const off = {state: "off", level: -127, isSeated: false, context: null, node: null, source: null}
export const guest = {...off}
export const id = sessionStorage.guest ??= randomName()
let index = 0, sequence = 0, heard, quiet = 0
let wires = [], stream, encoder, decoder, lock, again, isOpus

const set = changes => {
	Object.assign(guest, changes)
	changed()
}

export const isOn = () => guest.state !== "off"
export const isAsleep = () => guest.state === "on" && guest.context.state !== "running"
// This page's call, which hears the microphone whatever the keys.
export const ownCall = () => link.model.guests?.find(one => one.assistant?.session === sessionStorage.call)?.assistant
export const isPlain = () => localStorage.plain === "1"
const held = new Set(), latched = new Set()
let open = [], number = Date.now()
const isOpen = name => held.has(name) || latched.has(name)
const put = (name, isLatched) => {
	held.delete(name)
	latched[isLatched ? "add" : "delete"](name)
}
const nodeKeys = () => link.model.keys ?? []
const said = () => ({keys: open, number})
const toAll = (...message) => wires.forEach(wire => wire.send(...message))

function follow() {
	open = nodeKeys().filter(key => talks.includes(key.activation) && isOpen(key.name)).map(key => key.name)
	number += 1
	toAll(JSON.stringify(said()))
	changed()
}

export async function askKey(request, fields) {
	if (!isOn()) return send(request, fields)
	if (request === "key-hold") return
	const {key: name} = fields
	if (request === "talk") put(talkKey(nodeKeys()).name, fields.on)
	if (request === "key-tap") put(name, !isOpen(name))
	if (request === "key-press") held.add(name)
	if (request === "key-release" && held.has(name)) put(name, fields.tap && !latched.has(name))
	follow()
}

export const ownKeys = () => (!isOn() ? nodeKeys() : nodeKeys().map(key => {
	const {name} = key, isTalk = open.includes(name), isHeard = key.tally.endsWith("listen")
	const tally = isTalk ? (isHeard ? "talk-listen" : "talk") : isHeard ? "listen" : "off"
	return {...key, isHeld: held.has(name), isLatched: latched.has(name), tally}
}))

const play = samples => guest.node?.port.postMessage(samples, samples ? [samples.buffer] : [])

function hear(message) {
	const view = new DataView(message)
	if (view.byteLength < 11 || !guest.node) return
	const step = (view.getUint32(1) - heard) | 0
	// A station that began anew counts from the start.
	if (heard !== undefined && step <= 0 && step > -1000) return
	heard = view.getUint32(1)
	const packet = new Uint8Array(message, 10)
	if (packet.length === 1) play(null)
	else if (view.getUint8(0) === pcm) {
		play(Float32Array.from({length: packet.length / 2}, (_, at) => view.getInt16(10 + 2 * at, true) / 32768))
	} else if (decoder?.state === "configured") decoder.add(packet, Math.round((view.getUint32(5) * 1000) / 48))
}

function makeWire() {
	const wire = keepOpen("voice", () => wire.send(JSON.stringify({guest: id, hears: isOpus ? "opus" : "pcm", ...said()})), data => {
		if (typeof data !== "string") return hear(data)
		const {ok, error} = JSON.parse(data)
		if (ok) set({isSeated: true})
		else stop(error)
	}, () => set({isSeated: wires.some(one => one.isOpen())}))
	return wire
}

function sendFrame(kind, at, packet, level = Math.round(-guest.level)) {
	const message = Uint8Array.of(kind, 0, 0, 0, 0, 0, 0, 0, 0, level, ...packet), view = new DataView(message.buffer)
	view.setUint32(1, sequence)
	view.setUint32(5, at * frameLength)
	sequence = (sequence + 1) >>> 0
	toAll(message, mostWaiting)
}

function take(samples, power) {
	const at = index++
	guest.level = clamp(-127, 10 * Math.log10(power), 0)
	if (open.length > 0 || ownCall()) quiet = 0
	else if (quiet++ % quietFrames > 0) return
	else return sendFrame(opus, at, quietFrame, 127)
	if (encoder) encoder.add(samples, at)
	else sendFrame(pcm, at, new Uint8Array(toInteger(samples).buffer))
}

async function askForIt() {
	const isClean = !isPlain()
	stream = await askMicrophone({echoCancellation: isClean, noiseSuppression: isClean, autoGainControl: isClean})
}

function connect() {
	guest.source?.disconnect()
	guest.source = guest.context.createMediaStreamSource(stream)
	guest.source.connect(guest.node)
	stream.getAudioTracks()[0].onended = listen
}

async function listen() {
	const before = stream
	clearTimeout(again)
	try {
		await askForIt()
		endTracks(before)
		connect()
	} catch (error) {
		if (error.name === "NotAllowedError") return stop(whyNot(error))
		again = setTimeout(() => isOn() && listen(), 2000)
	}
}

async function openSound(sampleRate) {
	if (guest.state !== "starting") return
	guest.context?.close()
	const context = guest.context = new AudioContext({latencyHint: 0, sampleRate})
	context.resume().catch(() => {})
	const node = await addSound(context, take)
	if (guest.context !== context) return
	guest.node = node
	context.onstatechange = wake
	connect()
}

export async function startGuest() {
	if (isOn()) return
	set({state: "starting"})
	try {
		[isOpus] = await Promise.all([hasOpus(encoding), askForIt()])
		if (guest.state !== "starting") return
		if (isOpus) {
			const fail = error => stop(error.message)
			encoder = makeEncoder(encoding, fail, (packet, at) => sendFrame(opus, at, packet))
			decoder = makeDecoder(fail, play)
		}
		// Where the microphone has another rate (Bluetooth in Firefox), the worklet resamples.
		await openSound(rate).catch(() => openSound())
		if (guest.state !== "starting") return
		wires = [makeWire(), makeWire()]
		sessionStorage.talks = "1"
		set({state: "on"})
		wake()
	} catch (error) {
		stop(whyNot(error))
	}
}

export function stop(problem) {
	for (const wire of wires) wire.end()
	endTracks(stream)
	guest.context?.close().catch(() => {})
	for (const coder of [encoder, decoder]) if (coder?.state === "configured") coder.close()
	lock?.release().catch(() => {})
	;[wires, open, heard, stream, encoder, decoder, lock] = [[], []]
	delete sessionStorage.talks
	held.clear()
	latched.clear()
	tell(problem)
	set(off)
}

export function setPlain(isPlain) {
	localStorage.plain = isPlain ? "1" : "0"
	if (isOn()) listen()
}

export async function wake() {
	if (!isOn()) return
	if (isAsleep()) guest.context?.resume().catch(() => {})
	if (isSaving()) lock?.release()
	else if (!document.hidden && lock?.released !== false) {
		lock = await navigator.wakeLock?.request("screen").catch(() => {})
	}
	changed()
}

onHidden(wake)
