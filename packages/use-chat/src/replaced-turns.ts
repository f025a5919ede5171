import { getTextContent, TroupeError } from "@troupe/core";
import type { SessionOwner, StoredTurn } from "@troupe/core";
import type { Service } from "@troupe/core/transport";
import type { Chat } from "./request/read-chat.ts";
import { toInput } from "./request/to-messages.ts";

const pageSize = 100;

/**
 * Returns the number of the first turn that a chat replaces: the turn after the messages that the page has kept.
 * Undefined if the chat replaces no turn. Throws `conflict` if the replaced turn of an edited message cannot be found.
 * The id of an answer's message is its run id.
 */
export function firstReplaced(turns: readonly StoredTurn[], chat: Chat): number | undefined {
  const { before, messageId } = chat;
  if (before?.every(({ role }) => role === "user") === true) return turns[0]?.seq;
  const kept = new Set(before?.map(({ id }) => id));
  const lastKept = turns.findLastIndex(({ runId }) => kept.has(runId));
  if (lastKept !== -1) return turns[lastKept + 1]?.seq;
  const named = turns.find(({ runId }) => runId === messageId);
  if (named !== undefined) return named.seq;
  return lastIfSame(turns, chat);
}

/**
 * Returns the number of the last turn if its input has the text of the chat's last message. Used if no turn is found by
 * its message id, because a page may use its own ids. Otherwise returns undefined for a regenerated answer or an empty
 * session, and throws `conflict` for an edited message.
 */
function lastIfSame(turns: readonly StoredTurn[], chat: Chat): number | undefined {
  const last = turns.at(-1);
  if (last !== undefined && isSameText(last, chat)) return last.seq;
  if (last === undefined || chat.isRegenerated) return undefined;
  throw new TroupeError(
    "conflict",
    "The session has no answer of the ids before the edited message. Send all messages, with the ids that the service has given to its answers.",
  );
}

function isSameText({ input }: StoredTurn, { last }: Chat): boolean {
  return getTextContent(input) === getTextContent(toInput(last));
}

/** Reads the turns of a session. Returns an empty array for an unknown session. */
export async function readTurns(
  sessions: Service["sessions"],
  chatId: string,
  owner: SessionOwner,
): Promise<StoredTurn[]> {
  const found: StoredTurn[] = [];
  try {
    for (let after: number | undefined, isLast = false; !isLast;) {
      const page = await sessions.readTurns(chatId, owner, { limit: pageSize, after, take: () => true });
      found.push(...page.turns);
      after = page.next;
      isLast = after === undefined;
    }
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== "not_found") throw error;
  }
  return found;
}
