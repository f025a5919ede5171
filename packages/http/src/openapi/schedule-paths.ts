import { operation } from "./describe-operation.ts";
import { errorResponseRefs } from "./error-responses.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiOperation, OpenApiPath } from "./open-api-spec.ts";

const tags = ["schedules"];

/** Returns the OpenAPI paths of schedules, for a service whose clients may have schedules. */
export function schedulePaths(): Record<string, OpenApiPath> {
  const parameters = [componentRef("parameters", "ScheduleId")];
  return {
    "/schedules": {
      get: operation({
        id: "list_schedules",
        tags,
        summary: "List the schedules of the user who is signed in",
        description: "Sorted by id.",
        answer: "ScheduleList",
        errors: [400, 401, 403, 500, 503],
      }),
      post: createOperation(),
    },
    "/schedules/{id}": {
      get: operation({
        id: "read_schedule",
        tags,
        summary: "Read a schedule",
        description: "With its next time, and its last times with their runs.",
        parameters,
        answer: "Schedule",
        errors: [400, 401, 403, 404, 500, 503],
      }),
      patch: {
        ...operation({
          id: "change_schedule",
          tags,
          summary: "Change, pause or resume a schedule",
          description: "Fields that are left out stay. `cron`, `everyMs` and `at` replace all times of the schedule.",
          parameters,
          answer: "Schedule",
          errors: [400, 401, 403, 404, 413, 415, 500, 503],
        }),
        requestBody: { required: true, content: { "application/json": { schema: schemaRef("ScheduleChange") } } },
      },
      delete: operation({
        id: "delete_schedule",
        tags,
        summary: "Remove a schedule",
        description: "Runs that it has begun go on.",
        parameters,
        errors: [400, 401, 403, 404, 500, 503],
      }),
    },
  };
}

function createOperation(): OpenApiOperation {
  return {
    operationId: "create_schedule",
    tags,
    summary: "Create a schedule",
    description:
      "It begins a durable run of the user who is signed in at each of its times: by `cron`, at the interval `everyMs`, or once, " +
      "`at` a time. Its runs take no API keys of the request.",
    parameters: [componentRef("parameters", "IdempotencyKey")],
    requestBody: { required: true, content: { "application/json": { schema: schemaRef("NewSchedule") } } },
    responses: {
      "201": {
        description: "The new schedule, or that of the earlier request with the same Idempotency-Key, as it is now.",
        headers: {
          "X-Request-Id": componentRef("headers", "RequestId"),
          Location: componentRef("headers", "ScheduleLocation"),
        },
        content: { "application/json": { schema: schemaRef("Schedule") } },
      },
      ...errorResponseRefs(400, 401, 403, 404, 413, 415, 422, 429, 500, 503),
    },
  };
}
