import type { ModelChunk } from "@troupe/core/adapter";
import { EventReader } from "./from-events.ts";
import { TruncatedResponseError } from "./vendor-error.ts";
import type { WireLine } from "./wire-types.ts";

/** A call comes in one line with all its arguments. */
const mostCharacters = 16_777_216;

/**
 * Parses the bytes of one streamed answer (NDJSON) and returns the chunks of each piece. An error in the stream is kept
 * until `throwFailure`, so that the chunks before it are delivered first.
 */
export class StreamReader {
  readonly #decoder = new TextDecoder();
  readonly #events: EventReader;
  #rest = "";
  #failure: { thrown: unknown } | undefined;

  constructor(modelId: string) {
    this.#events = new EventReader(modelId);
  }

  /** True once the end of the answer was read. */
  get isComplete(): boolean {
    return this.#events.isComplete;
  }

  /** Throws the error that followed the chunks of the last `push`. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** Returns the chunks of the next bytes. Not a generator, which would double the cost. */
  push({ done, value }: IteratorResult<Uint8Array, undefined>): readonly ModelChunk[] {
    if (done !== true) return this.#readLines(this.#split(value));
    // A proxy may remove the newline of the last line.
    const chunks = this.#readLines([this.#rest]);
    if (!this.isComplete) this.#failure ??= { thrown: new TruncatedResponseError() };
    return chunks;
  }

  /** Returns the lines that end with these bytes. The rest is kept and not scanned again. */
  #split(bytes: Uint8Array): string[] {
    const [first = "", ...others] = this.#decoder.decode(bytes, { stream: true }).split("\n");
    const lines = [this.#rest + first, ...others];
    this.#rest = lines.pop() ?? "";
    return lines;
  }

  #readLines(lines: readonly string[]): readonly ModelChunk[] {
    const chunks: ModelChunk[] = [];
    try {
      for (const line of lines) {
        if (this.isComplete) return chunks;
        if (line.trim() !== "") this.#events.read(JSON.parse(line) as WireLine, chunks);
      }
      if (this.#rest.length > mostCharacters) throw new SyntaxError("A line of the answer does not end.");
    } catch (thrown) {
      this.#failure = { thrown };
    }
    return chunks;
  }
}
