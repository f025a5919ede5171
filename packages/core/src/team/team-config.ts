import type { EventBus } from "../events/event-bus.ts";
import type { LogLevel } from "../log/log-level.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { RetryConfig } from "../retry/retry-config.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunLimits } from "../run/run-options.ts";
import type { Runnable } from "../run/runnable.ts";
import type { BusyPolicy } from "../lock/busy-policy.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";

/**
 * How a team works. `coordinate`: the orchestrator delegates tasks and answers. `route`: it picks the member that answers.
 * `broadcast`: all members answer, and it makes one answer of theirs. `collaborate`: they discuss in rounds first.
 */
export type TeamMode = "coordinate" | "route" | "broadcast" | "collaborate";

/** How a team is set up. */
export type TeamConfig = {
  name: string;
  /** What it is for, in a sentence: shown in cards and listings, and to a team that has to choose. */
  description?: string;
  mode: TeamMode;
  /** The orchestrator's. */
  model: ModelProvider;
  /** Agents, teams, remote agents: at least one, each with a name of its own. */
  members: readonly Runnable[];
  /** What the orchestrator is told besides who its members are. */
  instructions?: string;
  /** How many rounds the members of a `collaborate` team discuss at most. @default 3 */
  maxRounds?: number;
  /** Keeps the team's sessions. @default in memory: 10,000 sessions, for 24 hours without use */
  storage?: StorageDriver;
  /** @default one of its own */
  eventBus?: EventBus<RunEvents>;
  /** @default "silent" */
  logLevel?: LogLevel;
  /** For the team as a whole. @default 10 minutes, and as many tokens as it takes */
  limits?: RunLimits;
  /** When and how often a failed call of the orchestrator's model is repeated. */
  retry?: Partial<RetryConfig>;
  /** All that the orchestrator's model is sent first fits into so many tokens: the oldest turns stay out. */
  maxContextTokens?: number;
  /** How many of the past turns the orchestrator is told. @default 50 */
  numHistoryRuns?: number;
  /** What becomes of a run whose session is busy with another, and how many may wait for how long. @default "enqueue" */
  onBusy?: BusyPolicy["onBusy"] | Partial<BusyPolicy>;
  /** Lets each member remember, in its own storage, what it did in the team's session. @default its session ends with the run */
  memberSessions?: "persist";
};
