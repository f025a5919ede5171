import { isWithin } from "./machine-time.ts";
import type { TimeSpan } from "./machine-time.ts";
import { lastNumber, readToken } from "./token.ts";

/** Tokens that did not come once each and in their order, and attempts that began again. All are 0 when nothing is wrong. */
export type TokenFaults = { gaps: number; doubles: number; outOfOrder: number; restarts: number };

/** The tokens that a reader has of one run: the highest number, and lower ones that have not come. */
type ReadRun = { highest: number; missing: Set<number> };

/** The tokens of many runs as their readers get them: checks that each comes once and in its order, and keeps the times. */
export class TokenTally {
  readonly #runs = new Map<string, ReadRun>();
  readonly #givenMs: number[] = [];
  readonly #lateMs: number[] = [];
  readonly #tookMs: number[] = [];
  #doubles = 0;
  #outOfOrder = 0;
  #restarts = 0;

  /** Number of runs with a token. */
  get startedRuns(): number {
    return this.#runs.size;
  }

  get faults(): TokenFaults {
    const gaps = [...this.#runs.values()].reduce((sum, { missing }) => sum + missing.size, 0);
    return { gaps, doubles: this.#doubles, outOfOrder: this.#outOfOrder, restarts: this.#restarts };
  }

  /** Takes the text of a chunk that a reader got at a time. */
  take(runId: string, text: string, readMs: number): void {
    const { number, givenMs, lateMs } = readToken(text);
    this.#givenMs.push(givenMs);
    this.#lateMs.push(lateMs);
    this.#tookMs.push(readMs - givenMs);
    const run = this.#runOf(runId);
    if (number > run.highest) advance(run, number - 1, number);
    else if (run.missing.delete(number)) this.#outOfOrder += 1;
    else this.#doubles += 1;
  }

  /** Notes that an attempt began again: what its readers have is void. */
  restart(runId: string): void {
    this.#restarts += 1;
    this.#runs.set(runId, { highest: 0, missing: new Set() });
  }

  /** Compares what a reader has with the whole answer. */
  end(runId: string, answer: string): void {
    const last = lastNumber(answer);
    advance(this.#runOf(runId), last, last);
  }

  /** Returns the milliseconds of the tokens that were given within a span: from the model to the reader, and since they were due. */
  given(span: TimeSpan): { tookMs: Float64Array; sinceDueMs: Float64Array } {
    const places = [...this.#givenMs.keys()].filter((place) => isWithin(this.#givenMs[place] ?? Number.NaN, span));
    const took = (place: number) => this.#tookMs[place] ?? Number.NaN;
    const late = (place: number) => this.#lateMs[place] ?? Number.NaN;
    return {
      tookMs: Float64Array.from(places, took),
      sinceDueMs: Float64Array.from(places, (place) => took(place) + late(place)),
    };
  }

  #runOf(runId: string): ReadRun {
    const run = this.#runs.get(runId) ?? { highest: 0, missing: new Set() };
    this.#runs.set(runId, run);
    return run;
  }
}

/** Advances a run to a number. Those between its highest one and the last missing one have not come. */
function advance(run: ReadRun, lastMissing: number, highest: number): void {
  for (let number = run.highest + 1; number <= lastMissing; number++) run.missing.add(number);
  run.highest = Math.max(run.highest, highest);
}
