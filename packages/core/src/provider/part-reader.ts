import { TroupeError } from "../base/errors/troupe-error.ts";
import type { ContentPart } from "../base/message/content.ts";
import type { ChatMessage } from "../base/message/message.ts";
import { isPrivateUrl } from "./wire/private-address.ts";
import { urlOf } from "./private-urls.ts";
import type { PrivateUrlCheck } from "./private-urls.ts";

type MediaPart = Exclude<ContentPart, { type: "text" }>;

const saidEarlier = "it was said earlier, and the model does not take it";
const inResult = "the model does not take it in a tool's result";
const isPrivate = "its URL leads to an address that is not public, and allowPrivateUrls is not set";

/** Reports a content part of a message that is not sent to the vendor, or is sent in another form. */
type Note = (what: string, reason: string, about: "messages") => void;

/** Options of a `PartReader`, which the context of a request includes. */
type PartReaderOptions = {
  /** Returns true for URLs that the vendor must not fetch. @default URLs that are recognised as private without DNS */
  readonly isPrivateUrl?: PrivateUrlCheck;
};

/**
 * Passes the parts of messages to a vendor adapter's conversion function, for a model that does not support all kinds
 * of parts. A part of the user's last message may be rejected. Parts of earlier messages were accepted by another
 * model, and parts of a tool's result cannot be changed by the user. Both are replaced by a text note, so that the
 * conversation continues. A part whose URL leads to a private address is replaced too: the vendor, or a server in the
 * same network, would fetch it.
 */
export class PartReader {
  readonly #messages: readonly ChatMessage[];
  readonly #note: Note;
  readonly #isPrivateUrl: PrivateUrlCheck;
  /** The earlier messages with parts, computed on first use: most conversations contain only text. */
  #earlier: ReadonlySet<ChatMessage> | undefined;

  constructor(messages: readonly ChatMessage[], note: Note, options: PartReaderOptions = {}) {
    this.#messages = messages;
    this.#note = note;
    this.#isPrivateUrl = options.isPrivateUrl ?? isPrivateUrl;
  }

  /**
   * Returns the results of `read` for all parts. `read` throws a `TroupeError` for a part that the model does not
   * support. If the message is an earlier message or a tool's result, `read` is then called with a text part instead.
   */
  read<Read>(message: ChatMessage, read: (part: ContentPart) => Read): Read[] {
    return partsOf(message).map((part, index) => {
      try {
        if (this.#hasPrivateUrl(part)) throw privateUrlError(part, this.#placeOf(message, index));
        return read(part);
      } catch (refusal) {
        if (part.type === "text" || !TroupeError.is(refusal)) throw refusal;
        return read({ type: "text", text: this.#describeRefused(part, message, refusal) });
      }
    });
  }

  /** Returns the message as text, with a note for each part that is not text. */
  readText(message: ChatMessage): string {
    const texts = partsOf(message).map((part) =>
      part.type === "text" ? part.text : this.#describe(part, saidEarlier),
    );
    return texts.join("\n");
  }

  #hasPrivateUrl(part: ContentPart): boolean {
    const url = part.type === "text" ? undefined : urlOf(part.data);
    return url !== undefined && this.#isPrivateUrl(url);
  }

  /** Returns the location of a part's data in the caller's terms: the user's last message is the input of the run. */
  #placeOf(message: ChatMessage, index: number): string {
    const at = this.#messages.indexOf(message);
    const isInput = at === this.#messages.findLastIndex(({ role }) => role === "user");
    return isInput ? `input[${index}].data` : `messages[${at}].content[${index}].data`;
  }

  /** Describes a rejected part. If the user can change the part, throws the rejection again. */
  #describeRefused(part: MediaPart, message: ChatMessage, refusal: TroupeError): string {
    const isEarlier = this.#isEarlier(message);
    if (!isEarlier && message.role !== "tool") throw refusal;
    if (refusal.fields["reason"] === "private_address") return this.#describe(part, isPrivate);
    return this.#describe(part, isEarlier ? saidEarlier : inResult);
  }

  #isEarlier(message: ChatMessage): boolean {
    this.#earlier ??= earlierOf(this.#messages);
    return this.#earlier.has(message);
  }

  #describe(part: MediaPart, reason: string): string {
    this.#note(`a part of type ${part.type}`, reason, "messages");
    const name = part.type === "file" ? part.filename : undefined;
    const what = name === undefined || name === "" ? part.type : `${part.type} ${name}`;
    return `[${part.mimeType === undefined ? what : `${what}, ${part.mimeType}`}: not shown to this model]`;
  }
}

function privateUrlError({ type }: ContentPart, place: string): TroupeError {
  return new TroupeError(
    "invalid_request",
    `${place} leads to an address that is not public. Send the data itself, or set allowPrivateUrls of the model.`,
    { fields: { reason: "private_address", part: type } },
  );
}

/** Returns the messages before the user's last message whose content is an array of parts, except system messages. */
function earlierOf(messages: readonly ChatMessage[]): ReadonlySet<ChatMessage> {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const said = messages.slice(0, Math.max(last, 0));
  return new Set(said.filter(({ role, content }) => role !== "system" && Array.isArray(content)));
}

function partsOf({ content }: ChatMessage): readonly ContentPart[] {
  if (content === null) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
