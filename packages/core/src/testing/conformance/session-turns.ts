import { noUsage } from "../../base/message/token-usage.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { NewTurn } from "../../sessions/session/turn-record.ts";
import type { SessionStore } from "../../sessions/session/session-store.ts";
import { createId } from "../../base/util/create-id.ts";

/** Turns to store for a test: the session, its owner, and the number of turns, each stored under its own lease. */
type Turns = { sessionId: string; owner: SessionOwner; turns?: number; input?: string };

/** Stores plain turns in a session, which is created if it is missing. With `turns: 0` it is only created. */
export async function storeTurns(
  store: SessionStore,
  { sessionId, owner, turns = 1, input = "Hello." }: Turns,
): Promise<void> {
  for (let index = 0; index < Math.max(1, turns); index++) {
    const session = await store.open(sessionId, { owner });
    try {
      if (turns > 0) await session.appendTurn(plainTurn(input));
    } finally {
      session.release();
    }
  }
}

/** Makes a plain turn with the input and an answer. */
export function plainTurn(input: string): NewTurn {
  return {
    runId: createId(),
    runnable: "agent",
    input,
    messages: [{ role: "assistant", content: "Hello to you." }],
    status: "completed",
    usage: { ...noUsage },
  };
}
