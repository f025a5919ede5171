import { seededRandom } from "@troupe-internal/fault-tools";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { Breach } from "./breaches.ts";
import { buildService } from "./build-service.ts";
import { Client } from "./client.ts";
import type { ClientSession } from "./client.ts";
import { CrashRecord } from "./crash-record.ts";
import { CrashRound } from "./crash-round.ts";
import type { Scene } from "./scene.ts";
import { ServiceProcess } from "./service-process.ts";
import { startStrictVendor } from "./strict-vendor.ts";

/** What is tried: so many trials on this storage, with a promise broken on purpose when one is named. */
export type CrashPlan = { storage: StorageAddress; trials: number; seed: number; breach?: Breach };

/**
 * After so many trials the sessions that were killed are asked again, all at once, since each waits until its lease is over.
 * MongoDB's stand-in in the tests, SecantusDB, does not keep up with many.
 */
const trialsPerRound = { sqlite: 8, postgres: 8, mongodb: 2 };

/** Plays the trials and gives what was seen. */
export async function tryCrashes(plan: CrashPlan): Promise<CrashRecord> {
  const [vendor, service] = await Promise.all([startStrictVendor(), buildService()]);
  const processes: Promise<ServiceProcess>[] = [];
  const boot: Scene["boot"] = (storage) => {
    const setup = { storage, vendorUrl: vendor.url, ...(plan.breach && { breach: plan.breach }) };
    const booting = ServiceProcess.boot(service.file, setup);
    processes.push(booting);
    return booting;
  };
  const scene = { client: new Client(), record: new CrashRecord(), random: seededRandom(plan.seed), vendor, boot };
  try {
    await (plan.storage.kind === "mongodb" ? playApart : playOnOne)(scene, plan);
    return scene.record;
  } finally {
    for (const process of processes) await (await process).close();
    await vendor.close();
    service.remove();
  }
}

/** Rounds on one storage: what was killed and asked again is killed once more. */
async function playOnOne(scene: Scene, plan: CrashPlan): Promise<void> {
  let rested: readonly ClientSession[] = [];
  for (const trials of roundsOf(plan)) {
    const round = await CrashRound.open(scene, { storage: plan.storage, rested });
    for (const trial of trials) await round.play(trial);
    rested = await round.askAgain();
  }
}

/**
 * Rounds on a collection each, since SecantusDB goes through a whole collection for every listing. All are asked again at
 * the end: by then MongoDB has let go of most of what dead processes were writing.
 */
async function playApart(scene: Scene, plan: CrashPlan): Promise<void> {
  const rounds: CrashRound[] = [];
  for (const trials of roundsOf(plan)) {
    const storage = { ...plan.storage, collection: `crash_${rounds.length + 1}` };
    const round = await CrashRound.open(scene, { storage, rested: [] });
    rounds.push(round);
    for (const trial of trials) await round.play(trial);
  }
  for (const round of rounds) await round.askAgain();
}

/** The numbers of the trials in each round. */
function roundsOf({ storage, trials }: CrashPlan): number[][] {
  const most = trialsPerRound[storage.kind];
  const all = Array.from({ length: trials }, (_, index) => index + 1);
  return Array.from({ length: Math.ceil(trials / most) }, (_, round) => all.slice(round * most, (round + 1) * most));
}
