import { keyHeadersOf } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";
import { ref, workflowSchema } from "./ag-ui-schemas.ts";

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
      const workflow = kind === "workflow" ? service.workflows.get(name) : undefined;
      const schema = workflow === undefined ? ref("schemas", "AgUiRequest") : workflowSchema(workflow);
      const operation = {
        ...runOperation({ kind, name, schema }),
        operationId: freeId(ids, `ag_ui_${kind}_${name}`),
        security,
      };
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

type Described = { readonly kind: Kind; readonly name: string; readonly schema: object };

function runOperation({ kind, name, schema }: Described): object {
  const messages = [{ id: "message-1", role: "user", content: question }];
  const example = { threadId: "thread-1", runId: "run-1", messages, tools: [], context: [] };
  return {
    tags: [`${kind}s`],
    summary: `Run the ${kind} ${name} over AG-UI`,
    description:
      "The session has the id of the thread. A request that answers what the run of the thread waits for goes on with that run. A request with the id of an earlier run of the thread finds that run again, and is refused with 422 if it asks for something else.",
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
