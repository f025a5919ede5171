import { OutputGate } from "../guardrail/output-gate.ts";
import type { ModelMessage } from "../model/vendor-state.ts";
import type { ModelOptions } from "../model/model-config.ts";
import type { ModelResponse } from "../model/model-response.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { CallIds } from "../history/call-ids.ts";
import { ChunkRelay } from "./chunk-relay.ts";
import type { LoopPlan } from "./loop-plan.ts";
import { TurnCallIds } from "./turn-call-ids.ts";

/** One question to the model. */
type Question = { messages: readonly ModelMessage[]; callIds: CallIds; mayCallTools: boolean };

/**
 * Lets the model answer once. What it says is streamed as far as the guardrails allow, except where a structured answer is
 * to come: of those only one that fits its schema is shown. The response that is returned holds the text that may go out.
 */
export async function* askModel(
  plan: LoopPlan,
  { messages, callIds, mayCallTools }: Question,
): AsyncGenerator<StreamChunk, ModelResponse> {
  const { run, structured, outputGuardrails } = plan;
  const { context, signal } = run;
  const gate = structured === undefined ? new OutputGate({ guardrails: outputGuardrails, context }) : undefined;
  const relay = new ChunkRelay({ run, gate, showsTools: mayCallTools });
  const options = { ...plan.options, ...toolOptions(plan, mayCallTools), signal };
  const ids = new TurnCallIds(callIds);
  const thoughtBefore = run.thinking;
  run.text = "";
  const response = yield* plan.callModel(plan, { messages, options, relay: relay.pass, ids });
  run.meter.add(response.usage);
  signal.throwIfAborted();
  run.noteToken();
  run.thinking = thoughtBefore + (response.thinking ?? "");
  run.responseId = response.responseId ?? run.responseId;
  if (gate === undefined) return response;
  // An answer that did not stream has all of its text still before the gate.
  if (!relay.hasSpoken) run.text += await gate.push(response.text);
  const isSilent = response.text === "" && response.toolCalls.length > 0;
  const rest = isSilent ? "" : await gate.end();
  run.text += rest;
  if (rest !== "") yield { type: "text", text: rest };
  return { ...response, text: run.text };
}

function toolOptions({ tools }: LoopPlan, mayCallTools: boolean): Pick<ModelOptions, "tools" | "toolChoice"> {
  if (tools.specs.length === 0) return {};
  // They stay known: vendors refuse a history with calls of tools that they were not told of.
  return mayCallTools ? { tools: tools.specs } : { tools: tools.specs, toolChoice: "none" };
}
