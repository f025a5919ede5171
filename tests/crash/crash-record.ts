import type { Answer, ClientSession } from "./client.ts";
import type { KilledMoment } from "./killed-moments.ts";
import { moments } from "./service-process.ts";

/** A kill counts as one under load from so many runs in flight. */
const loaded = 8;

/** What was seen over some trials. */
export class CrashRecord {
  /** A sentence for each promise that was broken. */
  readonly violations: string[] = [];
  /** Kills by the moment that they hit. */
  readonly hits: Partial<Record<KilledMoment, number>> = {};
  /** How long the next message on each session took. */
  readonly #nextMs: number[] = [];
  trials = 0;
  kills = 0;
  killsUnderLoad = 0;
  acknowledged = 0;
  inFlight = 0;
  /** Next messages that a storage refused which had not yet let go of what the dead process was doing. */
  heldBack = 0;

  noteKill({ moment, isHit, inFlight }: { moment: KilledMoment; isHit: boolean; inFlight: number }): void {
    this.kills += 1;
    this.inFlight += inFlight;
    if (inFlight >= loaded) this.killsUnderLoad += 1;
    if (isHit) this.hits[moment] = (this.hits[moment] ?? 0) + 1;
  }

  noteAnswer(answer: Answer): void {
    if (answer.end === "acknowledged") this.acknowledged += 1;
    if (answer.end === "refused")
      this.violations.push(`A turn was refused with ${answer.status} ${answer.code}, and nothing was wrong.`);
  }

  noteNext({ sessionId }: ClientSession, answer: Answer, ms: number): void {
    this.noteAnswer(answer);
    this.#nextMs.push(ms);
    if (answer.end !== "acknowledged")
      this.violations.push(`The next message on ${sessionId} was not accepted: ${JSON.stringify(answer)}.`);
  }

  /** What is not as it must be; of the moments only when there were trials enough to hit each of them five times. */
  get faults(): string[] {
    const faults = [...this.violations];
    if (this.killsUnderLoad < 0.8 * this.kills)
      faults.push(`Only ${this.killsUnderLoad} of ${this.kills} kills had ${loaded} or more runs in flight.`);
    const isLong = this.trials >= 15;
    for (const moment of moments) {
      const hits = this.hits[moment] ?? 0;
      if (isLong && hits < 5) faults.push(`${hits} kills hit ${moment}: five were needed.`);
    }
    return faults;
  }

  /** The figures, for people. */
  toLines(): string[] {
    const hits = Object.entries(this.hits).map(([moment, count]) => `${moment} ${count}`);
    const missed = this.kills - Object.values(this.hits).reduce((sum, count) => sum + count, 0);
    const waits = this.#nextMs.toSorted((one, other) => one - other);
    const waited = waits.filter((ms) => ms > 5000).length;
    const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(1)} s`;
    return [
      `${this.trials} trials, ${this.kills} kills, ${this.killsUnderLoad} of them with ${loaded} or more runs in flight`,
      `kills by moment: ${hits.join(", ")}; too late for theirs ${missed}`,
      `turns: ${this.acknowledged} acknowledged, ${this.inFlight} in flight at a kill`,
      `next messages: ${waits.length}, of which ${waited} waited for the lease of a dead process; all answered within ${seconds(waits.at(-1))}`,
      `refused meanwhile by a storage that still held what a dead process was writing: ${this.heldBack}`,
      `promises broken: ${this.violations.length}`,
    ];
  }
}
