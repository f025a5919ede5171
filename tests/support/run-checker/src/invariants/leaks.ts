import { objectOf, stringOrEmpty } from "@troupe-internal/vendor-fakes";
import { CanarySearch } from "@troupe-internal/vendor-fakes";
import type { Emitted, Evidence, Invariant, RecordedStream } from "../evidence.ts";
import { NonceOwners } from "../nonce.ts";
import type { Operation } from "../operation-log.ts";
import { rootSessionOf, sessionPart } from "../stored-turns.ts";

/** A text to search, with the session that it belongs to. Without `session`, it may belong to any single session. */
type Place = { name: string; text: string; session?: string };

/** I5: no session reads data of another session. */
export const noForeignData: Invariant = {
  promise: "A session's nonce never appears in another session's prompt, history, reply, cache or trace.",
  needs: ["operations", "exchanges", "storage"],
  *violations(evidence: Evidence) {
    const owners = new NonceOwners(evidence.operations);
    for (const { name, text, session } of sessionPlaces(evidence)) {
      const found = owners.in(text);
      const foreign = found.find(({ sessions }) => session !== undefined && !sessions.has(session));
      if (foreign !== undefined) yield `${name} holds ${foreign.nonce} of session ${[...foreign.sessions].join(", ")}.`;
      else if (haveNoCommonSession(found)) yield `${name} holds data of ${found.length} sessions at once.`;
    }
  },
};

function* sessionPlaces({ operations, exchanges, storage, observations = [] }: Evidence): Generator<Place> {
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

function* recordsOf({ facts, tasks, ...ofSessions }: Evidence["storage"]): Generator<Place> {
  for (const [namespace, entries] of Object.entries(ofSessions)) {
    for (const { key, value } of entries) {
      yield { name: `The record ${namespace} ${key}`, text: JSON.stringify(value), session: rootSessionOf(key) };
    }
  }
  for (const { key, value } of [...facts, ...tasks]) yield { name: `The record ${key}`, text: JSON.stringify(value) };
}

function haveNoCommonSession([first, ...others]: ReturnType<NonceOwners["in"]>): boolean {
  return others.some(({ sessions }) => ![...sessions].some((session) => first?.sessions.has(session)));
}

/** I10: no key leaves the service except to its vendor. */
export const noCanary: Invariant = {
  promise: "No canary key is in anything that the service emits: answers, streams, logs, events, storage.",
  needs: ["canaries", "emitted"],
  *violations(evidence: Evidence) {
    const search = new CanarySearch(evidence.canaries ?? []);
    for (const { name, text } of emittedPlaces(evidence)) {
      for (const { canary, form } of search.in(text)) yield `${name} holds the canary ${canary}, ${form}.`;
    }
  },
};

function* emittedPlaces(evidence: Evidence): Generator<Place> {
  const { emitted = [], streams = [], operations, storage, observations = [] } = evidence;
  for (const { place, chunks } of emitted) yield { name: place, text: joined(chunks) };
  for (const stream of streams) yield { name: `The stream ${stream.name}`, text: streamText(stream) };
  for (const operation of operations) {
    if (operation.type !== "invoke") yield { name: `Operation ${operation.id}`, text: JSON.stringify(operation) };
  }
  for (const [namespace, entries] of Object.entries(storage)) {
    yield { name: `The storage's namespace ${namespace}`, text: JSON.stringify(entries) };
  }
  for (const { place, text } of observations) yield { name: place, text };
}

/** Joins pieces into one text, so that a canary across two pieces is found. */
function joined(chunks: Emitted["chunks"]): string {
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk))).toString();
}

/** Returns the texts and arguments of a stream, each joined, because a canary may be spread over many chunks. */
function streamText({ chunks }: RecordedStream): string {
  const parts = ["text", "argumentsDelta"].map((field) =>
    chunks.map((chunk) => stringOrEmpty(objectOf(chunk)[field])).join(""),
  );
  return [...parts, JSON.stringify(chunks)].join("\n");
}
