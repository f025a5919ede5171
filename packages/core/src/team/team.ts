import { callStreaming, callWhole } from "../agent/call-model.ts";
import type { CallModel } from "../agent/loop-plan.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { MessageContent } from "../message/content.ts";
import { checkContent } from "../run/check-content.ts";
import { readRunOpts } from "../run/read-run-opts.ts";
import type { RunEvents } from "../run/run-events.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { RunOutput } from "../run/run-output.ts";
import { Run } from "../run/run.ts";
import type { Runnable, RunStream } from "../run/runnable.ts";
import type { SessionStore } from "../session/session-store.ts";
import { checkTeamConfig } from "./check-team-config.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";
import { TeamParts } from "./team-parts.ts";
import { TeamRun } from "./team-run.ts";

/** Several agents as one: an orchestrator, and members that it delegates to, picks from, or answers for. */
export class Team implements Runnable {
  readonly #parts: TeamParts;

  constructor(config: TeamConfig) {
    checkTeamConfig(config);
    this.#parts = new TeamParts({ ...config, members: [...config.members] });
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

  /** The orchestrator's model. */
  get modelId(): string {
    return this.#parts.config.model.modelId;
  }

  /** The vendor that a generic key is for. */
  get providerId(): string {
    return this.#parts.config.model.providerId;
  }

  /** The sessions it works in: to list, read and delete. */
  get sessions(): SessionStore {
    return this.#parts.orchestrator.sessions;
  }

  /** Answers once. A run that fails rejects with a `RunError` that carries what there was. */
  async run(input: MessageContent, opts?: RunOpts): Promise<RunOutput> {
    return await this.#execute(callWhole, input, opts).run();
  }

  /** Answers piece by piece, once somebody reads. Wrong options are refused here and now. */
  stream(input: MessageContent, opts?: RunOpts): RunStream {
    return this.#execute(callStreaming, input, opts);
  }

  #execute(callModel: CallModel, input: MessageContent, opts: RunOpts | undefined): RunExecution<unknown> {
    const parts = this.#parts;
    const { name, model, limits } = parts.config;
    const run = new Run({
      name,
      input: checkContent(input),
      settings: readRunOpts(opts, { limits, providerId: model.providerId }),
      eventBus: parts.eventBus,
      logger: parts.orchestrator.logger,
      model,
    });
    return new RunExecution(run, new TeamRun(parts, callModel, run));
  }
}
