import { z } from "zod";

/** A response as the schema of Open Responses (2026-04-24) requires it: every field is present, even if it is null. */
export const responseResource = z.object({
  id: z.string().min(1),
  object: z.literal("response"),
  created_at: z.number().int(),
  completed_at: z.number().int().nullable(),
  status: z.enum(["queued", "in_progress", "completed", "failed", "cancelled", "incomplete"]),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(
    z.discriminatedUnion("type", [
      z.object({
        type: z.literal("message"),
        id: z.string(),
        status: z.enum(["in_progress", "completed", "incomplete"]),
        role: z.literal("assistant"),
        content: z.array(
          z.object({
            type: z.literal("output_text"),
            text: z.string(),
            annotations: z.array(z.unknown()),
            logprobs: z.array(z.unknown()),
          }),
        ),
        phase: z.enum(["commentary", "final_answer"]).nullish(),
      }),
      z.object({
        type: z.literal("function_call"),
        id: z.string(),
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
        status: z.enum(["in_progress", "completed", "incomplete"]),
      }),
    ]),
  ),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(
    z.object({
      type: z.literal("function"),
      name: z.string(),
      description: z.string().nullable(),
      parameters: z.record(z.string(), z.unknown()).nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  tool_choice: z.unknown(),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.object({ format: z.object({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.number().int(),
  temperature: z.number(),
  reasoning: z.object({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: z
    .object({
      input_tokens: z.number().int(),
      output_tokens: z.number().int(),
      total_tokens: z.number().int(),
      input_tokens_details: z.object({ cached_tokens: z.number().int() }),
      output_tokens_details: z.object({ reasoning_tokens: z.number().int() }),
    })
    .nullable(),
  max_output_tokens: z.number().int().nullable(),
  max_tool_calls: z.number().int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});
