import type { StoredTurn, TakeTurn } from "@troupe/core";
import { toPublicTurn } from "./public-turn.ts";
import type { PartReference, ReferredPart } from "./public-turn.ts";

/** The bytes that the turns of one page may have. */
const maxPageBytes = 8_388_608;

/**
 * Writes the turns of a page as JSON, up to 8 MB of them. The data of parts is left out, or put in as far as it fits the
 * page.
 */
export class TurnPageWriter {
  readonly #inline: boolean;
  readonly #texts: string[] = [];
  #bytes = 0;

  constructor(inline: boolean) {
    this.#inline = inline;
  }

  /** Takes a turn into the page; false if the page has no room for it. The first turn always has. */
  readonly take: TakeTurn = async (stored: StoredTurn) => {
    const { turn, referred } = toPublicTurn(stored);
    let text = JSON.stringify(turn);
    const bytes = Buffer.byteLength(text);
    if (this.#texts.length > 0 && this.#bytes + bytes > maxPageBytes) return false;
    this.#bytes += bytes;
    const fitting = this.#inline ? referred.filter((each) => this.#takeData(each)) : [];
    for (const { reference, part } of fitting) putData(reference, part.data);
    if (fitting.length > 0) text = JSON.stringify(turn);
    this.#texts.push(text);
    return true;
  };

  /** Returns the JSON of the page. */
  finish(next: number | undefined): string {
    return `{"turns":[${this.#texts.join(",")}]${next === undefined ? "" : `,"next":${next}`}}`;
  }

  #takeData({ part: { data } }: ReferredPart): boolean {
    if (this.#bytes + data.length > maxPageBytes) return false;
    this.#bytes += data.length;
    return true;
  }
}

/** Puts the data of a part in the place of a reference to it. */
function putData(reference: PartReference, data: string): void {
  Object.assign(reference, { data, stored: undefined });
}
