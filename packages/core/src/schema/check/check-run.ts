import { charactersPerStep } from "../canonical-json.ts";
import { maxIssues, type SchemaIssue, shorten } from "../schema-issue.ts";
import { describeValue } from "./describe-value.ts";

/** Where in the value a check stands, as a chain upwards: nothing is copied on the way down. */
export type Place = { readonly parent: Place; readonly key: string | number } | undefined;

/** A compiled schema: tells whether the value fits, and leaves in the run why it does not. */
export type Check = (value: unknown, place: Place, run: CheckRun) => boolean;

/** One reason why a value does not fit. `keyword` is the JSON Schema keyword that says so. */
export type Failure = {
  readonly place: Place;
  readonly keyword: string;
  readonly expected: string;
  readonly value: unknown;
};

/** Thrown through all checks when a verdict would cost too much. */
export class CheckTooCostly extends Error {}

const maxSteps = 1_000_000;

const maxNesting = 1000;

/** One validation: what failed so far, and what it may still cost. A hostile schema or value ends it, never the process. */
export class CheckRun {
  failures: Failure[] = [];
  #steps = maxSteps;
  #nesting = 0;

  /** True when more failures would not be shown anyway. */
  get isFull(): boolean {
    return this.failures.length >= maxIssues;
  }

  fail(failure: Failure): false {
    if (!this.isFull) this.failures.push(failure);
    return false;
  }

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new CheckTooCostly();
  }

  /** Runs one schema inside another; a `$ref` that only leads to itself ends here. */
  nest(value: unknown, check: () => boolean): boolean {
    this.spend(typeof value === "string" ? 1 + value.length / charactersPerStep : 1);
    if (this.#nesting >= maxNesting) throw new CheckTooCostly();
    this.#nesting += 1;
    const fits = check();
    this.#nesting -= 1;
    return fits;
  }

  /** Tries a check and gives its failures, which are then not the run's own. */
  probe(check: () => boolean): readonly Failure[] | undefined {
    const kept = this.failures;
    this.failures = [];
    const fits = check();
    const failures = this.failures;
    this.failures = kept;
    return fits ? undefined : failures;
  }
}

/** Puts a failure into words. */
export function toIssue({ place, expected, value }: Failure): SchemaIssue {
  return { path: pathOf(place), message: shorten(`expected ${expected}, got ${describeValue(value)}`), expected };
}

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) path.unshift(at.key);
  return path;
}
