import type { EventBus } from "../../base/events/event-bus.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { checkContent } from "../run/check-content.ts";
import { keepsJournal } from "../run/journal-step.ts";
import { readRunOpts } from "../run/read-run-opts.ts";
import type { RunEvents } from "../run/run-events.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { PlainRunOutput, StructuredRunOutput } from "../run/run-output.ts";
import { Run } from "../run/run.ts";
import type { Runnable, RunStream } from "../run/runnable.ts";
import type { InferSchema, ObjectSchema } from "../../schema/object-schema.ts";
import type { SessionStore } from "../../sessions/session/session-store.ts";
import type { ToolDef } from "../run/tool.ts";
import type { AgentConfig } from "./agent-config.ts";
import { AgentParts } from "./agent-parts.ts";
import { AgentRun } from "./agent-run.ts";
import { callByStream, callByGenerate } from "./call-model.ts";
import type { ModelCaller } from "./loop-plan.ts";
import { checkRunSettings } from "./merge-model-settings.ts";
import { checkAgentConfig } from "./check-agent-config.ts";

/** The result of a run of an agent, by its schema. An agent that is not known to have one has no `structured`. */
export type AgentOutput<Schema extends ObjectSchema | undefined> = undefined extends Schema
  ? PlainRunOutput
  : StructuredRunOutput<InferSchema<Schema, unknown>>;

/**
 * An agent: a language model with instructions, tools, memory, and a schema for its answer, from which the type of its
 * output follows.
 */
export class Agent<
  const Schema extends ObjectSchema | undefined = ObjectSchema | undefined,
  Output extends PlainRunOutput = AgentOutput<Schema>,
> implements Runnable<Output> {
  readonly #parts: AgentParts<Schema>;

  constructor(config: AgentConfig<Schema>) {
    checkAgentConfig(config);
    this.#parts = new AgentParts({ ...config });
    const { storage, memory, userMemory } = config;
    if (storage === undefined) return;
    memory?.bindStorage?.(storage);
    userMemory?.bindStorage?.(storage);
  }

  get kind(): "agent" {
    return "agent";
  }

  get name(): string {
    return this.#parts.config.name;
  }

  get description(): string | undefined {
    return this.#parts.config.description;
  }

  get eventBus(): EventBus<RunEvents> {
    return this.#parts.eventBus;
  }

  /**
   * The tools that are the same for all runs. Those of a source are known once a run has loaded them; those that depend on
   * the context of a run are not listed.
   */
  get tools(): readonly ToolDef[] {
    return this.#parts.tools.known;
  }

  get modelId(): string {
    return this.#parts.config.model.modelId;
  }

  get providerId(): string {
    return this.#parts.config.model.providerId;
  }

  /** The sessions of the agent, to list, read and delete. Its memories of a session are deleted with it. */
  get sessions(): SessionStore {
    return this.#parts.sessions;
  }

  /** The schema of its answers, if it has one. */
  get structuredOutput(): Schema | undefined {
    return this.#parts.config.structuredOutput;
  }

  get hasStructuredOutput(): boolean {
    return this.#parts.config.structuredOutput !== undefined;
  }

  /** Runs to the whole answer. A run that fails rejects with a `RunError`, whose output holds what it did until then. */
  async run(input: MessageContent, opts?: RunOpts): Promise<Output> {
    return (await this.#execute(callByGenerate, input, opts).run()) as PlainRunOutput as Output;
  }

  /** Makes a run that streams; it starts when it is first read. Wrong options are refused here and now. */
  stream(input: MessageContent, opts?: RunOpts): RunStream<Output> {
    return this.#execute(callByStream, input, opts) as RunStream<unknown> as RunStream<Output>;
  }

  /**
   * Waits for titles of sessions under way, at most 5 seconds until they are cancelled, and closes the tool sources. The
   * storage is the caller's to close, after that.
   */
  async close(): Promise<void> {
    await this.#parts.endBackgroundWork();
    await this.#parts.tools.close();
  }

  #execute(call: ModelCaller, input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const parts = this.#parts;
    const { name, model, sessionId, userId, limits } = parts.config;
    const settings = readRunOpts(opts, { sessionId, userId, limits, providerId: model.providerId });
    checkRunSettings(parts.config, settings);
    const run = new Run({
      name,
      input: checkContent(input),
      settings,
      eventBus: parts.eventBus,
      logger: parts.logger,
      model: settings.model ?? model,
    });
    return new RunExecution(run, new AgentRun(parts, call, run));
  }
}

// On the prototype, because serializers print own properties.
Object.defineProperty(Agent.prototype, keepsJournal, { value: true });
