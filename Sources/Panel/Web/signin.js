// Signing in and out: by the code in the address, or typed.
import { el, setText, sure } from "./dom.js";
import { words } from "./words.js";

const place = "/api/v1/session";

async function call(method, body) {
  const answer = await fetch(place, {
    method,
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body ? JSON.stringify(body) : undefined,
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

/** What this phone is called unless it is told otherwise. */
function deviceName() {
  const agent = navigator.userAgent;
  const known = ["iPhone", "iPad", "Android", "Mac OS X", "Windows", "Linux"];
  return (known.find((name) => agent.includes(name)) ?? "phone").replace(" OS X", "");
}

/** Who is signed in on this phone, `{ name, rights }`; waits until somebody is. */
export async function signIn(view) {
  const [token] = location.hash.slice(1).match(/^[a-z2-7]{26}$/) ?? [];
  // The code is in no history and no bookmark.
  if (token) history.replaceState(null, "", "/");
  let problem = "";
  if (token) {
    try {
      return await call("POST", { token, name: deviceName() });
    } catch (error) {
      problem = error.message;
    }
  }
  try {
    return await call("GET");
  } catch (error) {
    return await form(view, problem);
  }
}

/** Signs this phone out; the page starts again. */
export async function signOut() {
  if (!(await sure(words.signIn.outSure, words.sure.yes, words.sure.no))) return;
  await call("DELETE").catch(() => {});
  location.reload();
}

function form(view, problem) {
  return new Promise((resolve) => {
    const complaint = el("p", { class: "complaint", role: "alert" }, problem);
    const code = el("input", {
      id: "code", autocomplete: "off", autocapitalize: "none", spellcheck: false, required: true,
    });
    const name = el("input", { id: "name", autocomplete: "off", maxLength: 40, value: deviceName() });
    const go = el("button", { class: "main", type: "submit" }, words.signIn.go);
    const send = async (event) => {
      event.preventDefault();
      setText(go, words.signIn.busy);
      try {
        // Whoever pastes the whole address means the code in it.
        const token = code.value.trim().split("#").pop().toLowerCase();
        resolve(await call("POST", { token, name: name.value }));
      } catch (error) {
        setText(complaint, error.message);
        setText(go, words.signIn.go);
      }
    };
    view.replaceChildren(
      el("form", { class: "card signin", onsubmit: send },
        el("h1", {}, words.signIn.title),
        el("p", {}, words.signIn.how, " ", el("code", {}, words.signIn.command), " ", words.signIn.then),
        el("label", { htmlFor: "code" }, words.signIn.code), code,
        el("label", { htmlFor: "name" }, words.signIn.name), name,
        complaint, go));
  });
}
