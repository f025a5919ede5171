import type { ChatMessage } from "../../base/message/message.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { ModelMessage, VendorState } from "../../model/vendor-state.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import { parseStructured } from "../../schema/parse-structured.ts";
import { SchemaError } from "../../schema/schema-error.ts";
import { describeIssues } from "../../schema/schema-issue.ts";
import type { MalformedArguments } from "../tool/execute-call.ts";
import { executeToolCalls } from "../tool/execute-tool-calls.ts";
import { toolResultChunk } from "../tool/tool-result-chunk.ts";
import { answerByTool, findEndingResult, guardAnswer } from "./answer-by-tool.ts";
import { callModelOnce } from "./call-model-once.ts";
import { prepareCall } from "./prepare-call.ts";
import type { ModelRequest } from "./prepare-call.ts";
import type { LoopPlan } from "./loop-plan.ts";
import { callIdsOf } from "./unique-call-ids.ts";

/** The number of times that an answer may be sent back to the model because it does not fit its schema. */
const maxRepairs = 2;

/**
 * Calls the model and executes the tools that it requests, repeatedly. The loop ends when the model answers, a tool
 * that ends the run gives the answer, or `prepareStep` ends the run. After the last round trip the model is called once
 * more without tools, so that the user gets an answer. Returns the finish reason.
 */
export async function* toolLoop<Structured>(plan: LoopPlan<Structured>): AsyncGenerator<StreamChunk, FinishReason> {
  const { run, structured, maxToolRoundtrips } = plan;
  const messages: ModelMessage[] = [...plan.messages];
  const state = { callIds: callIdsOf(messages), modelCalls: 0, hasWarned: false };
  let lastText = "";
  for (let roundtrip = 0; ; roundtrip++) {
    const isWithinLimit = roundtrip < maxToolRoundtrips;
    const request = { messages, state, mayCallTools: isWithinLimit };
    const prepared = await prepareCall(plan, request);
    if (prepared === undefined) return yield* endEarly(plan, lastText);
    const { tools, mayCallTools } = prepared;
    const response = yield* callModelOnce(plan, prepared, state.callIds);
    if (mayCallTools && response.toolCalls.length > 0) {
      const ofCall = tools === plan.tools ? plan : { ...plan, tools };
      const executed = yield* executeTools(ofCall, response, roundtrip);
      const ending = findEndingResult(tools, executed.results);
      if (ending !== undefined) return yield* answerByTool(plan, ending);
      messages.push(...executed.messages);
      lastText = response.text;
      continue;
    }
    const isPlain = structured === undefined;
    const last = isPlain ? response : yield* fitToSchema({ ...plan, structured }, request, response);
    recordAnswer(run, last);
    return isWithinLimit || roundtrip === 0 ? last.finishReason : "tool_roundtrips";
  }
}

/**
 * Ends a run instead of making a model call, with the text of the previous model call as the answer. A structured
 * answer is read from that text, without repairs.
 */
async function* endEarly<Structured>(
  plan: LoopPlan<Structured>,
  lastText: string,
): AsyncGenerator<StreamChunk, FinishReason> {
  const { run, structured } = plan;
  if (structured !== undefined) yield* readAnswer({ ...plan, structured }, lastText);
  recordAnswer(run);
  return "stop";
}

function recordAnswer(run: LoopPlan["run"], response?: ModelResponse): void {
  const { text, messages } = run;
  if (text === "") return;
  const answer: ChatMessage = { role: "assistant", content: text };
  messages.push(answer);
  // If guardrails changed the text, the vendor's state is not stored, because it contains the original text.
  if (response?.text === text) keepVendorState(run, answer, response.vendorState);
}

/** Stores the vendor's state of an answer separately from the run's messages, because the messages reach clients. */
function keepVendorState(run: LoopPlan["run"], answer: ChatMessage, state: VendorState | undefined): void {
  if (state?.stored === true) (run.vendorStates ??= new Map<ChatMessage, VendorState>()).set(answer, state);
}

/**
 * The part of a model's response that `executeTools` reads: text, tool calls and vendor state. A team makes such a
 * response itself for delegations that no model asked for.
 */
export type ToolCallResponse = Pick<ModelResponse, "text" | "toolCalls" | "vendorState"> & {
  readonly malformedArguments?: readonly MalformedArguments[];
};

/**
 * Executes the tool calls of a response in parallel, and yields their progress, results, ends and sources. Records
 * response and results in the run. Returns the results and the messages for the next model call.
 */
export async function* executeTools(
  plan: LoopPlan,
  response: ToolCallResponse,
  roundtrip: number,
): AsyncGenerator<StreamChunk, { results: readonly ToolCallResult[]; messages: ModelMessage[] }> {
  const { run, tools, onToolCall, onApproval, structured, maxParallelTools: maxParallel } = plan;
  const { text, toolCalls: calls, malformedArguments = [] } = response;
  const done: ToolCallResult[] = [];
  run.unfinishedStep = { text, toolCalls: calls, results: done };
  const batch = executeToolCalls({
    calls,
    malformedArguments,
    tools,
    context: run.context,
    eventBus: run.eventBus,
    roundtrip,
    maxParallel,
    telemetry: run.settings.telemetry,
    ...(structured !== undefined && { answerSchema: structured }),
    ...(onToolCall !== undefined && { onToolCall }),
    ...(onApproval !== undefined && { onApproval }),
    // Each tool result is recorded immediately, before the run's reader gets it, because the run may end earlier.
    onResult: (result) => {
      done.push(result);
      run.toolCalls.push(result);
    },
  });
  let next = await batch.next();
  for (; next.done !== true; next = await batch.next()) {
    if ("progress" in next.value) yield { type: "tool_progress", ...next.value };
    else {
      yield toolResultChunk(next.value);
      yield { type: "tool_call_end", toolCallId: next.value.toolCallId };
      for (const source of run.takeSources()) yield { type: "source", ...source };
    }
  }
  run.signal.throwIfAborted();
  // The results of tools are recorded in the order in which the model requested the calls, not in the order in which
  // the calls ended.
  run.toolCalls.splice(-next.value.length, next.value.length, ...next.value);
  run.unfinishedStep = undefined;
  return { results: next.value, messages: recordResults(plan, response, next.value) };
}

/** Records the messages of a round trip without the vendor's state, because clients must not see it. */
function recordResults({ run }: LoopPlan, response: ToolCallResponse, done: readonly ToolCallResult[]): ModelMessage[] {
  const { text, toolCalls, vendorState } = response;
  const answer: ChatMessage = { role: "assistant", content: text === "" ? null : text, toolCalls };
  const results = done.map(({ toolCallId, result }): ChatMessage => ({ role: "tool", toolCallId, content: result }));
  run.messages.push(answer, ...results);
  keepVendorState(run, answer, vendorState);
  return [vendorState === undefined ? answer : { ...answer, vendorState }, ...results];
}

/**
 * Reads the checked value from the model's answer. An answer that does not fit its schema is sent back to the model
 * with its issues, at most twice; the messages of these repairs are not recorded. Returns the response that fits.
 */
async function* fitToSchema<Structured>(
  plan: StructuredPlan<Structured>,
  { messages: sent, state }: ModelRequest,
  answer: ModelResponse,
): AsyncGenerator<StreamChunk, ModelResponse> {
  const messages = [...sent];
  let response = answer;
  for (let repairs = 0; ; repairs++) {
    try {
      yield* readAnswer(plan, response.text);
      return response;
    } catch (error) {
      if (!(error instanceof SchemaError) || repairs === maxRepairs) throw error;
      messages.push(...repairMessages(response, error));
      const prepared = await prepareCall(plan, { messages, state, mayCallTools: false });
      if (prepared === undefined) throw error;
      response = yield* callModelOnce(plan, prepared, state.callIds);
    }
  }
}

type StructuredPlan<Structured> = LoopPlan<Structured> & { structured: CompiledSchema<Structured> };

/**
 * Makes a text the structured answer of the run and yields it. Throws a `SchemaError` if it does not fit the schema.
 */
async function* readAnswer<Structured>(
  plan: StructuredPlan<Structured>,
  answer: string,
): AsyncGenerator<StreamChunk, void> {
  const { run, structured } = plan;
  const text = await guardAnswer(plan, answer);
  run.text = text;
  run.structured = await parseStructured(text, structured);
  yield { type: "text", text };
}

function repairMessages({ text, vendorState }: ModelResponse, { issues }: SchemaError): ModelMessage[] {
  return [
    { role: "assistant", content: text.trim() || "(no answer)", ...(vendorState !== undefined && { vendorState }) },
    {
      role: "user",
      content: `Your answer does not fit the schema that it must have:\n${describeIssues(issues)}\nAnswer again, with JSON that fits and nothing else.`,
    },
  ];
}
