import {ask, button, card, changed, danger, el, entry, fold, link, list, on, safe, talkers, titled, words} from "./dom.js"
import {id, isOn, ownCall} from "./guest.js"

const t = words.assistant
const get = async (request, ...more) => (await ask("assistant-" + request, ...more))?.assistant ?? {}

export default function() {
	const now = () => link.model.assistant ?? {}, turns = {}, typed = []
	const call = () => (isOn() ? ownCall() : now()) ?? {}
	let sessions = [], consent
	const look = async () => {
		({consent} = await get("consent"))
		if (consent?.mayAgree) ({sessions = sessions} = await get("sessions"))
		changed()
	}
	const act = async (...what) => {
		const {session} = await get(...what)
		if (session) sessionStorage.call = session.id
		look()
	}
	const say = async text => {
		const {session} = await get("turn", {text}, true)
		typed.push(...session?.turns ?? [])
		look()
		return session
	}
	const owners = () => ({disabled: !consent?.mayAgree})
	const said = read => list(() => Object.entries(read() ?? []), read => el(
		"li.message", {".own": read().speaker === "user"}, el("p", {dir: "auto"}, safe(read().text))))
	const row = (read, session) => {
		const [arrow, box] = fold(
			session, el("p", () => safe(read().summary ?? "")), said(() => turns[session]), danger(words.delete, words.delete, () => act("delete", {session}), owners))
		on(arrow, "click", async () => {
			turns[session] = (await get("show", {session})).session?.turns
			changed()
		})
		return el("li", titled(() => read().title ?? session, () => new Date(read().startedUnixSeconds * 1000).toLocaleString(), arrow), box)
	}
	const box = el(
		"section.scroll", el(
			".column", card(words.views.assistant, el("p", {role: "status"}, () => now().problem ?? t.states[call().state]),
				button(".main", "", () => (call().session ? act("end", {session: call().session}) : act("call", {spoken: true, guest: isOn() ? id : null})), talkers,
					() => ({textContent: words.calls[call().session ? "end" : "call"]})),
				said(() => typed), entry("talk", words.messages.text, words.messages.send, say, 4000)),
			card(t.consent, el("p", () => consent?.terms), el("p", () => consent?.words), el(
				".buttons",
				button("", t.keep, () => act("agree", {keeps: true}), owners), button("", t.forget, () => act("agree", {keeps: false}), owners),
				danger(t.withdraw, t.withdraw, () => act("agree"), owners)))),
		el(".column", card(t.sessions, list(() => sessions, row))))
	return {box, show: look}
}
