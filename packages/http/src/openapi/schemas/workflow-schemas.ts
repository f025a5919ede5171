import type { StepEvent, StepResult, StepStatus, WorkflowChunk, WorkflowResult } from "@troupe/core";
import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import {
  anyObjectSchema,
  durationSchema,
  arraySchema,
  objectSchema,
  enumSchema,
  stringSchema,
  unionSchema,
  storedSchema,
  withJournalStep,
} from "./schema-builders.ts";

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
export function workflowSchemas(): Record<string, OpenApiSchema> {
  return {
    WorkflowResult: objectSchema<WorkflowResult<object>>({
      required: {
        runId: stringSchema,
        status: enumSchema("completed", "error"),
        state: anyObjectSchema,
        steps: arraySchema(schemaRef("StepResult")),
        usage: schemaRef("TokenUsage"),
        durationMs: durationSchema,
      },
      optional: { stored: storedSchema },
      example: result,
    }),
    StepResult: objectSchema<StepResult>({
      required: { name: stringSchema, status: enumSchema(...statuses), durationMs: durationSchema },
      optional: { output: {}, error: schemaRef("PublicError") },
      example: { name: "answer", status: "completed", durationMs: 790, output: "Take an umbrella." },
    }),
    WorkflowEvent: unionSchema(
      { ...events, wait: "WaitEvent", error: "ErrorEvent" },
      "The data of an event of a streamed workflow.",
    ),
    StoredRunEvent: storedRunEvent(),
    ...withJournalStep(eventSchemas()),
  };
}

const journalEvents = ["AttemptEvent", "ResetEvent", "CallEvent", "DoneEvent"];

/**
 * Returns the OpenAPI schema of any event of a stored run. It is a union of the events of agents and teams, the events
 * of workflows, whose `finish` differs, and the events of the journal.
 */
function storedRunEvent(): OpenApiSchema {
  return {
    anyOf: ["StreamEvent", "WorkflowEvent", ...journalEvents].map(schemaRef),
    description: "The data of an event of a run: of its stream and, with `events=all`, of its journal.",
  };
}

function eventSchemas(): Record<string, OpenApiSchema> {
  return {
    StepStartEvent: objectSchema<Event<"step_start">>({
      required: { type: enumSchema("step_start"), step: stringSchema },
      optional: {},
      example: { type: "step_start", step: "answer" },
    }),
    StepRetryEvent: objectSchema<Event<"step_retry">>({
      required: { type: enumSchema("step_retry"), step: stringSchema },
      optional: {},
      example: { type: "step_retry", step: "answer" },
      description: "The step starts again: discard the chunks of its earlier attempt.",
    }),
    StepChunkEvent: objectSchema<Event<"chunk">>({
      required: { type: enumSchema("chunk"), step: stringSchema, chunk: schemaRef("StreamChunk") },
      optional: {},
      example: { type: "chunk", step: "answer", chunk: { type: "text", text: "Take an " } },
    }),
    StepEndEvent: objectSchema<Event<"step_end">>({
      required: {
        type: enumSchema("step_end"),
        step: stringSchema,
        status: enumSchema(...statuses),
        durationMs: durationSchema,
      },
      optional: {},
      example: { type: "step_end", step: "answer", status: "completed", durationMs: 790 },
    }),
    WorkflowFinishEvent: objectSchema<Finish>({
      required: { type: enumSchema("finish"), result: schemaRef("WorkflowResult") },
      optional: {},
      example: { type: "finish", result },
    }),
  };
}
