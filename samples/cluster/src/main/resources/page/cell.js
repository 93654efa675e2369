// What the page knows, and what follows from it. Nothing here touches the document.

/** An answer that is older says nothing about now. */
const STALE_MILLIS = 1200;

/** Of each role, the newest leadership that an answer told of, and when that came. */
const newest = new Map();

/** What one instance last said, and since when it says nothing. */
export class View {
    constructor() {
        this.forget();
    }

    forget() {
        this.answer = null;
        this.askedAt = 0;
        this.lastAnswer = null;
    }

    /** What is left is counted from before the question, so that a lease never seems longer than it is. */
    answered(answer, askedAt) {
        this.answer = answer;
        this.askedAt = askedAt;
        this.lastAnswer = new Date();
        for (const { resource, state, fencingToken } of answer.leases ?? []) {
            if (state === "HELD" && fencingToken > (newest.get(resource)?.token ?? 0)) {
                newest.set(resource, { token: fencingToken, seenAt: performance.now() });
            }
        }
    }

    /** An answer that was asked for before a newer leadership was heard of says nothing against it. */
    isOvertaken({ resource, fencingToken }) {
        const last = newest.get(resource);
        return last !== undefined && fencingToken < last.token && this.askedAt < last.seenAt;
    }

    isFresh() {
        return this.answer !== null && performance.now() - this.askedAt < STALE_MILLIS;
    }

    roles() {
        return this.isFresh() ? (this.answer.leases ?? []).filter(lease => lease.kind === "ROLE") : [];
    }

    /** Roles that it leads, by its own clock. A lease that has run out since the answer is none, nor is one that was handed on. */
    led() {
        return this.roles().filter(lease => lease.state === "HELD" && this.left(lease) > 0 && !this.isOvertaken(lease));
    }

    /** Milliseconds of the lease that are left now. */
    left(lease) {
        return this.remaining(lease.remainingMillis);
    }

    /** Milliseconds of quarantine that are left now. */
    quarantineLeft() {
        const node = this.answer?.node;
        return this.remaining(node?.quarantine?.remainingMillis ?? node?.quarantineRemainingMillis);
    }

    remaining(millis) {
        return Math.max(0, (millis ?? 0) - (performance.now() - this.askedAt));
    }
}

export function seconds(millis) {
    return `${(millis / 1000).toFixed(1)} s`;
}

export function clock(date) {
    return date.toLocaleTimeString(undefined, { hour12: false });
}

const list = names => names.join(", ");

/** The cell's membership as the node knows it that has heard most of a change; null in a cell that has never changed. */
function latestMembership(nodes, views) {
    const known = nodes.map(node => views.get(node.name)).filter(view => view?.isFresh())
        .map(view => view.answer.node.membership).filter(Boolean);
    known.sort((a, b) => b.generation - a.generation || b.sealed - a.sealed
        || (a.missing?.length ?? 0) - (b.missing?.length ?? 0));
    return known[0] ?? null;
}

/** Who decides, since when, and what the seal waits for. */
export function membership({ nodes, members }, views) {
    const known = latestMembership(nodes, views);
    if (known === null) {
        return `Generation ${members?.generation ?? 1}: a majority of ${list(members?.now ?? [])} decides.`;
    }
    const since = `since ${clock(new Date(known.since))}`;
    if (known.mode === "SEALED") {
        return `Generation ${known.generation} is sealed: ${since} a majority of ${list(known.members)} decides alone.`;
    }
    const seal = known.sealedAt
        ? `It can be sealed from ${clock(new Date(known.sealedAt))} on.`
        : "It is sealed when a majority of the previous members has run it for as long as a lease can last.";
    return `Generation ${known.generation} is not sealed: ${since} majorities of both ${list(known.previousMembers ?? [])} and ${
        list(known.members)} decide. Previous members not known to run it: ${list(known.missing ?? []) || "none"}. ${seal}`;
}

/** The generation that a node is configured with, and the mode in which it decides. */
export function generation(view) {
    const known = view.isFresh() ? view.answer.node.membership : null;
    return known ? `Configured with generation ${known.configured}, decides in generation ${known.generation}, ${known.mode}` : "";
}

/** One or two words, a tone, and a sentence. */
export function describe(node, view) {
    const own = condition(node, view);
    if (!node.partitioned || node.process === "DOWN") {
        return own;
    }
    return own.tone === "ok"
        ? { word: "Partitioned", tone: "waits",
            detail: `Cut off from the others, it cannot lead; this page still reaches it.${lastLoss(view)}` }
        : { ...own, word: `${own.word}, partitioned`, detail: `Cut off from the others. ${own.detail}` };
}

function condition(node, view) {
    switch (node.process) {
        case "DOWN":
            return { word: "Down", tone: "away", detail: "There is no process. Its leases, if it had any, run out." };
        case "PAUSED":
            return { word: "Paused", tone: "away", detail: `Its process stands still. ${silence(view)}` };
        case "STARTING":
            return { word: "Starting", tone: "waits", detail: "The application starts." };
        case "STOPPING":
            return { word: "Stopping", tone: "waits", detail: "It resigns, then its process ends." };
        default:
            return view.isFresh() ? ownWords(view) : { word: "Does not answer", tone: "away", detail: silence(view) };
    }
}

function silence(view) {
    return view.lastAnswer === null ? "It has not answered yet." : `It has not answered since ${clock(view.lastAnswer)}.`;
}

function ownWords(view) {
    const node = view.answer.node;
    if (node.state === "QUARANTINED") {
        const reason = node.quarantine?.reason;
        if (reason === "CLOCK_OUT_OF_BOUNDS") {
            return { word: "In quarantine", tone: "waits",
                detail: "It does not take part until its clock is known to be within the clock bound of a majority's." };
        }
        const why = reason === "CLOCKS_DISAGREED"
            ? "because its clocks disagreed" : "because it may have forgotten what it promised before it started";
        return { word: "In quarantine", tone: "waits",
            detail: `It does not vote for another ${seconds(view.quarantineLeft())}, ${why}.` };
    }
    if (node.state !== "SERVING") {
        return { word: node.state === "FAILED" ? "Failed" : "Stopped", tone: "away", detail: node.store?.problem ?? "Its node does not take part." };
    }
    const led = view.led();
    if (led.length > 0) {
        return { word: `Leads ${led.map(each => each.name).join(", ")}`, tone: "leads",
            detail: `${since(led[0])}enewed ${led[0].renewals ?? 0} times. Until its lease runs out, no other node can lead.` };
    }
    return { word: "Follows", tone: "ok", detail: belief(view) + lastLoss(view) };
}

function since(lease) {
    return lease.grantedAt ? `Since ${clock(new Date(lease.grantedAt))}, r` : "R";
}

const LOSSES = { EXPIRED: "its lease ran out", SUSPENDED: "it had been suspended", STOPPED: "it stopped",
    FAILED: "its node failed", REVOKED: "it gave it up", CLOCK: "its clock left the bound" };

function lastLoss(view) {
    const lost = view.roles().filter(lease => lease.lastLoss);
    return lost.map(({ name, lastLoss: { at, reason } }) =>
        ` It led ${name} until ${clock(new Date(at))}: ${LOSSES[reason] ?? reason}.`).join("");
}

/** How many members answer it, or where it keeps its leases, as far as it says. */
export function contacts(view) {
    const { reachable, majority, clock: own, store, mode, clients } = view.isFresh() ? view.answer.node : {};
    if (store) {
        return `Store${own.trusted ? "" : ". Its clock is not trusted"}`;
    }
    const quorum = reachable === undefined ? ""
        : `: ${reachable} members answer${mode === "CLIENT" ? "" : ", itself included"}; ${majority} must`;
    const served = clients?.connected ? `. ${clients.connected} clients are connected` : "";
    return `${mode === "CLIENT" ? "Members" : "Peers"}${quorum}${served}${own?.trusted === false ? ". Its clock is not trusted" : ""}`;
}

/** What a client says of its store, in place of peers; null where there is none. */
export function storeLines({ store }) {
    return store ? [store.description,
        `longest of the latest accesses ${(store.maxMicros / 1000).toFixed(1)} ms, the bound is ${store.accessBoundMillis} ms`,
        ...(store.trouble ? [`the latest access failed: ${store.trouble}`] : [])] : null;
}

function belief(view) {
    const known = view.roles().filter(lease => lease.owner);
    return known.length === 0
        ? "It knows of no leader."
        : `It ${known.every(lease => lease.owner.certain) ? "knows for certain" : "has heard"} that ${
            known.map(lease => `${lease.owner.nodeId} leads ${lease.name}`).join(", ")}.`;
}

/** What one instance says of a role: a word or two. */
export function opinion(node, view, role) {
    if (node.process === "DOWN") {
        return "down";
    }
    if (!view.isFresh()) {
        return "does not answer";
    }
    const lease = view.roles().find(each => each.resource === role);
    if (lease?.state === "HELD") {
        return view.isOvertaken(lease) ? "handed on" : view.left(lease) > 0 ? "leads" : "lease ran out";
    }
    return lease?.owner ? `${lease.owner.nodeId}, ${lease.owner.certain ? "certain" : "a hint"}` : "no leader";
}

/** A role as the whole cell sees it: the one that leads by its own clock, else what the others have heard. */
export function consensus(nodes, views, role) {
    const lease = view => view.roles().find(each => each.resource === role);
    const holder = nodes.find(node => views.get(node.name).led().some(each => each.resource === role));
    if (holder) {
        const held = lease(views.get(holder.name));
        return { leader: holder.name, certainty: "certain", token: held.fencingToken, name: held.name };
    }
    const hints = nodes.map(node => lease(views.get(node.name))).filter(Boolean);
    const heard = [...new Set(hints.filter(each => each.owner).map(each => each.owner.nodeId))];
    return { leader: heard.length === 0 ? "none" : heard.join(" or "), name: hints[0]?.name ?? role.replace(/^role:/, ""),
        certainty: heard.length === 0 ? "no node leads or knows a leader" : "a hint; no node that answers leads" };
}
