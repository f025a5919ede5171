import { callByGenerate } from "../agent/call-model.ts";
import { toolLoop } from "../agent/tool-loop.ts";
import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ToolCall, ToolCallResult } from "../../base/message/tool-call.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { deriveContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Run } from "../run/run.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import { failureText } from "../tool/failure-text.ts";
import { drain } from "../../base/async/drain.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { isTextChunk, toSpeakerChunk } from "./member-chunks.ts";
import { memberStep } from "./member-step.ts";
import type { MemberOutput, MemberRunRequest, StreamedMemberOutput } from "./member-step.ts";
import { toolResultChunk } from "../tool/tool-result-chunk.ts";
import type { TeamMember } from "./members.ts";
import type { TeamRunPlan, TeamStrategy } from "./team-plan.ts";

/**
 * The strategy of mode `route`: the orchestrator chooses one member, whose answer becomes the team's answer and is
 * streamed chunk by chunk. A single member is asked directly, without a choice.
 */
export const routeToMember: TeamStrategy = async function* (plan) {
  const member = await chooseMember(plan);
  const { run } = plan;
  const call = new RoutedCall(run, member.toolName);
  const context = partContext(run, call.id);
  try {
    const { output, finishReason } = yield* streamMember(plan, { member, content: run.input, context }, call);
    yield* call.complete(output.text);
    adoptOutput(run, output);
    return finishReason;
  } catch (error) {
    // If the team's run was ended, the member's error is only a consequence of that end.
    if (context.signal.aborted) throw error;
    const text = readProperty(readProperty(error, "output"), "text");
    if (typeof text === "string") run.text = text;
    yield* call.fail(failureText(`${member.name} failed`, toPublicError(error), context));
    throw error;
  }
};

/** The key of the part of the run in which a member is chosen and run. */
const part = "route";

/** Returns the context with which the chosen member's run starts. */
function partContext({ context, steps }: Run, toolCallId: string): RunContext {
  return deriveContext(context, { toolCallId }, { steps: steps.part(part) });
}

type Choice = { member: string };

/**
 * Returns the member that answers: the only member, or the choice of the orchestrator as structured output. An unknown
 * name is sent back to the model, like any structured answer that does not fit its schema.
 */
async function chooseMember({ orchestrator, members, run }: TeamRunPlan): Promise<TeamMember> {
  const [only, ...others] = members;
  if (only !== undefined && others.length === 0) return only;
  const structured = choiceSchema(members);
  // The choice is not part of the team's answer.
  const choiceRun = run.forAuxiliaryCall<Choice>(part);
  const responseFormat = { type: "json_schema" as const, schema: structured.jsonSchema };
  const options = { ...orchestrator.options, responseFormat };
  await drain(
    toolLoop({ ...orchestrator, run: choiceRun, call: callByGenerate, options, structured, maxToolRoundtrips: 0 }),
  );
  const chosen = members.find(({ name }) => name === choiceRun.structured?.member);
  if (chosen === undefined) throw new TroupeError("structured_output_invalid", "The orchestrator chose no member.");
  return chosen;
}

function choiceSchema(members: readonly TeamMember[]): CompiledSchema<Choice> {
  const schema = {
    type: "object",
    properties: { member: { type: "string", enum: members.map(({ name }) => name) } },
    required: ["member"],
    additionalProperties: false,
  };
  return compileStructuredSchema(schema, "choice") as CompiledSchema<Choice>;
}

/** Runs the chosen member. If the team's run is streamed, forwards and records the member's chunks. */
async function* streamMember(
  { run, memberRuns, streams }: TeamRunPlan,
  delegation: MemberRunRequest,
  call: RoutedCall,
): AsyncGenerator<StreamChunk, StreamedMemberOutput> {
  if (!streams) return { output: await memberRuns.run(delegation), finishReason: "stop" };
  const { member, context } = delegation;
  const origin = { name: member.name, delegationId: context.toolCallId };
  const chunks = memberRuns.stream(delegation);
  let next = await chunks.next();
  for (; next.done !== true; next = await chunks.next()) {
    const chunk = isTextChunk(next.value) ? toSpeakerChunk(next.value, origin) : next.value;
    if (chunk !== next.value) run.steps.durable?.chunkSteps.tagLike(chunk, next.value);
    recordChunk(run, chunk);
    yield* call.start();
    yield chunk;
  }
  return next.value;
}

function recordChunk(run: Run, chunk: StreamChunk): void {
  run.noteToken();
  if (chunk.type === "source") run.addSource(chunk);
  if (!isTextChunk(chunk) || chunk.member !== undefined) return;
  if (chunk.type === "text") run.text += chunk.text;
  else run.thinking += chunk.text;
}

/** Makes the member's answer the team's answer, with the member's tool calls. */
function adoptOutput(run: Run, output: MemberOutput): void {
  const { text, thinking = "", structured = null, responseId, toolCalls, sources } = output;
  run.noteToken();
  run.text = text;
  run.thinking = thinking;
  run.structured = structured;
  run.responseId = responseId;
  run.toolCalls.push(...toolCalls);
  run.addSources(sources);
  if (text !== "") run.messages.push({ role: "assistant", content: text });
}

/** The tool call that records a routed member in the team's run, like a delegation in the other modes. */
class RoutedCall {
  readonly #run: Run;
  readonly #call: ToolCall;
  readonly #results: ToolCallResult[] = [];
  readonly #startedAt = performance.now();
  /** True if the result of the call is stored, so that an earlier process has already reported the call. */
  readonly #isStored: boolean;
  #isShown = false;

  constructor(run: Run, toolName: string) {
    this.#run = run;
    this.#call = { id: run.steps.id(`${part}/call`), name: toolName, arguments: {} };
    run.unfinishedStep = { text: "", toolCalls: [this.#call], results: this.#results };
    const steps = run.steps.part(part);
    this.#isStored = steps.endOf(memberStep) !== undefined;
    if (!steps.hasBegun(memberStep)) run.emit("tool.call", { toolCallId: this.#call.id, toolName, args: {} });
  }

  get id(): string {
    return this.#call.id;
  }

  /**
   * Yields the chunks of the tool call that hands the task to the member, once. They are held back until the member's
   * first chunk: if the member fails earlier, the stream has not begun, and a transport can answer with the status of
   * the failure.
   */
  *start(): Generator<StreamChunk, void> {
    if (this.#isShown) return;
    this.#isShown = true;
    const { id, name } = this.#call;
    yield { type: "tool_call_start", toolCall: { id, name } };
    yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: "{}" };
  }

  /** Records the member's answer as the result of the call, and yields its chunks. */
  *complete(result: string): Generator<StreamChunk, void> {
    const run = this.#run;
    const { id: toolCallId } = this.#call;
    yield* this.start();
    yield* this.#show({ result });
    run.messages.push({ role: "assistant", content: null, toolCalls: [this.#call] });
    run.messages.push({ role: "tool", toolCallId, content: result });
    run.unfinishedStep = undefined;
  }

  /**
   * Records a failure as the result of the call. Yields its chunks only if the reader has received the start of the
   * call.
   */
  *fail(problem: string): Generator<StreamChunk, void> {
    const outcome = { result: problem, error: problem };
    if (this.#isShown) yield* this.#show(outcome);
    else this.#record(outcome);
  }

  *#show(outcome: { result: string; error?: string }): Generator<StreamChunk, void> {
    const call = this.#record(outcome);
    yield toolResultChunk(call);
    yield { type: "tool_call_end", toolCallId: call.toolCallId };
  }

  #record(outcome: { result: string; error?: string }): ToolCallResult {
    const run = this.#run;
    const { id: toolCallId, name: toolName } = this.#call;
    const call = { toolCallId, toolName, args: {}, ...outcome, durationMs: elapsedMs(this.#startedAt) };
    this.#results.push(call);
    run.toolCalls.push(call);
    if (!this.#isStored) run.emit("tool.result", { toolCallId, toolName, ...outcome });
    return call;
  }
}
