import {
  checkBodies,
  checkErrors,
  checkKeys,
  checkPrincipals,
  checkSessions,
  checkTooLarge,
  checkUploads,
} from "./check-answers.ts";
import { checkDisconnects, checkResumed, checkShutdown, checkSlowReader } from "./check-streams.ts";
import { Probe } from "./probe.ts";
import type { WatchedVendor } from "./watched-vendor.ts";

/**
 * The faults of a server under test, the time until the model's call ended with its client, and the amount of data
 * that passed a stopped reader.
 */
export type Found = { cases: number; faults: string[]; leftMs: number; passedMegabytes: number };

/** The work before the service ends, and true if the server can keep a run beyond its request. */
type Checking = { readonly beforeEnd?: () => Promise<void>; readonly keepsRuns?: boolean };

/** Checks the checked service on a server: every subject of HTTP once. Ends the service. */
export async function checkServer(
  url: string,
  vendor: WatchedVendor,
  { beforeEnd, keepsRuns = true }: Checking = {},
): Promise<Found> {
  const probe = new Probe(url, vendor, keepsRuns);
  await checkBodies(probe);
  await checkKeys(probe);
  await checkPrincipals(probe);
  await checkSessions(probe);
  await checkUploads(probe);
  await checkErrors(probe);
  if (keepsRuns) await checkResumed(probe);
  const leftMs = await checkDisconnects(probe);
  const passedMegabytes = await checkSlowReader(probe);
  await checkTooLarge(probe);
  await beforeEnd?.();
  if (keepsRuns) await checkShutdown(probe);
  return { cases: probe.cases, faults: probe.faults, leftMs, passedMegabytes };
}
