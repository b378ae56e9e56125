import { el, mark, say } from "./dom.js";
import { words } from "./words.js";

const texts = words.power;

export function makePower(desk) {
	const { link, guest } = desk;
	const element = el("span.battery");
	const steps = {};
	let phone;

	const look = (whose, percent, isPlugged) => {
		const step = isPlugged || percent > 20 ? 100 : percent > 10 ? 20 : 10;
		if (step < (steps[whose] ?? 100)) desk.tell(texts.low(texts[whose], percent));
		steps[whose] = step;
		return texts.level(texts[whose], percent);
	};
	const update = () => {
		const { battery } = link.model?.node ?? {};
		const parts = [
			battery && look("node", battery.percent, battery.isPlugged),
			phone && look("phone", Math.round(phone.level * 100), phone.charging),
		];
		say(element, parts.filter(Boolean).join(" · "));
		mark(element, "data-low", Object.values(steps).some((step) => step < 100) || null);
	};
	navigator.getBattery?.().then((battery) => {
		phone = battery;
		for (const event of ["levelchange", "chargingchange"]) battery.addEventListener(event, update);
		update();
	}, () => {});
	const save = (isOn) => {
		localStorage.saving = isOn ? "1" : "0";
		link.subscribe().catch(() => {});
		guest.wake();
	};
	return { element, update, save };
}
