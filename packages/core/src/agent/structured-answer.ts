import { checkGuardrails } from "../guardrail/check-guardrails.ts";
import type { ModelResponse } from "../model/model-response.ts";
import type { FinishReason } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { ModelMessage } from "../model/vendor-state.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { parseStructured } from "../schema/parse-structured.ts";
import { SchemaError } from "../schema/schema-error.ts";
import { describeIssues } from "../schema/schema-issue.ts";
import type { CallIds } from "../history/call-ids.ts";
import { askModel } from "./ask-model.ts";
import type { LoopPlan } from "./loop-plan.ts";

/** How often the model is shown what is wrong with its answer. */
const maxRepairs = 2;

/** What the model was sent, and the ids of the tool calls in it. */
export type Asked = { messages: readonly ModelMessage[]; callIds: CallIds };

type StructuredPlan<Structured> = LoopPlan<Structured> & { structured: CompiledSchema<Structured> };

/**
 * Makes of the model's answer the checked value. An answer that does not fit its schema is sent back with what is wrong, at
 * most twice; what was said in between is no part of the conversation afterwards. Returns why the answer that fits ended.
 */
export async function* structuredAnswer<Structured>(
  plan: StructuredPlan<Structured>,
  { messages: asked, callIds }: Asked,
  answer: ModelResponse,
): AsyncGenerator<StreamChunk, FinishReason> {
  const { run, structured, outputGuardrails: guardrails } = plan;
  const messages = [...asked];
  let response = answer;
  for (let repairs = 0; ; repairs++) {
    try {
      const text = await checkGuardrails(response.text, { guardrails, side: "output", context: run.context });
      run.text = text;
      run.structured = await parseStructured(text, structured);
      yield { type: "text", text };
      return response.finishReason;
    } catch (error) {
      if (!(error instanceof SchemaError) || repairs === maxRepairs) throw error;
      messages.push(...repairMessages(response, error));
      response = yield* askModel(plan, { messages, callIds, mayCallTools: false });
    }
  }
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
