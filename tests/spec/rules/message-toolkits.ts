import { rulesOf } from "../rule.ts";

/** Rules for the toolkits that send messages. */
export const messageToolkitRules = [
  ...rulesOf("Toolkits", {
    "toolkit.lost-answer":
      "a tool that sends says that the message may have been sent when its answer was lost, and the request is not repeated",
  }),
];
