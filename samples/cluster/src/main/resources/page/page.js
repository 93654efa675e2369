// Asks the launcher and every instance again and again, each as fast as it answers but never twice at once.

import { View, clock } from "./cell.js";
import { renderShards } from "./shards.js";
import { Card, addEvents, arrange, moves, onChange, renderMembers, renderRoles, say } from "./view.js";

const PERIOD_MILLIS = 300;
const PATIENCE_MILLIS = 1000;
const YIELD_PATIENCE_MILLIS = 10_000;

const views = new Map();
const cards = new Map();
const groups = new Map();
let cell = { run: null, nodes: [] };
let lastEvent = 0;
let unanswered = 0;
let unansweredSince = null;

const pause = millis => new Promise(done => setTimeout(done, millis));

async function getJson(url) {
    const response = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MILLIS) });
    if (!response.ok) {
        throw new Error(`HTTP ${response.status}`);
    }
    return response.json();
}

async function forever(step) {
    for (;;) {
        const next = pause(PERIOD_MILLIS);
        await step();
        await next;
    }
}

/** The launcher: processes, network, events. */
async function askLauncher() {
    try {
        const answer = await getJson(`/cell?after=${lastEvent}`);
        if (unanswered > 1) {
            say("The launcher answers again.");
        }
        unanswered = 0;
        if (answer.run !== cell.run && lastEvent > 0) { // another run of the launcher: its event numbers start again
            cell.run = answer.run;
            lastEvent = 0;
            return;
        }
        const first = lastEvent === 0;
        cell = answer;
        addEvents(answer.events, first);
        lastEvent = answer.events.at(-1)?.id ?? lastEvent;
        answer.nodes.forEach(meet);
        arrange(answer.nodes, cards);
        renderAll();
    } catch (problem) {
        unanswered++;
        if (unanswered === 1) { // one late answer is a busy machine
            unansweredSince = new Date();
        } else if (unanswered === 2) {
            say(`The launcher has not answered since ${clock(unansweredSince)}: start it again.`, true);
        }
    }
}

/** A card and a loop for an instance that is seen for the first time. */
function meet(node) {
    if (cards.has(node.name)) {
        return;
    }
    const card = new Card(node, (action, refusal) => act(node.name, action, refusal));
    views.set(node.name, new View());
    groups.set(node.name, new View());
    cards.set(node.name, card);
    forever(() => askInstance(node.name));
    if (node.shards) {
        forever(() => askOfShards(node.name));
    }
}

function find(name) {
    return cell.nodes.find(node => node.name === name);
}

/** One instance. It is not asked while it has no process, or none that listens yet. */
async function askInstance(name) {
    const view = views.get(name);
    const { actuator, process } = find(name) ?? { process: "DOWN" }; // or it has left
    if (process === "DOWN" || process === "STARTING") {
        view.forget();
        return;
    }
    const askedAt = performance.now();
    try {
        const answer = await getJson(actuator);
        if (find(name) && find(name).process !== "DOWN") {
            view.answered(answer, askedAt);
            document.getElementById("cell-name").textContent = answer.node.cell;
        }
    } catch {
        // Paused, ending or cut off from the page as well: how old the last answer is tells.
    }
    renderAll();
}

/** What the instance says of its group of shards. */
async function askOfShards(name) {
    const view = groups.get(name);
    const { shards, process } = find(name) ?? { process: "DOWN" };
    if (process === "DOWN" || process === "STARTING") {
        view.forget();
        return;
    }
    const askedAt = performance.now();
    try {
        const answer = await getJson(shards);
        if (find(name) && find(name).process !== "DOWN") {
            view.answered(answer, askedAt);
        }
    } catch {
        // As above.
    }
    renderAll();
}

function renderAll() {
    for (const node of cell.nodes) {
        cards.get(node.name).render(node, views.get(node.name), cell);
    }
    renderMembers(cell, views);
    renderRoles(cell.nodes, views);
    renderShards(cell, groups);
}

async function act(name, action, refusal) {
    if (refusal) {
        say(refusal);
        return;
    }
    try {
        say(await (action === "yield" ? yieldAll(name) : action === "hand-over" ? handOver(name) : control(name, action)));
    } catch (problem) {
        say(problem instanceof TypeError || problem.name === "TimeoutError"
            ? `${name}: no answer to '${action}'.` : `${name}: ${problem.message}`, true);
    }
}

async function control(name, action) {
    await post(`/cell/${encodeURIComponent(name)}/${action}`);
    return `Done: ${action} ${name}.`;
}

async function post(path) {
    const response = await fetch(path, { method: "POST", headers: { "X-Cell-Control": "page" } });
    const answer = await response.json();
    if (!response.ok) {
        throw new Error(answer.error);
    }
}

async function changeMembers(names, refusal) {
    try {
        if (refusal) {
            throw new Error(refusal);
        }
        await post(`/cell/members/${names.map(encodeURIComponent).join(",")}`);
        say(`The members change to ${names.join(", ")}.`);
    } catch (problem) {
        say(`Members: ${problem.message}`, true);
    }
}

/** Asks the instance itself, through the actuator, to give up what it leads. */
async function yieldAll(name) {
    const led = views.get(name).led();
    for (const lease of led) {
        await giveUp(name, lease, "");
    }
    return `${name} has yielded ${led.map(each => each.name).join(", ")}.`;
}

/** Asks the leaders to let that instance lead next. */
async function handOver(name) {
    const handed = [];
    for (const [leader, view] of views) {
        for (const lease of view.led()) {
            await giveUp(leader, lease, `?to=${encodeURIComponent(name)}`);
            handed.push(`${leader} hands ${lease.name} over to ${name}.`);
        }
    }
    return handed.join(" ") || "No instance leads, so none can hand over.";
}

async function giveUp(name, lease, query) {
    const path = lease.resource.split("/").map(encodeURIComponent).join("/");
    const response = await fetch(`${find(name).actuator}/${path}${query}`,
        { method: "DELETE", signal: AbortSignal.timeout(YIELD_PATIENCE_MILLIS) });
    if (response.status === 404) {
        throw new Error(`${lease.name} is not led by ${name} any more`);
    }
    if (!response.ok) {
        const answer = await response.json().catch(() => ({}));
        throw new Error(answer.error ?? `${name} did not yield ${lease.name} (HTTP ${response.status})`);
    }
}

function run() {
    if (moves()) {
        cell.nodes.forEach(node => cards.get(node.name).tick(views.get(node.name)));
    }
    requestAnimationFrame(run);
}

onChange(changeMembers);
forever(askLauncher);
run();
