// oxlint-disable complexity -- the steps and the promises of the model read best as one list of cases each
import { writeOrders } from "../run-writes.ts";
import { idle } from "./model-state.ts";
import type { ModelState, Thread } from "./model-state.ts";

const client = 2;
const mostCrashes = 1;
const mostEntries = 8;
/** The maximum number of attempts without a crash: one of them is late. Each crash allows another. */
const mostAttempts = 2;

const has = (text: string, part: string) => text.includes(part);
const attemptsIn = (log: string) => log.split("a").length - 1;
const isOver = ({ record }: ModelState) => record === "ended";
/** The run may continue: it has all answers that its log asks for, or was cancelled. */
const isDue = ({ log, inbox }: ModelState) =>
  has(inbox, "c") || (has(log, "q") && has(inbox, "q")) || (has(log, "w") && has(inbox, "w"));

/** The writes of a transition as the code makes them. */
const writesOf = (task: string): readonly string[] => writeOrders.get(task) ?? [];

function withThread(state: ModelState, index: number, thread: Thread): ModelState {
  return { ...state, threads: state.threads.with(index, thread) };
}

const opened = (state: ModelState, held = false): ModelState => {
  const version = state.version + 1;
  return { ...state, open: version, version, held };
};

/** Adds an entry behind the log that a thread knows; undefined if another attempt was faster. */
function appended(state: ModelState, index: number, entry: string): ModelState | undefined {
  const thread = state.threads[index] ?? idle;
  if (state.log !== thread.known || state.log.length >= mostEntries) return undefined;
  const log = state.log + entry;
  return withThread({ ...state, log }, index, { ...thread, known: log });
}

/** Returns all states that may follow a state. */
export function next(state: ModelState, mayCancel: boolean): ModelState[] {
  return state.threads.flatMap((thread, index) => {
    const following = thread.task === "" ? begins(state, index, mayCancel) : [stepOn(state, index)];
    const mayCrash = thread.task !== "" && state.crashes < mostCrashes;
    return mayCrash ? [...following, withThread({ ...state, crashes: state.crashes + 1 }, index, idle)] : following;
  });
}

/** The tasks that an idle thread may begin. */
function begins(state: ModelState, index: number, mayCancel: boolean): ModelState[] {
  const begin = (task: string, more: Partial<Thread> = {}) =>
    withThread(state, index, { ...idle, task, known: state.log, ...more });
  if (index === client)
    return clientTasks(state, mayCancel).map((task) => begin(task, { seen: state.record === "waiting" ? 1 : 0 }));
  // The sweep, or the engine, lets any process take the run up while it is among the open runs.
  if (state.open === 0) return [];
  const isAccepting = state.threads[client]?.task === "accept";
  if (state.record === "absent") return isAccepting ? [] : [begin("dropOrphan")];
  if (isOver(state)) return [begin("settle")];
  if (has(state.log, "e")) return [begin("finish")];
  if (state.record === "waiting" && !isDue(state)) return unlists(state, begin);
  if (attemptsIn(state.log) >= mostAttempts + state.crashes) return [];
  return [begin("attempt", { attempt: attemptsIn(state.log) + 1, seen: state.record === "waiting" ? 1 : 0 })];
}

/**
 * The sweep keeps an entry held for as long as a client may be at the run, and then renews it as an entry like others.
 */
function unlists(state: ModelState, begin: (task: string, more: Partial<Thread>) => ModelState): ModelState[] {
  const isClientBusy = state.threads[client]?.task !== "";
  if (state.held && isClientBusy) return [];
  const begun = begin("unlist", { seen: state.open });
  return [{ ...begun, held: false }];
}

function clientTasks(state: ModelState, mayCancel: boolean): string[] {
  const { acknowledged, inbox, log, record } = state;
  if (record === "absent") return acknowledged === "" && state.crashes === 0 && state.open === 0 ? ["accept"] : [];
  if (isOver(state)) return [];
  if (mayCancel) return has(inbox, "c") || acknowledged !== "A" ? [] : ["cancel"];
  const tasks: string[] = [];
  if (has(log, "q") && !has(acknowledged, "q")) tasks.push("answer q");
  if (has(log, "w") && !has(acknowledged, "w")) tasks.push("answer w");
  return tasks;
}

/** The writes that change nothing in this model: they concern the session, and entries that it has written before. */
const outside = new Set(["accept.attempt", "suspend.wait", "end.session"]);
/** The tasks whose end is no event for others. */
const endsQuietly = new Set(["accept", "answer", "wake", "call", "settle", "end", "dropOrphan"]);

/** Makes the next write of a thread, and all that it does then by itself. */
function stepOn(state: ModelState, index: number): ModelState {
  let after = step(state, index);
  for (;;) {
    const { task, at } = after.threads[index] ?? idle;
    const [name = ""] = task.split(" ");
    const write = writesOf(name)[at];
    const isQuiet = write === undefined ? endsQuietly.has(name) : outside.has(`${name}.${write}`);
    if (!isQuiet) return after;
    after = step(after, index);
  }
}

/** Makes the next write of a thread. */
function step(state: ModelState, index: number): ModelState {
  const thread = state.threads[index] ?? idle;
  const [task = "", about = ""] = thread.task.split(" ");
  const done = (after: ModelState) => withThread(after, index, idle);
  const go = (after: ModelState, more: Partial<Thread> = {}) =>
    withThread(after, index, { ...(after.threads[index] ?? idle), at: thread.at + 1, ...more });
  const into = (after: ModelState, other: string) =>
    withThread(after, index, { ...(after.threads[index] ?? idle), task: other, at: 0 });
  const write = writesOf(task)[thread.at];

  switch (task) {
    case "accept":
      if (write === undefined) return done({ ...state, acknowledged: "A" });
      return go(accepted(state, write));
    case "answer":
      if (write === undefined) return done({ ...state, acknowledged: state.acknowledged + about });
      if (write === "open") return go(opened(state, true));
      if (write === "answer") return go(has(state.inbox, about) ? state : { ...state, inbox: state.inbox + about });
      return state.record === "waiting" ? into(state, `wake ${about}`) : go(state);
    case "wake":
      if (write === undefined) {
        const acknowledged = about === "" ? state.acknowledged : state.acknowledged + about;
        return done({ ...state, acknowledged });
      }
      if (write === "activation") return relist(state, index, go);
      return go(state.record === "waiting" ? { ...state, record: "queued" } : state, { seen: state.open });
    case "cancel":
      // A run that waits by now is ended by the client itself.
      if (write === undefined && state.record === "waiting") return into(state, "takeOver");
      if (write === undefined) return done({ ...state, acknowledged: `${state.acknowledged}c` });
      return go(write === "open" ? opened(state, true) : { ...state, inbox: `${state.inbox}c` });
    case "takeOver":
      if (has(state.log, "e")) return into(state, "finish");
      return withThread(state, index, {
        ...thread,
        task: "attempt",
        known: state.log,
        attempt: attemptsIn(state.log) + 1,
      });
    case "attempt": {
      const begun = appended(state, index, "a");
      return begun === undefined ? done(state) : into(begun, "work");
    }
    case "work":
      return work(state, index, { done, into });
    case "call":
      return call(state, index, { write, done, into, go });
    case "suspend":
      return suspend(state, index, { write, done, go });
    case "unlist":
      return unlist(state, thread, { done, into });
    case "end":
      return end(state, index, { write, done, into, go });
    case "finish":
      return into({ ...state, record: "ended" }, "settle");
    case "settle":
      if (write === undefined) return done(state);
      return go(settled(state, write));
    default:
      if (write === undefined) return done(state);
      return go(dropped(state, write));
  }
}

/** Changes the open entry that was read, unless another process has removed it. Reads an entry again that was changed. */
function relist(state: ModelState, index: number, go: Moves["go"]): ModelState {
  const thread = state.threads[index] ?? idle;
  if (state.compares && state.open === 0) return go(state);
  if (state.compares && state.open !== thread.seen) return withThread(state, index, { ...thread, seen: state.open });
  return go({ ...opened(state), relisted: isOver(state) && state.open === 0 });
}

type Moves = {
  readonly write?: string | undefined;
  readonly done: (state: ModelState) => ModelState;
  readonly into: (state: ModelState, task: string) => ModelState;
  readonly go: (state: ModelState, more?: Partial<Thread>) => ModelState;
};

function accepted(state: ModelState, write: string): ModelState {
  if (write === "open") return opened(state);
  if (write === "places") return { ...state, places: true };
  return write === "record" ? { ...state, record: "queued" } : state;
}

/** Decides what an attempt does next, by the log that it knows: the call, the approval, and the end. */
function work(state: ModelState, index: number, { done, into }: Pick<Moves, "done" | "into">): ModelState {
  const { known } = state.threads[index] ?? idle;
  const isCancelled = has(state.inbox, "c");
  if (isCancelled) return into(state, "end");
  if (state.calls && !has(known, "d")) {
    if (!has(known, "l")) return into(state, "call");
    // The call may have had its effect: a person says that it happened.
    if (has(state.inbox, "q")) return appended(state, index, "d") ?? done(state);
    return has(known, "q") ? into(state, "suspend") : (appended(state, index, "q") ?? done(state));
  }
  if (has(state.inbox, "w")) return into(state, "end");
  return has(known, "w") ? into(state, "suspend") : (appended(state, index, "w") ?? done(state));
}

function call(state: ModelState, index: number, { write, done, into, go }: Moves): ModelState {
  if (write === undefined) return into(state, "work");
  if (write === "effect") return go({ ...state, effects: state.effects + 1 });
  const after = appended(state, index, write === "call" ? "l" : "d");
  return after === undefined ? done(state) : go(after);
}

function suspend(state: ModelState, index: number, { write, done, go }: Omit<Moves, "into">): ModelState {
  const { attempt, seen } = state.threads[index] ?? idle;
  // The approval is logged already.
  if (write === "wait") return go(state);
  if (write === "running") {
    const isSuspended = state.record === "waiting" && seen === 0;
    const isPast = isOver(state) || isSuspended || state.counted >= attempt;
    return go(isPast ? state : { ...state, record: "running", counted: attempt });
  }
  if (write === "waiting") {
    const isPast = isOver(state) || state.counted > attempt;
    return isPast ? done(state) : go({ ...state, record: "waiting", counted: attempt });
  }
  if (write === undefined) return done(state);
  return withThread(state, index, { ...(state.threads[index] ?? idle), task: "unlist", at: 0, seen: state.open });
}

/** Removes the open entry that was read before the inbox, or wakes the run. */
function unlist(state: ModelState, thread: Thread, { done, into }: Pick<Moves, "done" | "into">): ModelState {
  if (isDue(state)) return into(state, "wake");
  return done(state.open === thread.seen && !state.held ? { ...state, open: 0 } : state);
}

function end(state: ModelState, index: number, { write, done, into, go }: Moves): ModelState {
  if (write === undefined) return into(state, "settle");
  if (write === "session") return go(state);
  if (write === "record") return go(isOver(state) ? state : { ...state, record: "ended" });
  const after = appended(state, index, "e");
  return after === undefined ? done(state) : go(after);
}

function settled(state: ModelState, write: string): ModelState {
  if (write === "ends") return { ...state, ends: true };
  return write === "unplaced" ? { ...state, places: false } : { ...state, open: 0 };
}

function dropped(state: ModelState, write: string): ModelState {
  if (write === "unplaced") return { ...state, places: false };
  return write === "unlisted" ? { ...state, open: 0 } : state;
}
