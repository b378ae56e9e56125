import {about, attempt, button, changed, check, clock, danger, el, entry, fold, isAtEnd, isolate, join, link, list, may, meter, nameOf, on, operators, paper, refresh, rest, safe, send, small, some, sure, talkers, tell, titled, tool, words} from "./dom.js"
import {makeRecorder, whyNot} from "./microphone.js"

const t = words.messages
const speeds = [1, 1.5, 2, 0.75], signs = ["👍", "❤️", "✅", "❓"], place = "/api/v1/conversations"

function drawWave(canvas, values, done = 1) {
	const [pen, width, height] = paper(canvas), bar = width / values.length
	values.forEach((value, index) => {
		const size = Math.max(2, Math.sqrt(value) * height)
		pen.fillStyle = index < done * values.length ? "#fff" : "#77777f"
		pen.fillRect(index * bar, (height - size) / 2, Math.max(1, bar * 0.7), size)
	})
}

let playing

function player({id, audio: {url, peaks, duration}, sender}) {
	const values = peaks.match(/../g)?.map(two => parseInt(two, 16) / 255) ?? []
	const canvas = el("canvas"), audio = el("audio", {preload: "none", src: url})
	let drawn
	const at = () => Math.min(audio.currentTime, duration)
	const seek = el("input", {type: "range", max: duration, step: 0.1, ariaLabel: words.talk.place, oninput() {audio.currentTime = seek.value}},
		() => ({value: String(at()), ariaValuetext: clock(at())}))
	const box = el(
		".voice", tool("play", about(t.play, sender.name), () => {
			if (!audio.paused) return audio.pause()
			playing?.pause()
			playing = audio
			attempt(() => audio.play())
		}, () => ({ariaPressed: !audio.paused, textContent: audio.paused ? "▶" : "■"})),
		el("label.wave", canvas, seek, () => {
			const now = `${at()} ${canvas.clientWidth}`
			if (now !== drawn) drawWave(canvas, values, at() / duration)
			drawn = now
		}), el("output", () => `${clock(at())} / ${clock(duration)}`),
		button(".quiet", "", () => audio.playbackRate = speeds[(speeds.indexOf(audio.playbackRate) + 1) % speeds.length],
			() => ({textContent: `${audio.playbackRate}×`, ariaLabel: about(t.speed, audio.playbackRate)})),
		button(".quiet", "↓", () => el("a", {href: url, download: `message-${id}.ogg`}).click(), {ariaLabel: t.download}))
	on(audio, "timeupdate seeking ratechange play pause", () => refresh(box))
	box.end = () => audio.pause()
	return box
}

const stateOf = ({recipients = []}) => join(...Object.entries(t.states).map(([state, text]) => {
	const names = recipients.filter(one => one.state === state).map(one => one.name)
	return names.length > 0 && `${text} ${some(names)}`
}))

const nameIn = ({is_self, name}) => (is_self ? t.you : name)

function entryOf(read, change) {
	const message = read(), {sender, text, audio} = message, voice = audio && player(message)
	const given = () => read().reactions ?? [], own = () => given().find(one => one.sender.is_self)?.emoji
	const box = el(
		"li.message", () => ({".own": sender.is_self, ".unread": !read().is_read}),
		titled(() => nameIn(sender), () => join(
			new Date(message.sent_at).toLocaleString([], {dateStyle: "short", timeStyle: "short"}), read().edited_at && t.edited),
		fold(nameIn(sender), el(".buttons",
			signs.map(emoji => button(
				"", emoji, () => (own() === emoji ? change("DELETE", "/reaction") : change("PUT", "/reaction", {emoji})),
				talkers, () => ({ariaPressed: own() === emoji}))),
			sender.is_self && text && button("", t.edit, async () => {
				const field = el("textarea", {ariaLabel: t.text, value: read().text})
				if (await sure(t.edit, t.send, field)) change("PATCH", "", {text: field.value})
			}, talkers),
			danger(words.delete, t.deleteSure, () => change("DELETE", ""), operators)))),
		voice, el("p", {dir: "auto"}, () => safe(read().text ?? (voice ? read().audio.transcript ?? "" : t.unknown))),
		el("p", () => given().map(({emoji, sender}) => `${safe(emoji)} ${isolate(nameIn(sender))}`).join(" ")),
		small(() => stateOf(read())))
	box.end = voice?.end
	return box
}

function recording(deliver, done) {
	const canvas = el("canvas")
	let recorder, isSending
	const stop = problem => {
		recorder?.end()
		recorder = undefined
		box.hidden = true
		tell(problem)
		done()
	}
	const send = async () => {
		isSending = true
		await attempt(async () => {
			await deliver(recorder.blob ??= await recorder.finish())
			stop()
		})
		isSending = false
	}
	const box = el(
		".recording", {hidden: true}, el("output", () => (recorder?.isFull ? t.full : clock(recorder?.seconds ?? 0))),
		meter(words.talk.microphone, () => recorder?.level), canvas, el(".buttons",
			button("", "", () => recorder.pause(!recorder.isPaused),
				() => ({textContent: t[recorder?.isPaused ? "resume" : "pause"], disabled: !recorder || recorder.isFull})),
			button(".danger", words.delete, () => stop()), button(".main", t.send, send, () => ({disabled: isSending}))))
	box.start = async () => {
		const one = makeRecorder(() => {
			if (recorder !== one || one.blob) return
			refresh(box)
			drawWave(canvas, one.peaks)
		}, stop)
		try {
			await one.start()
			recorder = one
			box.hidden = false
		} catch (error) {
			one.end()
			stop(whyNot(error))
		}
	}
	box.pause = () => recorder?.pause(true)
	return box
}

async function upload(path, blob) {
	const {url} = await rest("POST", `${path}/audio/upload-url`, {file_name: "voice", file_size: blob.size, mime_type: blob.type})
	await rest("PUT", url, blob)
	await rest("POST", `${path}/audio`, {audio_url: url})
}

function thread(close) {
	let of = {}, all = new Map(), next
	const path = () => `${place}/${encodeURIComponent(of.id)}/messages`
	const log = list(() => [...all].sort(([one], [other]) => one - other), (read, number) => entryOf(
		read, (method, what, body) => attempt(() => rest(method, `${path()}/${number}${what}`, body))),
	{role: "log", ariaLabel: words.views.messages})
	const older = button(".quiet", t.older, () => attempt(async () => {
		take(of, await rest("GET", `${path()}?before=${Math.min(...all.keys())}`))
	}), () => ({hidden: !next}))
	const aloud = check(t.aloud, null, talkers)
	const form = el(
		".write", entry("talk", t.text, t.send, text => attempt(
			() => rest("POST", path(), {text, is_aloud: aloud.firstChild.checked})), 4000), aloud,
		button("", t.record, () => {
			form.hidden = back.disabled = true
			voice.start()
		}, talkers))
	const voice = recording(blob => upload(path(), blob), () => form.hidden = back.disabled = false)
	const back = button(".quiet", t.back, close)
	const pane = el(".list", el(".line", back, el("h2", () => safe(of.name))), older, log)
	const box = el(".talk.thread", {hidden: true}, pane, el(".desk", form, voice))

	const take = (whose, {messages, next_before: before}, isLast) => {
		if (whose !== of) return
		const first = messages[0]?.sequence_number ?? 0
		if (isLast) for (const number of all.keys()) if (number >= first) all.delete(number)
		if (!isLast || all.size === 0) next = before
		for (const message of messages) all.set(message.sequence_number, message)
		const follows = isLast && isAtEnd(pane)
		refresh(box)
		if (follows) pane.scrollTop = pane.scrollHeight
	}
	const look = () => of.id && attempt(async () => {
		const whose = of, news = await rest("GET", path())
		take(whose, news, true)
		if (document.hidden || !log.isConnected || !may("talk") || news.messages.every(one => one.is_read)) return
		await send("messages", {messages: {with: whose.id, marksRead: true}})
	})
	const open = conversation => {
		[of, all, next] = [conversation, new Map()]
		box.hidden = false
		return look()
	}
	const shut = () => {
		voice.pause()
		playing?.pause()
	}
	return {box, open, look, shut}
}

export default function() {
	let seen, timer, conversations = []
	const overview = el(".list", list(() => conversations, read => el("li", button("", nameOf(() => read().name), () => {
		overview.hidden = true
		one.open(read())
	}, el("b.count", () => read().unread || "")))), el("p.empty", words.nobody))
	const one = thread(() => {
		one.shut()
		;[one.box.hidden, overview.hidden] = [true, false]
		look()
	})
	const look = () => attempt(async () => {
		timer = 0
		if (overview.hidden) return one.look()
		conversations = (await rest("GET", place)).conversations
			.sort((one, other) => other.last_sequence_number - one.last_sequence_number)
		changed()
	})
	const box = el("section.messages", () => {
		const revision = link.model.messages?.revision
		if (revision === seen) return
		seen = revision
		timer ||= setTimeout(look, 100)
	}, overview, one.box)
	return {box, show() {seen = null}, hide: one.shut}
}
