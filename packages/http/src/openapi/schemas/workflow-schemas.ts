import type { StepEvent, StepResult, StepStatus, WorkflowChunk, WorkflowResult } from "@troupe/core";
import { schemaRef } from "../open-api-spec.ts";
import type { Schema } from "../open-api-spec.ts";
import { anyObject, durationMs, arrayOf, objectOf, stringEnum, string, unionByType } from "./schema-builders.ts";

type Event<Type extends StepEvent["type"]> = Extract<StepEvent, { type: Type }>;
type Finish = Extract<WorkflowChunk<object>, { type: "finish" }>;

const statuses = ["completed", "skipped", "error", "cancelled"] as const satisfies StepStatus[];

const result: WorkflowResult<object> = {
  runId: "0f8fad5b-d9cb-469f-a165-70867728950e",
  status: "completed",
  state: { city: "Oslo", answer: "Take an umbrella." },
  steps: [{ name: "answer", status: "completed", durationMs: 790, output: "Take an umbrella." }],
  usage: { promptTokens: 12, completionTokens: 4, totalTokens: 16 },
  durationMs: 812,
};

const events = {
  step_start: "StepStartEvent",
  step_retry: "StepRetryEvent",
  chunk: "StepChunkEvent",
  step_end: "StepEndEvent",
  finish: "WorkflowFinishEvent",
} satisfies Record<WorkflowChunk["type"], string>;

/** Returns the OpenAPI schemas of a workflow's run, by component name: its result, and the events of its stream. */
export function workflowSchemas(): Record<string, Schema> {
  return {
    WorkflowResult: objectOf<WorkflowResult<object>>({
      required: {
        runId: string,
        status: stringEnum("completed", "error"),
        state: anyObject,
        steps: arrayOf(schemaRef("StepResult")),
        usage: schemaRef("TokenUsage"),
        durationMs,
      },
      optional: {},
      example: result,
    }),
    StepResult: objectOf<StepResult>({
      required: { name: string, status: stringEnum(...statuses), durationMs },
      optional: { output: {}, error: schemaRef("PublicError") },
      example: { name: "answer", status: "completed", durationMs: 790, output: "Take an umbrella." },
    }),
    WorkflowEvent: unionByType({ ...events, error: "ErrorEvent" }, "The data of an event of a streamed workflow."),
    ...eventSchemas(),
  };
}

function eventSchemas(): Record<string, Schema> {
  return {
    StepStartEvent: objectOf<Event<"step_start">>({
      required: { type: stringEnum("step_start"), step: string },
      optional: {},
      example: { type: "step_start", step: "answer" },
    }),
    StepRetryEvent: objectOf<Event<"step_retry">>({
      required: { type: stringEnum("step_retry"), step: string },
      optional: {},
      example: { type: "step_retry", step: "answer" },
      description: "The step starts again: discard the chunks of its earlier attempt.",
    }),
    StepChunkEvent: objectOf<Event<"chunk">>({
      required: { type: stringEnum("chunk"), step: string, chunk: schemaRef("StreamChunk") },
      optional: {},
      example: { type: "chunk", step: "answer", chunk: { type: "text", text: "Take an " } },
    }),
    StepEndEvent: objectOf<Event<"step_end">>({
      required: { type: stringEnum("step_end"), step: string, status: stringEnum(...statuses), durationMs },
      optional: {},
      example: { type: "step_end", step: "answer", status: "completed", durationMs: 790 },
    }),
    WorkflowFinishEvent: objectOf<Finish>({
      required: { type: stringEnum("finish"), result: schemaRef("WorkflowResult") },
      optional: {},
      example: { type: "finish", result },
    }),
  };
}
