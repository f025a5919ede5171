import { toPublicError } from "../errors/public-error.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { RunRecord } from "../run/run-record.ts";
import { failureText } from "../tool/failure-text.ts";
import { readProperty } from "../util/read-property.ts";
import { HandedCall } from "./handed-call.ts";
import type { Heard, Question } from "./member-desk.ts";
import type { Member } from "./member.ts";
import type { TeamPlan } from "./team-plan.ts";

/** Lets a member answer in the team's place. In the account of the run that is a call like any other delegation. */
export async function* handOver(plan: TeamPlan, member: Member): AsyncGenerator<StreamChunk, FinishReason> {
  const { record, context } = plan.run;
  const call = new HandedCall(plan.orchestrator, member.toolName);
  try {
    const { output, finishReason } = yield* hear(plan, { member, content: record.input, context });
    call.end(output.text);
    takeOver(record, output);
    return finishReason;
  } catch (error) {
    // Of a run that was ended nothing more is told.
    if (context.signal.aborted) throw error;
    const text = readProperty(readProperty(error, "output"), "text");
    if (typeof text === "string") record.text = text;
    call.fail(failureText(`${member.name} failed`, toPublicError(error), context));
    throw error;
  }
}

/** Passes on what the member streams, when somebody reads it, and keeps the record up to date. */
async function* hear({ run, desk, streams }: TeamPlan, question: Question): AsyncGenerator<StreamChunk, Heard> {
  if (!streams) return { output: await desk.ask(question), finishReason: "stop" };
  const chunks = desk.listen(question);
  let next = await chunks.next();
  for (; next.done !== true; next = await chunks.next()) {
    note(run.record, next.value);
    yield next.value;
  }
  return next.value;
}

function note(record: RunRecord, chunk: StreamChunk): void {
  record.noteToken();
  if (chunk.type === "text") record.text += chunk.text;
  if (chunk.type === "thinking") record.thinking += chunk.text;
}

/** The answer of the member is the team's, with the tools that it called. */
function takeOver(
  record: RunRecord,
  { text, thinking = "", structured = null, responseId, toolCalls }: RunOutput,
): void {
  record.noteToken();
  record.text = text;
  record.thinking = thinking;
  record.structured = structured;
  record.responseId = responseId;
  record.toolCalls.push(...toolCalls);
  if (text !== "") record.messages.push({ role: "assistant", content: text });
}
