import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { Answer, ClientSession } from "./client.ts";
import { judge } from "./judge.ts";
import { killUnderLoad } from "./kill-under-load.ts";
import { killedMoments } from "./killed-moments.ts";
import type { KilledMoment } from "./killed-moments.ts";
import type { Scene } from "./scene.ts";
import type { ServiceProcess } from "./service-process.ts";

/** The storage of a round, and sessions of earlier rounds on it that recovered. */
export type RoundPlace = { storage: StorageAddress; rested: readonly ClientSession[] };

/** Number of sessions that ask at every moment. */
const runsInFlight = 12;

/** Tries for one kill, each of which may come too late or under too little load. */
const maxTries = 10;

/** Milliseconds for which MongoDB may keep what a dead process left open. */
const orphanMs = 120_000;

/**
 * Some trials, and then the next message on every killed session. One trial is three kills of a service under load, at two
 * named moments and at a random one, each with a restart on the same storage and a check of what is stored. The next
 * process boots while the one before is under load, to save time; it opens the storage when that one is dead.
 */
export class CrashRound {
  readonly #scene: Scene;
  readonly #storage: StorageAddress;
  readonly #rested: ClientSession[];
  readonly #killed: ClientSession[] = [];
  readonly #exchanges: Exchange[] = [];
  #service: ServiceProcess;

  private constructor(scene: Scene, { storage, rested }: RoundPlace, service: ServiceProcess) {
    this.#scene = scene;
    this.#storage = storage;
    this.#rested = [...rested];
    this.#service = service;
  }

  /** Starts a service, ready to be killed. */
  static async open(scene: Scene, place: RoundPlace): Promise<CrashRound> {
    const service = await scene.boot(place.storage);
    await service.serve();
    return new CrashRound(scene, place, service);
  }

  /** Runs the trial with this number. */
  async run(trial: number): Promise<void> {
    for (const moment of killedMoments(trial)) await this.#killUntilHit(moment);
    this.#scene.record.trials += 1;
    this.#keepExchanges();
  }

  /** Ends the round with the next message on every killed session, which waits for its lease. Returns the sessions. */
  async askAgain(): Promise<readonly ClientSession[]> {
    await Promise.all(this.#killed.map(async (session) => await this.#askNext(session)));
    this.#keepExchanges();
    await this.#judge(this.#killed, this.#exchanges);
    await this.#service.close();
    return this.#killed;
  }

  async #killUntilHit(moment: KilledMoment): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) if (await this.#kill(moment)) return;
    this.#scene.record.missed.push(moment);
  }

  async #kill(moment: KilledMoment): Promise<boolean> {
    const next = this.#scene.boot(this.#storage);
    const sessions = this.#takeSessions();
    const counts = await killUnderLoad(this.#scene, { service: this.#service, moment, sessions });
    await this.#service.close();
    this.#service = await next;
    await this.#service.serve();
    await this.#judge(sessions, []);
    return counts;
  }

  async #askNext(session: ClientSession): Promise<void> {
    const askedAt = performance.now();
    const answer = await this.#askUntilReleased(session);
    this.#scene.record.noteNext(session, answer, performance.now() - askedAt);
  }

  /**
   * Asks until the storage has released the session. MongoDB keeps a transaction open whose process died before its commit,
   * for a minute by default, and refuses the session until then. Other sessions are served meanwhile; SecantusDB needs
   * that, since it looks for expired transactions only when another one begins.
   */
  async #askUntilReleased(session: ClientSession): Promise<Answer> {
    const deadline = performance.now() + orphanMs;
    for (;;) {
      const answer = await this.#ask(session);
      const isHeldBack = answer.end === "refused" && answer.code === "storage_unavailable";
      if (!isHeldBack || this.#storage.kind !== "mongodb" || performance.now() > deadline) return answer;
      this.#scene.record.heldBack += 1;
      await this.#ask(this.#scene.client.newSession());
    }
  }

  async #ask(session: ClientSession): Promise<Answer> {
    return await this.#scene.client.ask(this.#service.url, session);
  }

  /** Takes as many sessions as ask at every moment, none of them killed in this round before. */
  #takeSessions(): readonly ClientSession[] {
    const sessions = this.#rested.splice(0, runsInFlight);
    while (sessions.length < runsInFlight) sessions.push(this.#scene.client.newSession());
    this.#killed.push(...sessions);
    return sessions;
  }

  /** Moves the exchanges that the vendor has seen to this round. */
  #keepExchanges(): void {
    this.#exchanges.push(...this.#scene.vendor.exchanges.splice(0));
  }

  async #judge(sessions: readonly ClientSession[], exchanges: readonly Exchange[]): Promise<void> {
    const { record, client } = this.#scene;
    record.violations.push(...(await judge(this.#storage, { sessions, operations: client.operations, exchanges })));
  }
}
