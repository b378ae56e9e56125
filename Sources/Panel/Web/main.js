import { button, el, flag, mark, say } from "./dom.js";
import { Guest } from "./guest.js";
import { makeHealth } from "./health.js";
import { Link } from "./link.js";
import { makeMessages } from "./messages.js";
import { makePower } from "./power.js";
import { makeSettings } from "./settings.js";
import { signIn, signOut } from "./signin.js";
import { makeStations } from "./stations.js";
import { makeTalk } from "./talk.js";
import { words } from "./words.js";

const ranks = ["listen", "talk", "operate", "admin"];
const [head, notice, main, tabs] = ["head", "notice", "view", "tabs"].map((id) => document.getElementById(id));

class Desk {
	#timer = 0;
	#said = "";
	hint = "";

	constructor(link, me) {
		this.link = link;
		this.me = me;
		this.guest = new Guest(this);
	}
	pass(request, fields) { return this.guest.take(request, fields) ?? this.link.ask(request, fields); }

	may(right) { return ranks.indexOf(this.me.rights) >= ranks.indexOf(right); }

	allow(right, ...controls) { for (const one of controls) one.disabled = !this.may(right); }

	ask(request, fields, isLong) {
		return this.attempt(() => (isLong ? this.link.askAside(request, fields) : this.pass(request, fields)));
	}

	async attempt(body) {
		try {
			return await body() ?? null;
		} catch (error) {
			if (error.message) this.tell(error.message);
		}
	}

	tell(text) {
		clearTimeout(this.#timer);
		this.#said = text;
		this.#timer = setTimeout(() => { this.#said = ""; this.show(); }, 6000);
		this.show();
	}

	show() {
		const isLost = this.link.state === "lost";
		const isUntrusted = isLost && this.link.failures > 2;
		const text = isLost ? words.link[isUntrusted ? "untrusted" : "lost"] : this.#said || this.hint;
		say(notice, text);
		notice.hidden = text === "";
		flag(notice, { bad: isLost });
		if (!isUntrusted) return;
		notice.append(" ", el("a", { href: `http://${location.hostname}:8080/trust` }, words.link.trustHere));
	}
}

function showHead({ link, me }, power) {
	const [name, state] = [el("h1"), el("span.state", { role: "img" })];
	const who = button(`${me.name} · ${words.rights[me.rights]}`, signOut, "quiet");
	who.title = words.signIn.out;
	head.replaceChildren(state, name, power.element, who);
	return () => {
		say(name, link.model?.node?.name ?? words.app);
		mark(state, "data-state", link.state);
		mark(state, "aria-label", words.link[link.state]);
		document.title = `${name.textContent} · ${words.app}`;
		power.update();
	};
}
export const page = {};

async function start() {
	const me = await signIn(main);
	const link = new Link();
	const desk = page.desk = new Desk(link, me);
	const power = makePower(desk);
	const views = {
		talk: makeTalk(desk), messages: makeMessages(desk), stations: makeStations(desk),
		settings: makeSettings(desk, power), health: makeHealth(desk),
	};
	const all = Object.entries(words.views).map(
		([key, word]) => el("button", { onclick: () => { location.hash = key; } }, el(`span.sign.sign-${key}`), word));
	tabs.replaceChildren(...all);
	const unread = el("b.count");
	all[Object.keys(words.views).indexOf("messages")].append(unread);
	let current = null;
	const updateHead = showHead(desk, power);
	const update = () => {
		say(unread, String(link.model?.messages?.unread || ""));
		updateHead();
		current.update?.();
	};
	const open = () => {
		const asked = location.hash.slice(1);
		const key = Object.hasOwn(views, asked) ? asked : "talk";
		Object.keys(views).forEach((one, index) => mark(all[index], "aria-current", one === key ? "page" : null));
		document.body.dataset.view = key;
		if (current === views[key]) return;
		current?.hide?.();
		current = views[key];
		main.replaceChildren(current.element);
		current.show?.();
		update();
	};
	desk.changed = () => current.update?.();
	desk.guest.addEventListener("change", desk.changed);
	addEventListener("hashchange", open);
	link.addEventListener("state", () => { update(); desk.show(); });
	link.addEventListener("model", update);
	document.addEventListener("visibilitychange", () => { if (!document.hidden) link.start(); });
	addEventListener("online", () => link.start());
	document.body.dataset.ready = "";
	open();
	link.start();
	if (sessionStorage.talks && desk.may("talk")) desk.guest.start();
}

start();
