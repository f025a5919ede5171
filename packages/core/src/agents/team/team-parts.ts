import { AgentParts } from "../agent/agent-parts.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { MemberEvents } from "./member-events.ts";
import { memberSessionsListener, createMembers } from "./members.ts";
import type { TeamMember } from "./members.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";

/**
 * The members, the orchestrator and the event forwarding that a team builds from its configuration. The orchestrator
 * has the parts of an agent, including the team's sessions and event bus.
 */
export class TeamParts {
  readonly config: TeamConfig;
  readonly members: readonly TeamMember[];
  readonly orchestrator: AgentParts;
  #events: MemberEvents | undefined;

  constructor(config: TeamConfig) {
    const {
      description: _,
      mode: _mode,
      members,
      instructions,
      maxRounds: _rounds,
      memberSessions: kept,
      streamMembers: _streams,
      ...shared
    } = config;
    this.config = config;
    this.members = createMembers(members);
    const orchestrator = { ...shared, instructions: this.promptWith(instructions) };
    this.orchestrator = new AgentParts(orchestrator, kept === "persist" ? [memberSessionsListener(this.members)] : []);
  }

  get eventBus(): EventBus<RunEvents> {
    return this.orchestrator.eventBus;
  }

  /** Returns the system prompt of the orchestrator, with these instructions instead of the team's own. */
  promptWith(instructions: string | undefined): string {
    return orchestratorPrompt(this.config.mode, this.members, instructions);
  }

  get events(): MemberEvents {
    return (this.#events ??= new MemberEvents(this.eventBus, this.config.members));
  }
}

const tasks: Readonly<Record<TeamMode, string>> = {
  coordinate:
    "Hand tasks to your members with the tools that are named for them: several at once where one does not need what the other finds, and again when you have seen results. They see nothing of this conversation, so put into each task all that it takes. When you have what you need, answer the user yourself. Where a member failed and its part is missing, say so.",
  route:
    "Pick the one member that is to answer what the user said last. Answer with JSON alone that holds its name as it stands in the list.",
  broadcast:
    "All your members answer what the user said. Make one answer of theirs, for the user. Where a member failed and its part is missing, say so.",
  collaborate:
    "Your members discuss what the user said. Answer the user from what they have said, and where they do not agree, say so.",
};

/**
 * Returns the system prompt of the orchestrator: the members, the task of the mode, and the team's own instructions.
 */
function orchestratorPrompt(mode: TeamMode, members: readonly TeamMember[], instructions = ""): string {
  const list = members.map(({ name, runnable: { description } }) =>
    description ? `- ${name}: ${description}` : `- ${name}`,
  );
  const prompt = ["You lead a team. Its members are:", list.join("\n"), tasks[mode], instructions];
  return prompt.filter((text) => text !== "").join("\n\n");
}
