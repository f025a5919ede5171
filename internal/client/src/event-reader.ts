/** A server-sent event: its data, and the id after which the stream can be resumed. */
export type ServerEvent = { readonly id: string | undefined; readonly data: string };

/** Milliseconds without a byte after which a stream counts as broken. Services send a comment every 15 seconds. */
const silenceMs = 45_000;

/** Splits the text of a stream into server-sent events. The text may arrive in pieces of any length. */
export class EventParser {
  #unread = "";
  #data: string[] = [];
  #id: string | undefined;

  /** Takes the next piece of text, and returns the events that it completes. An incomplete event is never returned. */
  push(piece: string): ServerEvent[] {
    this.#unread += piece;
    const events: ServerEvent[] = [];
    let start = 0;
    for (let end = this.#lineEnd(start); end !== -1; end = this.#lineEnd(start)) {
      const event = this.#take(this.#unread.slice(start, end));
      if (event !== undefined) events.push(event);
      start = end + (this.#unread.startsWith("\r\n", end) ? 2 : 1);
    }
    this.#unread = this.#unread.slice(start);
    return events;
  }

  /**
   * Returns the end of the line that begins at `start`, or -1. A carriage return at the end of the text may be the
   * first half of a line break.
   */
  #lineEnd(start: number): number {
    for (let at = start; at < this.#unread.length; at++) {
      const character = this.#unread[at];
      if (character === "\n" || (character === "\r" && at + 1 < this.#unread.length)) return at;
    }
    return -1;
  }

  #take(line: string): ServerEvent | undefined {
    if (line === "") return this.#complete();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") this.#data.push(value);
    if (field === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #complete(): ServerEvent | undefined {
    if (this.#data.length === 0) return undefined;
    const data = this.#data.join("\n");
    this.#data = [];
    return { id: this.#id, data };
  }
}

/**
 * Reads the server-sent events of a response to its end, or until the signal aborts. Throws if the connection breaks or
 * is silent for too long.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", leave);
  const parser = new EventParser();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader);
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal?.removeEventListener("abort", leave);
    // Cancels the response even if the caller stops reading early.
    leave();
  }
}

async function withinSilence(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The stream is silent.")), silenceMs);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } finally {
    clearTimeout(timer);
  }
}
