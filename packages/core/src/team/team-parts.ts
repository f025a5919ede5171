import { AgentParts } from "../agent/agent-parts.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { Member } from "./member.ts";
import { toMembers } from "./member.ts";
import { MemberEvents } from "./member-events.ts";
import { sessionsOf } from "./member-sessions.ts";
import type { TeamConfig } from "./team-config.ts";
import { teamPrompt } from "./team-prompt.ts";

/** What a team is made of. Its orchestrator has the parts of an agent, and with them the team's sessions and bus. */
export class TeamParts {
  readonly config: TeamConfig;
  readonly members: readonly Member[];
  readonly orchestrator: AgentParts;
  #events: MemberEvents | undefined;

  constructor(config: TeamConfig) {
    const { description: _, mode, members, instructions, maxRounds: _rounds, memberSessions: kept, ...shared } = config;
    this.config = config;
    this.members = toMembers(members);
    const orchestrator = { ...shared, instructions: teamPrompt(mode, this.members, instructions) };
    this.orchestrator = new AgentParts(orchestrator, kept === "persist" ? [sessionsOf(this.members)] : []);
  }

  get eventBus(): EventBus<RunEvents> {
    return this.orchestrator.eventBus;
  }

  get events(): MemberEvents {
    return (this.#events ??= new MemberEvents(this.eventBus, this.config.members));
  }
}
