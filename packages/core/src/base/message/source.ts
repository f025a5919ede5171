import { createId } from "../util/create-id.ts";
import { isRecord } from "../util/is-record.ts";

/**
 * A source of an answer: a page or a document that a vendor's tool found or the model cites. `toolCallId` is the id of
 * the vendor's tool call that found it.
 */
export type Source = { id: string; url?: string; title?: string; toolCallId?: string };

/** A source of an answer, in the stream of a model or a run. */
export type SourceChunk = { type: "source" } & Source;

/** URL schemes that would execute code if a page turned the URL into a link. */
const executableSchemes: readonly string[] = ["javascript:", "data:", "vbscript:"];

/**
 * Collects the sources of one answer, or of all model calls of a run, without duplicate addresses or ids. Left out is a
 * source with a known address, or with a known id and no address. A known id with a new address gets a new id.
 */
export class SourceList {
  readonly #ids = new Set<string>();
  readonly #urls = new Set<string>();
  readonly #sources: Source[] = [];

  /** The sources in the order in which they were added. */
  get all(): readonly Source[] {
    return this.#sources;
  }

  /**
   * Adds a source, reduced to its declared fields. Returns the added source, or undefined if it is already known or not
   * a source.
   */
  add(given: unknown): Source | undefined {
    const source = toSource(given);
    if (source === undefined) return undefined;
    const { id, url } = source;
    if (url === undefined ? this.#ids.has(id) : this.#urls.has(url)) return undefined;
    const added = this.#ids.has(id) ? { ...source, id: createId() } : source;
    this.#ids.add(added.id);
    if (url !== undefined) this.#urls.add(url);
    this.#sources.push(added);
    return added;
  }
}

/** Returns true if a stored value is a source. */
export function isSource(value: unknown): value is Source {
  if (!isRecord(value) || typeof value["id"] !== "string") return false;
  return ["url", "title", "toolCallId"].every((name) => value[name] === undefined || typeof value[name] === "string");
}

function toSource(given: unknown): Source | undefined {
  if (!isRecord(given)) return undefined;
  const { id, url, title, toolCallId } = given;
  if (typeof id !== "string" || id === "") return undefined;
  return {
    id,
    ...(isAddress(url) && { url }),
    ...(typeof title === "string" && title !== "" && { title }),
    ...(typeof toolCallId === "string" && toolCallId !== "" && { toolCallId }),
  };
}

function isAddress(url: unknown): url is string {
  if (typeof url !== "string") return false;
  const parsed = URL.parse(url);
  return parsed !== null && !executableSchemes.includes(parsed.protocol);
}
