import type { HeldCalls } from "@troupe-internal/interleavings";
import type { LogEntry } from "../../../agents/journal/log-entry.ts";
import type { RunRecord } from "../../record/run-record.ts";
import type { RunRequest } from "../../record/run-view.ts";
import type { SessionOwner } from "../../../sessions/storage/session-owner.ts";
import { RunWriteRecorder } from "../../../testing/run-write-recorder.ts";
import { HeldNode } from "./held-node.ts";
import type { World } from "./held-node.ts";

/** A run as its clients know it. */
export type KnownRun = {
  readonly request: RunRequest & { readonly runId: string; readonly owner: SessionOwner; readonly input: string };
  /** True once its acceptance was told, and once its refusal was. */
  isAccepted: boolean;
  isRefused: boolean;
  /** True once someone has begun to remove it, and once that was told. */
  isRemoving: boolean;
  isRemoved: boolean;
  /** True once its cancel was told. */
  isCancelled: boolean;
  /** True once it was submitted again: then it may be there after its removal. */
  isRepeated: boolean;
  /** The time at which its last wait is over by itself. */
  deadline: number;
  /** The answers that were taken, by the id of the wait. */
  readonly answers: Map<string, string>;
};

/** Two users of one name, in two tenants, and a caller without a verified user. */
export const owners: readonly SessionOwner[] = [
  { tenantId: "one", userId: "ada" },
  { tenantId: "two", userId: "ada" },
  { tenantId: "one", userId: "guest", verified: false },
];

/** Processes that serve runs over one storage, one after another or two at once, and what is known of their runs. */
export class RunWorld implements World {
  readonly held: HeldCalls;
  readonly isAlone: boolean;
  /** Compares the writes of all processes with the table of transitions. */
  readonly recorder = new RunWriteRecorder();
  readonly storage = this.recorder.memory();
  readonly runs: KnownRun[] = [];
  heldPart = 0.15;
  readonly #nodes: HeldNode[] = [];
  #started = 0;
  #seed = 1;
  #isEnding = false;
  /** The model calls under way, by the input of the run. */
  readonly #working = new Map<string, number>();
  /** The number of payments by the id of the run. */
  readonly #payments = new Map<string, number>();

  constructor(held: HeldCalls, isAlone: boolean) {
    this.held = held;
    this.isAlone = isAlone;
    this.storage.watch("runs", () => void this.#noteDeadlines());
    this.#beginMissing();
  }

  /** A generator of numbers that look random, from the steps until now. */
  readonly random = (): number => {
    this.#seed = (Math.imul(this.#seed ^ (this.held.trace.length << 7), 1_664_525) + 1_013_904_223) >>> 0;
    return (this.#seed >>> 8) / 2 ** 24;
  };

  readonly onWork = (input: string, change: 1 | -1): void => {
    const count = (this.#working.get(input) ?? 0) + change;
    this.#working.set(input, count);
    // A process that stands still learns only later that another one has its run.
    this.held.check(count <= 1 || !this.isAlone, `two attempts perform ${input} at once`);
    const { notBefore = 0 } = this.runs.find(({ request }) => request.input === input)?.request ?? {};
    this.held.check(Date.now() >= notBefore, `${input} is performed before its time`);
  };

  readonly onPayment = (runId: string): void => {
    const { request, answers, isRemoving = false } = this.runs.find((run) => run.request.runId === runId) ?? {};
    const count = (this.#payments.get(runId) ?? 0) + 1;
    this.#payments.set(runId, count);
    const again = [...(answers?.values() ?? [])].filter((answer) => answer.includes('"again"')).length;
    // An attempt that comes to its log in the midst of its removal takes the run for a new one.
    this.held.check(count <= 1 + again || isRemoving, `${request?.input} pays twice`);
  };

  /** A process that takes requests. */
  get node(): HeldNode | undefined {
    return this.pick(this.#nodes.filter(({ isEnding }) => !isEnding));
  }

  pick<Value>(values: readonly Value[]): Value | undefined {
    return values[Math.floor(this.random() * values.length)];
  }

  changePace(): void {
    if (!this.#isEnding) this.heldPart = this.heldPart > 0.3 ? 0.05 : this.heldPart + 0.2;
  }

  /** Ends a process at once. One that has the storage to itself is followed by another one. */
  readonly end = (node: HeldNode): void => {
    if (!this.#nodes.includes(node)) return;
    this.#nodes.splice(this.#nodes.indexOf(node), 1);
    node.die();
    if (this.isAlone || this.#nodes.length === 0) this.#beginMissing();
  };

  /** Lets a process die after some more calls of its storage; where there is only one of two, another one begins. */
  kill(mostCalls: number): void {
    const node = this.pick(this.#nodes);
    if (node === undefined || (!this.isAlone && this.#nodes.length === 1)) return this.#beginMissing();
    if (mostCalls === 0) this.end(node);
    else node.callsToDeath = Math.floor(this.random() * mostCalls);
  }

  /** Ends a process in peace, and begins another one. */
  async replace(): Promise<void> {
    const { node } = this;
    if (node === undefined) return;
    await node.close();
    if (this.#nodes.includes(node)) this.#nodes.splice(this.#nodes.indexOf(node), 1);
    this.#beginMissing();
  }

  async drain(): Promise<void> {
    const { node } = this;
    if (node === undefined || !node.isServing) return;
    await node.drain();
    if (!node.isEnding) await node.serve();
  }

  /** Lets nothing come late any more. One process is enough from now on: it takes over what the others have left. */
  endTrouble(): void {
    this.#isEnding = true;
    this.heldPart = 0;
    for (const node of this.#nodes) node.callsToDeath = Infinity;
    this.#beginMissing();
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) await node.close();
  }

  /** The records of all runs by their ids. */
  async records(): Promise<Map<string, RunRecord>> {
    const entries = await this.storage.list("runs");
    return new Map(entries.map(({ key, value }) => [key, value as unknown as RunRecord]));
  }

  /** The logs of all runs by their ids. */
  async logs(): Promise<Map<string, LogEntry[]>> {
    const logs = new Map<string, LogEntry[]>();
    for (const { key, value } of await this.storage.list("run-log")) {
      const [runId = ""] = key.split("/");
      const { entries } = value as unknown as { entries: LogEntry[] };
      logs.set(runId, [...(logs.get(runId) ?? []), ...entries]);
    }
    return logs;
  }

  #beginMissing(): void {
    while (this.#nodes.length < (this.isAlone || this.#isEnding ? 1 : 2)) {
      const node = new HeldNode(`n${(this.#started += 1)}`, this);
      this.#nodes.push(node);
      node.serve().catch(() => undefined);
    }
  }

  async #noteDeadlines(): Promise<void> {
    const records = await this.records();
    for (const run of this.runs) {
      const { status, waits = [], waitsUntil = Infinity } = records.get(run.request.runId) ?? {};
      if (status === "waiting") run.deadline = Math.min(waitsUntil, ...waits.map(({ until = Infinity }) => until));
    }
  }
}
