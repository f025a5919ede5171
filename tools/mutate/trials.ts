import type { Mutant } from "./draw.ts";
import { readReach, testsReaching } from "./reach.ts";
import type { Reach } from "./reach.ts";
import { RunnerProcess } from "./runner-process.ts";

/** The outcome of a mutant. Tests that only time out do not notice it. */
export type Result = {
  readonly mutant: Mutant;
  readonly outcome: "noticed" | "timed out" | "survived";
  /** The tests that ran, or the test that failed. */
  readonly note: string;
};

type Options = {
  readonly root: string;
  /** Seconds of tests for each mutant. */
  readonly seconds: number;
  readonly isWanted: (test: string) => boolean;
};

const marks = { noticed: ".", "timed out": "T", survived: "S" };

/** Tries mutants, two at a time, each with the tests that reach it. */
export class Trials {
  readonly #options: Options;
  #reach: readonly Reach[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  /** Tries mutants, and prints a mark for each. */
  async tryAll(mutants: readonly Mutant[]): Promise<Result[]> {
    if (mutants.length === 0) return [];
    const runners = [new RunnerProcess(), new RunnerProcess()] as const;
    const waiting = [...mutants];
    const results: Result[] = [];
    const work = async (runner: RunnerProcess): Promise<void> => {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const result = await this.#try(runner, mutant);
        results.push(result);
        process.stdout.write(marks[result.outcome]);
      }
    };
    try {
      const tests = await runners[0].tests();
      this.#reach = await readReach(this.#options.root, tests.filter(this.#options.isWanted));
      await Promise.all(runners.map(work));
    } finally {
      await Promise.all(runners.map((runner) => runner.close()));
    }
    return results.toSorted(
      (one, other) => one.mutant.file.localeCompare(other.mutant.file) || one.mutant.line - other.mutant.line,
    );
  }

  async #try(runner: RunnerProcess, mutant: Mutant): Promise<Result> {
    const budgetMs = this.#options.seconds * 1000;
    const { tests, left } = testsReaching(this.#reach, mutant, budgetMs);
    if (tests.length === 0) return { mutant, outcome: "survived", note: "no test reaches it" };
    const change = { file: mutant.file, text: mutant.text };
    const failures = await runner.run({ tests, change }, 60_000 + 4 * budgetMs);
    if (failures === undefined) return { mutant, outcome: "timed out", note: "no end of its tests" };
    const failure = failures.find(({ isTimeout }) => !isTimeout) ?? failures[0];
    if (failure !== undefined) {
      return {
        mutant,
        outcome: failure.isTimeout ? "timed out" : "noticed",
        note: `${failure.test} > ${failure.title}`,
      };
    }
    return { mutant, outcome: "survived", note: `${tests.length} test files${left > 0 ? `, ${left} not run` : ""}` };
  }
}
