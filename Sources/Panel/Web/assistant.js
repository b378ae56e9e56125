import {button, card, el, fold, list, on, operators, safe, sure, talkers, titled, words} from "./dom.js"
import {ask, changed, link, may} from "./link.js"

const t = words.assistant
const get = async (request, fields) => (await ask("assistant-" + request, fields))?.assistant ?? {}

export default function() {
	const now = () => link.model.assistant ?? {}, turns = {}
	let sessions = [], consent
	const look = async () => {
		({consent} = await get("consent"))
		if (may("operate")) ({sessions = sessions} = await get("sessions"))
		changed()
	}
	const act = async (...what) => {
		await get(...what)
		look()
	}
	const danger = (word, ...more) => button(".danger", word, async () => await sure(word) && act(...more), operators)
	const agree = (word, keeps) => button("", word, () => act("agree", {keeps}), operators)
	const turn = read => el("li.message", {".own": read().speaker === "user"}, el("p", {dir: "auto"}, safe(read().text)))
	const row = (read, session) => {
		const [arrow, box] = fold(
			session, el("p", () => safe(read().summary ?? "")), list(() => Object.entries(turns[session] ?? []), turn),
			danger(words.delete, "delete", {session}))
		on(arrow, "click", async () => {
			turns[session] = (await get("show", {session})).session?.turns
			changed()
		})
		return el("li", titled(() => read().title ?? session, () => new Date(read().startedUnixSeconds * 1000).toLocaleString(), arrow), box)
	}
	const box = el(
		"section.scroll", el(".column", 
			card(words.views.assistant, el("p", {role: "status"}, () => now().problem ?? t.states[now().state]),
				button(".main", "", () => (now().session ? act("end") : act("call", {spoken: true})), talkers,
					() => ({textContent: now().session ? t.end : t.call}))),
			card(t.consent, el("p", () => consent?.terms), el("p", () => t.choices[consent?.choice]), el(
				".buttons",
				agree(t.keep, true), agree(t.forget, false), danger(t.withdraw, "agree")))),
		el(".column", card(t.sessions, list(() => sessions, row))))
	return {box, show: look}
}
