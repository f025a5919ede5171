import { planToolLoop } from "../agent/agent-run.ts";
import { buildMessages } from "../agent/build-messages.ts";
import { callByStream } from "../agent/call-model.ts";
import type { ModelCaller, LoopPlan } from "../agent/loop-plan.ts";
import { callEndHook, prepareInput } from "../agent/hooks.ts";
import { makeTitle } from "../agent/make-title.ts";
import { warnOfUnverified } from "../agent/warn-of-unverified.ts";
import { RunSession } from "../agent/run-session.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { RunEnd, RunWork } from "../run/run-work.ts";
import type { Run } from "../run/run.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { delegationTools } from "./delegation.ts";
import { MemberRuns } from "./member-runs.ts";
import { teamStrategies } from "./strategies.ts";
import type { TeamParts } from "./team-parts.ts";

const defaultRounds = 3;

/**
 * The work of one run of a team, which `RunExecution` drives: opens the session, follows the strategy of the mode, and
 * stores the turn.
 */
export class TeamRun implements RunWork {
  readonly kind = "team";
  readonly #parts: TeamParts;
  readonly #call: ModelCaller;
  readonly #run: Run;
  readonly #session: RunSession;

  constructor(parts: TeamParts, call: ModelCaller, run: Run) {
    this.#parts = parts;
    this.#call = call;
    this.#run = run;
    this.#session = new RunSession(run);
  }

  /** True if a routed member can give a structured answer; in other modes the answer is text. */
  get isStructured(): boolean {
    return this.#parts.config.mode === "route";
  }

  get answersUnstored(): boolean {
    return this.#parts.config.onStorageFailure === "answer";
  }

  async begin(): Promise<AsyncGenerator<StreamChunk, FinishReason>> {
    const run = this.#run;
    const { members, config, events } = this.#parts;
    const { mode, maxRounds = defaultRounds, memberSessions, streamMembers = false } = config;
    const streams = this.#call === callByStream;
    events.open(run.runId);
    const persists = memberSessions === "persist";
    const memberRuns = new MemberRuns({ run, members, persists, isShown: streams && streamMembers });
    if (run.steps.isResumed) await memberRuns.restoreSessions();
    await prepareInput(config.hooks, run);
    const orchestrator = await this.#planOrchestrator(memberRuns);
    return teamStrategies[mode]({ run, orchestrator, members, memberRuns, maxRounds, streams });
  }

  /** Stores only the user's input and the team's answer, because members have their own sessions. */
  async saveFinished(): Promise<void> {
    const { text } = this.#run;
    await this.#session.saveFinished(text === "" ? [] : [{ role: "assistant", content: text }]);
  }

  async saveInterrupted(): Promise<void> {
    await this.#session.saveInterrupted();
  }

  suspend(): Promise<void> {
    return this.#session.suspend();
  }

  onEnd(end: RunEnd): void | Promise<void> {
    if ("output" in end && this.#run.settings.isUnstored !== true) {
      warnOfUnverified(this.#parts.orchestrator, this.#run);
      if (this.#session.madeTitle) makeTitle(this.#parts.orchestrator, this.#run);
    }
    return callEndHook(this.#parts.config.hooks, this.#run.context, end);
  }

  release(): void {
    this.#session.release();
    this.#parts.events.close(this.#run.runId);
  }

  /**
   * Plans the orchestrator's tool loop. It includes the delegation tools if the orchestrator may call them, or if its
   * history contains calls of them.
   */
  async #planOrchestrator(memberRuns: MemberRuns): Promise<LoopPlan> {
    const run = this.#run;
    const { orchestrator: parts, members, config } = this.#parts;
    const { instructions } = run.settings;
    const session = await this.#session.open(parts.sessionsFor(run.settings), config.onWaiting);
    const delegations = delegationTools(members, memberRuns, () => run.input);
    const tools = config.mode === "coordinate" ? delegations : new ToolSet([]);
    const built = await buildMessages(parts, run, {
      session,
      memory: undefined,
      instructions: instructions === undefined ? undefined : this.#parts.promptWith(instructions),
    });
    const hasCalls = built.messages.some(({ toolCalls }) => toolCalls !== undefined);
    return planToolLoop(parts, run, { call: this.#call, ...built, tools: hasCalls ? delegations : tools });
  }
}
