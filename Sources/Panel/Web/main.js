import {button, el, form, link, may, node, on, onHidden, refresh, rest, say, showNotice, start, sure, tell, words} from "./dom.js"
import {startGuest} from "./guest.js"

const [head, main, tabs] = ["head", "view", "tabs"].map(id => document.getElementById(id))
const t = words.signIn, place = "/api/v1/session"
const [device] = navigator.userAgent.match(/iPhone|iPad|Android|Mac|Windows|Linux(?!; A)/) ?? ["phone"]
const take = token => rest("POST", place, {token, name: device})

async function signIn() {
	const [token] = location.hash.slice(1).match(/^[a-z2-7]{26}$/) ?? []
	let problem = ""
	if (token) {
		// The code is in no history and no bookmark.
		history.replaceState(null, "", "/")
		try {return await take(token)} catch (error) {problem = error.message}
	}
	return rest("GET", place).catch(() => ask(problem))
}

async function signOut() {
	if (!await sure(t.outSure)) return
	await rest("DELETE", place).catch(() => {})
	location.reload()
}

const ask = problem => new Promise(resolve => {
	const complaint = el("p.complaint", {role: "alert"}, problem)
	const code = el("input", {autocomplete: "off", autocapitalize: "none", spellcheck: false, required: true})
	main.replaceChildren(form(".card.signin", async () => {
		try {
			resolve(await take(code.value.trim().split("#").pop().toLowerCase()))
		} catch (error) {
			say(complaint, error.message)
		}
	}, el("h1", t.title), el("p", t.how, " ", el("code", "comlink page"), " ", t.then),
	el("label", t.code, code), complaint, el("button.main", t.title)))
})

function battery() {
	const t = words.power, steps = {}
	let phone
	const look = (whose, percent, isPlugged) => {
		const step = isPlugged || percent > 20 ? 100 : percent > 10 ? 20 : 10
		if (step < (steps[whose] ?? 100)) tell(t.low(t[whose], percent))
		steps[whose] = step
		return t.level(t[whose], percent)
	}
	navigator.getBattery?.().then(battery => phone = battery, () => {})
	return el("span.battery", () => {
		const own = node().battery
		return [
			own && look("node", own.percent, own.isPlugged), phone && look("phone", Math.round(phone.level * 100), phone.charging),
		].filter(Boolean).join(" · ")
	})
}

let current, timer
link.me = await signIn()
const views = new Map(await Promise.all(Object.entries(words.views).map(async ([key, word]) => {
	const tab = el("button", {onclick() {location.hash = key}}, tab => ({ariaCurrent: tab === current.tab ? "page" : null}), word)
	tabs.append(tab)
	const {default: make} = await import(`./${key}.js`)
	return [key, {tab, ...make()}]
})))
views.get("messages").tab.append(el("b.count", () => link.model.messages?.unread || ""))
head.append(
	el("span.state", {role: "img"}, () => ({dataState: link.state, ariaLabel: words.link[link.state]})),
	el("h1", () => node().name ?? words.app), battery(),
	button(".quiet", `${link.me.name} · ${words.rights[link.me.rights]}`, signOut, {title: t.out}))
function update() {
	for (const part of [head, tabs, current.box]) refresh(part)
	showNotice()
}

function open() {
	const asked = location.hash.slice(1), key = views.has(asked) ? asked : "talk", next = views.get(key)
	document.body.dataset.view = key
	if (current === next) return
	current?.hide?.()
	clearInterval(timer)
	current = next
	main.replaceChildren(current.box)
	current.show?.()
	if (current.every) timer = setInterval(current.show, current.every)
	update()
}

on(window, "hashchange", open)
on(window, "online", start)
onHidden(isHidden => isHidden || start())
on(link, "change", update)
open()
start()
if (sessionStorage.talks && may("talk")) startGuest()
