// Puts into the document what cell.js says. Data goes in as text, never as markup.

import { clock, consensus, contacts, describe, generation, membership, opinion, seconds, storeLines } from "./cell.js";

const MOST_EVENTS = 60;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function setText(element, text) {
    if (element.textContent !== text) {
        element.textContent = text;
    }
}

function setAttribute(element, name, value) {
    if (element.getAttribute(name) !== String(value)) {
        element.setAttribute(name, value);
    }
}

/** The children of an element are made to have these texts. */
function setChildren(parent, tag, texts) {
    while (parent.children.length > texts.length) {
        parent.lastElementChild.remove();
    }
    texts.forEach((text, i) => setText(parent.children[i] ?? parent.appendChild(document.createElement(tag)), text));
}

/** One node. */
export class Card {
    constructor({ name, client }, act) {
        const fragment = document.getElementById("node").content.cloneNode(true);
        this.element = fragment.firstElementChild;
        this.slots = {};
        for (const slot of this.element.querySelectorAll("[data-slot]")) {
            this.slots[slot.dataset.slot] = slot;
        }
        this.element.id = name;
        this.slots.name.id = `${name}-name`;
        this.slots.name.textContent = client ? `${name}, a client` : name;
        this.element.classList.toggle("client", Boolean(client));
        this.element.setAttribute("aria-labelledby", `${name}-name`);
        this.slots["peers-title"].id = `${name}-peers`;
        this.slots.peers.setAttribute("aria-labelledby", `${name}-peers`);
        this.slots.buttons.setAttribute("aria-label", `Actions on ${name}`);
        this.slots.bar.setAttribute("aria-label", `Lease of ${name}`);
        this.buttons = ["yield", "hand-over", "network", "clock", "power", "kill"].map(id => this.button(id, act));
        this.shownSecond = 0;
    }

    button(id, act) {
        const button = document.createElement("button");
        button.type = "button";
        button.dataset.button = id;
        button.addEventListener("click", () => act(button.dataset.action, button.dataset.refusal));
        this.slots.buttons.append(button);
        return button;
    }

    render(node, view, { cannotPause, cannotPartition }) {
        const { word, tone, detail } = describe(node, view);
        setAttribute(this.element, "data-tone", tone);
        setText(this.slots.state, word);
        setText(this.slots.detail, detail);
        setText(this.slots.generation, generation(view));
        setText(this.slots["peers-title"], contacts(view));
        setChildren(this.slots.peers, "li", this.peers(view));
        this.renderButtons(node, view, cannotPause, cannotPartition);
        this.tick(view);
    }

    peers(view) {
        if (!view.isFresh()) {
            return ["unknown: it does not answer"];
        }
        return storeLines(view.answer.node) ?? (view.answer.peers ?? []).map(peer => {
            if (!peer.connected) {
                return `${peer.id}: not reachable${peer.problem ? ` (${peer.problem})` : ""}`;
            }
            const trip = peer.roundTripMicros;
            return `${peer.id}: reachable${trip === undefined ? "" : `, ${(trip / 1000).toFixed(2)} ms`}`;
        });
    }

    /** A button that can do nothing now keeps the focus, and says why when it is pressed. */
    renderButtons(node, view, cannotPause, cannotPartition) {
        const { name, process } = node;
        const [give, take, network, pause, power, kill] = this.buttons;
        const up = process === "UP";
        const down = process === "DOWN";
        const set = (button, action, label, refusal) => {
            setText(button, label);
            setAttribute(button, "data-action", action);
            setAttribute(button, "data-refusal", refusal || "");
            setAttribute(button, "aria-disabled", Boolean(refusal));
        };
        set(give, "yield", `Make ${name} yield`, view.led().length === 0 && `${name} does not lead, so it cannot yield.`);
        set(take, "hand-over", `Hand over to ${name}`, view.led().length > 0 && `${name} leads already.`);
        set(network, node.partitioned ? "heal" : "partition", `${node.partitioned ? "Heal" : "Partition"} ${name}`,
            cannotPartition);
        if (process === "PAUSED") {
            set(pause, "resume", `Resume ${name}`);
        } else {
            set(pause, "pause", `Pause ${name}`, cannotPause || (!up && `${name} is not up.`));
        }
        if (down) {
            set(power, "start", `Start ${name}`);
        } else {
            set(power, "stop", `Stop ${name}`, process === "PAUSED" ? `${name} is paused: resume it first, or kill it.`
                : process === "STOPPING" && `${name} is stopping already.`);
        }
        set(kill, "kill", `Kill ${name}`, down && `${name} is down already.`);
    }

    /** The lease as it is at this moment. */
    tick(view) {
        const lease = view.led()[0];
        this.slots.lease.hidden = lease === undefined;
        if (lease === undefined) {
            return;
        }
        const whole = view.answer.node.leaseTimeMillis ?? lease.remainingMillis;
        const left = view.left(lease);
        setText(this.slots["lease-name"], `Lease of ${lease.name}`);
        setText(this.slots["lease-left"], `${seconds(left)} of ${seconds(whole)}`);
        setText(this.slots.token, `Fencing token ${lease.fencingToken}`);
        this.slots.fill.style.transform = `scaleX(${Math.min(1, left / whole)})`;
        const bar = this.slots.bar;
        setAttribute(bar, "aria-valuemax", whole);
        if (performance.now() - this.shownSecond > 1000) { // often enough for assistive technology
            this.shownSecond = performance.now();
            setAttribute(bar, "aria-valuenow", Math.round(left));
            setAttribute(bar, "aria-valuetext", `${seconds(left)} of ${seconds(whole)} left`);
        }
    }
}

/** Whether the bars run between two answers. */
export function moves() {
    return !calm.matches;
}

/** Cards in the order of the nodes; those of nodes that have left go. */
export function arrange(nodes, cards) {
    const parent = document.getElementById("nodes");
    for (const [name, card] of cards) {
        if (!nodes.some(node => node.name === name)) {
            card.element.remove();
        }
    }
    nodes.forEach(({ name }, i) => {
        const { element } = cards.get(name);
        if (parent.children[i] !== element) {
            parent.insertBefore(element, parent.children[i] ?? null);
        }
    });
}

/** Who decides, and the choice of who shall. The choice follows the members until the user touches it. */
export function renderMembers(cell, views) {
    const { members } = cell;
    setText(document.getElementById("membership"), membership(cell, views));
    setText(document.getElementById("step"), members.step ? `The change ${members.step}.` : "");
    const choices = document.getElementById("choices");
    for (const name of members.possible) {
        if (!document.getElementById(`member-${name}`)) {
            const label = document.createElement("label");
            const box = document.createElement("input");
            box.type = "checkbox";
            box.id = `member-${name}`;
            box.value = name;
            box.addEventListener("change", () => { choices.dataset.touched = "true"; });
            label.append(box, name);
            choices.append(label);
        }
    }
    if (!choices.dataset.touched) {
        for (const box of choices.querySelectorAll("input")) {
            box.checked = members.now.includes(box.value);
        }
    }
    const button = document.getElementById("change-members");
    setAttribute(button, "aria-disabled", Boolean(members.cannotChange));
    setAttribute(button, "data-refusal", members.cannotChange ?? "");
}

/** Calls the function with the names that are chosen, or with why none can be. */
export function onChange(act) {
    document.getElementById("change").addEventListener("submit", event => {
        event.preventDefault();
        const choices = document.getElementById("choices");
        const refusal = document.getElementById("change-members").dataset.refusal;
        act([...choices.querySelectorAll("input:checked")].map(box => box.value), refusal);
        if (!refusal) {
            delete choices.dataset.touched;
        }
    });
}

export function renderRoles(nodes, views) {
    const names = nodes.map(node => `${node.name} says`);
    const head = document.getElementById("roles-head");
    const wanted = ["Role", "Leader", "Certainty", "Fencing token", ...names];
    setChildren(head, "th", wanted);
    [...head.children].forEach(cell => setAttribute(cell, "scope", "col"));

    const roles = [...new Set(nodes.flatMap(node => views.get(node.name).roles().map(each => each.resource)))].sort();
    const body = document.getElementById("roles");
    while (body.children.length > roles.length) {
        body.lastElementChild.remove();
    }
    const all = roles.map((role, i) => {
        const row = body.children[i] ?? body.appendChild(newRow());
        const found = consensus(nodes, views, role);
        row.dataset.role = found.name;
        [found.name, found.leader, found.certainty, String(found.token ?? "–"),
            ...nodes.map(node => opinion(node, views.get(node.name), role))]
            .forEach((text, at) => setText(row.children[at] ?? row.appendChild(document.createElement("td")), text));
        return found;
    });
    setText(document.getElementById("summary"), summary(all, nodes, views));
}

function newRow() {
    const row = document.createElement("tr");
    const name = document.createElement("th");
    name.scope = "row";
    row.append(name);
    return row;
}

function summary(roles, nodes, views) {
    const answering = nodes.filter(node => views.get(node.name).isFresh()).length;
    const leading = roles.filter(each => each.certainty === "certain").map(each => `${each.leader} leads ${each.name}`);
    return `${leading.length === 0 ? "No node leads" : leading.join(", ")}. ${answering} of ${nodes.length} instances answer.`;
}

/** The newest first. Only what is added later is read out. */
export function addEvents(events, first) {
    const log = document.getElementById("log");
    setAttribute(log, "aria-live", first ? "off" : "polite");
    const list = document.getElementById("events");
    for (const event of events) {
        const item = document.createElement("li");
        item.dataset.kind = event.kind;
        item.dataset.node = event.node;
        const time = document.createElement("time");
        const at = new Date(event.at);
        time.dateTime = at.toISOString();
        time.textContent = clock(at);
        const what = document.createElement("span");
        what.className = "what";
        what.textContent = `${event.node} ${event.text}`.trim();
        item.append(time, what);
        list.prepend(item);
    }
    while (list.children.length > MOST_EVENTS) {
        list.lastElementChild.remove();
    }
}

export function say(text, problem) {
    const message = document.getElementById("message");
    message.textContent = text;
    message.classList.toggle("problem", Boolean(problem));
}
