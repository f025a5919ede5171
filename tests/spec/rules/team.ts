import { rulesOf } from "../rule.ts";

/** Teams. */
export const teamRules = rulesOf("@troupe/core", {
  "team.coordinate": {
    text: "in coordinate the orchestrator delegates and answers",
    test: "packages/core/src/team/team.coordinate.test.ts",
  },
  "team.route": { text: "in route one member answers", test: "packages/core/src/team/team.route.test.ts" },
  "team.broadcast": {
    text: "in broadcast all members work and a synthesis answers",
    test: "packages/core/src/team/team.broadcast.test.ts",
  },
  "team.collaborate": {
    text: "in collaborate members discuss in rounds",
    test: "packages/core/src/team/team.collaborate.test.ts",
  },
  "team.model": { text: "a team has an orchestrator model", test: "packages/core/src/team/team.config.test.ts" },
  "team.members": { text: "a team has members", test: "packages/core/src/team/team.config.test.ts" },
  "team.instructions": { text: "a team may have instructions", test: "packages/core/src/team/team.config.test.ts" },
  "team.max-rounds": { text: "maxRounds bounds collaborate", test: "packages/core/src/team/team.collaborate.test.ts" },
  "team.storage": { text: "a team may have a storage", test: "packages/core/src/team/team.sessions.test.ts" },
  "team.run": {
    text: "run takes input and options and returns the output",
    test: "packages/core/src/team/team.coordinate.test.ts",
  },
  "team.stream": {
    text: "stream takes input and options and yields chunks",
    test: "packages/core/src/team/team.broadcast.test.ts",
  },
});
