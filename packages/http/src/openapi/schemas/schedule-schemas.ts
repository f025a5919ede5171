import type { RunKind } from "@troupe/core/runs";
import type {
  NewSchedule,
  PublicSchedule,
  PublicScheduleEvent,
  PublicScheduleList,
  ScheduleChange,
} from "../../routes/schedule-routes.ts";
import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import {
  anythingSchema,
  arraySchema,
  closedObjectSchema,
  countSchema,
  enumSchema,
  objectSchema,
  stringSchema,
  timestampSchema,
} from "./schema-builders.ts";
import { sessionIdPattern } from "./run-schemas.ts";

const kinds = ["agent", "team", "workflow"] as const satisfies RunKind[];
const nonBlank = { type: "string", pattern: "\\S" };

const times = {
  cron: { ...nonBlank, maxLength: 200, description: "Five fields, or six with seconds first." },
  timeZone: { ...nonBlank, maxLength: 100, description: "The IANA time zone of `cron`, by default UTC." },
  everyMs: {
    ...countSchema,
    minimum: 1000,
    maximum: 1_000_000_000_000,
    description: "Milliseconds between two times.",
  },
  at: { ...countSchema, maximum: 8_640_000_000_000_000, description: "The only time, in milliseconds since 1970." },
};

const rules = {
  overlap: {
    ...enumSchema("skip", "queue", "cancel-running"),
    description: "What happens at a time when the previous run is not over. By default it is skipped.",
  },
  missed: {
    ...enumSchema("skip", "one", "all"),
    description: "The runs that begin for times which are more than a minute late. By default one.",
  },
  maxMissed: {
    type: "integer",
    minimum: 1,
    maximum: 100,
    description: "The maximum number of times that wait for a run. By default 10.",
  },
  jitterMs: {
    type: "integer",
    minimum: 0,
    maximum: 3_600_000,
    description: "The maximum delay of each time in milliseconds. By default none.",
  },
} satisfies Record<string, OpenApiSchema>;

const schedule: PublicSchedule = {
  id: "0f8fad5b-d9cb-469f-a165-70867728950e",
  kind: "agent",
  name: "reporter",
  input: "Report on yesterday's orders.",
  cron: "0 8 * * 1-5",
  timeZone: "Europe/Oslo",
  overlap: "skip",
  missed: "one",
  maxMissed: 10,
  jitterMs: 0,
  status: "active",
  createdAt: 1.8e12,
  nextAt: 1.8e12,
  pending: [],
  history: [],
};

/** Returns the OpenAPI schemas of schedules by component name. */
export function scheduleSchemas(): Record<string, OpenApiSchema> {
  return {
    Schedule: objectSchema<PublicSchedule>({
      required: {
        id: stringSchema,
        kind: enumSchema(...kinds),
        name: stringSchema,
        ...rules,
        status: enumSchema("active", "paused", "ended"),
        createdAt: timestampSchema,
        pending: { ...arraySchema(timestampSchema), description: "The times that are due and wait for a run." },
        history: { ...arraySchema(schemaRef("ScheduleEvent")), description: "The last 20 times, newest first." },
      },
      optional: {
        ...times,
        input: anythingSchema,
        sessionId: { ...stringSchema, description: "The session of all its runs. Missing: a new one for each." },
        nextAt: { ...timestampSchema, description: "The next time, without its jitter." },
      },
      example: schedule,
    }),
    ScheduleList: objectSchema<PublicScheduleList>({
      required: { schedules: arraySchema(schemaRef("Schedule")) },
      optional: {},
      example: { schedules: [schedule] },
    }),
    ScheduleEvent: objectSchema<PublicScheduleEvent>({
      required: {
        status: enumSchema("begun", "skipped", "missed", "failed"),
        at: timestampSchema,
        settledAt: timestampSchema,
      },
      optional: {
        until: { ...timestampSchema, description: "The last of several times." },
        runId: { ...stringSchema, description: "The run that began." },
        error: schemaRef("PublicError"),
      },
      example: { status: "begun", at: 1.8e12, settledAt: 1.8e12, runId: "0f8fad5b-d9cb-469f-a165-70867728950e" },
      description: "A time of a schedule that is over.",
    }),
    ...sentSchemas(),
  };
}

/** Returns the schemas of the bodies that clients send. */
function sentSchemas(): Record<string, OpenApiSchema> {
  const input = { description: "The input of its runs, as that of `/run`." };
  return {
    NewSchedule: closedObjectSchema<NewSchedule>({
      required: { kind: enumSchema(...kinds), name: { ...stringSchema, minLength: 1 } },
      optional: {
        input,
        sessionId: { type: "string", pattern: sessionIdPattern },
        userId: { type: "string", minLength: 1, description: "The user who is signed in." },
        ...times,
        ...rules,
      },
      example: {
        kind: "agent",
        name: "reporter",
        input: "Report on yesterday's orders.",
        cron: "0 8 * * 1-5",
        timeZone: "Europe/Oslo",
      },
      description: "It has one of `cron`, `everyMs` and `at`.",
    }),
    ScheduleChange: closedObjectSchema<ScheduleChange>({
      required: {},
      optional: { status: enumSchema("active", "paused"), input, ...times, ...rules },
      example: { status: "paused" },
    }),
  };
}
