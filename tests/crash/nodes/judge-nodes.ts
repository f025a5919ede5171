import type { EffectLine } from "./effects-file.ts";
import type { NodesEvidence, StoredRun } from "./evidence.ts";
import { effectsOf, onceTools } from "./questions.ts";
import type { RunScene } from "./questions.ts";

/** The ends of runs as their clients saw them, and the times at which processes were stopped and went on. */
export type NodesCase = NodesEvidence & {
  /** The kind of each run that a client has followed. */
  scenes: ReadonlyMap<string, RunScene>;
  /** Tells if a process had just gone on after it was stopped. */
  hasJustGoneOn: (node: string, at: number) => boolean;
};

/** Compares all that is stored, and all effects, with what is promised. */
export function* judgeNodes(trial: NodesCase): Generator<string> {
  const effects = Map.groupBy(trial.effects, ({ key }) => key.slice(0, key.indexOf("/")));
  const turns = Map.groupBy(trial.turns, (runId) => runId);
  const ids = new Set(trial.runs.map(({ runId }) => runId));
  for (const run of trial.runs) {
    yield* judgeLog(run);
    yield* judgeEffects(run, effects.get(run.runId) ?? [], trial);
    yield* judgeTurns(run, turns.get(run.runId)?.length ?? 0);
  }
  for (const runId of trial.open) yield `The run ${runId} is listed as open.`;
  for (const runId of trial.scenes.keys()) if (!ids.has(runId)) yield `The run ${runId} was accepted and is not stored.`;
  for (const runId of effects.keys()) if (!ids.has(runId)) yield `The run ${runId} had an effect and is not stored.`;
}

/** One run: records without gaps, each step done once, and one end, after which nothing comes. */
function* judgeLog({ runId, status, entries, numbers }: StoredRun): Generator<string> {
  if (!["completed", "cancelled", "error"].includes(status)) yield `The run ${runId} has not ended: it is ${status}.`;
  if (numbers.some((number, index) => number !== index + 1)) yield `The log of ${runId} has a gap.`;
  const ends = entries.filter(({ t }) => t === "end").length;
  if (ends !== 1 || entries.at(-1)?.t !== "end") yield `The log of ${runId} has ${ends} ends, or goes on behind one.`;
  const done = entries.flatMap(({ t, step }) => (t === "done" ? [step] : []));
  if (new Set(done).size < done.length) yield `A step of ${runId} was done twice.`;
}

/** Each effect once, none after its result was stored, and none that is missing. */
function* judgeEffects(run: StoredRun, lines: readonly EffectLine[], trial: NodesCase): Generator<string> {
  const { runId, status, entries } = run;
  const isLate = ({ node, at }: EffectLine) => trial.hasJustGoneOn(node, at);
  const steps = new Map(entries.flatMap(({ t, key, step }) => (t === "call" ? [[String(key), step]] : [])));
  const doneAt = new Map(entries.flatMap(({ t, step, at }) => (t === "done" ? [[step, Number(at)]] : [])));
  for (const [key, calls] of Map.groupBy(lines, (line) => line.key)) {
    const { tool = "" } = calls[0] ?? {};
    const step = steps.get(key);
    // A pure tool has no entry of its call.
    if (step === undefined && tool !== "pure") yield `The call ${key} of ${tool} is not in the log of its run.`;
    if (onceTools.includes(tool) && calls.length > 1 && !calls.some(isLate)) {
      yield `The effect ${key} of ${tool} took place ${calls.length} times.`;
    }
    const stored = doneAt.get(step ?? key.slice(key.indexOf("/") + 1)) ?? Infinity;
    if (calls.some((call) => call.at > stored && !isLate(call))) yield `${key} was called after its result was stored.`;
  }
  const scene = trial.scenes.get(runId);
  if (status !== "completed" || scene === undefined) return;
  const found = new Set(lines.map(({ key, tool }) => `${tool} ${key}`)).values().map((name) => name.split(" ")[0] ?? "");
  const [had, expected] = [found.toArray().toSorted().join(), effectsOf(scene).toSorted().join()];
  if (had !== expected) yield `The run ${runId} (${scene}) had the effects ${had}. Expected ${expected}.`;
}

/** A completed run has one turn in its session; another one has at most one. */
function* judgeTurns({ runId, status }: StoredRun, count: number): Generator<string> {
  if (count > 1 || (count === 0 && status === "completed")) yield `The run ${runId} (${status}) has ${count} turns.`;
}
