import type { Exchange } from "@troupe-internal/vendor-fakes";
import type { StorageAddress } from "../processes/open-storage.ts";
import type { Answer, ClientSession } from "./client.ts";
import { judge } from "./judge.ts";
import { killUnderLoad } from "./kill-under-load.ts";
import { killedMoments } from "./killed-moments.ts";
import type { KilledMoment } from "./killed-moments.ts";
import type { Scene } from "./scene.ts";
import type { ServiceProcess } from "./service-process.ts";

/** Where a round is played, and the sessions of earlier rounds there, which no dead process holds any more. */
export type RoundPlace = { storage: StorageAddress; rested: readonly ClientSession[] };

/** How many sessions ask at every moment. */
const runsInFlight = 12;

/** How long MongoDB may keep what a dead process left open. */
const orphanMs = 120_000;

/**
 * Some trials, and then the next message on every session that was killed. One trial is three kills of a service under
 * load, each with a restart on the same storage and a look at what is stored: at two named moments, then at a random one.
 * The next process boots while the one before is under load, to save time; it opens the storage when that one is dead.
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

  /** Has a service at the place, ready to be killed. */
  static async open(scene: Scene, place: RoundPlace): Promise<CrashRound> {
    const service = await scene.boot(place.storage);
    await service.serve();
    return new CrashRound(scene, place, service);
  }

  /** Plays the trial with this number. */
  async play(trial: number): Promise<void> {
    for (const moment of killedMoments(trial)) await this.#killUntilHit(moment);
    this.#scene.record.trials += 1;
    this.#keepExchanges();
  }

  /** Ends the round with the next message on every session that was killed, which waits for a lease; gives the sessions. */
  async askAgain(): Promise<readonly ClientSession[]> {
    await Promise.all(this.#killed.map(async (session) => await this.#askNext(session)));
    this.#keepExchanges();
    await this.#judge(this.#killed, this.#exchanges);
    await this.#service.close();
    return this.#killed;
  }

  async #killUntilHit(moment: KilledMoment): Promise<void> {
    for (let isHit = false; !isHit;) {
      const next = this.#scene.boot(this.#storage);
      const sessions = this.#takeSessions();
      isHit = await killUnderLoad(this.#scene, { service: this.#service, moment, sessions });
      await this.#service.close();
      this.#service = await next;
      await this.#service.serve();
      await this.#judge(sessions, []);
    }
  }

  async #askNext(session: ClientSession): Promise<void> {
    const askedAt = performance.now();
    const answer = await this.#askUntilHeard(session);
    this.#scene.record.noteNext(session, answer, performance.now() - askedAt);
  }

  /**
   * MongoDB keeps a transaction open whose process died before its commit, for a minute by default. Until then the session
   * is refused as unavailable, and its client asks again. Others are served meanwhile; SecantusDB also needs that, for it
   * looks for what has expired whenever something else begins.
   */
  async #askUntilHeard(session: ClientSession): Promise<Answer> {
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

  /** As many as ask at every moment, none of which was killed in this round. */
  #takeSessions(): readonly ClientSession[] {
    const sessions = this.#rested.splice(0, runsInFlight);
    while (sessions.length < runsInFlight) sessions.push(this.#scene.client.newSession());
    this.#killed.push(...sessions);
    return sessions;
  }

  /** What the vendor has seen belongs to the round that is played. */
  #keepExchanges(): void {
    this.#exchanges.push(...this.#scene.vendor.exchanges.splice(0));
  }

  async #judge(sessions: readonly ClientSession[], exchanges: readonly Exchange[]): Promise<void> {
    const { record, client } = this.#scene;
    record.violations.push(...(await judge(this.#storage, { sessions, operations: client.operations, exchanges })));
  }
}
