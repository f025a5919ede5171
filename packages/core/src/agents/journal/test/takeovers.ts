import { toPublicError } from "../../../base/errors/public-error.ts";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import { readProperty } from "../../../base/util/read-property.ts";
import type { Journal } from "../journal.ts";
import { logKey, runNamespaces } from "../log-entry.ts";
import type { LogEntry } from "../log-entry.ts";
import type { RunChunk, RunSignal, RunWait } from "../../run/run-wait.ts";
import { RunPaused } from "../../run/run-paused.ts";
import { entriesIn, journaledRunId, openJournal } from "./journals.ts";

/** A run that is read: its chunks, and its output. */
type ReadRun = { readonly chunks: AsyncIterable<RunChunk>; readonly output: () => Promise<unknown> };

/** The words of others to the run: answers by the ids of waits, and signals. It outlives the run's processes. */
export type Inbox = { readonly answers: Map<string, Json>; readonly signals: RunSignal[] };

/** Begins an attempt at a run. */
export type StartRun = (journal: Journal) => ReadRun;

/**
 * Performs a run as a service does, with a record for each chunk, and returns its output. When it waits, the waits are
 * answered and the next attempt goes on.
 */
// oxlint-disable-next-line max-params -- the inbox is for runs that are performed several times
export async function performRun(
  storage: StorageDriver,
  start: StartRun,
  answer?: (wait: RunWait) => Json | undefined,
  { answers, signals }: Inbox = { answers: new Map(), signals: [] },
): Promise<unknown> {
  for (;;) {
    const journal = await openJournal(storage, answers, signals);
    try {
      return await performAttempt(journal, start(journal));
    } catch (error) {
      if (!(error instanceof RunPaused) || answer === undefined) throw error;
      answerAll(journal.durable.steps.waits, answer, answers);
    }
  }
}

function answerAll(
  waits: readonly RunWait[],
  answer: (wait: RunWait) => Json | undefined,
  answers: Map<string, Json>,
): void {
  for (const wait of waits) {
    const given = answer(wait);
    if (given !== undefined) answers.set(wait.id, given);
  }
}

async function performAttempt(journal: Journal, { chunks, output }: ReadRun): Promise<unknown> {
  try {
    for await (const chunk of chunks) {
      const inner = readProperty(chunk, "chunk");
      await journal.durable.writeChunk(chunk, typeof inner === "object" && inner !== null ? inner : chunk);
      await journal.flush();
    }
    const result = await output();
    await journal.durable.end({ output: null });
    return result;
  } catch (error) {
    if (!(error instanceof RunPaused)) await journal.durable.end({ output: null, error: toPublicError(error) });
    throw error;
  }
}

/** Copies the log as it was after its first record, after its second, and so on, but for the whole log. */
export async function cutLogs(storage: StorageDriver): Promise<InMemoryStorage[]> {
  const records = (await storage.list(runNamespaces.log)).map(({ value }) => value);
  const cuts: InMemoryStorage[] = [];
  for (let kept = 1; kept < records.length; kept++) {
    const cut = new InMemoryStorage();
    for (const [index, record] of records.slice(0, kept).entries()) {
      await cut.set(runNamespaces.log, logKey(journaledRunId, index + 1), record);
    }
    cuts.push(cut);
  }
  return cuts;
}

/**
 * The chunks in a log that count: without those of steps that a later attempt made anew, and neighbouring texts as one. The
 * events of a workflow are ordered by step, and neighbouring results by call: those of parallel steps and calls come in any
 * order.
 */
export async function chunksIn(storage: StorageDriver): Promise<unknown[]> {
  const entries = await entriesIn(storage);
  const chunks = entries.flatMap((entry, index) => {
    if (entry.t !== "chunks") return [];
    const isVoid = entries.slice(index).some((later) => later.t === "attempt" && later.void?.includes(entry.step));
    return isVoid ? [] : entry.chunks;
  });
  const byStep = Map.groupBy(chunks, (chunk) => readProperty(chunk, "step"));
  return [...byStep.values()].flatMap(joined).reduce<AnyChunk[]>(byCall, []).map(plain);
}

/** The keys of the steps that are done in a log, or those with a call. */
export function stepsIn(entries: readonly LogEntry[], type: "done" | "call"): string[] {
  return entries.flatMap((entry) => (entry.t === type ? [entry.step] : []));
}

const times: readonly string[] = ["durationMs", "createdAt", "timeToFirstTokenMs", "metrics"];

/** Copies a value without the times in it, which no two attempts have in common. */
export function plain(value: unknown): unknown {
  const copy = JSON.stringify(value, (name, part: unknown) => (times.includes(name) ? undefined : part));
  return copy === undefined ? undefined : (JSON.parse(copy) as unknown);
}

type AnyChunk = { type: string; text?: string; toolCallId?: string; chunk?: AnyChunk };

const resultTypes: readonly string[] = ["tool_result", "tool_call_end"];

/** Appends a chunk; the result of a call before those of later calls. */
function byCall(chunks: readonly AnyChunk[], next: AnyChunk): AnyChunk[] {
  const { type, toolCallId = "" } = next;
  const isLater = ({ type: other, toolCallId: id = "" }: AnyChunk) => resultTypes.includes(other) && id > toolCallId;
  const place = resultTypes.includes(type) ? chunks.findLastIndex((chunk) => !isLater(chunk)) + 1 : chunks.length;
  return chunks.toSpliced(place, 0, next);
}

function joined(chunks: readonly RunChunk[]): AnyChunk[] {
  const all: AnyChunk[] = [];
  for (const chunk of chunks as readonly AnyChunk[]) {
    const [before, text] = [textIn(all.at(-1)), textIn(chunk)];
    if (before === undefined || text === undefined) all.push(structuredClone(chunk));
    else before.text = `${before.text}${text.text}`;
  }
  return all;
}

/** Returns the text chunk in an event of a workflow, or a text chunk itself. */
function textIn(chunk: AnyChunk | undefined): AnyChunk | undefined {
  const inner = chunk?.chunk ?? chunk;
  return inner?.type === "text" ? inner : undefined;
}
