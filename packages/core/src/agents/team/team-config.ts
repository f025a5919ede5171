import type { TitleConfig } from "../agent/agent-config.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { LogChoice } from "../../base/log/runnable-logger.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { RetryConfig } from "../../base/retry/retry-config.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import type { Runnable } from "../run/runnable.ts";
import type { BusyPolicy } from "../../sessions/lock/busy-policy.ts";
import type { StorageFailurePolicy } from "../run/run-options.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";

/**
 * Mode of a team. `coordinate`: the orchestrator delegates tasks and answers. `route`: it chooses the member that answers.
 * `broadcast`: it combines the answers of all members. `collaborate`: it answers after they have discussed in rounds.
 */
export type TeamMode = "coordinate" | "route" | "broadcast" | "collaborate";

/** Configuration of a `Team`: its mode, the model of its orchestrator, and its members. */
export type TeamConfig = LogChoice & {
  /** The name of the team for clients and events. */
  name: string;
  /** Purpose in one sentence, for cards, listings and teams that choose a member. */
  description?: string | undefined;
  /** The way in which the members work together: see `TeamMode`. */
  mode: TeamMode;
  /** Model of the orchestrator. */
  model: ModelProvider;
  /** Agents, teams or remote agents: at least one, with unique names. */
  members: readonly Runnable[];
  /** Instructions of the orchestrator, added to the list of members. */
  instructions?: string | undefined;
  /**
   * Settings of the orchestrator's model calls, which a run's own `modelOptions` override one by one. `toolChoice` and
   * `parallelToolCalls` are for mode `coordinate`, the only one in which the orchestrator calls tools; `responseFormat` is not for mode `route`, where
   * a member answers.
   */
  modelOptions?: ModelSettings | undefined;
  /** The number of rounds of a discussion at most, in mode `collaborate`. @default 3 */
  maxRounds?: number | undefined;
  /** Storage of the team's sessions. @default in memory: 10,000 sessions, each for 24 hours without use */
  storage?: StorageDriver | undefined;
  /** The bus that receives the events of the team's runs. @default a new one */
  eventBus?: EventBus<RunEvents> | undefined;
  /** Model that makes the titles of sessions, after the first turn. @default the beginning of the first message */
  titles?: TitleConfig | undefined;
  /**
   * Limits of the team as a whole. A member may use four fifths of the remaining time.
   * @default 10 minutes, and no limit of tokens
   */
  limits?: RunLimits | undefined;
  /** Retries of failed calls of the orchestrator's model, as of agents. @default 3 retries */
  retry?: Partial<RetryConfig> | undefined;
  /** The estimated size of each model call of the orchestrator, in tokens, as of agents. */
  maxContextTokens?: number | undefined;
  /** Number of past turns in the orchestrator's history, as of agents. @default 43 to 50 */
  numHistoryRuns?: number | undefined;
  /** Policy for a session that is busy with another run, as of agents. @default "enqueue" */
  onBusy?: BusyPolicy["onBusy"] | Partial<BusyPolicy> | undefined;
  /** Refuses a run while a durable run of its session waits for an answer, or cancels that one. @default "reject" */
  onWaiting?: "reject" | "cancel" | undefined;
  /**
   * The end of a run whose turn cannot be stored, as of agents. Applies to the turns of the team, not to those of its members.
   * @default "error"
   */
  onStorageFailure?: StorageFailurePolicy | undefined;
  /** Keeps a session per member, in the member's storage. @default a member's session ends with the run */
  memberSessions?: "persist" | undefined;
};
