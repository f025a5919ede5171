import { Team } from "@troupe/core";
import type { Equipment } from "../agents/assistant.ts";
import type { Specialists } from "../agents/specialists.ts";

/** Two teams of the same members: one hands out tasks and answers itself, the other lets one member answer. */
export function createTeams(equipment: Equipment, specialists: Specialists): Record<string, Team> {
  const members = Object.values(specialists);
  return {
    "travel-desk": new Team({
      ...equipment,
      name: "travel-desk",
      description:
        "Answers travellers: asks the meteorologist, the timekeeper and the accountant, and puts it together.",
      mode: "coordinate",
      members,
    }),
    "help-desk": new Team({
      ...equipment,
      name: "help-desk",
      description: "Hands a question on to whoever knows: the meteorologist, the timekeeper or the accountant.",
      mode: "route",
      members,
    }),
  };
}
