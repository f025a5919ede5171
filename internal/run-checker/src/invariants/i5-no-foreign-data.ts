import type { Evidence, Invariant } from "../evidence.ts";
import { NonceOwners } from "../nonce-owners.ts";
import type { Operation } from "../operation-log.ts";
import type { StorageDump } from "../storage-dump.ts";
import { rootSessionOf, sessionPart } from "../stored-turns.ts";

/** Something to read, and whose it must be: without a session it may be anybody's, but not two's at once. */
type Place = { name: string; text: string; session?: string };

/** I5: nobody reads what is another's. */
export const noForeignData: Invariant = {
  promise: "A session's nonce never appears in another session's prompt, history, reply, cache or trace.",
  needs: ["operations", "exchanges", "storage"],
  *breaches(evidence: Evidence) {
    const owners = new NonceOwners(evidence.operations);
    for (const { name, text, session } of placesOf(evidence)) {
      const found = owners.in(text);
      const foreign = found.find(({ sessions }) => session !== undefined && !sessions.has(session));
      if (foreign !== undefined) yield `${name} holds ${foreign.nonce} of session ${[...foreign.sessions].join(", ")}.`;
      else if (haveNothingInCommon(found)) yield `${name} holds data of ${found.length} sessions at once.`;
    }
  },
};

function* placesOf({ operations, exchanges, storage, observations = [] }: Evidence): Generator<Place> {
  for (const operation of operations) yield replyOf(operation);
  for (const [index, { request }] of exchanges.entries()) {
    yield { name: `Request ${index + 1} to the vendor`, text: `${request.url} ${JSON.stringify(request.body)}` };
  }
  yield* recordsOf(storage);
  for (const observation of observations) {
    const session = sessionPart(observation);
    yield { name: `${observation.place} of session ${session}`, text: observation.text, session };
  }
}

function replyOf(operation: Operation): Place {
  const { text = "", response } = operation.type === "invoke" ? {} : operation;
  const reply = text + (JSON.stringify(response?.body) ?? "");
  return { name: `The reply of operation ${operation.id}`, text: reply, session: sessionPart(operation) };
}

function* recordsOf({ facts, tasks, ...ofSessions }: StorageDump): Generator<Place> {
  for (const [namespace, entries] of Object.entries(ofSessions)) {
    for (const { key, value } of entries) {
      yield { name: `The record ${namespace} ${key}`, text: JSON.stringify(value), session: rootSessionOf(key) };
    }
  }
  for (const { key, value } of [...facts, ...tasks]) yield { name: `The record ${key}`, text: JSON.stringify(value) };
}

function haveNothingInCommon([first, ...others]: ReturnType<NonceOwners["in"]>): boolean {
  return others.some(({ sessions }) => ![...sessions].some((session) => first?.sessions.has(session)));
}
