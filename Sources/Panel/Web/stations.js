// Stations: who asks, who is here, who is known; letting in, keeping out, pairing.
import { Meter, Rows, el, isolate, setAttribute, setText, sure } from "./dom.js";
import { words } from "./words.js";

const texts = words.stations;

/** How well somebody is heard, in words. */
function quality(peer) {
  if (peer.quality === undefined) return texts.noQuality;
  const word = texts.quality[Math.max(0, Math.min(5, Math.round(peer.quality)))];
  return peer.qualityReason && peer.quality < 4 ? `${word}: ${peer.qualityReason}` : word;
}

function figures(peer) {
  const parts = [];
  if (peer.roundTripMilliseconds !== undefined) parts.push(texts.latency(Math.round(peer.roundTripMilliseconds)));
  if (peer.lossPercent >= 0.1) parts.push(texts.loss(peer.lossPercent.toFixed(1)));
  return parts.join(", ");
}

class StationRow {
  constructor(desk, view, peer) {
    this.desk = desk;
    this.name = el("strong", { dir: "auto" });
    this.role = el("small", {});
    this.state = el("p", { class: "quality" });
    this.figures = el("small", {});
    this.words = el("small", { class: "words" });
    this.dot = el("span", { class: "dot", ariaHidden: "true" });
    this.meter = new Meter(peer.name);
    this.block = el("button", { class: "danger", onclick: () => view.block(this.peer) }, texts.block);
    const fold = el("div", { class: "fold", hidden: true }, this.words, el("div", { class: "buttons" }, this.block));
    const more = el("button", {
      class: "tool more", ariaLabel: texts.actions, ariaExpanded: "false",
      onclick: () => {
        fold.hidden = !fold.hidden;
        setAttribute(more, "aria-expanded", !fold.hidden);
      },
    });
    this.element = el(
      "li", { class: "station" }, this.dot,
      el("div", { class: "who" }, el("span", { class: "line" }, this.name, this.role), this.meter.element,
        el("span", { class: "line" }, this.state, this.figures)), more, fold);
  }

  update(peer) {
    this.peer = peer;
    setText(this.name, peer.name);
    setText(this.role, peer.role ?? "");
    setText(this.state, peer.state === "connected" ? quality(peer) : texts.states[peer.state] ?? peer.state);
    setText(this.figures, figures(peer));
    setText(this.words, `${texts.words}: ${this.desk.known.get(peer.id)?.idWords ?? peer.id ?? peer.address}`);
    const colour = /^[0-9a-f]{6}$/i.test(peer.colour ?? "") ? `#${peer.colour}` : "";
    if (this.dot.style.backgroundColor !== colour) this.dot.style.backgroundColor = colour;
    setAttribute(this.element, "data-quality", peer.quality === undefined ? null : Math.round(peer.quality));
    this.meter.show(peer.levelDBFS);
    this.block.disabled = !this.desk.may("operate");
  }
}

/** A node that asks to be let in. */
class AskingRow {
  constructor(desk, view, node) {
    this.title = el("strong", {});
    this.words = el("p", { class: "words" });
    this.left = el("small", {});
    const ask = (request) => async () => { await desk.ask({ request, peer: node.id }); view.look(); };
    this.element = el(
      "li", { class: "card asking" }, this.title, this.words, el("small", {}, texts.compare, " "), this.left,
      el("div", { class: "buttons" },
        el("button", { class: "main", disabled: !desk.may("operate"), onclick: ask("accept") }, texts.accept),
        el("button", { disabled: !desk.may("operate"), onclick: ask("decline") }, texts.decline),
        el("button", { class: "danger", disabled: !desk.may("operate"), onclick: () => view.block(node) }, texts.block)));
  }

  update(node) {
    setText(this.title, texts.asks(isolate(node.name)));
    setText(this.words, node.idWords ?? "");
    setText(this.left, node.secondsLeft === undefined ? "" : texts.seconds(Math.round(node.secondsLeft)));
  }
}

/** A node that is known and not here. */
class KnownRow {
  constructor(desk, view) {
    this.desk = desk;
    this.name = el("strong", { dir: "auto" });
    this.state = el("small", {});
    this.forget = el("button", { class: "quiet", onclick: () => view.forget(this.node) }, texts.forget);
    this.invite = el("button", { class: "quiet", onclick: () => view.invite(this.node) }, texts.invite);
    this.element = el(
      "li", { class: "known" }, el("span", { class: "line" }, this.name, this.state), this.invite, this.forget);
  }

  update(node) {
    this.node = node;
    setText(this.name, node.name || node.idWords || "");
    setText(this.state, [node.state, node.admission].filter(Boolean).join(", "));
    this.invite.hidden = node.state !== "stranger";
    this.forget.hidden = node.id === undefined;
    this.forget.disabled = this.invite.disabled = !this.desk.may("operate");
  }
}

export class StationsView {
  constructor(desk) {
    this.desk = desk;
    desk.known = new Map();
    this.asking = el("ul", { class: "plain", ariaLive: "polite" });
    this.here = el("ul", { class: "plain" });
    this.others = el("ul", { class: "plain" });
    this.othersTitle = el("h2", {}, texts.others);
    this.alone = el("p", { class: "empty" });
    this.own = el("div", { class: "card own" });
    this.rows = {
      asking: new Rows(this.asking, (key, node) => new AskingRow(desk, this, node)),
      here: new Rows(this.here, (key, peer) => new StationRow(desk, this, peer)),
      others: new Rows(this.others, (key, node) => new KnownRow(desk, this)),
    };
    this.element = el(
      "section", { class: "stations" }, this.asking,
      el("div", { class: "column" }, el("h2", {}, texts.here), this.here, this.alone, this.othersTitle, this.others),
      el("div", { class: "column" }, el("h2", {}, texts.own), this.own, this.#pairing()));
  }

  show() {
    this.look();
    this.timer = setInterval(() => this.look(), 2000);
  }

  hide() { clearInterval(this.timer); }

  /** Asks whom the station knows: that is not in the model. */
  async look() {
    const { link } = this.desk;
    if (link.state !== "connected") return;
    try {
      const [known, groups] = await Promise.all([link.ask({ request: "peers" }), link.ask({ request: "group-list" })]);
      this.nodes = known.knownNodes;
      this.groups = groups.groups;
      this.desk.known = new Map(this.nodes.map((node) => [node.id, node]));
      this.update();
    } catch { /* The link is lost: it says so itself. */ }
  }

  update() {
    const { link } = this.desk;
    const nodes = this.nodes ?? [];
    const here = new Set(link.peers.map(([, peer]) => peer.id));
    const asks = (node) => node.secondsLeft !== undefined;
    this.rows.here.show(link.peers);
    this.rows.asking.show(nodes.filter(asks).map((node) => [node.id, node]));
    const others = nodes.filter((node) => !asks(node) && !here.has(node.id));
    this.rows.others.show(others.map((node) => [node.id ?? node.name, node]));
    this.othersTitle.hidden = others.length === 0;
    this.alone.hidden = link.peers.length > 0 || !link.model;
    setText(this.alone, this.groups?.length === 0 ? texts.noGroup : texts.alone);
    this.#showOwn(link.model);
  }

  async block(node) {
    if (!(await sure(texts.blockSure(isolate(node.name)), texts.block, words.sure.no))) return;
    await this.desk.ask({ request: "block", peer: node.id ?? node.name });
    this.look();
  }

  async forget(node) {
    if (!(await sure(texts.forgetSure(isolate(node.name)), texts.forget, words.sure.no))) return;
    await this.desk.ask({ request: "forget", peer: node.id ?? node.name });
    this.look();
  }

  async invite(node) {
    await this.desk.ask({ request: "invite", peer: node.id ?? node.name });
    this.look();
  }

  #showOwn(model) {
    if (!model?.node) return;
    const { node, audio } = model;
    const groups = this.groups ?? [];
    const isRunning = audio?.state === undefined || audio.state === "running";
    const lines = [
      ["strong", node.name], ["small", `${texts.words}: ${node.idWords ?? ""}`],
      ["small", isRunning ? texts.sound.on : texts.sound.off],
      ...groups.map((group) => ["small", `${texts.groups}: ${group.name} (${group.words})`]),
      ["small", texts.version(node.version)],
    ];
    const key = JSON.stringify(lines);
    if (this.shownOwn === key) return;
    this.shownOwn = key;
    this.own.replaceChildren(...lines.map(([tag, text]) => el(tag, {}, text)));
  }

  #pairing() {
    const outcome = el("p", { class: "pin", role: "status" });
    const peer = el("input", { id: "pairpeer", autocomplete: "off", required: true });
    const pin = el("input", {
      id: "pairpin", inputMode: "numeric", autocomplete: "off", pattern: "[0-9 ]{6,7}", required: true,
    });
    const form = el(
      "form", { hidden: true, onsubmit: async (event) => {
        event.preventDefault();
        setText(outcome, texts.pairing);
        const answer = await this.desk.ask({
          request: "pair-with", peer: peer.value, pin: pin.value.replace(/ /g, ""),
        }, true);
        setText(outcome, answer ? texts.paired : "");
        form.hidden = Boolean(answer);
        this.look();
      } },
      el("label", { htmlFor: "pairpeer" }, texts.peer), peer, el("label", { htmlFor: "pairpin" }, texts.pin), pin,
      el("button", { class: "main", type: "submit" }, texts.pair));
    const show = async () => {
      form.hidden = true;
      const answer = await this.desk.ask({ request: "pair-show" });
      if (!answer) return;
      outcome.replaceChildren(
        el("b", {}, answer.pin.replace(/^(...)/, "$1 ")), el("small", {}, texts.pinShown(Math.round(answer.seconds))));
    };
    const disabled = !this.desk.may("operate");
    return el(
      "div", { class: "card" }, el("strong", {}, texts.pair), el("small", {}, texts.pairText),
      el("div", { class: "buttons" },
        el("button", { disabled, onclick: show }, texts.showPIN),
        el("button", { disabled, onclick: () => { form.hidden = !form.hidden; setText(outcome, ""); } }, texts.typePIN)),
      outcome, form);
  }
}
