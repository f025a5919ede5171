import { removeAll } from "../../sessions/session/remove-session.ts";
import { scan } from "../../sessions/session/scan.ts";
import { encodeKey, encodeSequence } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { corruptRecord, recordVersion } from "../../sessions/storage/stored-record.ts";
import { logPrefix, runNamespaces } from "../../agents/journal/log-entry.ts";
import { createId } from "../../base/util/create-id.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { InputPieces, RunRecord, RunStorage } from "./run-record.ts";
import type { ServedRunOpts } from "../../agents/run/run-options.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { LocalRunOptions, RunKeys } from "./run-view.ts";

/** The input and options of a run. */
export type RunInput = Pick<RunRecord, "input" | "options">;

/** The maximum number of characters, in the strings of an input and options, that are stored in the record. */
const longestInline = 32_768;
/** Number of characters in a piece of a run's input. */
const pieceLength = 262_144;
/** Number of pieces of a run's input that are read or written at once. */
const atOnce = 4;

/**
 * Returns true if input and options are too long for a record, because the record is read and written with each change
 * of a run's status.
 */
export function isLongInput({ input, options }: RunInput): boolean {
  return lengthLeft([input, options], longestInline) < 0;
}

/** Stores the input and options of a new run in pieces. Returns its record with a reference to the pieces instead. */
export async function writeInput(storage: RunStorage, record: RunRecord): Promise<RunRecord> {
  const { input, options, ...rest } = record;
  const pieces = cut(JSON.stringify({ input, options }));
  const inputPieces = { id: createId(), count: pieces.length };
  await eachPiece(inputPieces, async (number) => {
    const value: Json = { v: recordVersion, text: pieces[number] ?? "" };
    await storage.set(runNamespaces.input, pieceKey(record.runId, inputPieces, number), value);
  });
  return { ...rest, options: {}, inputPieces };
}

/** Returns the input and options of a run, from its record or its pieces. */
export async function readInput(storage: RunStorage, record: RunRecord): Promise<RunInput> {
  const { runId, inputPieces } = record;
  if (inputPieces === undefined) return record;
  const texts: string[] = [];
  await eachPiece(inputPieces, async (number) => {
    const key = pieceKey(runId, inputPieces, number);
    const value = await storage.get(runNamespaces.input, key);
    const text = isRecord(value) ? value["text"] : undefined;
    if (typeof text !== "string") throw corruptRecord({ namespace: runNamespaces.input, key });
    texts[number] = text;
  });
  try {
    return JSON.parse(texts.join("")) as RunInput;
  } catch {
    throw corruptRecord({ namespace: runNamespaces.input, key: encodeKey(runId) });
  }
}

/** Removes all pieces of a run's input, or only the pieces of the write with this `id`. */
export async function removeInput(storage: RunStorage, runId: string, id?: string): Promise<void> {
  const prefix = id === undefined ? logPrefix(runId) : `${encodeKey(runId, id)}/`;
  await removeAll(storage, runNamespaces.input, prefix);
}

/** Returns the keys of all pieces of a run's input. */
export async function inputKeys(storage: RunStorage, runId: string): Promise<string[]> {
  const pages = scan(storage, { namespace: runNamespaces.input, prefix: logPrefix(runId), pageSize: atOnce });
  const keys: string[] = [];
  for await (const page of pages) keys.push(...page.map(({ key }) => key));
  return keys;
}

/** Subtracts the lengths of all strings in a value, and 1 for each other simple value, from a number. Stops below 0. */
function lengthLeft(value: unknown, left: number): number {
  if (left < 0) return left;
  if (typeof value === "string") return left - value.length;
  if (typeof value !== "object" || value === null) return left - 1;
  let rest = left;
  for (const part of Object.values(value)) {
    rest = lengthLeft(part, rest);
    if (rest < 0) return rest;
  }
  return rest;
}

/** Cuts a text into pieces, never within a surrogate pair, because no storage accepts half a pair. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = Math.min(text.length, start + pieceLength);
    const isWithin = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const last = isWithin ? end - 1 : end;
    pieces.push(text.slice(start, last));
    start = last;
  }
  return pieces;
}

async function eachPiece({ count }: InputPieces, work: (number: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < count; first += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => first + index);
    await Promise.all(numbers.map(work));
  }
}

function pieceKey(runId: string, { id }: InputPieces, number: number): string {
  return `${encodeKey(runId, id)}/${encodeSequence(number)}`;
}

/** Makes the options of a run from its record and from the options that are not stored. */
export function toRunOpts(
  record: Pick<RunRecord, "runId" | "owner" | "sessionId" | "isNewSession" | "options">,
  given: {
    keys: RunKeys;
    local?: LocalRunOptions | undefined;
    signal?: AbortSignal | undefined;
    telemetry?: Telemetry | undefined;
  },
): ServedRunOpts {
  const { runId, owner, sessionId, isNewSession, options } = record;
  const { keys, local, signal, telemetry } = given;
  const { signal: ofCaller, input: _, ...rest } = local ?? {};
  const signals = [signal, ofCaller].filter((each) => each !== undefined);
  return {
    fromOutside: true,
    ...options,
    ...rest,
    ...keys,
    userId: owner.userId,
    tenantId: owner.tenantId,
    verified: owner.verified,
    runId,
    sessionId,
    isNewSession,
    ...(telemetry !== undefined && { telemetry }),
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
  };
}
