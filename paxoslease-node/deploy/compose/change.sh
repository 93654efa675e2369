#!/bin/sh
# Changes the members of the cell that compose.yaml has started to those of compose-2.yaml, while it serves: first the new ones, then the
# previous ones, one at a time, each when the one before it votes; then waits for the seal. COMPOSE is the command, if it is another.
set -eu
cd "$(dirname "$0")"
COMPOSE="${COMPOSE:-docker compose}"
GENERATION=2

say() { echo "$(date -u +%T) $*"; }

# port, text: until what the node says has that text, at most five minutes
await() {
    for _ in $(seq 300); do
        if curl -fs --max-time 2 "http://127.0.0.1:$1/actuator/leases" | grep -q "$2"; then
            return
        fi
        sleep 1
    done
    echo "no $2 in http://127.0.0.1:$1/actuator/leases: see its log, mend it, and run this again" >&2
    exit 1
}

port() { echo $((8080 + ${1#lease-})); }

awaitVote() {
    await "$(port "$1")" "\"configured\":$GENERATION[,}]"
    await "$(port "$1")" '"state":"SERVING"'
    say "$1 votes"
    sleep 3 # half of the longest lease, 5 s, and more: by then all leases have been renewed with it
}

say "starting lease-3 and lease-4"
$COMPOSE -f compose-2.yaml up -d --no-deps lease-3 lease-4
for service in lease-3 lease-4; do
    awaitVote "$service"
done
for service in lease-2 lease-1 lease-0; do
    say "restarting $service with the new list"
    $COMPOSE -f compose-2.yaml up -d --no-deps "$service"
    awaitVote "$service"
done
for service in lease-0 lease-1 lease-2 lease-3 lease-4; do
    await "$(port "$service")" "\"sealed\":$GENERATION[,}]"
done
say "generation $GENERATION is sealed on every member"
