import { rulesOf } from "../rule.ts";

/** Teams. */
export const teamRules = rulesOf("@troupe/core", {
  "team.coordinate": "in coordinate the orchestrator delegates and answers",
  "team.route": "in route one member answers",
  "team.broadcast": "in broadcast all members work and a synthesis answers",
  "team.collaborate": "in collaborate members discuss in rounds",
  "team.model": "a team has an orchestrator model",
  "team.members": "a team has members",
  "team.instructions": "a team may have instructions",
  "team.max-rounds": "maxRounds bounds collaborate",
  "team.storage": "a team may have a storage",
  "team.run": "run takes input and options and returns the output",
  "team.stream": "stream takes input and options and yields chunks",
});
