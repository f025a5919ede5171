import { TroupeError } from "../errors/troupe-error.ts";
import type { SessionOwner } from "../session/session-owner.ts";
import { memberSessionId } from "../session/session-id.ts";
import type { SessionListener, SessionStore } from "../session/session-store.ts";
import { readProperty } from "../util/read-property.ts";
import type { Member } from "./member.ts";

/** The sessions that members keep go with the team's, also from storages of their own. */
export function sessionsOf(members: readonly Member[]): SessionListener {
  return {
    forgetSession: async (sessionId, owner) => {
      for (const member of members) await forget(member, memberSessionId(sessionId, member.sessionName), owner);
    },
  };
}

async function forget({ runnable }: Member, sessionId: string, owner: SessionOwner): Promise<void> {
  // Agents and teams show their sessions; what a remote agent keeps is for its own service to forget.
  const sessions = readProperty(runnable, "sessions") as Partial<SessionStore> | undefined;
  try {
    await sessions?.deleteSession?.(sessionId, { owner });
  } catch (error) {
    // A member that was never asked has none.
    if (!TroupeError.is(error) || error.code !== "not_found") throw error;
  }
}
