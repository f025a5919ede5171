import { seededRandom } from "@troupe-internal/fault-tools";
import type { StorageAddress } from "../processes/open-storage.ts";
import { buildService } from "./build-service.ts";
import { Client } from "./client.ts";
import type { ClientSession } from "./client.ts";
import { CrashRecord } from "./crash-record.ts";
import { CrashRound } from "./crash-round.ts";
import type { Mutant } from "./mutant-storage.ts";
import type { Scene } from "./scene.ts";
import { ServiceProcess } from "./service-process.ts";
import { startStrictVendor } from "./strict-vendor.ts";

/** Plan of crash trials: their number, their storage, and a mutant of it when one is named. */
export type CrashPlan = { storage: StorageAddress; trials: number; seed: number; mutant?: Mutant };

/**
 * Trials after which the killed sessions are asked again, all at once, since each waits until its lease expires. SecantusDB,
 * which stands in for MongoDB in the tests, does not keep up with many.
 */
const trialsPerRound = { sqlite: 8, postgres: 8, mongodb: 2 };

/** Runs the trials and returns their record. */
export async function tryCrashes(plan: CrashPlan): Promise<CrashRecord> {
  const [vendor, service] = await Promise.all([
    startStrictVendor(),
    buildService(new URL("./service.ts", import.meta.url)),
  ]);
  const processes: Promise<ServiceProcess>[] = [];
  const boot: Scene["boot"] = (storage) => {
    const setup = { storage, vendorUrl: vendor.url, ...(plan.mutant && { mutant: plan.mutant }) };
    const booting = ServiceProcess.boot(service.file, setup);
    processes.push(booting);
    return booting;
  };
  const scene = { client: new Client(), record: new CrashRecord(), random: seededRandom(plan.seed), vendor, boot };
  try {
    await (plan.storage.kind === "mongodb" ? runOnCollections : runOnOneStorage)(scene, plan);
    return scene.record;
  } finally {
    for (const process of processes) await (await process).close();
    await vendor.close();
    service.remove();
  }
}

/** Runs all rounds on one storage, so that sessions which recovered are killed again. */
async function runOnOneStorage(scene: Scene, plan: CrashPlan): Promise<void> {
  let rested: readonly ClientSession[] = [];
  for (const trials of roundsOf(plan)) {
    const round = await CrashRound.open(scene, { storage: plan.storage, rested });
    for (const trial of trials) await round.run(trial);
    rested = await round.askAgain();
  }
}

/**
 * Runs each round on a collection of its own, since SecantusDB scans a whole collection for every listing. All sessions are
 * asked again at the end: by then MongoDB has released most transactions of dead processes.
 */
async function runOnCollections(scene: Scene, plan: CrashPlan): Promise<void> {
  const rounds: CrashRound[] = [];
  for (const trials of roundsOf(plan)) {
    const storage = { ...plan.storage, collection: `crash_${rounds.length + 1}` };
    const round = await CrashRound.open(scene, { storage, rested: [] });
    rounds.push(round);
    for (const trial of trials) await round.run(trial);
  }
  for (const round of rounds) await round.askAgain();
}

/** Numbers of the trials in each round. */
function roundsOf({ storage, trials }: CrashPlan): number[][] {
  const most = trialsPerRound[storage.kind];
  const all = Array.from({ length: trials }, (_, index) => index + 1);
  return Array.from({ length: Math.ceil(trials / most) }, (_, round) => all.slice(round * most, (round + 1) * most));
}
