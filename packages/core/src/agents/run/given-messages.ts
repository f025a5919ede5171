import type { OptionCheck } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isChatMessage } from "../../sessions/history/is-chat-message.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { toJsonText } from "../../sessions/storage/check-json.ts";
import type { RunOpts } from "./run-options.ts";
import { toStorable } from "../../sessions/storage/to-storable.ts";

/** The maximum number of messages that a run may be given. */
const maxMessages = 1000;
/**
 * The maximum characters of JSON in all given messages together, which are stored in one record with the first turn.
 */
const maxCharacters = 8_000_000;

/**
 * Option check for `messages` of a run: the earlier conversation. Returns a storable copy. Any value other than an
 * array of messages within the limits is `invalid_request`.
 */
export const messagesOption: OptionCheck<readonly ChatMessage[]> = (value, name) => {
  if (!Array.isArray(value)) throw wrongMessages(`${name} must be an array of messages, each with a role and content.`);
  if (value.length > maxMessages) {
    throw wrongMessages(
      `${name} must have at most ${maxMessages} messages, got ${value.length}. Leave out the oldest.`,
    );
  }
  const wrong = value.findIndex((message) => !isChatMessage(message));
  if (wrong !== -1) {
    throw wrongMessages(`${name}[${wrong}] must be a message: { role, content, toolCalls?, toolCallId?, name? }.`);
  }
  return storable(value as ChatMessage[], name);
};

/**
 * Throws `invalid_request` for system messages among an outside caller's messages: only the program may give
 * instructions.
 */
export function refuseInstructions({ messages }: Pick<RunOpts, "messages">, fromOutside: boolean): void {
  const index = fromOutside ? (messages?.findIndex(({ role }) => role === "system") ?? -1) : -1;
  if (index === -1) return;
  throw wrongMessages(
    `messages[${index}] must be of the role user, assistant or tool. Instructions are the service's.`,
  );
}

function storable(messages: ChatMessage[], name: string): readonly ChatMessage[] {
  try {
    const copy = toStorable(messages);
    if ((toJsonText(copy)?.length ?? 0) <= maxCharacters) return copy;
  } catch (cause) {
    throw new TroupeError("invalid_request", `${name} must hold JSON values alone, at most 64 levels deep.`, { cause });
  }
  throw wrongMessages(`${name} must have at most ${maxCharacters} characters of JSON. Leave out the oldest.`);
}

function wrongMessages(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
