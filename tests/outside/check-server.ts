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

/** What a server under test did wrong, how soon the model's call ended with its client, and what a stopped reader let pass. */
export type Found = { cases: number; faults: string[]; leftMs: number; passedMegabytes: number };

/** What is done before the service ends, and whether the server can keep a run beyond its request. */
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
