import type { Artifact } from "@troupe/core";
import type { A2APart } from "../wire/task.ts";
import { replyType } from "./artifact.ts";
import { isObject, readParts, toParts, toText } from "./parts.ts";
import type { A2AContent } from "./parts.ts";

/**
 * The end of a task as its agent says it: what a tool that ends the run returns, or a `TaskAgent`. Other protocols see `content`
 * as the answer.
 */
export type A2AReply = { content: string; artifacts: Artifact[] };

const kinds = ["rejected", "completed", "message"] as const;

/** A reply in the output of a run: the task is rejected, completed with a message, or there is a message in its place. */
export type ShownReply = { readonly kind: (typeof kinds)[number]; readonly parts: readonly A2APart[] };

/** Rejects the task, for a reason that the client is told. The answer of the run is not shown. */
export function rejectTask(reason: A2AContent): A2AReply {
  return toReply("rejected", toParts(reason, "reason"));
}

/** Completes the task with a message in its status, beside its artifacts. */
export function completeTask(message: A2AContent): A2AReply {
  return toReply("completed", toParts(message, "message"));
}

/**
 * Answers by a message, where the client needs no task. One that has its task already gets the message as its last status: on
 * streams, unless the option `mayAnswerByMessage` of the server names the agent, and when it did not wait.
 */
export function answerByMessage(message: A2AContent): A2AReply {
  return toReply("message", toParts(message, "message"));
}

function toReply(kind: ShownReply["kind"], parts: readonly A2APart[]): A2AReply {
  return { content: toText(parts), artifacts: [{ type: replyType, data: { kind, parts } }] };
}

/** Returns the reply among what tools of a run made: the last one counts. */
export function readReply(artifacts: readonly Artifact[]): ShownReply | undefined {
  const data = artifacts.findLast(({ type }) => type === replyType)?.data;
  if (!isObject(data)) return undefined;
  const kind = kinds.find((name) => name === data["kind"]);
  const parts = readParts(data["parts"]);
  return kind === undefined || parts === undefined ? undefined : { kind, parts };
}
