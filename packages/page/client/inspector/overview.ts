import type { InspectedRun } from "../../src/inspector/inspected-run.ts";

/** The runs of an agent, a team or a workflow on one day. */
export type OverviewRow = {
  readonly kind: InspectedRun["kind"];
  readonly name: string;
  readonly runs: number;
  readonly errors: number;
  /** Milliseconds that half of the ended runs took at most; undefined if none has ended. */
  readonly p50?: number | undefined;
  /** Milliseconds that 95 of 100 ended runs took at most; undefined if none has ended. */
  readonly p95?: number | undefined;
  readonly tokens: number;
};

/** The rows of one day, by the time at which the day began. */
export type OverviewDay = { readonly day: number; readonly rows: readonly OverviewRow[] };

/** Returns the runs by day, the newest first, and by agent, the one with most tokens first. */
export function summarize(runs: readonly InspectedRun[]): OverviewDay[] {
  const days = Map.groupBy(runs, ({ createdAt }) => new Date(createdAt).setHours(0, 0, 0, 0));
  return [...days].toSorted(([one], [other]) => other - one).map(([day, ofDay]) => ({ day, rows: rowsOf(ofDay) }));
}

function rowsOf(runs: readonly InspectedRun[]): OverviewRow[] {
  const byName = Map.groupBy(runs, ({ kind, name }) => `${kind} ${name}`);
  return [...byName.values()]
    .map(rowOf)
    .toSorted((one, other) => other.tokens - one.tokens || other.runs - one.runs || (one.name < other.name ? -1 : 1));
}

function rowOf(runs: readonly InspectedRun[]): OverviewRow {
  const times = runs.flatMap(({ createdAt, startedAt = createdAt, endedAt }) =>
    endedAt === undefined ? [] : [Math.max(0, endedAt - startedAt)],
  );
  const sorted = times.toSorted((one, other) => one - other);
  const { kind = "agent", name = "" } = runs[0] ?? {};
  return {
    kind,
    name,
    runs: runs.length,
    errors: runs.filter(({ status }) => status === "error").length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    tokens: runs.reduce((sum, { tokens = 0 }) => sum + tokens, 0),
  };
}

/** Returns the smallest value that a share of the sorted values do not exceed. */
function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
