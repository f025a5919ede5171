import type { EffectLine } from "./effects-file.ts";
import type { NodesEvidence, StoredRun } from "./evidence.ts";
import { effectsOf, onceTools, questionText } from "./questions.ts";
import type { ReadQuestion } from "./questions.ts";

/** The ends of runs as their clients saw them, and the times at which processes were stopped and went on. */
export type NodesCase = NodesEvidence & {
  /** The question of each run that a client has followed. */
  questions: ReadonlyMap<string, ReadQuestion>;
  /** Returns true if a process had just gone on after it was stopped: the given one, or any. */
  hasJustGoneOn: (node: string | undefined, at: number) => boolean;
};

/** The log of a run, and the status in its record. */
type JudgedLog = Pick<StoredRun, "runId" | "status" | "entries" | "numbers">;

/** Compares all that is stored, and all effects, with what is promised. */
export function* judgeNodes(trial: NodesCase): Generator<string> {
  const calls = trial.effects.filter(({ tool }) => tool !== "clerk");
  const effects = Map.groupBy(calls, ({ key }) => key.slice(0, key.indexOf("/")));
  const turns = Map.groupBy(trial.turns, (runId) => runId);
  const ids = new Set(trial.runs.map(({ runId }) => runId));
  for (const run of trial.runs) {
    yield* judgeLog(run);
    yield* judgeEffects(run, effects.get(run.runId) ?? [], trial);
    yield* judgeTasks(run, trial);
    yield* judgeTurns(run, turns.get(run.runId)?.length ?? 0);
  }
  for (const runId of trial.open) yield `The run ${runId} is listed as open.`;
  for (const runId of trial.questions.keys())
    if (!ids.has(runId)) yield `The run ${runId} was accepted and is not stored.`;
  for (const runId of effects.keys()) if (!ids.has(runId)) yield `The run ${runId} had an effect and is not stored.`;
}

/** One run: records without gaps, each step done once, and one end, after which nothing comes. */
export function* judgeLog({ runId, status, entries, numbers }: JudgedLog): Generator<string> {
  if (!["completed", "cancelled", "error"].includes(status)) yield `The run ${runId} has not ended: it is ${status}.`;
  if (numbers.some((number, index) => number !== index + 1)) yield `The log of ${runId} has a gap.`;
  const ends = entries.filter(({ t }) => t === "end").length;
  if (ends !== 1 || entries.at(-1)?.t !== "end") yield `The log of ${runId} has ${ends} ends, or goes on behind one.`;
  const done = entries.flatMap(({ t, step }) => (t === "done" ? [step] : []));
  if (new Set(done).size < done.length) yield `A step of ${runId} was done twice.`;
}

/** Each effect once, none after its result was stored, and none that is missing. */
function* judgeEffects(run: StoredRun, lines: readonly EffectLine[], trial: NodesCase): Generator<string> {
  for (const calls of Map.groupBy(lines, ({ key }) => key).values()) yield* judgeCalls(run, calls, trial);
  const scene = trial.questions.get(run.runId)?.scene;
  if (run.status !== "completed" || scene === undefined) return;
  const tools = new Map(lines.map(({ key, tool }) => [key, tool]));
  const [had, expected] = [[...tools.values()].toSorted().join(), effectsOf(scene).toSorted().join()];
  if (had !== expected) yield `The run ${run.runId} (${scene}) had the effects ${had}. Expected ${expected}.`;
}

/** Judges the calls with one key. Those of a process that does not know yet that it was overtaken are not ours to prevent. */
function* judgeCalls({ entries }: StoredRun, calls: readonly EffectLine[], trial: NodesCase): Generator<string> {
  const [{ key, tool }] = calls as [EffectLine];
  const inTime = calls.filter(({ node, at }) => !trial.hasJustGoneOn(node, at));
  const call = entries.find((entry) => entry.t === "call" && entry["key"] === key);
  // A pure tool has no entry of its call.
  if (call === undefined && tool !== "pure") yield `The call ${key} of ${tool} is not in the log of its run.`;
  const isOnce = onceTools.includes(tool) && inTime.length === calls.length;
  if (isOnce && calls.length > 1) yield `The effect ${key} of ${tool} took place ${calls.length} times.`;
  const step = call?.step ?? key.slice(key.indexOf("/") + 1);
  const done = entries.find((entry) => entry.t === "done" && entry.step === step);
  if (done !== undefined && inTime.some(({ at }) => at > Number(done["at"]))) {
    yield `${key} of ${tool} was called after its result was stored.`;
  }
}

/** The tasks of a run's remote member: one, and none that is not there. */
function* judgeTasks({ runId, status }: StoredRun, trial: NodesCase): Generator<string> {
  const question = trial.questions.get(runId);
  if (question?.scene !== "remote") return;
  const own = trial.effects.filter(({ key }) => key === questionText(question));
  // A process that goes on after it was stopped may send a task before it knows that its run was overtaken.
  const inTime = own.filter(({ at }) => !trial.hasJustGoneOn(undefined, at));
  const isMissing = own.length === 0 && status === "completed";
  if (inTime.length > 1 || isMissing) yield `The remote member of the run ${runId} had ${own.length} tasks.`;
}

/** A completed run has one turn in its session; another one has at most one. */
function* judgeTurns({ runId, status }: StoredRun, count: number): Generator<string> {
  if (count > 1 || (count === 0 && status === "completed")) yield `The run ${runId} (${status}) has ${count} turns.`;
}
