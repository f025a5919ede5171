import { TroupeError } from "@troupe/core";
import type { Json } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { SentMessage, UiPart } from "./read-chat.ts";

/** An answer to a question of a run: an approval, or the result of a tool that the page executes. */
export type ChatAnswer = { readonly waitId: string; readonly answer: Json };

type Wait = NonNullable<RunView["waits"]>[number];

/**
 * Returns the answers in the message of a waiting run. Only the answers are read from the message, which the client
 * could have changed. The called tool and its arguments come from the run. Throws `conflict` if there are no answers.
 */
export function readAnswers({ waits = [] }: RunView, { parts }: SentMessage): ChatAnswer[] {
  const answers = waits.flatMap((wait) => {
    const answer = parts.map((part) => answerTo(wait, part)).find((each) => each !== undefined);
    return answer === undefined ? [] : [{ waitId: wait.id, answer }];
  });
  if (answers.length > 0) return answers;
  throw new TroupeError("conflict", "The message answers none of the questions that its run waits for.");
}

/** Returns the ids of the questions that a message answers, for a run that has already continued. */
export function answeredIds({ parts }: SentMessage): string[] {
  return parts.flatMap(({ state, approval }) => {
    const { id } = (approval ?? {}) as { id?: unknown };
    return state === "approval-responded" && typeof id === "string" ? [id] : [];
  });
}

function answerTo(wait: Wait, part: UiPart): Json | undefined {
  return wait.kind === "approval" ? approvalIn(part, wait) : wait.kind === "input" ? resultIn(part, wait) : undefined;
}

function approvalIn({ approval }: UiPart, { id }: Wait): Json | undefined {
  const given = (approval ?? {}) as { id?: unknown; approved?: unknown; reason?: unknown };
  if (given.id !== id || typeof given.approved !== "boolean") return undefined;
  return { approved: given.approved, ...(typeof given.reason === "string" && { reason: given.reason }) };
}

function resultIn({ toolCallId, state, output, errorText }: UiPart, wait: Wait): Json | undefined {
  // If two calls have the same id, `UiMessage` shows the call of the child run under the id of the wait, which is the
  // run's question about that call.
  if (toolCallId !== wait.toolCallId && toolCallId !== wait.id) return undefined;
  if (state === "output-available") return { result: (output ?? null) as Json };
  return state === "output-error" && typeof errorText === "string" ? { error: errorText } : undefined;
}
