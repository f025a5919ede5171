import type { StorageDriver } from "../storage/storage-driver.ts";
import { mapBounded } from "./map-bounded.ts";
import { scan } from "./scan.ts";
import { below, memberSessionsOf, namespaces } from "./session-keys.ts";

/**
 * Removes a session with its turns and its memory, and the sessions its members had. The session's own record goes last:
 * until then its owner is known, and a removal that was cut short can be repeated.
 */
export async function removeSession(driver: StorageDriver, key: string): Promise<void> {
  const members = scan(driver, { namespace: namespaces.sessions, prefix: memberSessionsOf(key) });
  for await (const page of members) {
    for (const member of page) await removeOne(driver, member.key);
  }
  await removeOne(driver, key);
}

/** Removes all that stands below a prefix. */
export async function removeAll(driver: StorageDriver, namespace: string, prefix: string): Promise<void> {
  for await (const page of scan(driver, { namespace, prefix })) {
    await mapBounded(page, ({ key }) => driver.delete(namespace, key));
  }
}

async function removeOne(driver: StorageDriver, key: string): Promise<void> {
  await removeAll(driver, namespaces.turns, below(key));
  await removeAll(driver, namespaces.memory, below(key));
  await driver.delete(namespaces.memory, key);
  await driver.delete(namespaces.sessions, key);
}
