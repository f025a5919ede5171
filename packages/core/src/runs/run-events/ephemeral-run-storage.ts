import { runNamespaces } from "../../agents/journal/log-entry.ts";
import type { LogRecord } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { toEvents } from "./run-events.ts";
import type { CutRecord } from "./run-events.ts";

/** Namespaces whose keys begin with the id of a run, and whose values may be long. */
const countedNamespaces: readonly string[] = [
  runNamespaces.runs,
  runNamespaces.input,
  runNamespaces.log,
  runNamespaces.inbox,
];

type KeptLog = { length: number; readonly whole: { readonly key: string; readonly length: number }[] };

/**
 * Storage in memory for runs that end with their process. A run's log keeps its newest chunks, up to a length, and
 * everything that another attempt needs.
 */
export class EphemeralRunStorage extends InMemoryStorage {
  readonly #maxLength: number;
  /** The length of each run's log as JSON, and the records that still have their chunks, by run. */
  readonly #logs = new Map<string, KeptLog>();
  /** The stored bytes of each run. */
  readonly #bytes = new Map<string, number>();
  /** Receives each change of the bytes of a run. @default changes are ignored */
  onBytes: (runId: string, change: number) => void = () => {};

  constructor(maxLength: number) {
    super();
    this.#maxLength = maxLength;
  }

  /** Returns the bytes of a run's record, input, log and answers. */
  bytesOf(runId: string): number {
    return this.#bytes.get(runId) ?? 0;
  }

  protected override write(namespace: string, key: string, text: string | undefined): void {
    this.#countBytes(namespace, key, text);
    super.write(namespace, key, text);
    if (namespace !== runNamespaces.log) return;
    const runId = key.slice(0, key.indexOf("/"));
    if (text === undefined) this.#logs.delete(runId);
    else this.#keep(runId, key, text);
  }

  #countBytes(namespace: string, key: string, text = ""): void {
    if (!countedNamespaces.includes(namespace)) return;
    const [runId = ""] = key.split("/", 1);
    const change = Buffer.byteLength(text) - Buffer.byteLength(super.read(namespace, key) ?? "");
    const bytes = this.bytesOf(runId) + change;
    if (bytes > 0) this.#bytes.set(runId, bytes);
    else this.#bytes.delete(runId);
    this.onBytes(runId, change);
  }

  #keep(runId: string, key: string, text: string): void {
    const log = this.#logs.get(runId) ?? { length: 0, whole: [] };
    this.#logs.set(runId, log);
    log.length += text.length;
    log.whole.push({ key, length: text.length });
    // The newest record of a run's log stays complete, however long it is.
    while (log.length > this.#maxLength && log.whole.length > 1) {
      const oldest = log.whole.shift();
      if (oldest !== undefined) log.length += this.#cut(oldest.key) - oldest.length;
    }
  }

  /** Removes the chunks of a record, and returns the remaining length. */
  #cut(key: string): number {
    const record = JSON.parse(super.read(runNamespaces.log, key) ?? "null") as LogRecord | null;
    if (record === null) return 0;
    const entries = record.entries.filter(({ t }) => t !== "chunks");
    const cut: CutRecord = { v: 1, entries, cutFrom: toEvents({ number: 1, record }).events.length };
    const text = JSON.stringify(cut);
    this.#countBytes(runNamespaces.log, key, text);
    super.write(runNamespaces.log, key, text);
    return text.length;
  }
}
