import { turnStep } from "../agent/run-session.ts";
import type { MemberTurn } from "../agent/run-session.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import { stepsOf } from "../run/derive-context.ts";
import { effectOfRunnable } from "../run/keeps-steps.ts";
import { ownerOf } from "../run/run-options.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { StepOptions } from "../run/run-steps.ts";
import type { Run } from "../run/run.ts";
import type { UsageMeter } from "../run/usage-meter.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { TeamMember } from "./members.ts";

/** One delegation for `MemberRuns`: the member to run, its input, and a context of the team's run. */
export type MemberRunRequest = {
  readonly member: TeamMember;
  readonly content: MessageContent;
  /** The context of the tool call that records the delegation in the team's run. */
  readonly context: RunContext;
};

/** The key of the step that stores a member's run, within the delegation's part of the team's run. */
export const memberStep = "run";

const readFields = ["text", "thinking", "structured", "responseId", "toolCalls", "artifacts", "sources"] as const;

/** The part of a member's output that a team reads, and that a durable run stores. */
export type MemberOutput = Pick<RunOutput, (typeof readFields)[number]>;

/** The output of a member's streamed run, and the run's finish reason. */
export type StreamedMemberOutput = { readonly output: MemberOutput; readonly finishReason: FinishReason };

/** Returns the part of a member's output that a durable run stores. */
export function toMemberOutput(output: MemberOutput): MemberOutput {
  const read: Partial<Record<keyof RunOutput, unknown>> = {};
  for (const field of readFields) if (output[field] !== undefined) read[field] = output[field];
  return read as MemberOutput;
}

/**
 * Makes the options of the step of a delegation. A third party's member has no steps of its own, so its run is one
 * call.
 */
export function memberStepOptions<Value>(
  { member, content, context }: MemberRunRequest,
  meter: UsageMeter,
  // The signal of the team's run. The signal of the delegation also aborts after a timeout, and a step that is aborted
  // has no stored result. A member that took too long must have a result.
  { signal }: Run,
): StepOptions<Value> {
  const { runnable, name } = member;
  const effect = effectOfRunnable(runnable);
  const { idempotencyKey = stepsOf(context).id(memberStep) } = context;
  const args = { input: getTextContent(content) };
  const call = effect === undefined ? undefined : { tool: name, args, effect, key: idempotencyKey };
  return { place: placeOfMember(name), signal, meter, call };
}

/** Returns the name of a team's member for error messages: `The member "x"`. */
export function placeOfMember(name: string): string {
  return `The member ${JSON.stringify(name)}`;
}

/** Makes the output of a member's run from a person's answer that the run took place. */
export function readMemberAnswer(result: unknown): MemberOutput {
  return { text: typeof result === "string" ? result : JSON.stringify(result ?? null), toolCalls: [] };
}

/**
 * Restores the turns of members that earlier processes stored for a durable run, into the storage of sessions that last
 * only as long as the run.
 */
export async function restoreMemberTurns({ steps, settings, signal }: Run, storage: StorageDriver): Promise<void> {
  if (!steps.isResumed) return;
  const sessions = new SessionStore(storage);
  for (const stored of steps.valuesOf(turnStep)) {
    const { sessionId, turn } = stored as unknown as MemberTurn;
    const session = await sessions.open(sessionId, { owner: ownerOf(settings), signal });
    await session.appendTurn(turn).finally(() => session.release());
  }
}
