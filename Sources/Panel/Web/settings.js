import {button, card, check, choice, column, el, entry, isolate, list, needs, small, sure, titled, words} from "./dom.js"
import {wake} from "./guest.js"
import {ask, isSaving, link, may, node, subscribe, tell} from "./link.js"

const t = words.settings

const askFirst = (question, word, act) =>
	button(".danger", word, async () => {if (await sure(question, word)) act()}, needs("admin"))

const voice = () => card(t.voiceTitle, ...Object.entries(t.voice).map(([name, [label, options]]) => choice(
	label, options.split(" "), () => node().voice?.settings[name],
	value => ask("voice", {settings: {[name]: value}}))))

function recording() {
	const now = () => link.model.recording ?? {}
	const start = entry("admin", t.folder, t.record, directory => ask("record-start", {recording: {directory, peers: true, mix: true}}))
	start.live.push(() => ({hidden: now().isRunning}))
	return card(
		t.takes, el("p", {role: "status"}, () => {
			const {isRunning, path, seconds} = now()
			return isRunning ? t.recording(path, Math.round(seconds)) : path && t.recorded(path)
		}), start,
		button(".danger", t.stop, () => ask("record-stop"), needs("admin"), () => ({hidden: !now().isRunning})))
}

export default function() {
	let sessions = []
	const show = async () => {
		if (may("admin") && link.state === "connected") sessions = (await ask("page-list"))?.pageSessions ?? sessions
	}
	const device = ({name, rights, id}) => el(
		"li.known", titled(() => name, words.rights[rights]),
		askFirst(t.revokeSure(isolate(name)), words.signIn.out, async () => {
			await ask("page-revoke", {session: id})
			show()
		}))
	const saving = check(t.saving, {checked: isSaving(), onchange({target}) {
		localStorage.saving = target.checked
		subscribe().catch(() => {})
		wake()
	}})
	const box = el(
		"section.scroll",
		column(card(t.phone, saving), voice(),
			card(words.lines.title, entry("operate", t.newLine, t.add, line => ask("line-new", {line})))),
		column(recording(), card(t.access, list(() => sessions, read => device(read()))),
			card(t.service, small(() => {
				const {name, version, listen} = node()
				return name && `${name} · ${words.stations.version(version)} · ${listen}`
			}), small(t.file),
			askFirst(t.restartSure, t.restart, async () => tell((await ask("restart"))?.note)))))
	return {box, show}
}
