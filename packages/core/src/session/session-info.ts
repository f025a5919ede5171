import type { SessionRecord } from "./session-record.ts";

/** What is told of a session. Times are epoch milliseconds. */
export type SessionInfo = {
  sessionId: string;
  userId?: string;
  title?: string;
  createdAt: number;
  updatedAt: number;
  /** How many turns it has. */
  turns: number;
};

/** What is told of a stored session. */
export function toSessionInfo(sessionId: string, session: SessionRecord): SessionInfo {
  const { owner, title, createdAt, updatedAt, turns } = session;
  return {
    sessionId,
    ...(owner.userId !== undefined && { userId: owner.userId }),
    ...(title !== undefined && { title }),
    createdAt,
    updatedAt,
    turns,
  };
}
