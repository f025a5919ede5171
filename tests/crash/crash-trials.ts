import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "@troupe-internal/testkit";
import type { FakeVendor } from "@troupe-internal/testkit";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { Breach } from "./breaches.ts";
import { buildService } from "./build-service.ts";
import type { BuiltService } from "./build-service.ts";
import { Client } from "./client.ts";
import type { Answer, ClientSession } from "./client.ts";
import { CrashRecord } from "./crash-record.ts";
import { judge } from "./judge.ts";
import { killedMoments } from "./killed-moments.ts";
import type { KilledMoment } from "./killed-moments.ts";
import { ServiceProcess } from "./service-process.ts";
import { startStrictVendor } from "./strict-vendor.ts";

/** What is tried: so many trials on this storage, with a promise broken on purpose when one is named. */
export type CrashPlan = { storage: StorageAddress; trials: number; seed: number; breach?: Breach };

/** How many sessions ask at every moment. */
const runsInFlight = 12;

/**
 * After so many trials the sessions that were killed are asked again, all at once: each waits until its lease is over, and
 * in MongoDB until it has let go of what a dead process was writing, which takes a minute.
 */
const trialsPerRound = { sqlite: 8, postgres: 8, mongodb: 15 };

/** How long MongoDB may keep what a dead process left open. */
const orphanMs = 120_000;

/** A moment that has not come by then does not come. */
const patienceMs = 20_000;

/** Plays the trials and gives what was seen. */
export async function tryCrashes(plan: CrashPlan): Promise<CrashRecord> {
  const [vendor, service] = await Promise.all([startStrictVendor(), buildService()]);
  const trials = new CrashTrials(plan, { vendor, service });
  try {
    return await trials.play();
  } finally {
    await trials.close();
    await vendor.close();
    service.remove();
  }
}

/**
 * One trial is three kills of a service under load, each with a restart on the same storage and a look at what is stored:
 * at two named moments, then at a random one. The next process boots while the one before is under load, to save time; it
 * opens the storage when that one is dead.
 */
class CrashTrials {
  readonly #record = new CrashRecord();
  readonly #client = new Client();
  readonly #plan: CrashPlan;
  readonly #vendor: FakeVendor;
  readonly #service: BuiltService;
  readonly #random: () => number;
  readonly #processes: Promise<ServiceProcess>[] = [];
  /** Those killed in this round first, then those of earlier rounds. */
  #sessions: ClientSession[] = [];
  #killedInRound = 0;

  constructor(plan: CrashPlan, { vendor, service }: { vendor: FakeVendor; service: BuiltService }) {
    this.#plan = plan;
    this.#vendor = vendor;
    this.#service = service;
    this.#random = seededRandom(plan.seed);
  }

  async play(): Promise<CrashRecord> {
    let service = await this.#boot();
    await service.serve();
    for (let trial = 1; trial <= this.#plan.trials; trial += 1) {
      for (const moment of killedMoments(trial)) service = await this.#killAndRestart(service, moment);
      const isRoundOver = trial % trialsPerRound[this.#plan.storage.kind] === 0 || trial === this.#plan.trials;
      if (isRoundOver) await this.#askAllAgain(service);
      this.#record.trials += 1;
    }
    return this.#record;
  }

  async close(): Promise<void> {
    for (const process of this.#processes) await (await process).close();
  }

  /** Until one kill has hit the moment that is meant. */
  async #killAndRestart(first: ServiceProcess, moment: KilledMoment): Promise<ServiceProcess> {
    let service = first;
    for (;;) {
      const next = this.#boot();
      const sessions = this.#takeSessions();
      const isHit = await this.#killUnderLoad(service, { moment, sessions });
      await service.close();
      service = await next;
      await service.serve();
      const { operations } = this.#client;
      this.#record.violations.push(...(await judge(this.#plan.storage, { sessions, operations, exchanges: [] })));
      if (isHit) return service;
    }
  }

  async #killUnderLoad(
    service: ServiceProcess,
    { moment, sessions }: { moment: KilledMoment; sessions: readonly ClientSession[] },
  ): Promise<boolean> {
    const { gone, onAnswer } = await this.#armed(service, moment);
    const load = sessions.map(async (session) => await this.#askUntilCut(service.url, { session, onAnswer }));
    const isHit = await Promise.race([gone, this.#outOfPatience(service)]);
    const inFlight = (await Promise.all(load)).filter((wasCut) => wasCut).length;
    this.#record.noteKill({ moment, isHit, inFlight });
    return isHit;
  }

  /** A random moment is counted from an answer, so that it lies within turns also on a slow machine. */
  async #armed(service: ServiceProcess, moment: KilledMoment) {
    const draw = this.#random();
    if (moment !== "random") {
      const perTurn = moment === "after_model" || moment === "after_tool" ? 2 : 1;
      const { gone } = await service.killAt(moment, Math.ceil(perTurn * (4 + draw * 2 * runsInFlight)));
      return { gone, onAnswer: () => {} };
    }
    const { promise, resolve: onAnswer } = Promise.withResolvers<void>();
    const gone = promise.then(async () => {
      await sleep(draw * 300);
      await service.kill();
      return true;
    });
    return { gone, onAnswer };
  }

  async #outOfPatience(service: ServiceProcess): Promise<boolean> {
    await sleep(patienceMs, undefined, { ref: false });
    await service.kill();
    return false;
  }

  /** One question after the other; whether the last was under way when the service died. */
  async #askUntilCut(url: string, { session, onAnswer }: { session: ClientSession; onAnswer: () => void }) {
    for (;;) {
      const answer = await this.#client.ask(url, session);
      this.#record.noteAnswer(answer);
      if (answer.end !== "acknowledged") return answer.end === "cut";
      onAnswer();
    }
  }

  /** The next message on every session that was killed: it waits for a lease, and is then accepted. */
  async #askAllAgain(service: ServiceProcess): Promise<void> {
    const sessions = this.#sessions.splice(0, this.#killedInRound);
    this.#killedInRound = 0;
    const askedAt = performance.now();
    const asked = sessions.map(async (session) => {
      const answer = await this.#askAgain(service.url, session);
      this.#record.noteNext(session, answer, performance.now() - askedAt);
    });
    await Promise.all(asked);
    const exchanges = this.#vendor.exchanges.splice(0);
    const { operations } = this.#client;
    this.#record.violations.push(...(await judge(this.#plan.storage, { sessions, operations, exchanges })));
    this.#sessions.push(...sessions);
  }

  /**
   * MongoDB keeps a transaction open whose process died before its commit, for a minute by default. Until then the session
   * is refused as unavailable, and its client asks again. Others are served meanwhile; SecantusDB also needs that, for it
   * looks for what has expired whenever something else begins.
   */
  async #askAgain(url: string, session: ClientSession): Promise<Answer> {
    const deadline = performance.now() + orphanMs;
    for (;;) {
      const answer = await this.#client.ask(url, session);
      const isHeldBack = answer.end === "refused" && answer.code === "storage_unavailable";
      if (!isHeldBack || this.#plan.storage.kind !== "mongodb" || performance.now() > deadline) return answer;
      this.#record.heldBack += 1;
      await this.#client.ask(url, this.#client.newSession());
    }
  }

  /** Sessions that no dead process holds: those of an earlier round, else new ones. */
  #takeSessions(): ClientSession[] {
    const from = this.#killedInRound;
    this.#killedInRound += runsInFlight;
    while (this.#sessions.length < this.#killedInRound) this.#sessions.push(this.#client.newSession());
    return this.#sessions.slice(from, this.#killedInRound);
  }

  #boot(): Promise<ServiceProcess> {
    const { storage, breach } = this.#plan;
    const setup = { storage, vendorUrl: this.#vendor.url, ...(breach && { breach }) };
    const booting = ServiceProcess.boot(this.#service.file, setup);
    this.#processes.push(booting);
    return booting;
  }
}
