import { keyHeadersOf } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";

type Kind = "agent" | "team" | "workflow";

/** The question of the examples: every agent can answer it. */
const question = "What can you help me with?";

/**
 * Returns the OpenAPI paths of AG-UI. They refer to headers and errors of the document of `@troupe/http`, which they are
 * a part of.
 */
export function agUiPaths(service: Service): Record<string, object> {
  const kinds: readonly Kind[] = ["agent", "team", "workflow"];
  const ids = new Set<string>();
  const security = [{}, ...keyHeadersOf(service).map(({ vendor = "any" }) => ({ [`${vendor}Key`]: [] }))];
  const paths = kinds.flatMap((kind) =>
    [...service[`${kind}s`].keys()].map((name) => {
      const operation = { ...runOperation(kind, name), operationId: freeId(ids, `ag_ui_${kind}_${name}`), security };
      return [`/agui/${kind}s/${encodeURIComponent(name)}`, { post: operation }] as const;
    }),
  );
  return Object.fromEntries(paths);
}

/** Returns an operation id that client generators accept as a name, and that no other operation has. */
function freeId(given: Set<string>, wanted: string): string {
  const id = wanted.replaceAll(/[^A-Za-z0-9_]/g, "_");
  let free = id;
  for (let count = 2; given.has(free); count++) free = `${id}_${count}`;
  given.add(free);
  return free;
}

function runOperation(kind: Kind, name: string): object {
  const messages = [{ id: "message-1", role: "user", content: question }];
  const example = { threadId: "thread-1", runId: "run-1", messages, tools: [], context: [] };
  const schema = ref("schemas", "AgUiRequest");
  return {
    tags: [`${kind}s`],
    summary: `Run the ${kind} ${name} over AG-UI`,
    description:
      "The session has the id of the thread. A request that answers what the run of the thread waits for goes on with that run. A request with the id of an earlier run of the thread finds that run again.",
    requestBody: { required: true, content: { "application/json": { schema, example } } },
    responses: { "200": streamAnswer(), ...errorRefs() },
  };
}

const framing =
  "Events of AG-UI: server-sent events with one event as JSON in `data:`. The last one is `RUN_FINISHED` or `RUN_ERROR`. Lines that begin with a colon are heartbeats. Ignore them.";

function streamAnswer(): object {
  const event = { type: "RUN_STARTED", threadId: "thread-1", runId: "run-1" };
  const schema = { type: "string", description: framing, "x-event-data": ref("schemas", "AgUiEvent") };
  return {
    description: "The events of the run, until it is over or waits for an answer.",
    headers: {
      "X-Request-Id": ref("headers", "RequestId"),
      "X-Session-Id": ref("headers", "SessionId"),
      "X-AG-UI-Run-Id": {
        description: "The id of the run, under which its service knows it.",
        schema: { type: "string" },
      },
    },
    content: { "text/event-stream": { schema, example: `data: ${JSON.stringify(event)}\n\n` } },
  };
}

/** The names of the error responses of the document by status. */
const errorNames: Readonly<Record<string, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "Refused",
  429: "RateLimited",
  500: "InternalError",
  503: "Unavailable",
  default: "OtherError",
};

function errorRefs(): Record<string, object> {
  const entries = Object.entries(errorNames).map(([status, name]) => [status, ref("responses", name)] as const);
  return Object.fromEntries(entries);
}

function ref(kind: string, name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

const anyObject = { type: "object", additionalProperties: true };
const objects = { type: "array", items: anyObject };
const string = { type: "string" };

/** The OpenAPI schemas of a request of AG-UI and of its events. */
export const agUiSchemas: Readonly<Record<string, object>> = {
  AgUiRequest: {
    ...anyObject,
    description: "A request of AG-UI, in version 1.0 or of the revision 0.0.59. Other fields are ignored.",
    properties: {
      threadId: {
        type: "string",
        pattern: "^([\\w:@-][\\w.:@-]{0,127}|\\.[\\w:@-][\\w.:@-]{0,126}|\\.\\.[\\w.:@-]{1,126})$",
        description: "The id of the thread, which is that of its session.",
      },
      runId: {
        type: "string",
        minLength: 1,
        maxLength: 256,
        description: "The id that the client gives the run. Within a thread, each run has one of its own.",
      },
      protocolVersion: { ...string, description: "Left out by clients of the revision 0.0.59." },
      messages: { ...objects, description: "The messages of the thread, of which the last one of the user is read." },
      tools: {
        type: "array",
        items: {
          ...anyObject,
          properties: { name: string, description: string, parameters: anyObject },
          required: ["name"],
        },
        description: "The tools that the front end executes itself.",
      },
      state: { description: "Keys of the state of a workflow, if there is no message of the user." },
      resume: {
        type: "array",
        items: {
          ...anyObject,
          properties: { interruptId: string, status: { type: "string", enum: ["resolved", "cancelled"] } },
          required: ["interruptId", "status"],
        },
        description: "Answers to the interrupts of the thread's run.",
      },
    },
    required: ["threadId", "runId", "messages"],
  },
  AgUiEvent: {
    ...anyObject,
    description: "An event of AG-UI.",
    properties: { type: string },
    required: ["type"],
  },
};
