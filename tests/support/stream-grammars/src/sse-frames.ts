/** A frame of server-sent events. */
export type SseFrame = { readonly id?: string; readonly event?: string; readonly data: string };

/**
 * Splits the text of a stream into frames. It is not a complete parser: Troupe's servers write a frame as lines `id:
 * …`, `event: …` and one `data: …`, and a grammar needs no more.
 */
export class SseFrames {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** Returns the complete frames, without comments. */
  push(bytes: Uint8Array): SseFrame[] {
    const blocks = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap(readBlock);
  }

  /** True if the stream ends inside a frame. */
  get isCut(): boolean {
    return this.#rest !== "";
  }
}

function readBlock(block: string): SseFrame[] {
  const [, data] = /^data: (.*)$/m.exec(block) ?? [];
  if (data === undefined) return [];
  const [, id] = /^id: (.*)$/m.exec(block) ?? [];
  const [, event] = /^event: (.*)$/m.exec(block) ?? [];
  return [{ data, ...(id !== undefined && { id }), ...(event !== undefined && { event }) }];
}

/** Returns the frames in the text of a stream, without an incomplete one at its end. */
export function framesIn(text: string): SseFrame[] {
  return new SseFrames().push(Buffer.from(text));
}
