import { mapBounded } from "../base/async/map-bounded.ts";
import { integerOption, functionOption, optional, customOption, stringOption } from "../base/errors/option-checks.ts";
import { readOptions } from "../base/errors/read-options.ts";
import type { OptionTable } from "../base/errors/read-options.ts";
import { toTroupeError } from "../base/errors/to-troupe-error.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { isBlank } from "../base/util/is-blank.ts";
import { isRecord } from "../base/util/is-record.ts";
import { estimateTextTokens } from "../sessions/history/estimate-tokens.ts";
import type { VectorStore } from "./vector/vector-store.ts";
import { prepareDocument, storeAll } from "./add-documents.ts";
import type { AddDocumentsSettings, NewDocument } from "./add-documents.ts";
import type { KnowledgeCallOptions } from "./knowledge-call-options.ts";
import { ItemReader } from "./item-reader.ts";
import { readSynced, withSyncMark } from "./synced-documents.ts";
import type { DocumentPosition } from "./pieces.ts";

/**
 * The content of a document for `KnowledgeBase.sync`: a text, or a text with metadata and the places where its pages
 * and rows begin.
 */
export type DocumentContent =
  | string
  | {
      readonly content: string;
      readonly metadata?: Record<string, unknown> | undefined;
      readonly places?: readonly DocumentPosition[] | undefined;
    };

/** A document for `KnowledgeBase.sync`, which reads it only if it may have changed. */
export type SyncDocument = {
  readonly id: string;
  /** A string that changes whenever the content does. With it, an unchanged document is not read. */
  readonly hash?: string | undefined;
  /** Returns the content. A document whose reading fails is listed in the result, and its stored version stays. */
  read(): DocumentContent | Promise<DocumentContent>;
};

/** The documents for a synchronisation. `size` is their number, if it is known beforehand. */
export type SyncDocuments = (AsyncIterable<SyncDocument> | Iterable<SyncDocument>) & { readonly size?: number };

/** The counts of a synchronisation so far. `tokens` is the estimated number of embedded tokens. */
export type SyncProgress = {
  unchanged: number;
  stored: number;
  deleted: number;
  failed: number;
  pieces: number;
  tokens: number;
  /** The number of remaining documents, if the total is known. */
  left?: number;
};

/** The counts of a finished synchronisation, and the documents that could not be read or stored. */
export type SyncResult = SyncProgress & { failures: { id: string; error: TroupeError }[] };

/** Options of `KnowledgeBase.sync`. */
export type SyncOptions = KnowledgeCallOptions & {
  /** A prefix that is added to each id. Documents without this prefix are not changed. @default "" */
  prefix?: string | undefined;
  /** The maximum number of documents that are read, embedded and stored at once. @default 4 */
  concurrency?: number | undefined;
  /** Called after each document with the counts so far. */
  onProgress?: ((progress: SyncProgress) => void) | undefined;
};

const anything = customOption<never>("any value", () => true);

const optionTable = {
  prefix: optional(stringOption, ""),
  concurrency: optional(integerOption(1), 4),
  onProgress: optional(functionOption<NonNullable<SyncOptions["onProgress"]>>()),
  apiKey: optional(anything),
  apiKeys: optional(anything),
  signal: optional(anything),
} satisfies OptionTable<SyncOptions>;

/** The settings for adding documents, the collection to synchronise, and the `chunking` settings as text. */
export type SyncSettings = AddDocumentsSettings & { readonly store: VectorStore; readonly chunking: string };

/** Checks the options of a synchronisation. */
export function readSyncOptions(options: SyncOptions) {
  return readOptions(optionTable, options, { owner: "sync" });
}

/** A document that is ready to be stored, with the tokens of its records. */
type Ready = { readonly document: NewDocument; readonly tokens: number };

/** The codes of errors that concern a single document. Any other error while storing stops the synchronisation. */
const ownErrors: ReadonlySet<string> = new Set(["invalid_value", "conflict"]);

/**
 * Makes the stored documents of a prefix equal to the given documents: embeds and stores new and changed documents, and
 * deletes documents that are no longer given. After an interruption, the next synchronisation continues.
 */
export async function syncDocuments(
  documents: SyncDocuments,
  options: ReturnType<typeof readSyncOptions>,
  settings: SyncSettings,
): Promise<SyncResult> {
  const { prefix, onProgress } = options;
  const known = await readSynced(settings.store, prefix);
  const sync = new Synchronisation(documents.size, known, { settings, prefix, onProgress });
  const items = new ItemReader<SyncDocument>(documents);
  const work = async () => {
    try {
      await sync.work(items);
    } catch (error) {
      // The other workers finish the documents that they have started.
      await items.close();
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: options.concurrency }, work));
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
  return await sync.deleteRest();
}

type SyncWay = {
  readonly settings: SyncSettings;
  readonly prefix: string;
  readonly onProgress: SyncOptions["onProgress"];
};

class Synchronisation {
  readonly #known: ReadonlyMap<string, string>;
  readonly #way: SyncWay;
  readonly #size: number | undefined;
  readonly #seen = new Set<string>();
  readonly #counts = { unchanged: 0, stored: 0, deleted: 0, failed: 0, pieces: 0, tokens: 0 };
  readonly #failures: SyncResult["failures"] = [];

  constructor(size: number | undefined, known: ReadonlyMap<string, string>, way: SyncWay) {
    this.#size = size;
    this.#known = known;
    this.#way = way;
  }

  /** Stores documents until no more are left. Each step collects as many as fill one embedding call. */
  async work(items: ItemReader<SyncDocument>): Promise<void> {
    const { batchSize } = this.#way.settings;
    for (;;) {
      const group: Ready[] = [];
      let records = 0;
      while (records < batchSize) {
        const item = await items.next();
        if (item === undefined) break;
        this.#way.settings.embedOptions.signal?.throwIfAborted();
        const ready = await this.#prepare(item);
        if (ready === undefined) continue;
        group.push(ready);
        records += ready.document.records.length;
      }
      if (group.length === 0) return;
      await this.#store(group);
    }
  }

  /** Deletes the documents that were not given, and returns the result. */
  async deleteRest(): Promise<SyncResult> {
    const gone = [...this.#known.keys()].filter((id) => !this.#seen.has(id));
    await mapBounded(gone, async (id) => {
      await this.#way.settings.writer.delete(id);
      this.#note("deleted");
    });
    return { ...this.#progress(), failures: this.#failures };
  }

  /** Reads a document that may have changed. Returns undefined for an unchanged document and after a failure. */
  async #prepare(item: SyncDocument): Promise<Ready | undefined> {
    const { settings, prefix } = this.#way;
    const id = `${prefix}${item.id}`;
    try {
      if (this.#seen.has(id)) throw new TroupeError("conflict", "Another document of this call has the same id.");
      this.#seen.add(id);
      if (item.hash !== undefined && this.#isKnown(id, item.hash)) return this.#note("unchanged");
      const { content, metadata, places } = readContent(await item.read());
      const hash = item.hash ?? hashOf(JSON.stringify([content, metadata ?? null, places ?? null]));
      if (this.#isKnown(id, hash)) return this.#note("unchanged");
      const prepared = prepareDocument({ id, content, metadata: { ...metadata } }, settings, places);
      const document = withSyncMark(prepared, { prefix, hash: this.#hashOf(hash) });
      return { document, tokens: tokensOf(document) };
    } catch (error) {
      settings.embedOptions.signal?.throwIfAborted();
      return this.#fail(id, error);
    }
  }

  async #store(group: readonly Ready[]): Promise<void> {
    const { settings } = this.#way;
    const missing = new Map(group.map((ready) => [ready.document.id, ready]));
    const failure = await storeAll(
      group.map(({ document }) => document),
      { ...settings, concurrency: 1 },
      (id) => {
        const ready = missing.get(id);
        missing.delete(id);
        if (ready !== undefined) this.#noteStored(ready);
      },
    );
    if (failure === undefined) return;
    const error = toTroupeError(failure.reason);
    if (!ownErrors.has(error.code)) throw error;
    const [first, ...others] = missing.values();
    // A single document of the failed batch may be at fault, so each is stored alone. Their vectors are not made again.
    if (first !== undefined && others.length === 0) this.#fail(first.document.id, error);
    else for (const ready of missing.values()) await this.#store([ready]);
  }

  #isKnown(id: string, hash: string): boolean {
    return this.#known.get(id) === this.#hashOf(hash);
  }

  /** Returns the stored hash, which also changes with the `chunking` settings. */
  #hashOf(hash: string): string {
    return hashOf(JSON.stringify([hash, this.#way.settings.chunking]));
  }

  #noteStored({ document, tokens }: Ready): void {
    this.#counts.pieces += document.records.length;
    this.#counts.tokens += tokens;
    this.#note("stored");
  }

  #fail(id: string, error: unknown): undefined {
    this.#failures.push({ id, error: toTroupeError(error) });
    return this.#note("failed");
  }

  #note(count: "unchanged" | "stored" | "deleted" | "failed"): undefined {
    this.#counts[count] += 1;
    this.#way.onProgress?.(this.#progress());
    return undefined;
  }

  #progress(): SyncProgress {
    const { unchanged, stored, failed } = this.#counts;
    const left = this.#size !== undefined && { left: Math.max(0, this.#size - unchanged - stored - failed) };
    return { ...this.#counts, ...left };
  }
}

function readContent(given: unknown): Exclude<DocumentContent, string> {
  const document = typeof given === "string" ? { content: given } : given;
  if (!isRecord(document) || typeof document["content"] !== "string") {
    throw new TroupeError("invalid_value", "read() must return a string or an object with the string `content`.");
  }
  if (isBlank(document["content"])) throw new TroupeError("invalid_value", "The document has no text.");
  return document as Exclude<DocumentContent, string>;
}

function tokensOf({ records }: NewDocument): number {
  return records.reduce((sum, { content }) => sum + estimateTextTokens(content), 0);
}

function hashOf(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text, "base64url").slice(0, 22);
}
