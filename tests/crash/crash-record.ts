import type { Answer, ClientSession } from "./client.ts";
import type { KilledMoment } from "./killed-moments.ts";
import { moments } from "./service-process.ts";

/** Observations over some trials. */
export class CrashRecord {
  /** A sentence for each promise that was broken. */
  readonly violations: string[] = [];
  /** Moments that no kill hit, in as many tries as were allowed. */
  readonly missed: KilledMoment[] = [];
  /** Kills that count, by their moment. */
  readonly hits: Partial<Record<KilledMoment, number>> = {};
  /** Milliseconds that the next message on each session took. */
  readonly #nextMs: number[] = [];
  trials = 0;
  kills = 0;
  acknowledged = 0;
  inFlight = 0;
  /** Next messages refused by a storage that had not yet released what the dead process was doing. */
  heldBack = 0;

  noteKill({ moment, counts, inFlight }: { moment: KilledMoment; counts: boolean; inFlight: number }): void {
    this.kills += 1;
    if (!counts) return;
    this.inFlight += inFlight;
    this.hits[moment] = (this.hits[moment] ?? 0) + 1;
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

  /** Everything that is wrong. The number of hits is judged only after enough trials to hit each moment five times. */
  get faults(): string[] {
    const missed = this.missed.map((moment) => `No kill hit ${moment} under load, however often it was tried.`);
    const faults = [...this.violations, ...missed];
    const isLong = this.trials >= 15;
    for (const moment of moments) {
      const hits = this.hits[moment] ?? 0;
      if (isLong && hits < 5) faults.push(`${hits} kills hit ${moment}. Expected at least 5.`);
    }
    return faults;
  }

  /** Formats the figures. */
  toLines(): string[] {
    const hits = Object.entries(this.hits).map(([moment, count]) => `${moment} ${count}`);
    const repeated = this.kills - Object.values(this.hits).reduce((sum, count) => sum + count, 0);
    const waits = this.#nextMs.toSorted((one, other) => one - other);
    const waited = waits.filter((ms) => ms > 5000).length;
    const seconds = (ms: number | undefined): string => `${((ms ?? 0) / 1000).toFixed(1)} s`;
    return [
      `${this.trials} trials, ${this.kills} kills, of which ${repeated} came too late or under too little load and were repeated`,
      `kills by moment: ${hits.join(", ")}`,
      `turns: ${this.acknowledged} acknowledged, ${this.inFlight} in flight at a kill`,
      `next messages: ${waits.length}, of which ${waited} waited for the lease of a dead process; all answered within ${seconds(waits.at(-1))}`,
      `refused meanwhile by a storage that still held what a dead process was writing: ${this.heldBack}`,
      `promises broken: ${this.violations.length}`,
    ];
  }
}
