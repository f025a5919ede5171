import { nonBlankString, optional } from "../../base/errors/option-checks.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { equalJson } from "../../base/util/equal-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { RunSignal } from "../../agents/run/run-wait.ts";
import { scan } from "../../sessions/session/scan.ts";
import { toJson } from "../../sessions/storage/check-json.ts";
import { encodeKey, encodeSequence } from "../../sessions/storage/encode-key.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { RunStorage } from "./run-record.ts";

/**
 * The part of the storage keys of messages to a run that marks signals. Answers have the ids of waits, which contain a
 * dot or a dash.
 */
const signalsKey = "signals";
/** The maximum size of a signal's data as JSON, in bytes. */
const longestData = 65_536;
/** The maximum number of signals to one run. */
const mostSignals = 1000;

/** Options of a signal. */
export type SignalOptions = {
  /** An id of 1 to 255 characters. A second signal to the run with the same id changes nothing. @default no id */
  id?: string | undefined;
};

/** An event sent to a waiting run, whose name, data and id were checked. */
export type NewSignal = { readonly event: string; readonly data: Json; readonly id?: string };

/** Checks the values of a signal. Throws `invalid_request`, or `payload_too_large` for data over 64 KB. */
export function checkSignal(event: unknown, data: unknown, { id }: SignalOptions = {}): NewSignal {
  const where = { code: "invalid_request" } as const;
  const name = nonBlankString(128)(event, "event", where);
  const checkedId = optional(nonBlankString(255))(id, "id", where);
  return { event: name, data: checkData(data), ...(checkedId !== undefined && { id: checkedId }) };
}

function checkData(data: unknown): Json {
  let json: Json;
  try {
    json = toJson(data ?? null);
  } catch (cause) {
    throw new TroupeError("invalid_request", "data must be JSON.", { cause });
  }
  if (Buffer.byteLength(JSON.stringify(json)) <= longestData) return json;
  throw new TroupeError("payload_too_large", `data must be at most ${longestData} bytes as JSON.`);
}

/** Returns the number of a signal by its key among the messages to a run; undefined for keys of other messages. */
export function signalNumber(name: string): number | undefined {
  return name.startsWith(`${signalsKey}/`) ? Number(name.slice(signalsKey.length + 1)) : undefined;
}

/** Returns the signal in a stored value. */
export function toSignal(number: number, value: Json): RunSignal {
  const { event, data = null, at } = (isRecord(value) ? value : {}) as Partial<Omit<RunSignal, "number">>;
  return { number, event: event ?? "", data, at: at ?? 0 };
}

/**
 * Stores a signal to a run after all earlier signals. A signal with the id of an earlier signal is not stored again;
 * with other values it is `conflict`.
 */
export async function putSignal(storage: RunStorage, runId: string, signal: NewSignal & { at: number }): Promise<void> {
  const prefix = `${encodeKey(runId, signalsKey)}/`;
  for (let last: number | undefined = 0; ;) {
    last = await readOn(storage, { prefix, last }, signal);
    if (last === undefined) return;
    if (last >= mostSignals) {
      throw new TroupeError("limit_exceeded", `The run has ${mostSignals} signals: it takes no more.`);
    }
    const value = { v: 1, ...signal };
    // If another signal was stored meanwhile under this number, it is read before the next try: it may have the same
    // id.
    if (await storage.compareAndSet(runNamespaces.inbox, keyOf(prefix, last + 1), null, value)) return;
  }
}

/**
 * Reads on from the signal number `last`. Returns the number of the last stored signal; undefined if one of the signals
 * that were read is the given signal.
 */
async function readOn(
  storage: RunStorage,
  { prefix, last }: { prefix: string; last: number },
  signal: NewSignal,
): Promise<number | undefined> {
  let read = last;
  for await (const page of scan(storage, { namespace: runNamespaces.inbox, prefix, after: keyOf(prefix, last) })) {
    if (page.some(({ value }) => isRepeated(value, signal))) return undefined;
    read = Number(page.at(-1)?.key.slice(prefix.length));
  }
  return read;
}

function keyOf(prefix: string, number: number): string {
  return prefix + encodeSequence(number);
}

function isRepeated(stored: Json, { id, event, data }: NewSignal): boolean {
  if (id === undefined || !isRecord(stored) || stored["id"] !== id) return false;
  if (stored["event"] === event && equalJson(stored["data"], data)) return true;
  throw new TroupeError("conflict", `The signal ${JSON.stringify(id)} came before, with another event or other data.`);
}
