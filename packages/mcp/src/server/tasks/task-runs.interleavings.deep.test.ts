import { getEventListeners } from "node:events";
import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createService } from "@troupe/core/service";
import type { RunView } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import type { Caller } from "../call-tool.ts";
import { readServedTools } from "../served-tools.ts";
import { TaskRuns } from "./task-runs.ts";
import type { Task } from "./task-runs.ts";

it.each([
  ["in memory", false],
  ["of the host's service", true],
])(
  "whoever follows a task %s sees each of its states once and its end last, and whoever leaves sees no more, in any order [async.interleavings]",
  async (_which, isDurable) => {
    await checkInterleavings(async (held) => await followTasks(held, isDurable), {
      seed: isDurable ? 38_804 : 38_803,
      numRuns: 15,
      maxSteps: 50,
      stepMs: 50,
      quietMs: 3000,
    });
  },
);

const ada: Caller = { opts: { tenantId: "eins", userId: "ada" }, secrets: [] };
const other: Caller = { opts: { tenantId: "zwei", userId: "ada" }, secrets: [] };
const silent = createLogger({ level: "error", write: () => undefined });

type Follower = { readonly left: AbortController; readonly seen: RunView[]; isReading: boolean; isCutOff: boolean };

/** An agent that tells a story, or asks if it may pay and says that it has. */
function payer(held: HeldCalls): Agent {
  const parameters = { type: "object", properties: {} } as const;
  const pay = defineTool({ name: "pay", description: "Pays.", parameters, needsApproval: true, execute: () => "paid" });
  const calls = [1, 2].map((count) => ({ id: `c${count}`, name: "pay", arguments: {} }));
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.content === "pay" ? { toolCalls: calls } : "All is done.",
  );
  const stream = model.stream.bind(model);
  model.stream = async function* holdStream(messages, options) {
    await held.hold("the model", () => undefined, { signal: options?.signal });
    yield* stream(messages, options);
  };
  return new Agent({ name: "payer", model, tools: [pay] });
}

/** Clients that begin tasks, follow them, answer and leave. */
class Crowd {
  readonly tasks: TaskRuns;
  readonly started: Task[] = [];
  readonly followers: Follower[] = [];
  readonly #held: HeldCalls;
  readonly #service;
  readonly #tools;
  readonly #runs: RunService | undefined;
  #isEnding = false;

  constructor(held: HeldCalls, isDurable: boolean) {
    this.#held = held;
    const agents = { payer: payer(held) };
    this.#runs = isDurable ? new RunService({ agents, storage: new InMemoryStorage(), logger: silent }) : undefined;
    this.#service = createService({ agents, logger: silent, runs: this.#runs });
    this.#tools = readServedTools(this.#service, { owner: "mcp", mayBeEmpty: false });
    this.tasks = new TaskRuns(this.#service, this.#tools.values());
  }

  /** The number of runs that are not over. */
  get size(): number {
    return this.#service.servedRuns.size;
  }

  async serve(): Promise<void> {
    const service = this.#runs;
    if (service === undefined) return;
    await service.serve();
    const get = service.get.bind(service);
    service.get = async (...args) => await this.#held.hold("get", async () => await get(...args), { canFail: false });
  }

  async start(message: string): Promise<void> {
    const [tool] = this.#tools.values();
    if (tool === undefined) return;
    this.started.push(await this.tasks.start({ tool, args: { message }, caller: ada, ttlMs: undefined }));
  }

  /** Reads what a follower is shown, perhaps slowly. */
  async follow(task: Task | undefined, isSlow: boolean): Promise<void> {
    if (task === undefined) return;
    const follower: Follower = { left: new AbortController(), seen: [], isReading: true, isCutOff: this.#isEnding };
    this.followers.push(follower);
    try {
      for await (const run of this.tasks.follow(task, follower.left.signal)) {
        this.#held.check(run.runId === task.run.runId, "a follower sees another run");
        this.#held.check(!this.hasEnd(follower), "a follower sees more than the end");
        follower.seen.push(run);
        if (isSlow) await this.#held.hold("a slow reader", () => undefined, { canFail: false });
      }
    } finally {
      follower.isReading = false;
      follower.isCutOff ||= this.#isEnding || follower.left.signal.aborted;
      this.#held.check(this.hasEnd(follower) || follower.isCutOff, "a follower does not see the end");
    }
  }

  hasEnd({ seen }: Follower): boolean {
    return seen.at(-1)?.endedAt !== undefined;
  }

  leave(index: number): void {
    this.followers
      .filter(({ isReading }) => isReading)
      .at(index)
      ?.left.abort();
  }

  async answer(): Promise<void> {
    const task = this.started.at(-1);
    const { waits = [] } = (await task?.service.get(task.run.runId, "host")) ?? {};
    for (const { id } of waits.slice(0, 1)) await task?.service.answer(task.run.runId, id, { approved: true }, "host");
  }

  async cancel(): Promise<void> {
    const task = this.started.at(-1);
    await task?.service.cancel(task.run.runId, "host");
  }

  async look(): Promise<void> {
    const { tasks } = await this.tasks.list(ada, undefined);
    const known = tasks.filter(({ run }) => this.started.some((task) => task.run.runId === run.runId));
    this.#held.check(known.length <= this.started.length, "a task is listed twice");
    this.#held.check((await this.tasks.list(other, undefined)).tasks.length === 0, "a stranger sees a task");
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const follower of this.followers) follower.left.abort();
    await this.#service.close({ graceMs: 0 });
    await this.#runs?.close();
  }
}

async function followTasks(held: HeldCalls, isDurable: boolean): Promise<Scene> {
  const crowd = new Crowd(held, isDurable);
  await crowd.serve();
  return {
    operations: {
      "a task begins": async () => await crowd.start("tell"),
      "a task that asks begins": async () => await crowd.start("pay"),
      "the last is followed": async () => await crowd.follow(crowd.started.at(-1), false),
      "the last is followed slowly": async () => await crowd.follow(crowd.started.at(-1), true),
      "the first is followed": async () => await crowd.follow(crowd.started[0], false),
      "the last is answered": async () => await crowd.answer(),
      "the last is answered again": async () => await crowd.answer(),
      "the last is cancelled": async () => await crowd.cancel(),
      "the first follower leaves": () => crowd.leave(0),
      "the last follower leaves": () => crowd.leave(-1),
      "the tasks are listed": async () => await crowd.look(),
    },
    always: () => {
      for (const { seen } of crowd.followers) {
        const states = seen.map(({ endedAt, status, waits }) => [
          endedAt,
          endedAt ?? status === "waiting",
          waits?.length,
        ]);
        for (const [index, state] of states.slice(1).entries()) expect(state).not.toEqual(states[index]);
      }
    },
    end: async () => await crowd.end(),
    afterwards: () => {
      expect(crowd.size).toBe(0);
      expect(crowd.followers.filter(({ isReading }) => isReading)).toEqual([]);
      expect(crowd.followers.flatMap(({ left }) => getEventListeners(left.signal, "abort"))).toEqual([]);
    },
  };
}
