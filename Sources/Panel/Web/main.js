// Starts the page: signs in, opens the link, shows the view of the address.
import { el, setAttribute, setText } from "./dom.js";
import { Link } from "./link.js";
import { signIn, signOut } from "./signin.js";
import { StationsView } from "./stations.js";
import { TalkView } from "./talk.js";
import { words } from "./words.js";

const ranks = ["listen", "talk", "operate", "admin"];
const [head, notice, main, tabs] = ["head", "notice", "view", "tabs"].map((id) => document.getElementById(id));

/** What views need of the page: the link, the rights, and a way to tell something. */
class Desk {
  constructor(link, me) {
    this.link = link;
    this.me = me;
    this.timer = 0;
  }

  may(right) { return ranks.indexOf(this.me.rights) >= ranks.indexOf(right); }

  /** Asks the station; what it refuses is told. What takes long goes aside. */
  async ask(request, isLong = false) {
    try {
      return await (isLong ? this.link.askAside(request) : this.link.ask(request));
    } catch (error) {
      if (error.message) this.tell(error.message);
      return null;
    }
  }

  /** Tells something for a while. */
  tell(text) {
    clearTimeout(this.timer);
    this.said = text;
    this.timer = setTimeout(() => { this.said = ""; this.show(); }, 6000);
    this.show();
  }

  /** Shows what is to be told now: no link first. */
  show() {
    const isLost = this.link.state === "lost";
    const lost = this.link.failures > 2 ? words.link.untrusted : words.link.lost;
    const text = isLost ? lost : this.said || this.hint || "";
    setText(notice, text);
    notice.hidden = text === "";
    notice.classList.toggle("bad", isLost);
    if (isLost && this.link.failures > 2) {
      const trust = `http://${location.hostname}:8080/trust`;
      notice.append(" ", el("a", { href: trust }, words.link.trustHere));
    }
  }
}

function showHead(desk) {
  const name = el("strong", {}, words.app);
  const state = el("span", { class: "state" });
  const who = el(
    "button", { class: "quiet", onclick: signOut, title: words.signIn.out },
    `${desk.me.name} · ${words.rights[desk.me.rights]}`);
  head.replaceChildren(state, name, who);
  return () => {
    setText(name, desk.link.model?.node?.name ?? words.app);
    setAttribute(state, "data-state", desk.link.state);
    setAttribute(state, "aria-label", desk.link.state === "connected" ? words.link.connected : words.link.connecting);
    state.setAttribute("role", "img");
    document.title = `${name.textContent} · ${words.app}`;
  };
}

function showTabs(views, open) {
  const buttons = Object.keys(views).map((key) => el(
    "button", { dataView: key, onclick: () => open(key) },
    el("span", { class: `sign sign-${key}`, ariaHidden: true }), words.views[key]));
  tabs.replaceChildren(...buttons);
  return (key) => {
    for (const button of buttons) {
      setAttribute(button, "aria-current", button.dataset.view === key ? "page" : null);
    }
  };
}

async function start() {
  const me = await signIn(main);
  const link = new Link();
  const desk = new Desk(link, me);
  const views = { talk: new TalkView(desk), stations: new StationsView(desk) };
  let current = null;
  const updateHead = showHead(desk);
  const mark = showTabs(views, (key) => { location.hash = key; });
  const open = () => {
    const asked = location.hash.slice(1);
    const key = Object.hasOwn(views, asked) ? asked : "talk";
    mark(key);
    document.body.dataset.view = key;
    if (current === views[key]) return;
    current?.hide?.();
    current = views[key];
    main.replaceChildren(current.element);
    current.show?.();
    current.update();
  };
  desk.changed = () => current?.update();
  addEventListener("hashchange", open);
  link.addEventListener("state", () => { updateHead(); desk.show(); current?.update(); });
  link.addEventListener("model", () => { updateHead(); current?.update(); });
  // A phone that wakes does not wait for the next try.
  document.addEventListener("visibilitychange", () => { if (!document.hidden) link.start(); });
  addEventListener("online", () => link.start());
  document.body.dataset.ready = "";
  open();
  updateHead();
  link.start();
}

start();
