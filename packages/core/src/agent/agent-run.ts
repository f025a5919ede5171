import { TroupeError } from "../errors/troupe-error.ts";
import { checkInput } from "../guardrail/check-guardrails.ts";
import { checkContent } from "../run/check-content.ts";
import type { MessageContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { ActiveRun, RunEnd, RunWork } from "../run/run-work.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { interruptedTurn } from "../session/interrupted-turn.ts";
import type { OpenSession } from "../session/open-session.ts";
import type { NewTurn } from "../session/turn-record.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { AgentParts } from "./agent-parts.ts";
import { buildMessages } from "./build-messages.ts";
import { extractFacts } from "./extract-facts.ts";
import type { LoopPlan } from "./loop-plan.ts";
import { modelOptions } from "./model-options.ts";
import type { ModelTurn } from "./model-turn.ts";
import { SessionMemory } from "./session-memory.ts";
import { toolLoop } from "./tool-loop.ts";
import { callIdsOf } from "./turn-call-ids.ts";

/** How often a model may ask for tools when nothing else is said. */
const defaultRoundtrips = 10;

/** What an agent does within a run. */
export class AgentRun<Structured> implements RunWork<Structured> {
  readonly #parts: AgentParts;
  readonly #turn: ModelTurn;
  readonly #run: ActiveRun<Structured>;
  readonly #progress: LoopPlan["progress"] = {};
  readonly #memory: SessionMemory | undefined;
  #session: OpenSession | undefined;

  constructor(parts: AgentParts, turn: ModelTurn, run: ActiveRun<Structured>) {
    this.#parts = parts;
    this.#turn = turn;
    this.#run = run;
    const { memory, model } = parts.config;
    // A session that ends with the run above leaves nothing behind.
    const remembers = memory !== undefined && run.request.sessionStorage === undefined;
    this.#memory = remembers ? new SessionMemory({ memory, run, model }) : undefined;
  }

  async begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    const { context, record, request } = this.#run;
    const { userId, tenantId } = request;
    const access = { owner: { userId, tenantId }, signal: context.signal };
    const session = await this.#parts.sessionsFor(request).open(request.sessionId, access);
    this.#session = session;
    // The run may have ended since the session was granted: then nobody else gives it back.
    if (context.signal.aborted) session.release();
    context.signal.throwIfAborted();
    const tools = await this.#parts.tools.load();
    record.input = await this.#readInput();
    const past = { run: this.#run, session, memory: this.#memory };
    const messages = await buildMessages(this.#parts, { past, tools });
    return toolLoop(this.#planOf(messages, tools));
  }

  async commit(): Promise<void> {
    const { record, context } = this.#run;
    const seq = await this.#store("completed", record.messages);
    try {
      await this.#memory?.add(record, seq);
    } catch (error) {
      // The turn is stored: the next run of the session finds what its memory has missed.
      context.logger.warn("The memory could not take in a turn.", { error });
    }
  }

  async salvage(): Promise<void> {
    const messages = interruptedTurn(this.#run.record.messages, this.#progress.step);
    if (messages !== null) await this.#store("interrupted", messages);
  }

  async ended(end: RunEnd<Structured>): Promise<void> {
    const { hooks } = this.#parts.config;
    const { context } = this.#run;
    if ("output" in end) {
      extractFacts(this.#parts, this.#run);
      await hooks?.afterRun?.(context, end.output);
    } else await hooks?.onError?.(context, end.error);
  }

  release(): void {
    this.#session?.release();
  }

  /** What the user said, behind the guardrails and the hook. */
  async #readInput(): Promise<MessageContent> {
    const { context, input } = this.#run;
    const { guardrails, hooks } = this.#parts.config;
    const checked = await checkInput(input, { guardrails: guardrails?.input ?? [], context });
    const passed = checkContent(checked, "What the guardrails made of the input");
    const replaced = await hooks?.beforeRun?.(context, passed);
    return replaced === undefined ? passed : checkContent(replaced, "What beforeRun returned");
  }

  #planOf(messages: readonly ChatMessage[], tools: ToolSet): LoopPlan<Structured> {
    const { config, retry, eventBus, structured } = this.#parts;
    const { context, record, meter } = this.#run;
    return {
      model: config.model,
      turn: this.#turn,
      messages,
      callIds: callIdsOf(messages),
      options: modelOptions(this.#parts, context),
      retry,
      tools,
      maxToolRoundtrips: config.maxToolRoundtrips ?? defaultRoundtrips,
      structured: structured as CompiledSchema<Structured> | undefined,
      outputGuardrails: config.guardrails?.output ?? [],
      onToolCall: config.hooks?.onToolCall?.bind(config.hooks),
      eventBus,
      context,
      meter,
      record,
      progress: this.#progress,
    };
  }

  async #store(status: NewTurn["status"], messages: ChatMessage[]): Promise<number> {
    const { context, record, meter } = this.#run;
    const { runId, agentName: runnable } = context;
    if (this.#session === undefined) throw new TroupeError("internal", "A run is to be stored that has no session.");
    return await this.#session.appendTurn({
      runId,
      runnable,
      input: record.input,
      messages,
      status,
      usage: meter.total,
    });
  }
}
