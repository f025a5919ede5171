import { TroupeError } from "../errors/troupe-error.ts";
import type { ContentPart } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";

type DataPart = Exclude<ContentPart, { type: "text" }>;

/** Notes what of a conversation does not reach the vendor as it is. */
type Note = (what: string, reason: string) => void;

/**
 * Reads the parts of a conversation for a model that does not take them all. What the user says now may be refused. What
 * stands before it was taken by another model and cannot be taken back: there, words stand for a part, so that the
 * conversation goes on.
 */
export class PartReader {
  readonly #messages: readonly ChatMessage[];
  readonly #note: Note;
  /** Found when it is asked for the first time: most conversations are text alone. */
  #earlier: ReadonlySet<ChatMessage> | undefined;

  constructor(messages: readonly ChatMessage[], note: Note) {
    this.#messages = messages;
    this.#note = note;
  }

  /**
   * What `read` makes of each part. It throws a `TroupeError` for a part that the model does not take; of an earlier
   * message, it is then given words to read instead.
   */
  read<Read>(message: ChatMessage, read: (part: ContentPart) => Read): Read[] {
    return partsOf(message).map((part) => {
      try {
        return read(part);
      } catch (refusal) {
        const isRefusal = part.type !== "text" && TroupeError.is(refusal);
        if (!isRefusal || !this.#isEarlier(message)) throw refusal;
        return read({ type: "text", text: this.#describe(part) });
      }
    });
  }

  /** The message as text, for an answer that can go back as nothing else: words stand for what is none. */
  readText(message: ChatMessage): string {
    const texts = partsOf(message).map((part) => (part.type === "text" ? part.text : this.#describe(part)));
    return texts.join("\n");
  }

  #isEarlier(message: ChatMessage): boolean {
    this.#earlier ??= earlierOf(this.#messages);
    return this.#earlier.has(message);
  }

  #describe(part: DataPart): string {
    this.#note(`a part of type ${part.type}`, "it was said earlier, and the model does not take it");
    const name = part.type === "file" ? part.filename : undefined;
    const what = name === undefined || name === "" ? part.type : `${part.type} ${name}`;
    return `[${part.mimeType === undefined ? what : `${what}, ${part.mimeType}`}: not shown to this model]`;
  }
}

/** The messages with parts that stand before the user's last one; instructions are always of now. */
function earlierOf(messages: readonly ChatMessage[]): ReadonlySet<ChatMessage> {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const said = messages.slice(0, Math.max(last, 0));
  return new Set(said.filter(({ role, content }) => role !== "system" && Array.isArray(content)));
}

function partsOf({ content }: ChatMessage): readonly ContentPart[] {
  if (content === null) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
