// A group of shards as the whole cell sees it, and its squares on the page. Data goes in as text, never as markup.

/** How many instances have a colour of their own. */
const COLOURS = 8;

/** An instance that owns a shard knows for certain; what the others say of it is a hint. */
function shard(index, nodes, groups) {
    const answers = nodes.map(({ name }) => ({ name, view: groups.get(name) }))
        .filter(({ view }) => view?.isFresh())
        .map(({ name, view }) => ({ name, askedAt: view.askedAt, said: view.answer.shards[index] }));
    const owners = answers.filter(({ name, said }) => said.owner === name && said.fencingToken)
        .sort((a, b) => b.said.fencingToken - a.said.fencingToken); // one that was asked earlier may have handed it on
    if (owners.length > 0) {
        const { name, said } = owners[0];
        return { index, owner: name, certain: true, target: said.target, reason: said.reason };
    }
    const heard = answers.filter(({ name, said }) => said.owner && said.owner !== name)
        .sort((a, b) => b.askedAt - a.askedAt)[0]?.said;
    const any = heard ?? answers[0]?.said;
    return { index, owner: heard?.owner ?? null, certain: false, target: any?.target ?? null,
        reason: any?.reason ?? "no instance answers" };
}

/** All shards; none while no instance has told how many there are. */
export function shards(nodes, groups) {
    const known = nodes.map(({ name }) => groups.get(name)).find(view => view?.isFresh());
    return known ? known.answer.shards.map((_, index) => shard(index, nodes, groups)) : [];
}

const moves = ({ owner, target }) => Boolean(owner && target && owner !== target);

function text(all, nodes, group) {
    if (all.length === 0) {
        return "No instance tells of its shards.";
    }
    const counts = nodes.map(({ name }) => [name, all.filter(each => each.owner === name).length])
        .filter(([, count]) => count > 0).map(([name, count]) => `${name} owns ${count}`);
    const free = all.filter(each => each.owner === null).length;
    const moving = all.filter(moves).length;
    return `${[...counts, `${free} of ${all.length} shards of ${group} are free`].join(", ")}${
        moving > 0 ? `, ${moving} are about to move` : ""}.`;
}

function set(element, name, value) {
    if (element.getAttribute(name) !== String(value)) {
        element.setAttribute(name, value);
    }
}

/** One square for each shard, with its number and its owner: no colour tells anything alone. */
export function renderShards(cell, groups) {
    const nodes = cell.nodes.filter(node => node.shards);
    document.getElementById("shards-section").hidden = nodes.length === 0;
    const all = shards(nodes, groups);
    const summary = document.getElementById("shards-summary");
    const sentence = text(all, nodes, cell.shardGroup);
    if (summary.textContent !== sentence) {
        summary.textContent = sentence;
    }
    const list = document.getElementById("shards");
    while (list.children.length > all.length) {
        list.lastElementChild.remove();
    }
    all.forEach((each, i) => {
        const square = list.children[i] ?? list.appendChild(document.createElement("li"));
        const owner = each.owner === null ? "free" : moves(each) ? `${each.owner} to ${each.target}` : each.owner;
        const label = `${each.index} ${owner}`;
        if (square.textContent !== label) {
            square.textContent = label;
        }
        const colour = nodes.findIndex(({ name }) => name === each.owner);
        set(square, "data-colour", colour < 0 ? "none" : colour % COLOURS);
        set(square, "data-owner", each.owner ?? "");
        set(square, "data-certain", each.certain);
        set(square, "title", each.reason);
    });
}
