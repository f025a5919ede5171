import { rulesOf } from "../rule.ts";

/** Rules for what a run tells while it works and what it leaves behind, beyond the specification. */
export const reportRules = [
  ...rulesOf("What a run tells (contracts §1, §5)", {
    "chunk.tool-result": "an executed call has its result, error and artifacts in the stream, before its end",
    "events.tool-result-details": "tool.result carries the error and the artifacts too",
    "output.artifacts": "the output has the artifacts of all tool calls, each with its call, in public too",
    "turn.tool-results": "a stored turn has the errors and artifacts of its tool calls, interrupted ones included",
    "turn.artifact-limit": "a turn stores artifacts up to a million characters, and counts the others",
    "team.tool-results": "a team gives the artifacts of its members where it shows tool calls",
    "workflow.tool-results": "a workflow gives the results of tools where it shows the chunks of its agents",
    "http.tool-results": "server-sent events, answers and stored turns carry the results of tools over HTTP",
  }),
];
