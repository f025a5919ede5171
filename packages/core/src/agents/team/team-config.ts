import type { AgentHooks, SharedConfig } from "../agent/agent-config.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import type { Runnable } from "../run/runnable.ts";

/**
 * Mode of a team. `coordinate`: the orchestrator delegates tasks and answers. `route`: it chooses the member that
 * answers. `broadcast`: it combines the answers of all members. `collaborate`: it answers after they have discussed in
 * rounds.
 */
export type TeamMode = "coordinate" | "route" | "broadcast" | "collaborate";

/** Configuration of a `Team`: its mode, the model of its orchestrator, and its members. */
export type TeamConfig = {
  /** The name of the team for clients and events. */
  name: string;
  /** Purpose in one sentence, for cards, listings and teams that choose a member. */
  description?: string | undefined;
  /** The mode in which the members work together: see `TeamMode`. */
  mode: TeamMode;
  /** The model of the orchestrator. */
  model: ModelProvider;
  /** Agents, teams or remote agents: at least one member, with unique names. */
  members: readonly Runnable[];
  /** Instructions of the orchestrator, in addition to the list of members. */
  instructions?: string | undefined;
  /**
   * Settings of the orchestrator's model calls. A run's own `modelOptions` override them one by one. `toolChoice` and
   * `parallelToolCalls` apply only to mode `coordinate`, in which the orchestrator calls tools. `responseFormat` does
   * not apply to mode `route`, in which a member answers.
   */
  modelOptions?: ModelSettings | undefined;
  /** The maximum number of rounds of a discussion, in mode `collaborate`. @default 3 */
  maxRounds?: number | undefined;
  /** Keeps a session for each member, in the member's storage. @default a member's session ends with the run */
  memberSessions?: "persist" | undefined;
  /**
   * True to also stream the text and thinking of members, each chunk with the name of its `member`. Votes of mode
   * `collaborate` are not streamed. In mode `route` the member's text is the answer and is always streamed. @default
   * false
   */
  streamMembers?: boolean | undefined;
  /**
   * Functions of the application that are called in each run, as in an agent. `onToolCall` and `onApproval` are called
   * for delegations, except in mode `route`.
   */
  hooks?: AgentHooks | undefined;
} & SharedConfig;
