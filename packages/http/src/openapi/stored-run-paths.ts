import { operation } from "./describe-operation.ts";
import { errorResponseRefs } from "./error-responses.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiOperation, OpenApiPath } from "./open-api-spec.ts";
import { eventStream } from "./run-paths.ts";

const tags = ["runs"];

/**
 * Returns the OpenAPI paths of runs: the list of durable runs, a run by its id, its events, the deliveries of its
 * webhooks, answers to it, and its cancellation.
 */
export function storedRunPaths(): Record<string, OpenApiPath> {
  const parameters = [componentRef("parameters", "RunId")];
  return {
    "/runs": { get: listOperation() },
    "/runs/{runId}": {
      get: operation({
        id: "read_run",
        tags,
        summary: "Read a run",
        description:
          "A run that outlives its connection: its status, what it waits for and, after its end, its output.",
        parameters,
        answer: "Run",
        errors: [400, 404, 500, 503],
      }),
      delete: operation({
        id: "delete_run",
        tags,
        summary: "Remove a run",
        description: "With its events and its output. A run that is not over is cancelled first.",
        parameters,
        errors: [400, 404, 500, 503],
      }),
    },
    "/runs/{runId}/deliveries": { get: deliveriesOperation() },
    "/runs/{runId}/events": { get: eventsOperation() },
    "/runs/{runId}/cancel": {
      post: operation({
        id: "cancel_run",
        tags,
        summary: "Cancel a run",
        description: "A run that is over stays as it is, and the answer has its status.",
        parameters,
        answer: "Cancelled",
        errors: [400, 404, 500, 503],
      }),
    },
    "/runs/{runId}/signals": { post: signalOperation() },
    "/runs/{runId}/answers/{waitId}": { post: answerOperation() },
  };
}

function deliveriesOperation(): OpenApiOperation {
  return operation({
    id: "list_run_deliveries",
    tags,
    summary: "List the deliveries of a run's webhooks",
    description: "What became of each event of the run that a webhook is notified of, the oldest first.",
    parameters: [componentRef("parameters", "RunId")],
    answer: "DeliveryList",
    errors: [400, 404, 500, 503],
  });
}

function answerOperation(): OpenApiOperation {
  return {
    ...operation({
      id: "answer_run",
      tags,
      summary: "Answer a question that a run waits for",
      description:
        "An approval: `approved`, with a `reason` or other `args`. An input: `result` or `error`. A doubt: `choice`, with " +
        "the `result` of what happened. An upgrade: `choice`. A question: `result`. The first answer counts; another one is a 409.",
      parameters: ["RunId", "WaitId"].map((name) => componentRef("parameters", name)),
      errors: [400, 404, 409, 413, 415, 500, 503],
    }),
    requestBody: { required: true, content: { "application/json": { schema: schemaRef("RunAnswer") } } },
  };
}

function signalOperation(): OpenApiOperation {
  return {
    ...operation({
      id: "signal_run",
      tags,
      summary: "Send an event to a run",
      description:
        "The next step of the workflow that waits for this event takes `data`, at most 64 KB. An event that comes before its " +
        "step is kept. A second event with the same `id` changes nothing.",
      parameters: [componentRef("parameters", "RunId")],
      errors: [400, 404, 409, 413, 415, 422, 500, 503],
    }),
    requestBody: { required: true, content: { "application/json": { schema: schemaRef("RunSignal") } } },
  };
}

function listOperation(): OpenApiOperation {
  return operation({
    id: "list_runs",
    tags,
    summary: "List the durable runs of the user who is signed in",
    description: "Newest first, those of one status or all.",
    parameters: ["RunStatus", "Limit", "AfterRun"].map((name) => componentRef("parameters", name)),
    answer: "RunList",
    errors: [400, 401, 500, 503],
  });
}

function eventsOperation(): OpenApiOperation {
  const header = (name: string) => componentRef("headers", name);
  return {
    operationId: "read_run_events",
    tags,
    summary: "Read the events of a run, those that are there and those to come",
    description:
      "Behind the last event that the client has seen, in one connection after the other: no event is missing, and none comes " +
      "twice. The stream ends with the run, and stays open while the run waits.",
    parameters: ["RunId", "AfterEvent", "AllEvents", "LastEventId"].map((name) => componentRef("parameters", name)),
    responses: {
      "200": {
        description: "The events of the run.",
        headers: {
          "X-Request-Id": header("RequestId"),
          "X-Run-Id": header("RunId"),
          "X-Session-Id": header("SessionId"),
        },
        content: eventStream("StoredRunEvent"),
      },
      "204": {
        description: "The run is over, and the client has seen all of it.",
        headers: { "X-Request-Id": header("RequestId") },
      },
      ...errorResponseRefs(400, 404, 410, 500, 503),
    },
  };
}
