import { setImmediate as nextTurn } from "node:timers/promises";
import { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../../sessions/storage/json.ts";
import { Attempt } from "../attempt.ts";
import type { LogEntry } from "../log-entry.ts";
import { LogWriter } from "../log-writer.ts";
import { entriesIn, journaledRunId as runId } from "./journals.ts";

/** Begins an attempt at the run. */
export async function openAttempt(storage = new InMemoryStorage(), answers?: ReadonlyMap<string, Json>) {
  const writer = new LogWriter(storage);
  const init = { runId, storage, writer, node: "here", print: "", ...(answers && { answers }) };
  const made = await Attempt.read(init);
  await made.start(init);
  /** Returns the entries that this attempt has logged, without the entry of its beginning. */
  const logged = async (): Promise<LogEntry[]> => {
    await made.flush().catch(() => undefined);
    const entries = await entriesIn(storage);
    return entries.slice(entries.findLastIndex(({ t }) => t === "attempt") + 1);
  };
  return { made, storage, logged };
}

/** Lets a run that has nothing to do suspend itself. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await nextTurn();
}
