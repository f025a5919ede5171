import { callByStream, callByGenerate } from "../agent/call-model.ts";
import type { ModelCaller } from "../agent/loop-plan.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { checkContent } from "../run/check-content.ts";
import { keepsSteps } from "../run/keeps-steps.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import type { RunEvents } from "../run/run-events.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { CompleteRunOutput } from "../run/run-output.ts";
import { Run } from "../run/run.ts";
import type { Runnable, RunStream } from "../run/runnable.ts";
import type { SessionStore } from "../../sessions/session/session-store.ts";
import { checkTeamConfig, checkTeamSettings, refuseTools } from "./check-team-config.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";
import { TeamParts } from "./team-parts.ts";
import { TeamRun } from "./team-run.ts";

/**
 * A team: members, and an orchestrator model that delegates to them, chooses one, or combines their answers, by `mode`.
 */
export class Team implements Runnable {
  readonly #parts: TeamParts;

  constructor(config: TeamConfig) {
    checkTeamConfig(config);
    const { members, limits } = config;
    this.#parts = new TeamParts({ ...config, members: [...members], limits: limits && { ...limits } });
  }

  get kind(): "team" {
    return "team";
  }

  get name(): string {
    return this.#parts.config.name;
  }

  get description(): string | undefined {
    return this.#parts.config.description;
  }

  get mode(): TeamMode {
    return this.#parts.config.mode;
  }

  get members(): readonly Runnable[] {
    return this.#parts.config.members;
  }

  get eventBus(): EventBus<RunEvents> {
    return this.#parts.eventBus;
  }

  /** The id of the orchestrator's model. */
  get modelId(): string {
    return this.#parts.config.model.modelId;
  }

  /** The vendor of the orchestrator's model, to which a generic API key is bound. */
  get providerId(): string {
    return this.#parts.config.model.providerId;
  }

  /** The team's sessions, to list, read and delete. */
  get sessions(): SessionStore {
    return this.#parts.orchestrator.sessions;
  }

  /** Runs the team to its end. Rejects with a `RunError` that has the output up to the failure. */
  async run(input: MessageContent, opts?: RunOpts): Promise<CompleteRunOutput> {
    return await this.#execute(callByGenerate, input, opts).run();
  }

  /** Returns the stream of a run, which starts when it is first read. Throws for wrong options immediately. */
  stream(input: MessageContent, opts?: RunOpts): RunStream<CompleteRunOutput> {
    return this.#execute(callByStream, input, opts);
  }

  /**
   * Waits up to 5 seconds for unfinished session titles, then cancels the rest. The caller closes members and storage
   * afterwards.
   */
  async close(): Promise<void> {
    await this.#parts.orchestrator.endBackgroundWork();
  }

  #execute(call: ModelCaller, input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const parts = this.#parts;
    const { name, mode, model, limits, telemetry } = parts.config;
    const settings = resolveRunOpts(opts, { limits, providerId: model.providerId, telemetry });
    refuseTools(settings);
    if (settings.modelOptions !== undefined) checkTeamSettings(mode, settings.modelOptions, "invalid_request");
    const run = new Run({
      name,
      input: checkContent(input),
      settings,
      eventBus: parts.eventBus,
      logger: parts.orchestrator.logger,
      model: settings.model ?? model,
    });
    return new RunExecution(run, new TeamRun(parts, call, run));
  }
}

// Marks teams as runnables that do their work in journal steps. The mark is on the prototype, because serializers print
// own properties.
Object.defineProperty(Team.prototype, keepsSteps, { value: true });
