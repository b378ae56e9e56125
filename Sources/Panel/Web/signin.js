import { el, say, sure } from "./dom.js";
import { rest } from "./link.js";
import { words } from "./words.js";

const place = "/api/v1/session";

function deviceName() {
	const known = ["iPhone", "iPad", "Android", "Mac", "Windows", "Linux"];
	return known.find((name) => navigator.userAgent.includes(name)) ?? "phone";
}

export async function signIn(view) {
	const [token] = location.hash.slice(1).match(/^[a-z2-7]{26}$/) ?? [];
	// The code is in no history and no bookmark.
	if (token) history.replaceState(null, "", "/");
	let problem = "";
	if (token) {
		try {
			return await rest("POST", place, { token, name: deviceName() });
		} catch (error) {
			problem = error.message;
		}
	}
	try {
		return await rest("GET", place);
	} catch (error) {
		return await form(view, problem);
	}
}
export async function signOut() {
	if (!(await sure(words.signIn.outSure, words.sure.yes, words.sure.no))) return;
	await rest("DELETE", place).catch(() => {});
	location.reload();
}

function form(view, problem) {
	return new Promise((resolve) => {
		const complaint = el("p.complaint", { role: "alert" }, problem);
		const code = el("input", { autocomplete: "off", autocapitalize: "none", spellcheck: false, required: true });
		const name = el("input", { autocomplete: "off", maxLength: 40, value: deviceName() });
		const go = el("button.main", words.signIn.go);
		const onsubmit = async (event) => {
			event.preventDefault();
			say(go, words.signIn.busy);
			try {
				const token = code.value.trim().split("#").pop().toLowerCase();
				resolve(await rest("POST", place, { token, name: name.value }));
			} catch (error) {
				say(complaint, error.message);
				say(go, words.signIn.go);
			}
		};
		view.replaceChildren(el(
			"form.card.signin", { onsubmit }, el("h1", words.signIn.title),
			el("p", words.signIn.how, " ", el("code", words.signIn.command), " ", words.signIn.then),
			el("label", words.signIn.code, code), el("label", words.signIn.name, name), complaint, go));
	});
}
