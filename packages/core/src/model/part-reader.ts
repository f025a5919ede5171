import { TroupeError } from "../errors/troupe-error.ts";
import type { ContentPart } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";

type DataPart = Exclude<ContentPart, { type: "text" }>;

const saidEarlier = "it was said earlier, and the model does not take it";
const inResult = "the model does not take it in a tool's result";

/** Reports a part that does not reach the vendor as it is. */
type Note = (what: string, reason: string, about: "messages") => void;

/**
 * Gives the parts of messages to the conversion function of a vendor's adapter, for a model that does not support all
 * kinds. A part of the user's last message may be refused. Earlier ones were taken by another model, and parts of a tool's
 * result are not the user's to change: both are replaced with words, so that the conversation goes on.
 */
export class PartReader {
  readonly #messages: readonly ChatMessage[];
  readonly #note: Note;
  /** Found on first use: most conversations are text alone. */
  #earlier: ReadonlySet<ChatMessage> | undefined;

  constructor(messages: readonly ChatMessage[], note: Note) {
    this.#messages = messages;
    this.#note = note;
  }

  /**
   * Returns the results of `read` for all parts. `read` throws a `TroupeError` for a part that the model does not support; if
   * the message is an earlier one or a tool's result, it is then called with a text part instead.
   */
  read<Read>(message: ChatMessage, read: (part: ContentPart) => Read): Read[] {
    return partsOf(message).map((part) => {
      try {
        return read(part);
      } catch (refusal) {
        const isRefusal = part.type !== "text" && TroupeError.is(refusal);
        const isEarlier = isRefusal && this.#isEarlier(message);
        if (!isRefusal || !(isEarlier || message.role === "tool")) throw refusal;
        return read({ type: "text", text: this.#describe(part, isEarlier ? saidEarlier : inResult) });
      }
    });
  }

  /** Returns the message as text, with words for its other parts. */
  readText(message: ChatMessage): string {
    const texts = partsOf(message).map((part) =>
      part.type === "text" ? part.text : this.#describe(part, saidEarlier),
    );
    return texts.join("\n");
  }

  #isEarlier(message: ChatMessage): boolean {
    this.#earlier ??= earlierOf(this.#messages);
    return this.#earlier.has(message);
  }

  #describe(part: DataPart, reason: string): string {
    this.#note(`a part of type ${part.type}`, reason, "messages");
    const name = part.type === "file" ? part.filename : undefined;
    const what = name === undefined || name === "" ? part.type : `${part.type} ${name}`;
    return `[${part.mimeType === undefined ? what : `${what}, ${part.mimeType}`}: not shown to this model]`;
  }
}

/** Returns the messages with parts before the user's last one, but for the instructions. */
function earlierOf(messages: readonly ChatMessage[]): ReadonlySet<ChatMessage> {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const said = messages.slice(0, Math.max(last, 0));
  return new Set(said.filter(({ role, content }) => role !== "system" && Array.isArray(content)));
}

function partsOf({ content }: ChatMessage): readonly ContentPart[] {
  if (content === null) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
