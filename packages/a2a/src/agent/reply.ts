import type { Artifact } from "@troupe/core";
import type { A2APart } from "../wire/task.ts";
import { replyType } from "./artifact.ts";
import { isObject, readParts, toParts, toText } from "./parts.ts";
import type { A2AContent } from "./parts.ts";

/**
 * The end of a task that an agent wants. It is returned by a tool that ends the run, or by the function `answer` of a
 * `ProgrammaticAgent`. Other protocols show `content` as the answer.
 */
export type A2AReply = { content: string; artifacts: Artifact[] };

const kinds = ["rejected", "completed", "message"] as const;

/**
 * A reply in the output of a run: it rejects the task, completes the task with a message, or replaces the task by a
 * message.
 */
export type ShownReply = { readonly kind: (typeof kinds)[number]; readonly parts: readonly A2APart[] };

/** Rejects the task for a reason, which the client receives. The answer of the run is not shown. */
export function rejectedReply(reason: A2AContent): A2AReply {
  return toReply("rejected", toParts(reason, "reason"));
}

/** Completes the task with a message in its status, beside its artifacts. */
export function completedReply(message: A2AContent): A2AReply {
  return toReply("completed", toParts(message, "message"));
}

/**
 * Answers a client with a message instead of a task. A client that already has the task gets the message as the last
 * status. That is the case if the client did not wait for the answer, and on streams unless the server option
 * `mayAnswerByMessage` names the agent.
 */
export function messageReply(message: A2AContent): A2AReply {
  return toReply("message", toParts(message, "message"));
}

function toReply(kind: ShownReply["kind"], parts: readonly A2APart[]): A2AReply {
  return { content: toText(parts), artifacts: [{ type: replyType, data: { kind, parts } }] };
}

/**
 * Returns the last reply among the artifacts that the tools of a run made; undefined if there is none or it is
 * malformed.
 */
export function readReply(artifacts: readonly Artifact[]): ShownReply | undefined {
  const data = artifacts.findLast(({ type }) => type === replyType)?.data;
  if (!isObject(data)) return undefined;
  const kind = kinds.find((name) => name === data["kind"]);
  const parts = readParts(data["parts"]);
  return kind === undefined || parts === undefined ? undefined : { kind, parts };
}
