import { charactersPerStep } from "../canonical-json.ts";
import { maxIssues } from "../schema-issue.ts";

/** The path from a value up to the root. A chain, so that going down copies nothing. */
export type ValuePath = { readonly parent: ValuePath; readonly key: string | number } | undefined;

/** A compiled schema: tells whether the value fits, and records in the run why it does not. */
export type Check = (value: unknown, path: ValuePath, run: CheckRun) => boolean;

/** One reason why a value does not fit. `keyword` is the JSON Schema keyword that demands `expected`. */
export type Failure = {
  readonly path: ValuePath;
  readonly keyword: string;
  readonly expected: string;
  readonly value: unknown;
};

/** Thrown through all checks when a verdict would cost too much. */
export class CheckTooCostly extends Error {}

const maxSteps = 1_000_000;
const maxNesting = 1000;
const itemsPerStep = 8;

/** One validation: its failures and its remaining budget, which ends it whatever the schema and the value are. */
export class CheckRun {
  failures: Failure[] = [];
  #steps = maxSteps;
  #nesting = 0;

  /** True when further failures would not be shown. */
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

  /** Runs the check of a schema inside another. Ends a `$ref` that leads only to itself. */
  nest(value: unknown, check: () => boolean): boolean {
    this.spend(typeof value === "string" ? 1 + value.length / charactersPerStep : 1);
    if (this.#nesting >= maxNesting) throw new CheckTooCostly();
    this.#nesting += 1;
    const fits = check();
    this.#nesting -= 1;
    return fits;
  }

  /** Checks every item, also after one that fails, so that all failures are recorded. */
  every<Item>(items: readonly Item[], check: (item: Item, index: number) => boolean): boolean {
    this.spend(items.length / itemsPerStep);
    let fits = true;
    for (const [index, item] of items.entries()) fits = check(item, index) && fits;
    return fits;
  }

  /** Tries a check without recording its failures. Returns them, or `undefined` when the value fits. */
  probe(check: () => boolean): readonly Failure[] | undefined {
    const kept = this.failures;
    this.failures = [];
    const fits = check();
    const failures = this.failures;
    this.failures = kept;
    return fits ? undefined : failures;
  }
}
