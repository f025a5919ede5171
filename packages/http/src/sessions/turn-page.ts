import type { StoredTurn, TurnCollector, TurnPart, TurnPartPosition } from "@troupe/core";
import { storedDataReferenceOf } from "@troupe/core/transport";
import { toPublicTurn } from "./public-turn.ts";
import type { ReferredPart } from "./public-turn.ts";

/** A function that reads a part of a turn of the session. */
export type ReadPart = (place: TurnPartPosition) => Promise<TurnPart>;

/** Largest size of all turns on one page, in bytes. */
const maxPageBytes = 8_388_608;

/**
 * Writes the turns of a page as JSON, up to 8 MB; the first turn may be larger. Data of parts is included while the
 * page has room, and otherwise replaced by references.
 */
export class TurnPageWriter {
  readonly #readPart: ReadPart | undefined;
  readonly #texts: string[] = [];
  #bytes = 0;

  /** @param readPart reads the parts whose data is included in the page. Without it, all parts become references. */
  constructor(readPart?: ReadPart) {
    this.#readPart = readPart;
  }

  /** Adds a turn to the page. Returns false if the page has no room for it; the first turn always fits. */
  readonly take: TurnCollector = async (stored: StoredTurn) => {
    const { turn, referred } = toPublicTurn(stored);
    let text = JSON.stringify(turn);
    const bytes = Buffer.byteLength(text);
    if (this.#texts.length > 0 && this.#bytes + bytes > maxPageBytes) return false;
    this.#bytes += bytes;
    const read = this.#readPart;
    const fitting = read === undefined ? [] : referred.filter((each) => this.#takeData(each));
    for (const each of fitting)
      await putData(each, () => read?.({ seq: turn.seq, index: each.reference.stored.index }));
    if (fitting.length > 0) text = JSON.stringify(turn);
    this.#texts.push(text);
    return true;
  };

  /** Returns the JSON of the page. */
  finish(next: number | undefined): string {
    return `{"turns":[${this.#texts.join(",")}]${next === undefined ? "" : `,"next":${next}`}}`;
  }

  #takeData({ reference, part }: ReferredPart): boolean {
    const isStored = storedDataReferenceOf(part) !== undefined;
    const length = isStored ? Math.ceil(reference.stored.bytes / 3) * 4 : part.data.length;
    if (this.#bytes + length > maxPageBytes) return false;
    this.#bytes += length;
    return true;
  }
}

/** Replaces a reference by the data of its part, as base64 if the data is stored separately. */
async function putData({ reference, part }: ReferredPart, read: () => Promise<TurnPart> | undefined): Promise<void> {
  const pieces: string[] = [];
  if (storedDataReferenceOf(part) === undefined) pieces.push(part.data);
  else for await (const piece of (await read())?.pieces ?? []) pieces.push(Buffer.from(piece).toString("base64"));
  Object.assign(reference, { data: pieces.join(""), stored: undefined });
}
