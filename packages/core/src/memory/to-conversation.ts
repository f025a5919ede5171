import { TroupeError } from "../errors/troupe-error.ts";
import type { ChatMessage } from "../message/message.ts";
import { isChatMessage } from "../history/is-chat-message.ts";
import { isList } from "../storage/stored-record.ts";
import { toStorable } from "../storage/to-storable.ts";

/** Takes messages that can be stored and read again. Instructions are left out: they are no part of a conversation. */
export function toConversation(messages: readonly ChatMessage[]): ChatMessage[] {
  if (isList(messages, isChatMessage)) return toStorable(messages.filter(({ role }) => role !== "system"));
  throw new TroupeError(
    "invalid_value",
    "messages cannot be remembered: each must be a ChatMessage, with a role and a content of the shapes its type says.",
  );
}
