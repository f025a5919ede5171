import { setImmediate } from "node:timers/promises";
import { readContentData } from "../../base/message/content-data.ts";
import { storedDataReferenceOf } from "../../base/message/stored-data.ts";
import type { DataPart, StoredReference } from "../../base/message/stored-data.ts";
import type { ContentPart, MessageContent } from "../../base/message/content.ts";
import { base64ByteLength } from "../../base/util/base64.ts";
import { createId } from "../../base/util/create-id.ts";
import { encodeSequence } from "../storage/encode-key.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { corruptRecord, recordVersion } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { keyPrefixOf, namespaces, turnKey } from "./session-keys.ts";
import { scan } from "./scan.ts";
import { dataPartsOf } from "./turn-part.ts";
import type { TurnConversation } from "./turn-record.ts";

/** The maximum length of data, in base64 characters, that is stored within its turn: 16 KB of bytes. */
const longestInline = 21_848;

/** Base64 characters in a piece: 256 KB of bytes, in whole groups of four. */
const pieceLength = 349_528;

/** Number of pieces of large data that are read, written or listed at once. */
const atOnce = 4;

/**
 * The data of large images, audio and files in one session's turns, stored in pieces beside the turns.
 *
 * Pieces are written before their turn, whose record makes them part of the session. A crash between the two leaves
 * unreferenced pieces. They are removed when the next turn with large data is stored, or with the session. The keys of
 * each write contain a unique id, so that pieces of different writes are never mixed.
 */
export class PartStore {
  readonly #driver: StorageDriver;
  readonly #session: string;

  constructor(driver: StorageDriver, session: string) {
    this.#driver = driver;
    this.#session = session;
  }

  /** Returns true if a turn has data that is large enough to be stored in pieces, and is not stored yet. */
  static hasLargeData(turn: TurnConversation): boolean {
    return dataPartsOf(turn).some(isLarge);
  }

  /**
   * Writes the large data of a turn that is about to be stored with this number, and returns the turn with references
   * instead. `confirm` rejects if another process may write turns of this session.
   */
  async write<Turn extends TurnConversation>(turn: Turn, seq: number, confirm: () => Promise<void>): Promise<Turn> {
    await this.#removeLeftovers(seq, confirm);
    const id = createId();
    const replaced = new Map<ContentPart, ContentPart>();
    for (const [index, part] of dataPartsOf(turn).entries()) {
      const stored = isLarge(part) ? await this.#writePart(part, { seq, index, id }) : undefined;
      if (stored !== undefined) replaced.set(part, stored as unknown as ContentPart);
    }
    return mapTurnParts(turn, (part) => replaced.get(part) ?? part);
  }

  /** @yields the base64 of stored data, piece by piece */
  async *read(stored: StoredReference): AsyncGenerator<string> {
    for (let first = 0; first < stored.pieces; first += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, stored.pieces - first) }, (_, index) => first + index);
      yield* await Promise.all(numbers.map((number) => this.#readPiece(stored, number)));
    }
  }

  /**
   * Returns a part of a turn with its data, read from its pieces. A part that contains its data is returned unchanged.
   */
  async fillPart(part: ContentPart): Promise<ContentPart> {
    const stored = storedDataReferenceOf(part);
    if (stored === undefined) return part;
    const { stored: _, ...facts } = part as ContentPart & { stored: unknown };
    const pieces: string[] = [];
    for await (const piece of this.read(stored)) pieces.push(piece);
    return { ...facts, data: pieces.join("") } as ContentPart;
  }

  /** Returns turns with the data of all their parts. */
  async fillTurns<Turn extends TurnConversation>(turns: readonly Turn[]): Promise<Turn[]> {
    const whole: Turn[] = [];
    for (const turn of turns) whole.push(await this.#fillTurn(turn));
    return whole;
  }

  /** Removes the pieces of a deleted turn, and pieces that crashes have left under its number. */
  async removeTurn(seq: number, turn: TurnConversation | undefined, confirm: () => Promise<void>): Promise<void> {
    const numbers = new Set([seq, ...(turn === undefined ? [] : dataPartsOf(turn).flatMap(numberOf))]);
    for (const number of numbers) {
      const isOwn = number === seq;
      const ids = turn === undefined ? [] : dataPartsOf(turn).flatMap((part) => storedDataReferenceOf(part)?.id ?? []);
      await this.#remove(number, confirm, (key) => isOwn || ids.some((id) => key.includes(`/${id}:`)));
    }
  }

  async #fillTurn<Turn extends TurnConversation>(turn: Turn): Promise<Turn> {
    const filled = new Map<ContentPart, ContentPart>();
    for (const part of dataPartsOf(turn)) {
      if (storedDataReferenceOf(part) !== undefined) filled.set(part, await this.fillPart(part));
    }
    return filled.size === 0 ? turn : mapTurnParts(turn, (part) => filled.get(part) ?? part);
  }

  /**
   * Writes the data of a part in pieces, and returns the part with a reference to them. Returns `undefined` if the part
   * has no base64 data.
   */
  async #writePart(part: DataPart, at: Pick<StoredReference, "seq" | "index" | "id">) {
    const found = readContentData(part);
    if (found.kind !== "base64") return undefined;
    const { base64, mimeType } = found;
    const pieces = Math.ceil(base64.length / pieceLength);
    const stored = { ...at, bytes: base64ByteLength(base64), pieces };
    for (let first = 0; first < pieces; first += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, pieces - first) }, (_, index) => first + index);
      await Promise.all(
        numbers.map(async (number) => {
          const data = base64.slice(number * pieceLength, (number + 1) * pieceLength);
          const value: Json = { v: recordVersion, data };
          await this.#driver.set(namespaces.turnParts, this.#pieceKey(stored, number), value);
        }),
      );
      // A storage in memory never waits, so the event loop is yielded to other work here.
      await setImmediate();
    }
    const { data: _, ...facts } = part;
    return { ...facts, ...(mimeType !== undefined && { mimeType }), stored };
  }

  async #readPiece(stored: StoredReference, number: number): Promise<string> {
    const key = this.#pieceKey(stored, number);
    const value = await this.#driver.get(namespaces.turnParts, key);
    const length = Math.min(pieceLength, Math.ceil(stored.bytes / 3) * 4 - number * pieceLength);
    const data = isRecord(value) && value["v"] === recordVersion ? value["data"] : undefined;
    if (typeof data === "string" && data.length === length) return data;
    throw corruptRecord({ namespace: namespaces.turnParts, key });
  }

  /** Removes pieces of a turn with this number that was never stored, because its process ended first. */
  async #removeLeftovers(seq: number, confirm: () => Promise<void>): Promise<void> {
    await this.#remove(seq, confirm, () => true);
  }

  /**
   * Removes the pieces under a turn's number for whose keys `matches` returns true. The session's lease is confirmed
   * after the pieces were listed: if it still holds, no other process has written any of them.
   */
  async #remove(seq: number, confirm: () => Promise<void>, matches: (key: string) => boolean): Promise<void> {
    const prefix = keyPrefixOf(turnKey(this.#session, seq));
    for await (const page of scan(this.#driver, { namespace: namespaces.turnParts, prefix, pageSize: atOnce })) {
      const keys = page.map(({ key }) => key).filter(matches);
      if (keys.length === 0) continue;
      await confirm();
      await Promise.all(keys.map((key) => this.#driver.delete(namespaces.turnParts, key)));
    }
  }

  #pieceKey({ seq, index, id, session = this.#session }: StoredReference, number: number): string {
    return `${turnKey(session, seq)}/${index}/${id}:${encodeSequence(number)}`;
  }
}

function isLarge({ data }: DataPart): boolean {
  // `data` is undefined if the part already refers to stored pieces, in a turn that is written again.
  return (data?.length ?? 0) > longestInline && !/^https?:/i.test(data);
}

function numberOf(part: DataPart): number[] {
  const stored = storedDataReferenceOf(part);
  return stored === undefined ? [] : [stored.seq];
}

/** Returns a copy of a turn whose history, input and messages have their parts replaced. */
export function mapTurnParts<Turn extends TurnConversation>(turn: Turn, map: (part: ContentPart) => ContentPart): Turn {
  const mapContent = <Content extends MessageContent | null>(content: Content): Content =>
    Array.isArray(content) ? (content.map(map) as Content) : content;
  const mapMessages = (messages: TurnConversation["messages"]) =>
    messages.map((message) => ({ ...message, content: mapContent(message.content) }));
  const { history, input, messages } = turn;
  return {
    ...turn,
    ...(history !== undefined && { history: mapMessages(history) }),
    input: mapContent(input),
    messages: mapMessages(messages),
  };
}
