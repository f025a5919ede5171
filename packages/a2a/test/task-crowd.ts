import { getEventListeners } from "node:events";
import { createLogger, defineTool, InMemoryStorage, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createService } from "@troupe/core/service";
import type { RunEvent, RunView } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { vi } from "vitest";
import { readA2AOptions } from "../src/server/a2a-options.ts";
import { partsOf } from "../src/server/a2a-parts.ts";
import type { A2AParts } from "../src/server/a2a-parts.ts";
import { answerCall } from "../src/server/answer-call.ts";
import type { A2AError } from "../src/wire/a2a-error.ts";
import type { A2ACall } from "../src/wire/call.ts";
import { dialectOfVersion } from "../src/wire/parse-call.ts";
import type { Answered } from "../src/wire/stream-frames.ts";
import type { A2AEvent, A2ATask } from "../src/wire/task.ts";
import { problemOf } from "./crowd-frames.ts";
import type { Frame } from "./crowd-frames.ts";
import { FakeResponse } from "./fake-response.ts";
import { scriptedAgent } from "./serve-a2a.ts";

const silent = createLogger({ level: "error", write: () => undefined });
const owner = { userId: "ann" };

/** A call of a client: its response, the signal of its end, and what was refused. */
type Client = {
  readonly call: A2ACall;
  readonly response: FakeResponse;
  readonly left: AbortController;
  readonly answered: Answered;
  isUnderWay: boolean;
  isRefused: boolean;
};

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Clients of one server that begin tasks, answer their questions, follow them and leave. */
export class TaskCrowd {
  readonly #held: HeldCalls;
  readonly #service: RunService;
  readonly #parts: A2AParts;
  readonly #clients: Client[] = [];
  readonly #taskIds: string[] = [];
  /** The events that are read for clients. */
  readonly #reading = new Set<object>();
  /** Looks at the run of a task at once. */
  readonly #lookAt: (taskId: string) => Promise<RunView>;
  #failures = 0;
  #isEnding = false;

  constructor(held: HeldCalls) {
    this.#held = held;
    const agents = { helper: this.#makeAgent() };
    const service = new RunService({ agents, storage: new InMemoryStorage(), logger: silent });
    const get = service.get.bind(service);
    this.#service = service;
    this.#lookAt = async (taskId) => await get(taskId, "host");
    this.#holdService();
    const runOptions = async () => await held.hold("runOptions", () => ({}), { canFail: false });
    const served = createService({ agents, runs: this.#service, runOptions, logger: silent });
    this.#parts = partsOf(served, readA2AOptions({}, "a2a"), { owner: "a2a" });
  }

  /** Begins to perform the tasks, and returns the scene. `hasAsked`: one of them has asked for two approvals already. */
  async serve({ hasAsked = false } = {}): Promise<Scene> {
    await this.#service.serve();
    if (hasAsked) await this.#beginAsking();
    const stream = (text: string) => this.#messageOf("stream", text);
    return {
      operations: {
        "a task is streamed": async () => await this.#ask(stream("tell"), "0.3"),
        "a task that asks is streamed": async () => await this.#ask(stream("pay"), "1.0"),
        "a task that asks is waited for": async () => await this.#ask(this.#messageOf("send", "pay"), "0.3"),
        "a task is waited for slowly": async () => await this.#ask(stream("tell"), "1.0", true),
        "one is answered": async () => await this.#answer(),
        "one is answered by another": async () => await this.#answer(),
        "the last is followed": async () => await this.#follow(this.#last, "0.3"),
        "the last is followed by another": async () => await this.#follow(this.#last, "1.0"),
        "the first is followed": async () => await this.#follow(this.#taskIds[0], "0.3"),
        "the last is canceled": async () => await this.#cancel(this.#last),
        "a client leaves": () => this.#here[0]?.response.destroy(),
        "the last client leaves": () => this.#here.at(-1)?.response.destroy(),
      },
      always: () => this.#checkClients(),
      end: async () => await this.#end(),
      afterwards: () => this.#checkEnds(),
    };
  }

  async #beginAsking(): Promise<void> {
    const begun = this.#ask(this.#messageOf("send", "pay"), "1.0");
    while (this.#here.length > 0) {
      await vi.advanceTimersByTimeAsync(10);
      this.#held.release(0, false);
    }
    await begun;
  }

  get #last(): string | undefined {
    return this.#taskIds.at(-1);
  }

  get #here(): Client[] {
    return this.#clients.filter(({ response }) => !response.closed);
  }

  /** Makes an agent that tells a story, or asks twice if it may pay, and says so. */
  #makeAgent() {
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: { type: "object", properties: { amount: { type: "number" } } },
      needsApproval: true,
      execute: () => "paid",
    });
    const calls = [1, 2].map((amount) => ({ id: `c${amount}`, name: "pay", arguments: { amount } }));
    const model = new ScriptedModel().respond(({ messages }) => {
      const isAsked = JSON.stringify(messages.at(-1)?.content).includes("pay");
      return isAsked && messages.at(-1)?.role === "user" ? { text: "Let me see.", toolCalls: calls } : "All is done.";
    });
    const stream = model.stream.bind(model);
    const held = this.#held;
    model.stream = async function* holdStream(messages, options) {
      const signal = options?.signal;
      for await (const chunk of stream(messages, options)) {
        if (chunk.type === "text") await held.hold("the model", () => undefined, { signal });
        yield chunk;
      }
    };
    return scriptedAgent([], { model, tools: [pay] });
  }

  /** Holds what the server asks of the service, and counts the events that are read. */
  #holdService(): void {
    const service = this.#service;
    const accept = service.accept.bind(service);
    const get = service.get.bind(service);
    const events = service.events.bind(service);
    const held = this.#held;
    Object.assign(service, {
      accept: async (...args: Parameters<RunService["accept"]>) => {
        await held.hold("the acceptance", () => undefined);
        const accepted = await accept(...args);
        this.#taskIds.push(accepted.runId);
        return accepted;
      },
      get: async (...args: Parameters<RunService["get"]>) => await held.hold("a look", async () => await get(...args)),
      events: (...args: Parameters<RunService["events"]>) => this.#heldEvents(events(...args)),
    });
  }

  /** Holds the events of a run, which may fail, or be kept no longer. Counts them until they are not read any more. */
  #heldEvents(events: AsyncIterableIterator<RunEvent, undefined>): AsyncIterableIterator<RunEvent, undefined> {
    const left = new AbortController();
    const done = { done: true, value: undefined } as const;
    const next = async (): Promise<IteratorResult<RunEvent, undefined>> => {
      try {
        await this.#held.hold("an event", () => undefined, { signal: left.signal });
      } catch (error) {
        if (left.signal.aborted) return done;
        throw (this.#failures += 1) % 2 === 0 ? error : new TroupeError("gone", "The events are not kept.");
      }
      return await events.next();
    };
    const close = async (): Promise<IteratorResult<RunEvent, undefined>> => {
      this.#reading.delete(events);
      left.abort();
      return (await events.return?.()) ?? done;
    };
    this.#reading.add(events);
    const iterator = { next, return: close, [Symbol.asyncIterator]: () => iterator };
    return iterator;
  }

  #messageOf(op: "send" | "stream", text: string, taskId?: string): A2ACall {
    const message = { messageId: "m", role: "user" as const, parts: [{ kind: "text" as const, text }] };
    return { op, waits: true, message: { ...message, ...(taskId !== undefined && { taskId }) } };
  }

  async #follow(id: string | undefined, version: string): Promise<void> {
    if (id !== undefined) await this.#ask({ op: "subscribe", id }, version);
  }

  /** Answers the first question of the task that waits, if one does. */
  async #answer(): Promise<void> {
    const views = await Promise.all(this.#taskIds.map(this.#lookAt));
    const asking = views.findLast(({ status }) => status === "waiting");
    if (asking !== undefined) await this.#ask(this.#messageOf("stream", "yes", asking.runId), "0.3");
  }

  async #cancel(id: string | undefined): Promise<void> {
    if (id !== undefined) await this.#ask({ op: "cancel", id }, "0.3");
  }

  async #ask(call: A2ACall, version: string, isSlow = false): Promise<void> {
    if (this.#isEnding) return;
    const slow = async (): Promise<void> => await this.#held.hold("a reader", () => undefined, { canFail: false });
    const response = new FakeResponse(isSlow ? slow : undefined);
    const left = new AbortController();
    // Not also when the answer is whole, so that what is left at the signal then is seen.
    response.once("close", () => (response.destroyed ? left.abort() : undefined));
    const client: Client = { call, response, left, answered: answeredIn(version), isUnderWay: true, isRefused: false };
    this.#clients.push(client);
    const exchange = response.exchange();
    exchange.signIn(owner);
    const caller = { owner, left: left.signal, agent: undefined };
    try {
      await answerCall(call, { parts: this.#parts, answered: client.answered, exchange, ...caller });
    } catch (error) {
      this.#held.check(response.text === "", "a call fails that has sent something");
      client.isRefused = true;
      if (!response.closed) response.end(client.answered.writeFailure(error as A2AError));
    }
    client.isUnderWay = false;
    this.#held.check(response.closed || response.writableEnded, "a call is over whose client waits on");
  }

  #checkClients(): void {
    const following = this.#here.filter(({ isUnderWay }) => isUnderWay);
    this.#held.check(this.#reading.size <= following.length, "events are read for no client");
    for (const { response } of this.#clients) {
      this.#held.check(response.sentInVain === 0, "something is sent to a client that has left");
    }
  }

  async #end(): Promise<void> {
    this.#isEnding = true;
    await wait(3000);
    // By then each task is over or waits for its client.
    const waiting = this.#here.filter((client) => !isQuiet(client)).map(({ call }) => call.op);
    this.#held.check(waiting.length === 0, `a client waits for a task that rests: ${waiting.join()}`);
    for (const taskId of this.#taskIds) await this.#endTask(taskId);
    await wait(3000);
    this.#held.check(this.#here.length === 0, "a client waits for a task that is over");
    await this.#service.close();
  }

  /** Waits until a task is over, which is canceled where it waits for its client. */
  async #endTask(taskId: string): Promise<void> {
    for (;;) {
      const { status, endedAt } = await this.#lookAt(taskId);
      if (endedAt !== undefined) return;
      if (status === "waiting") await this.#service.cancel(taskId, owner);
      await wait(20);
    }
  }

  #checkEnds(): void {
    for (const client of this.#clients) {
      const { response, left } = client;
      this.#held.check(getEventListeners(left.signal, "abort").length === 0, "something listens to a client");
      this.#held.check(response.listenerCount("close") + response.listenerCount("drain") === 0, "a writer is left");
      if (!response.destroyed) this.#checkAnswer(client);
    }
  }

  #checkAnswer({ call, response, answered, isRefused }: Client): void {
    const frames = isRefused || !response.text.startsWith("data: ") ? [response.text] : response.text.split("\n\n");
    const read = frames
      .filter((frame) => frame !== "")
      .map((frame) => JSON.parse(frame.replace("data: ", "")) as Frame);
    const problem = problemOf(read, call, answered.dialect);
    this.#held.check(problem === undefined, `${problem}: ${call.op} ${response.text}`);
  }
}

/** Returns true if a client follows a task that waited already, and has not been answered since. */
function isQuiet({ call, response }: Client): boolean {
  const states = response.text.match(/"state":"[a-z-]*"/g) ?? [];
  return call.op === "subscribe" && states.join() === '"state":"input-required"';
}

/** The form of answers that a test reads: events as they are. */
function answeredIn(version: string): Answered {
  const asEvent = (event: A2AEvent): object => event;
  const writeTask = (task: A2ATask): object => ({ type: "task", task });
  return {
    dialect: { ...dialectOfVersion(version), writeEvent: asEvent, writeAnswer: asEvent, writeTask },
    mediaType: "application/json",
    writeResult: (result) => JSON.stringify({ result }),
    writeFailure: ({ message }) => JSON.stringify({ error: message }),
    statusOf: () => 400,
  };
}
