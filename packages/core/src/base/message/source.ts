import { createId } from "../util/create-id.ts";
import { isRecord } from "../util/is-record.ts";

/**
 * A source of an answer: a page or a document that a tool of the vendor found, or that the model cites. `toolCallId` is the
 * id of the vendor's tool call that found it.
 */
export type Source = { id: string; url?: string; title?: string; toolCallId?: string };

/** A source of an answer, in the stream of a model or a run. */
export type SourceChunk = { type: "source" } & Source;

/** The schemes of addresses that would run as a program where a page makes a link of them. */
const executableSchemes: readonly string[] = ["javascript:", "data:", "vbscript:"];

/**
 * Collects the sources of one answer, or of all model calls of a run. No two have the same address or the same id: a source
 * whose address is known is left out, and one with a known id and another address gets an id of its own.
 */
export class SourceList {
  readonly #ids = new Set<string>();
  readonly #urls = new Set<string>();
  readonly #sources: Source[] = [];

  /** The sources in the order in which they came. */
  get all(): readonly Source[] {
    return this.#sources;
  }

  /** Adds a source, with its declared fields alone. Returns it as it was added, or undefined for one that is known or is none. */
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

/** Tells if a stored value is a source. */
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
