import { toPublicError } from "../errors/public-error.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Run } from "../run/run.ts";
import { failureText } from "../tool/failure-text.ts";
import { readProperty } from "../util/read-property.ts";
import { HandedCall } from "./handed-call.ts";
import type { Heard, Question } from "./member-desk.ts";
import type { Member } from "./member.ts";
import type { TeamPlan } from "./team-plan.ts";

/** Lets a member answer in the team's place. In the account of the run that is a call like any other delegation. */
export async function* handOver(plan: TeamPlan, member: Member): AsyncGenerator<StreamChunk, FinishReason> {
  const { run } = plan;
  const { context } = run;
  const call = new HandedCall(run, member.toolName);
  try {
    const { output, finishReason } = yield* hear(plan, { member, content: run.input, context });
    call.end(output.text);
    takeOver(run, output);
    return finishReason;
  } catch (error) {
    // Of a run that was ended nothing more is told.
    if (context.signal.aborted) throw error;
    const text = readProperty(readProperty(error, "output"), "text");
    if (typeof text === "string") run.text = text;
    call.fail(failureText(`${member.name} failed`, toPublicError(error), context));
    throw error;
  }
}

/** Passes on what the member streams, when somebody reads it, and records it. */
async function* hear({ run, desk, streams }: TeamPlan, question: Question): AsyncGenerator<StreamChunk, Heard> {
  if (!streams) return { output: await desk.ask(question), finishReason: "stop" };
  const chunks = desk.listen(question);
  let next = await chunks.next();
  for (; next.done !== true; next = await chunks.next()) {
    note(run, next.value);
    yield next.value;
  }
  return next.value;
}

function note(run: Run, chunk: StreamChunk): void {
  run.noteToken();
  if (chunk.type === "text") run.text += chunk.text;
  if (chunk.type === "thinking") run.thinking += chunk.text;
}

/** The answer of the member is the team's, with the tools that it called. */
function takeOver(run: Run, { text, thinking = "", structured = null, responseId, toolCalls }: RunOutput): void {
  run.noteToken();
  run.text = text;
  run.thinking = thinking;
  run.structured = structured;
  run.responseId = responseId;
  run.toolCalls.push(...toolCalls);
  if (text !== "") run.messages.push({ role: "assistant", content: text });
}
