import type { Json, WaitKind } from "@troupe/core";
import { runStatuses } from "@troupe/core/runs";
import type { RunKind, WebhookDelivery, WebhookEvent } from "@troupe/core/runs";
import type { JournalEvent, PublicRun, PublicWait, WaitEvent } from "@troupe/core/transport";
import type { AcceptedBody } from "../../answer/answer-run.ts";
import type { PublicRunPage } from "../../routes/stored-run-routes.ts";
import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import {
  anyObjectSchema,
  anythingSchema,
  arraySchema,
  countSchema,
  durationSchema,
  enumSchema,
  journalStepSchema,
  objectSchema,
  stringSchema,
  timestampSchema,
} from "./schema-builders.ts";

type Journal<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;

const kinds = ["agent", "team", "workflow"] as const satisfies RunKind[];
const waitKinds = ["approval", "input", "doubt", "upgrade", "question", "event", "sleep"] as const satisfies WaitKind[];
const webhookEvents = ["run.completed", "run.failed", "run.cancelled", "run.waiting"] as const satisfies WebhookEvent[];
const deliveryStatuses = ["pending", "delivered", "failed", "disabled"] as const satisfies WebhookDelivery["status"][];

const runId = "0f8fad5b-d9cb-469f-a165-70867728950e";
const wait: PublicWait = {
  waitId: "t.0.0",
  kind: "approval",
  about: { toolName: "pay", args: { amount: 20 } },
  toolCallId: "call_1",
};
const run: PublicRun = {
  runId,
  kind: "agent",
  name: "helper",
  sessionId: "trip",
  status: "waiting",
  createdAt: 1.8e12,
  startedAt: 1.8e12,
  attempts: 1,
  node: "worker-1",
  waits: [wait],
};
const delivery: WebhookDelivery = {
  id: "msg_1fe85488fecc7d1a001a164cfff544b8",
  type: "run.completed",
  at: 1.8e12,
  webhook: "run",
  status: "delivered",
  attempts: 1,
  lastAt: 1.8e12,
};

/**
 * Returns the OpenAPI schemas of runs that outlive their connections, with their waits and events, by component name.
 */
export function storedRunSchemas(): Record<string, OpenApiSchema> {
  return {
    Run: objectSchema<PublicRun>({
      required: {
        runId: stringSchema,
        kind: enumSchema(...kinds),
        name: stringSchema,
        sessionId: stringSchema,
        status: enumSchema(...runStatuses),
        createdAt: timestampSchema,
        attempts: { ...countSchema, description: "More than one after a takeover or an answer." },
      },
      optional: {
        node: { type: "string", description: "The name of the process that made the last attempt." },
        startedAt: timestampSchema,
        endedAt: timestampSchema,
        waits: arraySchema(schemaRef("RunWait")),
        output: { description: "The output of `/run`, after the end." },
        error: schemaRef("PublicError"),
      },
      example: run,
    }),
    RunList: objectSchema<PublicRunPage>({
      required: { runs: arraySchema(schemaRef("Run")) },
      optional: {
        next: { type: "string", description: "The `after` of the next page. Missing on the last page." },
      },
      example: { runs: [run] },
    }),
    AcceptedRun: objectSchema<AcceptedBody>({
      required: { runId: stringSchema, sessionId: stringSchema, status: enumSchema(...runStatuses) },
      optional: { waits: arraySchema(schemaRef("RunWait")) },
      example: { runId, sessionId: "trip", status: "queued" },
      description: "The run goes on without this request. `Location` has its path.",
    }),
    RunWait: objectSchema<PublicWait>({ ...waitShape, example: wait }),
    RunAnswer: answerSchema(),
    RunSignal: objectSchema<{ event: string; data?: Json; id?: string }>({
      required: { event: { ...nonBlank, description: "The name of the event.", maxLength: 128 } },
      optional: {
        data: { description: "Any JSON value." },
        id: { ...nonBlank, description: "Makes a repeated request harmless.", maxLength: 255 },
      },
      example: { event: "paid", data: { amount: 20 }, id: "payment-7" },
    }),
    ...deliverySchemas(),
    ...journalSchemas(),
  };
}

function deliverySchemas(): Record<string, OpenApiSchema> {
  return {
    DeliveryList: objectSchema<{ deliveries: WebhookDelivery[] }>({
      required: { deliveries: arraySchema(schemaRef("Delivery")) },
      optional: {},
      example: { deliveries: [delivery] },
    }),
    Delivery: objectSchema<WebhookDelivery>({
      required: {
        id: { ...stringSchema, description: "The header `webhook-id`, or the id of a notification, of all attempts." },
        type: { ...enumSchema(...webhookEvents, "run.started"), description: "Only subscriptions have `run.started`." },
        at: { ...timestampSchema, description: "Milliseconds since 1970 of the event." },
        webhook: {
          ...enumSchema("run", "service", "subscription"),
          description: "The webhook of the run itself, one of the service, or a subscription such as a push config.",
        },
        status: enumSchema(...deliveryStatuses),
        attempts: countSchema,
      },
      optional: {
        lastAt: timestampSchema,
        problem: { ...stringSchema, description: "Why the last attempt failed, such as `status 503`." },
        nextAt: timestampSchema,
      },
      example: delivery,
    }),
  };
}

const nonBlank = { type: "string", pattern: "\\S" };

const waitShape = {
  required: { waitId: stringSchema, kind: enumSchema(...waitKinds), about: anythingSchema },
  optional: {
    until: {
      ...timestampSchema,
      description: "After that an approval is denied, a sleep is over, and all else fails as `timeout`.",
    },
    toolCallId: stringSchema,
  },
  description: "A question that the run waits for. `POST /runs/{runId}/answers/{waitId}` answers it.",
};

/**
 * The answers of all kinds of waits in one schema: client generators do not support a union without a discriminator.
 */
function answerSchema(): OpenApiSchema {
  return {
    ...anyObjectSchema,
    properties: {
      approved: { type: "boolean", description: "Of an approval." },
      reason: { type: "string", description: "Of a denial: it is told to the model." },
      args: { ...anyObjectSchema, description: "Of an approval: arguments in place of the model's." },
      result: { description: "Of an input or a doubt: the result of the tool. Of a question: the answer." },
      error: { type: "string", description: "Of an input: the tool failed." },
      choice: { ...enumSchema("happened", "again", "giveUp"), description: "Of a doubt or an upgrade." },
    },
    example: { approved: true },
  };
}

function journalSchemas(): Record<string, OpenApiSchema> {
  return {
    WaitEvent: objectSchema<WaitEvent>({
      required: { type: enumSchema("wait"), runId: stringSchema, ...waitShape.required },
      optional: waitShape.optional,
      example: { type: "wait", runId, ...wait },
      description: `${waitShape.description} The stream stays open meanwhile.`,
    }),
    AttemptEvent: objectSchema<Journal<"attempt">>({
      required: { type: enumSchema("attempt"), attempt: countSchema, node: stringSchema },
      optional: {},
      example: { type: "attempt", attempt: 1, node: "worker-1" },
      description: "An attempt at the run begins, in the process of this name.",
    }),
    ResetEvent: objectSchema<Journal<"reset">>({
      required: { type: enumSchema("reset"), journalStep: journalStepSchema },
      optional: {},
      example: { type: "reset", journalStep: "m/0" },
      description: "Discard the chunks of this journal step: another attempt makes them anew.",
    }),
    CallEvent: objectSchema<Journal<"call">>({
      required: {
        type: enumSchema("call"),
        journalStep: journalStepSchema,
        toolName: stringSchema,
        args: anythingSchema,
        effect: enumSchema("pure", "idempotent", "once"),
      },
      optional: {},
      example: { type: "call", journalStep: "t/0/0", toolName: "pay", args: { amount: 20 }, effect: "once" },
      description: "A tool is about to be called.",
    }),
    DoneEvent: objectSchema<Journal<"done">>({
      required: { type: enumSchema("done"), journalStep: journalStepSchema, durationMs: durationSchema },
      optional: { usage: schemaRef("TokenUsage") },
      example: { type: "done", journalStep: "t/0/0", durationMs: 41 },
      description: "The journal step is done. No later attempt does it again.",
    }),
  };
}
