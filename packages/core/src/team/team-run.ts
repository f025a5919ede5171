import { buildMessages } from "../agent/build-messages.ts";
import type { LoopPlan } from "../agent/loop-plan.ts";
import { modelOptions } from "../agent/model-options.ts";
import { streamTurn } from "../agent/model-turn.ts";
import type { ModelTurn } from "../agent/model-turn.ts";
import { callIdsOf } from "../agent/turn-call-ids.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ChatMessage } from "../message/message.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { ActiveRun, RunWork } from "../run/run-work.ts";
import { interruptedTurn } from "../session/interrupted-turn.ts";
import type { OpenSession } from "../session/open-session.ts";
import type { NewTurn } from "../session/turn-record.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { MemberDesk } from "./member-desk.ts";
import { strategies } from "./strategies.ts";
import { taskTools } from "./task-tools.ts";
import type { TeamParts } from "./team-parts.ts";

/** How often an orchestrator may delegate before it has to answer. */
const maxToolRoundtrips = 10;

const defaultRounds = 3;

/** What a team does within a run. */
export class TeamRun implements RunWork {
  readonly #parts: TeamParts;
  readonly #turn: ModelTurn;
  readonly #run: ActiveRun;
  readonly #desk: MemberDesk;
  readonly #progress: LoopPlan["progress"] = {};
  #session: OpenSession | undefined;

  constructor(parts: TeamParts, turn: ModelTurn, run: ActiveRun) {
    const { members, config } = parts;
    this.#parts = parts;
    this.#turn = turn;
    this.#run = run;
    this.#desk = new MemberDesk({ run, members, persists: config.memberSessions === "persist" });
  }

  async begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    const { members, config, events } = this.#parts;
    const { mode, maxRounds = defaultRounds } = config;
    events.open(this.#run.context.runId);
    const orchestrator = await this.#plan(await this.#openSession());
    const streams = this.#turn === streamTurn;
    return strategies[mode]({ run: this.#run, orchestrator, members, desk: this.#desk, maxRounds, streams });
  }

  /** The team's session holds what the user said and what the team answered. Who said what within it is the run's affair. */
  async commit(): Promise<void> {
    const { text } = this.#run.record;
    await this.#store("completed", text === "" ? [] : [{ role: "assistant", content: text }]);
  }

  async salvage(): Promise<void> {
    const messages = interruptedTurn(this.#run.record.messages, this.#progress.step);
    if (messages !== null) await this.#store("interrupted", messages);
  }

  release(): void {
    this.#session?.release();
    this.#parts.events.close(this.#run.context.runId);
  }

  async #openSession(): Promise<OpenSession> {
    const { context, request } = this.#run;
    const { userId, tenantId } = request;
    const access = { owner: { userId, tenantId }, signal: context.signal };
    const session = await this.#parts.orchestrator.sessionsFor(request).open(request.sessionId, access);
    this.#session = session;
    // The run may have ended since the session was granted: then nobody else gives it back.
    if (context.signal.aborted) session.release();
    context.signal.throwIfAborted();
    return session;
  }

  /** How the orchestrator is asked. It sees the tools where it may call them, or where its history holds calls of them. */
  async #plan(session: OpenSession): Promise<LoopPlan> {
    const { orchestrator: parts, members, config } = this.#parts;
    const { context, record, meter } = this.#run;
    const delegations = taskTools(members, this.#desk, () => record.input);
    const tools = config.mode === "coordinate" ? delegations : new ToolSet([]);
    const messages = await buildMessages(parts, { past: { run: this.#run, session, memory: undefined }, tools });
    const hasCalls = messages.some(({ toolCalls }) => toolCalls !== undefined);
    return {
      model: config.model,
      turn: this.#turn,
      messages,
      callIds: callIdsOf(messages),
      options: modelOptions(parts, context),
      retry: parts.retry,
      tools: hasCalls ? delegations : tools,
      maxToolRoundtrips,
      structured: undefined,
      outputGuardrails: [],
      onToolCall: undefined,
      eventBus: parts.eventBus,
      context,
      meter,
      record,
      progress: this.#progress,
    };
  }

  async #store(status: NewTurn["status"], messages: ChatMessage[]): Promise<void> {
    const { context, record, meter } = this.#run;
    const { runId, agentName: runnable } = context;
    if (this.#session === undefined) throw new TroupeError("internal", "A run is to be stored that has no session.");
    await this.#session.appendTurn({ runId, runnable, input: record.input, messages, status, usage: meter.total });
  }
}
