import { charactersPerStep } from "../canonical-json.ts";
import { maxIssues } from "../schema-issue.ts";

/**
 * The path of a checked value: its key in its parent, and the parent's path; `undefined` at the root. A linked list, so
 * that descending copies nothing.
 */
export type ValuePath = { readonly parent: ValuePath; readonly key: string | number } | undefined;

/**
 * A compiled schema or keyword. Returns `true` if the value fits; otherwise returns `false` and records the reasons in
 * the run.
 */
export type Check = (value: unknown, path: ValuePath, run: CheckRun) => boolean;

/** One reason why a value does not fit. `keyword` is the JSON Schema keyword that requires `expected`. */
export type Failure = {
  readonly path: ValuePath;
  readonly keyword: string;
  readonly expected: string;
  readonly value: unknown;
};

/**
 * Thrown by a `CheckRun` to end a validation that takes too many steps or nests too deep. `compileCheck` converts it to
 * an issue.
 */
export class CheckTooCostly extends Error {}

const maxSteps = 1_000_000;
const maxNesting = 1000;
const itemsPerStep = 8;

/** The state of one validation: its failures, and its budget of steps. Exceeding the budget throws `CheckTooCostly`. */
export class CheckRun {
  failures: Failure[] = [];
  #steps = maxSteps;
  #nesting = 0;

  /** True if the validation has recorded as many failures as are reported at most. */
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

  /**
   * Runs the check of a schema, which may be inside another schema. Throws `CheckTooCostly` beyond 1000 levels, as for
   * a `$ref` that only leads to itself.
   */
  nest(value: unknown, check: () => boolean): boolean {
    this.spend(typeof value === "string" ? 1 + value.length / charactersPerStep : 1);
    if (this.#nesting >= maxNesting) throw new CheckTooCostly();
    this.#nesting += 1;
    const fits = check();
    this.#nesting -= 1;
    return fits;
  }

  /** Checks every item, even after a failure, so that all failures are recorded. */
  every<Item>(items: readonly Item[], check: (item: Item, index: number) => boolean): boolean {
    this.spend(items.length / itemsPerStep);
    let fits = true;
    for (const [index, item] of items.entries()) fits = check(item, index) && fits;
    return fits;
  }

  /** Tries a check without recording its failures. Returns these failures, or `undefined` if the value fits. */
  probe(check: () => boolean): readonly Failure[] | undefined {
    const kept = this.failures;
    this.failures = [];
    const fits = check();
    const failures = this.failures;
    this.failures = kept;
    return fits ? undefined : failures;
  }
}
