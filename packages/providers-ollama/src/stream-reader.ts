import type { ModelChunk } from "@troupe/core/adapter";
import { LineReader } from "./from-lines.ts";
import { CutAnswer } from "./vendor-failure.ts";
import type { WireLine } from "./wire-types.ts";

/** A call comes in one line, with all that it hands over. */
const mostCharacters = 16_777_216;

/** Reads the chunks of one answer from its bytes, however they are cut. */
export class StreamReader {
  readonly #decoder = new TextDecoder();
  readonly #lines: LineReader;
  #rest = "";
  #failure: { thrown: unknown } | undefined;

  constructor(modelId: string) {
    this.#lines = new LineReader(modelId);
  }

  /** Whether the answer has come to its proper end. */
  get isComplete(): boolean {
    return this.#lines.isComplete;
  }

  /** Throws what went wrong behind the chunks that were given last. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }

  /** The chunks that the next bytes amount to, all at once, since a generator would cost as much as the reading. */
  read({ done, value }: IteratorResult<Uint8Array, undefined>): readonly ModelChunk[] {
    if (done !== true) return this.#readLines(this.#split(value));
    // What stands before a server may take the end off its last line.
    const chunks = this.#readLines([this.#rest]);
    if (!this.isComplete) this.#failure ??= { thrown: new CutAnswer() };
    return chunks;
  }

  /** The lines that end with these bytes. What is left waits without being looked at again, however long it grows. */
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
        if (line.trim() !== "") this.#lines.read(JSON.parse(line) as WireLine, chunks);
      }
      if (this.#rest.length > mostCharacters) throw new SyntaxError("A line of the answer does not end.");
    } catch (thrown) {
      this.#failure = { thrown };
    }
    return chunks;
  }
}
