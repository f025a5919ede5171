import { applyInputGuardrails } from "../guardrail/apply-guardrails.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ModelCallOptions, ModelOptions } from "../../model/model-config.ts";
import { requireChosenTool } from "../../model/model-settings.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { checkContent } from "../run/check-content.ts";
import { ownerOf } from "../run/run-options.ts";
import type { RunEnd, RunWork } from "../run/run-work.ts";
import type { RunSettings } from "../run/run-options.ts";
import type { Run } from "../run/run.ts";
import { sessionKey } from "../../sessions/session/session-keys.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { AgentHooks } from "./agent-config.ts";
import type { AgentParts } from "./agent-parts.ts";
import { warnOfUnverified } from "./warn-of-unverified.ts";
import { buildMessages } from "./build-messages.ts";
import type { BuiltMessages } from "./build-messages.ts";
import { extractFacts } from "./extract-facts.ts";
import { callBeforeRun, callEndHook } from "./hooks.ts";
import { makeTitle } from "./make-title.ts";
import type { ModelCaller, LoopPlan } from "./loop-plan.ts";
import { mergeModelSettings } from "./merge-model-settings.ts";
import { cappedLength, compileAddedSchema, withClientTools } from "./run-additions.ts";
import { RunSession } from "./run-session.ts";
import { SessionMemory } from "./session-memory.ts";
import { toolLoop } from "./tool-loop.ts";
import { warnOfOmissions } from "./warn-of-omissions.ts";

/** The default number of round trips of an agent's run. */
const defaultRoundtrips = 10;

/** The default number of tool calls of one model call that run at the same time. Models rarely request more. */
const defaultParallelTools = 32;

/**
 * The work of one run of an agent, which `RunExecution` drives. Opens the session, checks the input, runs the tool
 * loop, stores the turn, and calls the hooks.
 */
export class AgentRun<Structured> implements RunWork<Structured> {
  readonly #parts: AgentParts;
  readonly #call: ModelCaller;
  readonly #run: Run<Structured>;
  readonly #session: RunSession;
  readonly #memory: SessionMemory | undefined;

  constructor(parts: AgentParts, call: ModelCaller, run: Run<Structured>) {
    const { memory, model, storage } = parts.config;
    this.#parts = parts;
    this.#call = call;
    this.#run = run;
    this.#session = new RunSession(run);
    // A session that lasts only as long as the parent run is not added to the memory.
    const remembers = memory !== undefined && run.settings.sessionStorage === undefined;
    const ofRun = run.settings.model ?? model;
    this.#memory = remembers ? new SessionMemory({ memory, run, model: ofRun, storage }) : undefined;
  }

  get isStructured(): boolean {
    const { additions } = this.#run.settings;
    return this.#parts.config.structuredOutput !== undefined || additions?.outputSchema !== undefined;
  }

  get answersUnstored(): boolean {
    return this.#parts.config.onStorageFailure === "answer";
  }

  async begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    const [parts, run] = [this.#parts, this.#run];
    const session = await this.#session.open(parts.sessionsFor(run.settings), parts.config.onWaiting);
    const loaded = await parts.tools.load(run.context, run.settings.tools);
    const tools = withClientTools(loaded, run.settings.additions);
    const { guardrails, hooks } = parts.config;
    if (guardrails?.input !== undefined || hooks?.beforeRun !== undefined) {
      run.input = await run.step("in", "check", () => this.#readInput());
    }
    const built = await buildMessages(parts, run, {
      session,
      memory: this.#memory,
      instructions: run.settings.instructions,
    });
    const { prepareStep } = parts.config;
    return toolLoop(planToolLoop(parts, run, { call: this.#call, ...built, tools, prepareStep }));
  }

  saveFinished(): Promise<unknown> {
    const stored = this.#session.saveFinished(this.#run.messages);
    return this.#memory === undefined ? stored : this.#remember(this.#memory, stored);
  }

  saveInterrupted(): Promise<void> {
    return this.#session.saveInterrupted();
  }

  suspend(): Promise<void> {
    return this.#session.suspend();
  }

  onEnd(end: RunEnd<Structured>): void | Promise<void> {
    if ("output" in end && this.#run.settings.isUnstored !== true) {
      extractFacts(this.#parts, this.#run);
      warnOfUnverified(this.#parts, this.#run);
      if (this.#session.madeTitle) makeTitle(this.#parts, this.#run);
    }
    return callEndHook(this.#parts.config.hooks, this.#run.context, end);
  }

  release(): void {
    this.#session.release();
  }

  async #remember(memory: SessionMemory, stored: Promise<number>): Promise<void> {
    const seq = await stored;
    if (this.#session.wasStored) return;
    const { input, messages, settings, vendorStates, refusedStates } = this.#run;
    try {
      await memory.add({ history: settings.messages, input, messages, vendorStates, refusedStates }, seq);
    } catch (error) {
      // A failure of the memory causes only a warning: the turn is stored in the session, and the session's next run
      // adds it to the memory.
      this.#run.warn("memory_not_updated", "The memory could not take in a turn.", { error });
    }
  }

  /**
   * Returns a run's input after the input guardrails and then the hook `beforeRun`. A replacement by the hook is not
   * checked by the guardrails.
   */
  async #readInput(): Promise<MessageContent> {
    const { context, input } = this.#run;
    const { guardrails } = this.#parts.config;
    const passed = await applyInputGuardrails(input, { guardrails: guardrails?.input ?? [], context });
    if (passed !== input) checkContent(passed, "What the guardrails made of the input");
    return await callBeforeRun(this.#parts.config.hooks, context, passed);
  }
}

/**
 * Makes the plan for `toolLoop` from the configuration of an agent, or of a team's orchestrator, and from the run.
 * `call` has its first messages, its tools, the hook `prepareStep`, and the function that calls the model
 * (`callByGenerate` or `callByStream`).
 */
export function planToolLoop<Structured>(
  parts: AgentParts,
  run: Run<Structured>,
  call: { call: ModelCaller; tools: ToolSet; prepareStep?: LoopPlan["prepareStep"] } & BuiltMessages,
): LoopPlan<Structured> {
  const { config, retry } = parts;
  const { additions } = run.settings;
  const structured = parts.structured ?? compileAddedSchema(additions);
  const ofRun = run.settings.modelOptions;
  const { toolChoice, ...settings } = ofRun === undefined ? parts.modelSettings : mergeModelSettings(config, ofRun);
  requireChosenTool(toolChoice, call.tools.names, { at: "modelOptions.toolChoice", code: choiceCode(run.settings) });
  return {
    ...call,
    run,
    model: run.settings.model ?? config.model,
    options: {
      ...settings,
      ...cappedLength(settings, additions),
      ...answerFormat(structured),
      ...cacheKeyOf(run.settings),
      onOmitted: warnOfOmissions(run, parts.toldOmissions),
    },
    maxContextTokens: config.maxContextTokens,
    prepareStep: call.prepareStep,
    toolChoice,
    retry,
    maxToolRoundtrips: config.maxToolRoundtrips ?? defaultRoundtrips,
    maxParallelTools: config.maxParallelTools ?? defaultParallelTools,
    structured: structured as CompiledSchema<Structured> | undefined,
    outputGuardrails: config.guardrails?.output ?? [],
    ...toolHooksOf(config.hooks),
  };
}

/** Returns the hooks that decide on tool calls, as functions. */
function toolHooksOf(hooks: AgentHooks | undefined): Pick<LoopPlan, "onToolCall" | "onApproval"> {
  return { onToolCall: hooks?.onToolCall?.bind(hooks), onApproval: hooks?.onApproval?.bind(hooks) };
}

/**
 * Returns the code of the error for a `toolChoice` that names an unknown tool: `invalid_request` if the choice or the
 * tools are options of the run, otherwise `invalid_config`.
 */
function choiceCode({ modelOptions, tools }: RunSettings): "invalid_request" | "invalid_config" {
  const isOfRun = modelOptions?.toolChoice !== undefined || tools !== undefined;
  return isOfRun ? "invalid_request" : "invalid_config";
}

/**
 * Returns the key of a run's session for vendors' prompt caches. A session with a single run has no key: a key would
 * separate its prompts from the prompts of all other sessions without any benefit.
 */
function cacheKeyOf(settings: RunSettings): Pick<ModelCallOptions, "cacheKey"> {
  if (!settings.isNamedSession || settings.sessionStorage !== undefined) return {};
  const key = sessionKey(ownerOf(settings), settings.sessionId);
  return { cacheKey: process.getBuiltinModule("node:crypto").hash("sha256", key) };
}

function answerFormat(structured: CompiledSchema | undefined): Pick<ModelOptions, "responseFormat"> {
  return structured === undefined ? {} : { responseFormat: { type: "json_schema", schema: structured.jsonSchema } };
}
