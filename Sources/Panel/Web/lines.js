// The party lines: who is on each and who talks, whether and how loud it is heard here.
import { Rows, Slider, el, isolate, setAttribute, setText } from "./dom.js";
import { some } from "./keys.js";
import { words } from "./words.js";

class LineRow {
  constructor(desk, name) {
    this.desk = desk;
    this.name = el("strong", { dir: "auto" }, name);
    this.detail = el("small", { dir: "auto" });
    const ask = (request, fields) => desk.ask({ request, line: name, ...fields });
    this.hear = el("button", {
      class: "tool hear", ariaLabel: words.lines.listen(isolate(name)),
      onclick: () => ask("line-listen", { on: !this.line.isSetListening }),
    });
    this.more = el("button", {
      class: "tool more", ariaLabel: words.lines.more(isolate(name)), ariaExpanded: "false",
      onclick: () => {
        this.fold.hidden = !this.fold.hidden;
        setAttribute(this.more, "aria-expanded", !this.fold.hidden);
      },
    });
    this.level = new Slider(words.lines.level(isolate(name)), words.talk.level, {
      min: -40, max: 12, step: 1, text: words.talk.decibels, send: (decibels) => ask("line-level", { decibels }),
    });
    this.join = el("button", {
      ariaLabel: words.lines.joinIt(isolate(name)), onclick: () => ask("line-join"),
    }, words.lines.join);
    this.leave = el("button", {
      ariaLabel: words.lines.leaveIt(isolate(name)), onclick: () => ask("line-leave"),
    }, words.lines.leave);
    this.fold = el("div", { class: "fold", hidden: true }, this.level.element, this.leave);
    this.element = el(
      "li", { class: "party" }, el("span", { class: "lamp", ariaHidden: "true" }),
      el("div", { class: "who" }, this.name, this.detail), this.join, this.hear, this.more, this.fold);
  }

  update(line) {
    this.line = line;
    const parts = [
      line.isTalking && words.lines.youTalk, line.isListening && !line.isSetListening && words.lines.byKey,
      line.talkers.length > 0 ? words.keys.talk(some(line.talkers)) : words.lines.with(some(line.members)),
    ];
    setText(this.detail, parts.filter(Boolean).join(", "));
    this.element.classList.toggle("present", line.talkers.length > 0);
    this.element.classList.toggle("live", line.isTalking);
    this.element.classList.toggle("unheard", !line.isJoined || !line.isListening);
    setAttribute(this.hear, "aria-pressed", line.isSetListening);
    this.join.hidden = line.isJoined;
    this.hear.hidden = this.more.hidden = !line.isJoined;
    if (!line.isJoined) {
      this.fold.hidden = true;
      setAttribute(this.more, "aria-expanded", false);
    }
    this.leave.hidden = line.name === "all";
    const may = this.desk.may("operate");
    for (const control of [this.hear, this.join, this.leave, this.level.input]) control.disabled = !may;
    this.level.show(Math.round(line.levelDecibels));
  }
}

/** All lines; of one that everyone hears as it comes there is nothing to tell. */
export class LineList {
  constructor(desk) {
    this.list = el("ul", { class: "plain" });
    this.rows = new Rows(this.list, (name) => new LineRow(desk, name));
    this.element = el("section", { ariaLabel: words.lines.title, hidden: true }, el("h2", {}, words.lines.title), this.list);
  }

  update(lines) {
    const isPlain = lines.every(
      (line) => line.name === "all" && line.isSetListening && line.levelDecibels === 0);
    this.element.hidden = isPlain;
    this.rows.show(isPlain ? [] : lines.map((line) => [line.name, line]));
  }
}
