import { AsyncQueue } from "../../base/async/async-queue.ts";
import { turnStep } from "../agent/run-session.ts";
import type { JournaledTurn } from "../agent/run-session.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import { journalOf } from "../run/derive-context.ts";
import { effectOfRunnable, runJournalStep } from "../run/journal-step.ts";
import type { JournalStep } from "../run/journal-step.ts";
import { ownerOf } from "../run/run-options.ts";
import type { RunContext } from "../run/run-context.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Run } from "../run/run.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { UsageMeter } from "../run/usage-meter.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { TeamMember } from "./members.ts";

/** One delegation for `MemberRuns`: the member to run, its input, and the context of the parent run. */
export type MemberRunRequest = {
  readonly member: TeamMember;
  readonly content: MessageContent;
  /** The context of the parent run; in a durable run, the context of a part of that run. */
  readonly context: RunContext;
};

/** The journal key of a member's run, within its part of a durable run. */
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
 * Makes the journal step of a delegation, without its work; undefined if the run is not durable. A third party's member
 * has no journal steps of its own, so its run is one call.
 */
export function stepOfMember<Value>(
  { member, content, context }: MemberRunRequest,
  meter: UsageMeter,
  // The team run's own signal: a delegation's signal also aborts for a member that took too long, whose step has ended.
  { signal }: Run,
): Omit<JournalStep<Value>, "work"> | undefined {
  const journal = journalOf(context);
  if (journal === undefined) return undefined;
  const { runnable, name } = member;
  const effect = effectOfRunnable(runnable);
  const { idempotencyKey = journal.id(memberStep) } = context;
  const args = { input: getTextContent(content) };
  const call = effect === undefined ? undefined : { tool: name, args, effect, key: idempotencyKey };
  return { journal, key: memberStep, place: placeOfMember(name), signal, meter, call };
}

/** Returns the name of a team's member for error messages: `The member "x"`. */
export function placeOfMember(name: string): string {
  return `The member ${JSON.stringify(name)}`;
}

/** Makes the output of a member's run from a person's answer that the run took place. */
export function readMemberAnswer(result: unknown): MemberOutput {
  return { text: typeof result === "string" ? result : JSON.stringify(result ?? null), toolCalls: [] };
}

/** Streams a member as a step of a durable run. A stored result is not streamed again. */
export async function* streamMemberStep(
  step: Omit<JournalStep<StreamedMemberOutput>, "work">,
  start: () => AsyncGenerator<StreamChunk, StreamedMemberOutput>,
): AsyncGenerator<StreamChunk, StreamedMemberOutput> {
  const chunks = new AsyncQueue<StreamChunk>();
  const end = runJournalStep({
    ...step,
    work: async (open) => {
      const stream = start();
      let next = await stream.next();
      for (; next.done !== true; next = await stream.next()) {
        // Members with journal steps of their own tag their chunks themselves.
        if (step.call !== undefined) open.tag(next.value);
        await chunks.push(next.value);
      }
      return { ...next.value, output: toMemberOutput(next.value.output) };
    },
  }).finally(() => chunks.close());
  end.catch(() => undefined);
  for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) yield chunk;
  return await end;
}

/**
 * Restores the turns that members stored in earlier attempts at a durable run, into the storage of sessions that last
 * only as long as the run.
 */
export async function restoreMemberTurns({ journal, settings, signal }: Run, storage: StorageDriver): Promise<void> {
  if (journal === undefined || journal.attempt === 1) return;
  const sessions = new SessionStore(storage);
  for (const stored of journal.storedAs(turnStep)) {
    const { sessionId, turn } = stored as unknown as JournaledTurn;
    const session = await sessions.open(sessionId, { owner: ownerOf(settings), signal });
    await session.appendTurn(turn).finally(() => session.release());
  }
}
