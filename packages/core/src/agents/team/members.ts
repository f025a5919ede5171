import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Runnable } from "../run/runnable.ts";
import { memberSessionId } from "../../sessions/session/session-id.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import type { SessionListener } from "../../sessions/session/session-listener.ts";
import type { SessionStore } from "../../sessions/session/session-store.ts";
import { encodeKey } from "../../sessions/storage/encode-key.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { cutText } from "../../base/util/cut-text.ts";

/** A member of a team, with the tool name and session name that are derived from its name. */
export type TeamMember = {
  readonly runnable: Runnable;
  readonly name: string;
  /** The name of the member's delegation tool. */
  readonly toolName: string;
  /** The member's part of the ids of its sessions. */
  readonly sessionName: string;
};

/** The maximum length of the name of a delegation tool. */
const longestTool = 64;
/** The maximum length of a member's part of a session id, which leaves room for nested teams. */
const longestSession = 64;

/**
 * Makes the members of a team from its runnables: derives from each name a unique tool name and session name of at most
 * 64 characters each.
 */
export function createMembers(runnables: readonly Runnable[]): TeamMember[] {
  const toolNames = new Set<string>();
  return runnables.map((runnable) => {
    const { name } = runnable;
    const toolName = toolNameOf(name, toolNames);
    toolNames.add(toolName);
    return { runnable, name, toolName, sessionName: sessionNameOf(name) };
  });
}

/**
 * Makes a listener for the team's session store that deletes the members' sessions with the team's session, including
 * those in members' own storages.
 */
export function memberSessionsListener(members: readonly TeamMember[]): SessionListener {
  return {
    forgetSession: async (sessionId, owner) => {
      for (const member of members) await forget(member, memberSessionId(sessionId, member.sessionName), owner);
    },
  };
}

async function forget({ runnable }: TeamMember, sessionId: string, owner: SessionOwner): Promise<void> {
  // Only agents and teams have a session store. A remote agent's sessions belong to its own service.
  const sessions = readProperty(runnable, "sessions") as Partial<SessionStore> | undefined;
  try {
    await sessions?.deleteSession?.(sessionId, { owner });
  } catch (error) {
    // A member that has received no delegation has no session.
    if (!TroupeError.is(error) || error.code !== "not_found") throw error;
  }
}

function toolNameOf(name: string, taken: ReadonlySet<string>): string {
  const wanted = `delegate_to_${name.replace(/[^A-Za-z0-9_-]/gu, "_")}`;
  return wanted.length <= longestTool && !taken.has(wanted) ? wanted : cutName(wanted, longestTool, name);
}

function sessionNameOf(name: string): string {
  if (encodeKey(name).length <= longestSession) return name;
  return cutName(name.replace(/[^\w-]/gu, "_"), longestSession, name);
}

/** Shortens a derived name, and appends a hash of the original name to keep it unique. */
function cutName(derived: string, longest: number, name: string): string {
  const mark = `_${shortHash(name)}`;
  return cutText(derived, longest - mark.length) + mark;
}

function shortHash(name: string): string {
  // `node:crypto` is loaded on demand, because most members' names are short.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(name).digest("hex").slice(0, 12);
}
