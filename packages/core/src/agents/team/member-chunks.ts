import { AsyncQueue } from "../../base/async/async-queue.ts";
import type { StreamChunk, TextChunk } from "../run/stream-chunk.ts";

/** A member of a team, and the tool call that delegated to it. Chunks of the member's text contain both. */
export type ChunkOrigin = { readonly name: string; readonly delegationId: string | undefined };

/** Returns true for a chunk of text or thinking. */
export function isTextChunk(chunk: StreamChunk): chunk is TextChunk {
  return chunk.type === "text" || chunk.type === "thinking";
}

/** Makes the chunk of a team's stream for a member's text that is not part of the team's answer. */
export function toMemberChunk({ type, text, member, delegationId }: TextChunk, origin: ChunkOrigin): TextChunk {
  if (member !== undefined) return { type, text, member: `${origin.name}/${member}`, ...idOf(delegationId) };
  return { type, text, member: origin.name, ...idOf(origin.delegationId) };
}

/** Makes the chunk of a team's stream for text of the routed member, whose answer is the team's answer. */
export function toSpeakerChunk(chunk: TextChunk, origin: ChunkOrigin): TextChunk {
  const { type, text, member, speaker, delegationId } = chunk;
  if (member !== undefined) return toMemberChunk(chunk, origin);
  if (speaker === undefined) return { type, text, speaker: origin.name, ...idOf(origin.delegationId) };
  return { type, text, speaker: `${origin.name}/${speaker}`, ...idOf(delegationId) };
}

function idOf(delegationId: string | undefined): { delegationId?: string } {
  return delegationId === undefined ? {} : { delegationId };
}

/** A chunk of a member, and a function to call when the reader of the team's stream has received it. */
type Shown = { readonly chunk: StreamChunk; readonly onTaken: () => void };

/** Chunks of members that are inserted into a team's stream, between the chunks of the team itself. */
export class ShownChunks {
  readonly #queue = new AsyncQueue<Shown>();
  readonly #closed = Promise.withResolvers<void>();

  /**
   * Adds a chunk. Resolves when the reader has received it, because a durable run must log it before the end of its
   * step.
   */
  async push(chunk: StreamChunk): Promise<void> {
    const taken = Promise.withResolvers<void>();
    void this.#queue.push({ chunk, onTaken: taken.resolve });
    await Promise.race([taken.promise, this.#closed.promise]);
  }

  /**
   * Yields the chunks of the team's work and, between them, the added chunks of members. Returns the result of the
   * work.
   */
  async *during<Result>(work: AsyncGenerator<StreamChunk, Result>): AsyncGenerator<StreamChunk, Result> {
    let step = work.next();
    let shown = this.#queue.next();
    try {
      for (;;) {
        // If both are ready, a member's chunk goes before a chunk of the team: the end of a delegation must follow the
        // member's last chunk.
        const next = await Promise.race([shown, step]);
        if (next === undefined) throw new Error("The members' chunks ended before the team's work.");
        if ("onTaken" in next) {
          yield next.chunk;
          next.onTaken();
          shown = this.#queue.next();
        } else if (next.done === true) return next.value;
        else {
          yield next.value;
          step = work.next();
        }
      }
    } finally {
      this.#queue.close();
      this.#closed.resolve();
      // The end of the work is not awaited, because the work may be waiting for its members. If it fails, its failure
      // is already the failure of the run.
      step.catch(() => undefined);
      work.return(undefined as Result).catch(() => undefined);
    }
  }
}
