import type { StorageDriver } from "../storage/storage-driver.ts";
import { findSession } from "./create-session.ts";
import { leaveSource } from "./fork-session.ts";
import { removeSession } from "./remove-session.ts";
import type { SessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

/** Removes the hidden sessions that only held turns for a deleted fork, if no other fork needs them. */
export async function removePasts(driver: StorageDriver, fork: SessionRef, session: SessionRecord): Promise<void> {
  let past = await leaveSource(driver, fork, session);
  while (past !== undefined) {
    const found = await findSession(driver, past);
    await removeSession({ driver }, past, null);
    past = found === null ? undefined : await leaveSource(driver, past, found);
  }
}
