import type { HeldCalls } from "@troupe-internal/interleavings";
import { Agent } from "../../../agents/agent/agent.ts";
import { LocalEngine } from "../../processes/local-engine.ts";
import type { RunEngine } from "../../processes/run-engine.ts";
import { TroupeError } from "../../../base/errors/troupe-error.ts";
import { runNamespaces } from "../../../agents/journal/log-entry.ts";
import { silentLogger } from "../../../base/log/logger.ts";
import type { ModelChunk } from "../../../model/model-chunk.ts";
import type { ModelCallOptions } from "../../../model/model-config.ts";
import type { ModelMessage } from "../../../model/vendor-state.ts";
import type { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../../sessions/storage/storage-driver.ts";
import type { ToolDef } from "../../../agents/run/tool.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import { defineTool } from "../../../agents/tool/define-tool.ts";
import { RunService } from "../run-service.ts";

/**
 * Milliseconds that a tool waits for an approval, and a run of a caller without a verified user for any answer: longer
 * than a sweep.
 */
const waitMs = 50_000;
/** The number of runs that a process performs at a time. */
const concurrency = 2;
/** The number of runs that a user may have open. */
export const perCaller = 3;

/** The world that all processes share. */
export type World = {
  readonly held: HeldCalls;
  readonly storage: InMemoryStorage;
  /** True when the process has the storage to itself: its engine is the local one. */
  readonly isAlone: boolean;
  /** The part of the calls that is held. */
  heldPart: number;
  /** Returns a number from 0 to 1, the same ones in each play of a plan. */
  readonly random: () => number;
  /** Called when a process begins with a model call of a run, and when that has ended. */
  readonly onWork: (input: string, change: 1 | -1) => void;
  /** Ends a process at once. */
  readonly end: (node: HeldNode) => void;
  /** Called when a process begins with the call of a tool that pays. */
  readonly onPayment: (runId: string) => void;
};

/** The calls of its storage that a process makes at most. */
const mostCalls = 20_000;

const namespaces: readonly unknown[] = Object.values(runNamespaces);

/** A process that serves runs, and may die: then it writes nothing any more, and what it waits for never comes. */
export class HeldNode {
  readonly name: string;
  readonly service: RunService;
  readonly #world: World;
  readonly #death = new AbortController();
  #calls = 0;
  isServing = false;
  /** The number of calls of its storage after which the process dies. */
  callsToDeath = Infinity;
  /** True for a process that takes no more requests. */
  isEnding = false;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    const storage = this.#heldStorage();
    this.service = new RunService({
      node: name,
      storage,
      engine: this.#engine(),
      agents: this.#agents(storage),
      admission: { perCaller },
      retention: { anonymousWaitMs: waitMs },
      sealKeys: ["0123456789abcdef0123456789abcdef"],
      logger: silentLogger,
      now: () => Date.now(),
    });
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  async serve(): Promise<void> {
    await this.whileAlive(this.service.serve({ concurrency }));
    this.isServing = true;
  }

  /** Returns what work resolves to. Rejects when the process dies before. */
  async whileAlive<Value>(work: Promise<Value>): Promise<Value> {
    const { signal } = this.#death;
    const { promise: died, reject } = Promise.withResolvers<never>();
    const onDeath = (): void => reject(new TroupeError("unavailable", "The process has died."));
    signal.addEventListener("abort", onDeath);
    if (signal.aborted) onDeath();
    return await Promise.race([work, died]).finally(() => signal.removeEventListener("abort", onDeath));
  }

  /** Ends the process. What is left of it in memory clears its timers, and reaches nothing. */
  die(): void {
    this.isEnding = true;
    this.#death.abort(new TroupeError("storage_unavailable", "The process has died."));
    void this.service.close().catch(() => undefined);
  }

  async drain(): Promise<void> {
    this.isServing = false;
    await this.whileAlive(this.service.drain(1000));
  }

  /** Ends the process in peace. */
  async close(): Promise<void> {
    this.isEnding = true;
    await this.whileAlive(this.service.close());
  }

  #heldStorage(): StorageDriver {
    const { storage } = this.#world;
    return new Proxy(storage, {
      // Not one in memory: others may write to it.
      getPrototypeOf: () => Object.prototype,
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        if (name === "close") return async () => undefined;
        if (name === "watch") {
          return (namespace: string, listener: () => void) => target.watch(namespace, () => this.isDead || listener());
        }
        return async (...args: unknown[]) => {
          return await this.#call(`${String(name)} ${describe(args)}`, async () => {
            return (await Reflect.apply(member, target, args)) as unknown;
          });
        };
      },
    });
  }

  /** Makes a call of the storage: at once, or late, or its answer is late; a late one may fail. */
  async #call(name: string, work: () => Promise<unknown>): Promise<unknown> {
    const { held, heldPart, random } = this.#world;
    const { signal } = this.#death;
    this.#calls += 1;
    if (this.#calls > mostCalls) return await this.#stop(name);
    const isOwn = isOfRuns(name);
    if (isOwn) this.#ageBy(1);
    signal.throwIfAborted();
    if (!isOwn || heldPart === 0 || random() >= heldPart) return await work();
    const isLateAnswer = random() < 0.5;
    const answer = isLateAnswer ? await work() : undefined;
    try {
      await held.hold(`${this.name}: ${isLateAnswer ? "the answer of " : ""}${name}`, () => undefined, { signal });
    } catch (cause) {
      throw new TroupeError("storage_unavailable", "The database restarts.", { cause });
    }
    return isLateAnswer ? answer : await work();
  }

  #ageBy(calls: number): void {
    this.callsToDeath -= calls;
    if (this.callsToDeath < 0) this.#world.end(this);
  }

  /** Lets a process stand still that asks again and again: in memory nothing else would ever have its turn. */
  async #stop(name: string): Promise<never> {
    this.#world.held.check(false, `${this.name} asks its storage without a pause: ${name}`);
    return await new Promise<never>(() => undefined);
  }

  /** Waits for something of the outside world. */
  async #hold(name: string, signal: AbortSignal | undefined): Promise<void> {
    const { held, heldPart } = this.#world;
    const signals = [this.#death.signal, ...(signal === undefined ? [] : [signal])];
    for (const each of signals) each.throwIfAborted();
    if (heldPart > 0) await held.hold(`${this.name}: ${name}`, () => undefined, { signal: AbortSignal.any(signals) });
  }

  #engine(): RunEngine {
    const local = new LocalEngine();
    if (this.#world.isAlone) return local;
    return {
      submit: async (job) => await local.submit(job),
      withdraw: async (runId) => await local.withdraw(runId),
      serve: async (perform, options) => await local.serve(perform, options),
      waiting: async () => await local.waiting(),
      close: async () => await local.close(),
    };
  }

  /** Agents by name: `chat` answers, `pay` asks for an approval first, `ask` has a question. */
  #agents(storage: StorageDriver): Record<string, Agent> {
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: { type: "object" },
      needsApproval: true,
      waitMs,
      execute: async (_args: unknown, { runId, signal }) => {
        this.#world.onPayment(runId);
        await this.#hold(`the payment of ${runId.slice(-4)}`, signal);
        return "paid";
      },
    });
    const ask = defineTool({ name: "ask", description: "Asks.", parameters: { type: "object" } });
    const make = (name: string, tool?: ToolDef): Agent =>
      new Agent({
        name,
        storage,
        model: new HeldModel(tool?.name, async (input, signal) => await this.#think(input, signal)),
        tools: tool === undefined ? [] : [tool],
        onWaiting: name === "chat" ? "cancel" : "reject",
      });
    return { chat: make("chat"), pay: make("pay", pay), ask: make("ask", ask) };
  }

  async #think(input: string, signal: AbortSignal | undefined): Promise<void> {
    const { onWork } = this.#world;
    if (this.isDead) return await this.#hold("a model", signal);
    onWork(input, 1);
    await this.#hold(`the model of ${input}`, signal).finally(() => onWork(input, -1));
  }
}

/** A model that calls a tool, if it has one, and then answers. It thinks about each call. */
class HeldModel extends ScriptedModel {
  readonly #think: (input: string, signal: AbortSignal | undefined) => Promise<void>;

  constructor(toolName: string | undefined, think: (input: string, signal: AbortSignal | undefined) => Promise<void>) {
    super();
    this.#think = think;
    this.respond(({ messages }) => {
      const isDone = toolName === undefined || messages.at(-1)?.role === "tool";
      return isDone ? "Done." : { toolCalls: [{ name: toolName }] };
    });
  }

  override async *stream(
    messages: readonly ModelMessage[],
    options: ModelCallOptions = {},
  ): AsyncGenerator<ModelChunk, void> {
    const { content } = messages.findLast(({ role }) => role === "user") ?? {};
    await this.#think(typeof content === "string" ? content : "", options.signal);
    yield* super.stream(messages, options);
  }
}

function describe(args: readonly unknown[]): string {
  return JSON.stringify(args)
    .replaceAll(/[^\w-]+/g, " ")
    .slice(0, 120)
    .trim();
}

/** Returns true if a call has to do with the records of runs. */
function isOfRuns(name: string): boolean {
  return name.split(" ").some((word) => namespaces.includes(word));
}
