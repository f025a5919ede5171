import type { ChatMessage, Json } from "@troupe/core";
import type { InvariantId } from "../check.ts";
import type { Probe } from "../probe.ts";
import type { Spoilable } from "./recorded-run.ts";

/** A mutant: a change to a valid run, the invariant that it violates, and the message of the violation. */
export type Mutation = { violates: InvariantId; spoil: (evidence: Spoilable) => void; says: RegExp };

type StoredRecord = { messages: ChatMessage[] };

/** Returns the key of the turn of an operation: `amber-5`. */
function keyOf(turn: string): string {
  const [session, number = ""] = turn.split("-");
  return `-/-/${session}/${number.padStart(12, "0")}`;
}

/** Removes a turn. */
export function dropTurn(evidence: Spoilable, turn: string): void {
  const turns = evidence.storage.turns.filter(({ key }) => key !== keyOf(turn));
  evidence.storage = { ...evidence.storage, turns };
}

/** Stores a turn a second time, after the last one. */
export function copyTurn(evidence: Spoilable, turn: string): void {
  const copies = evidence.storage.turns.filter(({ key }) => key === keyOf(turn));
  const turns = [
    ...evidence.storage.turns,
    ...copies.map(({ value }) => ({ key: keyOf(turn).replace(/\d$/, "6"), value })),
  ];
  evidence.storage = { ...evidence.storage, turns };
}

/** Changes fields of a turn's record. */
export function editTurn(evidence: Spoilable, turn: string, change: Record<string, unknown>): void {
  const turns = evidence.storage.turns.map(({ key, value }) =>
    key === keyOf(turn) ? { key, value: { ...(value as object), ...change } as Json } : { key, value },
  );
  evidence.storage = { ...evidence.storage, turns };
}

/** Changes a turn's messages. */
export function editMessages(
  evidence: Spoilable,
  turn: string,
  change: (messages: ChatMessage[]) => (ChatMessage | undefined)[],
): void {
  const record = evidence.storage.turns.find(({ key }) => key === keyOf(turn))?.value as unknown as StoredRecord;
  editTurn(evidence, turn, { messages: change(record.messages) });
}

/** Changes the outcome of an operation. */
export function editOperation(evidence: Spoilable, id: string, change: object): void {
  evidence.operations = evidence.operations.map((operation) =>
    operation.id === id && operation.type !== "invoke" ? { ...operation, ...change } : operation,
  );
}

/** Changes the response of an operation. */
export function editResponse(evidence: Spoilable, id: string, change: object): void {
  const operation = evidence.operations.find((one) => one.id === id && one.type !== "invoke");
  editOperation(evidence, id, { response: { ...(operation as { response?: object }).response, ...change } });
}

type Sent = Record<string, unknown>;

/** Changes the messages of a request in any dialect. */
export function editSent(evidence: Spoilable, index: number, change: (messages: Sent[]) => Sent[]): void {
  const request = evidence.exchanges[index]?.request;
  const body = request?.body as Record<string, Sent[]>;
  const field = "contents" in body ? "contents" : "messages";
  Object.assign(request ?? {}, { body: { ...body, [field]: change(body[field] ?? []) } });
}

/** Changes the probes after the test. */
export function editProbe(evidence: Spoilable, change: (probe: Probe) => Partial<Probe>): void {
  evidence.processes = evidence.processes.map((one) => ({ ...one, after: { ...one.after, ...change(one.after) } }));
}

/** Changes the first stream. */
export function editChunks(evidence: Spoilable, change: (chunks: readonly unknown[]) => unknown[]): void {
  evidence.streams = evidence.streams.map((stream, index) =>
    index === 0 ? { ...stream, chunks: change(stream.chunks) } : stream,
  );
}

/** Adds chunks to the emitted log. */
export function emit(evidence: Spoilable, ...chunks: (Uint8Array | string)[]): void {
  evidence.emitted = evidence.emitted.map((one) => ({ ...one, chunks: [...one.chunks, ...chunks, "\n"] }));
}

/** Changes the memory samples. */
export function editMemory(evidence: Spoilable, change: (step: number) => object, budget: object = {}): void {
  evidence.memory = evidence.memory.map((one) => ({
    ...one,
    budget: { ...one.budget, ...budget },
    samples: one.samples.map((sample, step) => ({ ...sample, ...change(step) })),
  }));
}
