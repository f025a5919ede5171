import { noUsage } from "../../../base/message/token-usage.ts";
import type { OpenSession } from "../open-session.ts";
import type { SessionAccess } from "../session-access.ts";
import type { SessionStore } from "../session-store.ts";
import type { NewTurn } from "../turn-record.ts";

/** Makes a turn that called a tool; its name is its runId. */
export function turnNamed(name: string): NewTurn {
  const call = { id: `call-${name}`, name: "look", arguments: { at: name } };
  return {
    runId: name,
    runnable: "agent",
    input: `Look at ${name}.`,
    messages: [
      { role: "assistant", content: null, toolCalls: [call] },
      { role: "tool", toolCallId: call.id, content: `${name} seen` },
      { role: "assistant", content: `I saw ${name}.` },
    ],
    status: "completed",
    usage: { ...noUsage },
  };
}

/** Opens a session, uses it, and releases it. */
export async function withSession<Result>(
  store: SessionStore,
  use: (session: OpenSession) => Promise<Result>,
  { sessionId = "s", ...access }: SessionAccess & { sessionId?: string } = {},
): Promise<Result> {
  const session = await store.open(sessionId, access);
  try {
    return await use(session);
  } finally {
    session.release();
  }
}

/** Appends turns, each under a lease of its own. */
export async function appendAll(
  store: SessionStore,
  names: readonly string[],
  access: SessionAccess = {},
): Promise<void> {
  for (const name of names) await withSession(store, (session) => session.appendTurn(turnNamed(name)), access);
}

/** Returns the names of the newest turns, oldest first. */
export async function loadNames(store: SessionStore, count = 100): Promise<string[]> {
  const turns = await withSession(store, (session) => session.loadTurns(count));
  return turns.map(({ runId }) => runId);
}
