import { rulesOf } from "../rule.ts";

/** Rules for what a run tells while it works and what it leaves behind, beyond the specification. */
export const reportRules = [
  ...rulesOf("Child runs", {
    "run-opts.child-not-weaker": "no option of a child run takes back that its caller is from outside or unverified",
  }),
  ...rulesOf("What a run tells (contracts §1, §5)", {
    "chunk.tool-result": "an executed call has its result, error and artifacts in the stream, before its end",
    "events.tool-result-details": "tool.result carries the error and the artifacts too",
    "output.artifacts": "the output has the artifacts of all tool calls, each with its call, in public too",
    "turn.tool-results": "a stored turn has the errors and artifacts of its tool calls, interrupted ones included",
    "turn.artifact-limit": "a turn stores artifacts up to a million characters, and counts the others",
    "output.sources":
      "the output has the sources of all model calls of a run, none twice by address or id, in public too",
    "chunk.source": "a source is a chunk of the stream, once in a run",
    "turn.sources": "a stored turn has the sources of its answer",
    "turn.usage": "a stored turn has every count of the usage, over HTTP too: reasoning, cache reads and writes, audio",
    "http.sources": "server-sent events, answers and stored turns carry the sources over HTTP",
    "team.sources": "a team of any mode, and an agent that asks another as a tool, has the sources of their answers",
    "workflow.sources": "a workflow as a runnable has the sources of its agents, and streams those of the last",
    "usage.cache-writes":
      "usage tells tokens read from a prompt cache and tokens written to it apart, summed over all calls",
    "tool.progress":
      "context.report emits tool.progress and gives a tool_progress chunk, in order and before the result",
    "tool.progress-bounded": "a slow reader gets the newest progress of each call, and nothing piles up",
    "tool.progress-late": "progress of a tool that has ended, or whose call was left, is dropped",
    "storage-failure.answer":
      'an answer whose turn cannot be stored fails its run, or is delivered with stored: false if onStorageFailure is "answer"',
    "tool.public-errors":
      "what a tool throws is told to the model alone: clients are told that it failed, unless it has publicErrors",
    "tool.progress-json": "progress that is no JSON is refused in the tool",
    "events.model-call": "model.call begins each attempt at a model call, with the ids of run, call, vendor and model",
    "events.model-result":
      "model.result ends each attempt, with its duration, and its usage and response id or its error",
    "events.model-usage": "the usage of a run is the sum of its model.result events and those of its child runs",
    "events.model-silent": "nothing is computed for model calls when nothing listens",
    "events.model-error":
      "the error of a model.result has a code and a public message, and nothing of the vendor's own",
    "stream.text": "textStream has the texts of the answer and drives the run",
    "stream.object": "objectStream has growing values of a structured answer, and the checked one at last",
    "stream.object-repair": "the values of an answer that is repaired are superseded by those of the next",
    "stream.object-guardrails": "with output guardrails, objectStream has the checked value alone",
    "stream.object-needs-schema": "objectStream of an answer without structure is refused",
    "object-stream.prefix": "each value of objectStream is one that the whole value extends",
    "object-stream.linear": "reading a structured answer as it comes takes time in proportion to its length",
    "stream.view-leaving": "a reader of textStream or objectStream that leaves early cancels the run",
    "stream.one-reader": "a stream has one reader: others are refused and do not harm it",
    "run.async-context": "the AsyncLocalStorage of the caller reaches all that a run calls, wherever it is read",
    "events.caller":
      "every event has the session and user of its run's caller, and that of a child run the call that started it",
    "team.hand-over":
      "a team that routes names its member in its stream, and shows the call that hands the question over",
    "team.stream-members":
      "a team streams the text of members that do not give its answer by option only, each chunk with member and delegation",
    "team.hooks": "a team has hooks like an agent, and its delegations are the tool calls they decide on",
    "workflow.hooks": "a workflow has the hooks of a run like an agent",
    "team.finish-reason": "a team that routes finishes for the reason of its member",
    "guardrail.repaired-answer": "output guardrails check a repaired structured answer like the first one",
    "team.tool-results": "a team gives the artifacts of its members where it shows tool calls",
    "workflow.tool-results": "a workflow gives the results of tools where it shows the chunks of its agents",
    "http.tool-results": "server-sent events, answers and stored turns carry the results of tools over HTTP",
  }),
];
