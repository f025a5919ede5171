import { idle, start } from "./model-state.ts";
import type { ModelState, Thread } from "./model-state.ts";
import { next } from "./run-model.ts";
import { brokenIn } from "./run-promises.ts";

/**
 * Returns the same state for states that differ only in the order of the processes, or in the versions of the open entry
 * that no process compares.
 */
function canonical(state: ModelState): ModelState {
  const isComparing = ({ task, at }: Thread) => task === "unlist" || (task.startsWith("wake") && at === 1);
  const versions = [state.open, ...state.threads.filter(isComparing).map(({ seen }) => seen)];
  const ranks = [...new Set(versions.filter((version) => version > 0))].toSorted((one, other) => one - other);
  const rank = (version: number) => ranks.indexOf(version) + 1;
  const threads = state.threads.map((each) => (isComparing(each) ? { ...each, seen: rank(each.seen) } : each));
  const [one = idle, two = idle, ...clients] = threads;
  const processes = keyOf(one) <= keyOf(two) ? [one, two] : [two, one];
  const overlapped = state.overlapped || threads.filter(({ task }) => performing.has(task)).length > 1;
  return {
    ...state,
    overlapped,
    open: rank(state.open),
    version: ranks.length,
    threads: [...processes, ...clients],
  };
}

/** The tasks of a process that performs or ends the run. */
const performing = new Set(["attempt", "work", "call", "suspend", "unlist", "end", "finish", "settle", "takeOver"]);

function keyOf({ task, at, known, attempt, seen }: Thread): string {
  return task === "" ? "" : `${task}.${at}.${known}.${attempt}.${seen}`;
}

function stateKey(state: ModelState): string {
  const { record, counted, open, places, ends, log, inbox, effects, acknowledged, crashes, threads } = state;
  const rest = [effects, acknowledged, crashes, state.overlapped, state.held];
  const facts = [record, counted, open, places, ends, log, inbox, ...rest].join(" ");
  return `${facts} ${threads.map(keyOf).join(" ")}`;
}

/** Options of an exploration. */
type Exploration = {
  /** False for processes that list a run when they wake it, whatever has happened meanwhile. @default true */
  compares?: boolean;
  /** The number of states after which it ends. @default none */
  atMost?: number;
};

/**
 * Explores all states that follow the start. Returns the number of states, and the first broken promise.
 *
 * @param mayCancel true for a client that cancels the run, false for one that answers its questions
 */
export function explore(
  mayCancel: boolean,
  { compares = true, atMost = Infinity }: Exploration = {},
): { states: number; broken?: string } {
  const first = { ...start, calls: !mayCancel, compares };
  const known = new Set<string>([stateKey(first)]);
  const front = [first];
  for (let state = front.pop(); state !== undefined; state = front.pop()) {
    for (const each of next(state, mayCancel)) {
      if (known.size >= atMost) return { states: known.size };
      const after = canonical(each);
      const key = stateKey(after);
      if (known.has(key)) continue;
      known.add(key);
      const broken = brokenIn(after);
      if (broken !== undefined) return { states: known.size, broken: `${broken} ${key}` };
      front.push({ ...after, calls: first.calls });
    }
  }
  return { states: known.size };
}
