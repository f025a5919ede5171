import type { RunTree, TreeStep } from "./run-tree.ts";

/** The share of the time scale's width that a long pause of a run takes, whatever its length. */
const pauseShare = 0.06;
/** A pause of a run is drawn shorter if it takes more than this share of the time. */
const longPause = 0.15;

/** A pause of a run that is drawn shorter than its length, as shares of the width. */
type ShownPause = { readonly from: number; readonly to: number; readonly ms: number };

/** A scale that maps the times of a run to positions from 0 to 1. */
export type TimeScale = {
  readonly placeOf: (at: number) => number;
  readonly pauses: readonly ShownPause[];
  readonly endMs: number;
};

type Span = { readonly from: number; readonly to: number };

/**
 * Makes the scale for the steps of a run. Long waits, such as for an approval, are shortened, so that the work stays
 * visible.
 */
export function toTimeScale(tree: RunTree, now: number): TimeScale {
  const endMs = Math.max(tree.endMs ?? now, tree.startMs + 1);
  const whole: Span = { from: tree.startMs, to: endMs };
  const pauses = gapsIn(whole, workOf(tree.steps, endMs)).filter(
    ({ from, to }) => to - from > longPause * (endMs - tree.startMs),
  );
  const pausedMs = pauses.reduce((sum, { from, to }) => sum + to - from, 0);
  const workMs = Math.max(endMs - tree.startMs - pausedMs, 1);
  const workWidth = 1 - pauses.length * pauseShare;
  const placeOf = (at: number): number => {
    let [place, last] = [0, tree.startMs];
    for (const { from, to } of pauses) {
      place += (Math.max(0, Math.min(at, from) - last) / workMs) * workWidth;
      place += (Math.max(0, Math.min(at, to) - from) / (to - from)) * pauseShare;
      last = to;
    }
    place += (Math.max(0, at - last) / workMs) * workWidth;
    return Math.max(0, Math.min(1, place));
  };
  return {
    placeOf,
    pauses: pauses.map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to), ms: to - from })),
    endMs,
  };
}

/** Returns the times at which steps without child steps worked. */
function workOf(steps: readonly TreeStep[], now: number): Span[] {
  return steps.flatMap((step): Span[] => {
    const { kind, startMs, endMs = now, durationMs, status, children } = step;
    if (kind === "wait" || status === "waiting" || startMs === undefined) return workOf(children, now);
    if (children.some((child) => child.kind !== "wait")) return workOf(children, now);
    const from = children.length > 0 && durationMs !== undefined ? endMs - durationMs : startMs;
    return [{ from, to: endMs }];
  });
}

/** Returns the parts of a span that no other span covers. */
function gapsIn({ from, to }: Span, spans: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let covered = from;
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    if (span.from > covered) gaps.push({ from: covered, to: span.from });
    covered = Math.max(covered, span.to);
  }
  return covered < to ? [...gaps, { from: covered, to }] : gaps;
}
