import { factOwnerId } from "../memory/agent-user-memory.ts";
import { ownerOf } from "../run/run-options.ts";
import type { Run } from "../run/run.ts";
import { emitWarning } from "../run/run-warning.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { AgentParts } from "./agent-parts.ts";

/** The maximum number of runs whose unverified user is looked up, for each storage. */
const maxChecks = 50;

const message =
  "A request names a user without proof, and reaches neither the sessions nor the facts that the verified user of that name " +
  "has. If the host authenticates its users, let it set request.principal, or socket.data.principal. If it trusts the user " +
  'ids of its clients, set bodyUserId: "trusted".';

/**
 * The number of runs that `warnOfUnverified` may still check, for each storage. Module state on purpose: the warning is
 * given once for all agents that share a storage, and they share nothing but the storage. Weak, so that an entry is
 * freed with its driver.
 */
const checksLeft = new WeakMap<StorageDriver, number>();

/**
 * Warns once if a host seems to have forgotten to verify users: an unverified user of a request has the name of a
 * verified user. The check runs in the background after the run, and the warning names no user. A failure only ends the
 * check.
 */
export function warnOfUnverified(parts: AgentParts, run: Run): void {
  const { fromOutside, verified, userId } = run.settings;
  if (!fromOutside || verified || userId === undefined) return;
  const left = checksLeft.get(parts.storage) ?? maxChecks;
  if (left === 0) return;
  checksLeft.set(parts.storage, left - 1);
  const check = async () => {
    const isKnown = await isVerifiedUser(parts, { ...ownerOf(run.settings), userId });
    if (!isKnown || checksLeft.get(parts.storage) === 0) return;
    checksLeft.set(parts.storage, 0);
    emitWarning({ code: "user_unverified", message }, { logger: run.logger, eventBuses: [parts.eventBus] });
  };
  parts.sessions.track(check().catch(() => undefined));
}

/** Returns true if the verified user of this name has a session or a fact. */
async function isVerifiedUser(
  { sessions, config: { userMemory } }: AgentParts,
  { tenantId, userId }: { tenantId?: string | undefined; userId: string },
): Promise<boolean> {
  const listed = await sessions.listSessions({ tenantId, userId }, { limit: 1 });
  if (listed.sessions.length > 0) return true;
  if (userMemory === undefined) return false;
  return (await userMemory.getContextString(factOwnerId(userMemory, userId, { tenantId }), { tenantId })) !== "";
}
