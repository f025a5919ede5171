import type { EventBus } from "../../base/events/event-bus.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { checkContent } from "../run/check-content.ts";
import { keepsSteps } from "../run/keeps-steps.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import type { RunEvents } from "../run/run-events.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { UnstructuredRunOutput, StructuredRunOutput } from "../run/run-output.ts";
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

/** The result of an agent's run, typed by the agent's schema. Without a known schema its type has no `structured`. */
export type AgentOutput<Schema extends ObjectSchema | undefined> = undefined extends Schema
  ? UnstructuredRunOutput
  : StructuredRunOutput<InferSchema<Schema, unknown>>;

/**
 * An agent: a language model with instructions, tools, memory, and an optional answer schema, which determines the type
 * of its output.
 */
export class Agent<
  const Schema extends ObjectSchema | undefined = ObjectSchema | undefined,
  Output extends UnstructuredRunOutput = AgentOutput<Schema>,
> implements Runnable<Output> {
  readonly #parts: AgentParts<Schema>;

  constructor(config: AgentConfig<Schema>) {
    checkAgentConfig(config);
    const { limits, storage, memory, userMemory } = config;
    this.#parts = new AgentParts({ ...config, limits: limits && { ...limits } });
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
   * The tools that are the same for all runs. Tools of a source are known once a run has loaded them. Tools that depend
   * on the context of a run are not listed.
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

  /** The sessions of the agent, to list, read and delete. Deleting a session also deletes the agent's memory of it. */
  get sessions(): SessionStore {
    return this.#parts.sessions;
  }

  /** The schema of the agent's answers, if it has a schema. */
  get structuredOutput(): Schema | undefined {
    return this.#parts.config.structuredOutput;
  }

  get hasStructuredOutput(): boolean {
    return this.#parts.config.structuredOutput !== undefined;
  }

  /**
   * Runs the agent and resolves to the whole answer. A failed run rejects with a `RunError`, whose output contains
   * everything up to the failure.
   */
  async run(input: MessageContent, opts?: RunOpts): Promise<Output> {
    return (await this.#execute(callByGenerate, input, opts).run()) as UnstructuredRunOutput as Output;
  }

  /** Creates a streaming run, which starts when it is first read. Throws for wrong options immediately. */
  stream(input: MessageContent, opts?: RunOpts): RunStream<Output> {
    return this.#execute(callByStream, input, opts) as RunStream<unknown> as RunStream<Output>;
  }

  /**
   * Waits up to 5 seconds for unfinished session titles, cancels the rest, and closes the tool sources. The caller
   * closes the storage afterwards.
   */
  async close(): Promise<void> {
    await this.#parts.endBackgroundWork();
    await this.#parts.tools.close();
  }

  #execute(call: ModelCaller, input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const parts = this.#parts;
    const { name, model, sessionId, userId, limits, telemetry } = parts.config;
    const settings = resolveRunOpts(opts, { sessionId, userId, limits, providerId: model.providerId, telemetry });
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

// Marks agents as runnables that do their work in journal steps. The mark is on the prototype, because serializers
// print own properties.
Object.defineProperty(Agent.prototype, keepsSteps, { value: true });
