import { gaps } from "./gaps.ts";
import type { Gap } from "./gaps.ts";

/** A test in a report of vitest. `served` is where it was served, if it serves. */
export type ReportedTest = {
  readonly fullName: string;
  readonly status: string;
  readonly meta: { readonly served?: { readonly server: string; readonly reason?: string } };
};

/** The outcome of the suite on one server. */
export type Outcome = {
  /** The tests that have passed on the server itself. */
  readonly passed: number;
  /** The tests that need another server, by their reasons. */
  readonly elsewhere: ReadonlyMap<string, number>;
  /** The tests of the suite that serve nothing. */
  readonly without: number;
  /** The declared gaps, with the number of tests that fail by each. */
  readonly gaps: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
};

/** Judges the tests of one server by the gaps that are declared for it. */
export function judge(server: string, tests: readonly ReportedTest[]): Outcome {
  const elsewhere = new Map<string, number>();
  const own = gaps.filter(({ servers }) => servers.some((each) => each === server));
  const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  const isDeclared = (name: string): boolean => own.some(({ tests: parts }) => partOf(parts, name) !== undefined);
  for (const { meta } of tests) {
    const { reason } = meta.served ?? {};
    if (reason !== undefined) elsewhere.set(reason, (elsewhere.get(reason) ?? 0) + 1);
  }
  const faults = failed.filter((name) => !isDeclared(name)).map((name) => `failed: ${name}`);
  return {
    passed: tests.filter(({ status, meta }) => status === "passed" && meta.served?.server === server).length,
    elsewhere,
    without: tests.filter(({ meta }) => meta.served === undefined).length,
    gaps: new Map(own.map(({ reason, tests: parts }) => [reason, failed.filter((name) => partOf(parts, name)).length])),
    faults: [...faults, ...own.flatMap((gap) => closedParts(gap, failed))],
  };
}

function partOf(parts: Gap["tests"], name: string): string | undefined {
  return Object.keys(parts).find((part) => name.includes(part));
}

/** Returns what is declared as a gap and fails less often, or more often. */
function closedParts({ reason, tests }: Gap, failed: readonly string[]): string[] {
  return Object.entries(tests).flatMap(([part, expected]) => {
    const found = failed.filter((name) => name.includes(part)).length;
    return found === expected ? [] : [`${found} instead of ${expected} tests "${part}" fail since ${reason}`];
  });
}
