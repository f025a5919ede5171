import { keyHeadersOf } from "@troupe/core/transport";
import type { DocsSettings } from "../settings/docs-options.ts";
import type { HttpParts } from "../settings/http-options.ts";
import { errorResponses } from "./error-responses.ts";
import type { OpenApiSchema, OpenApiSpec } from "./open-api-spec.ts";
import { runStatuses } from "@troupe/core/runs";
import { storedRunSchemas } from "./schemas/stored-run-schemas.ts";
import { scheduleSchemas } from "./schemas/schedule-schemas.ts";
import { runSchemas, sessionIdPattern } from "./schemas/run-schemas.ts";
import { serviceSchemas } from "./schemas/service-schemas.ts";
import { sessionSchemas } from "./schemas/session-schemas.ts";
import { streamSchemas } from "./schemas/stream-schemas.ts";
import { workflowSchemas } from "./schemas/workflow-schemas.ts";

/**
 * Returns the `components` of the OpenAPI document: schemas, parameters, headers, error responses, key headers and the
 * host's security schemes. The key headers include `x-api-key` only if `genericApiKeyHeader` is true.
 */
export function componentsOf(
  { service, beside }: HttpParts,
  { securitySchemes }: DocsSettings,
): OpenApiSpec["components"] {
  const ofOthers = beside.map((protocol) => protocol.describe?.(service).schemas);
  const hasSchedules = service.settings.schedules !== undefined;
  return {
    schemas: {
      ...runSchemas(service.runs?.webhooks.allowsCallers === true),
      ...streamSchemas(),
      ...workflowSchemas(),
      ...sessionSchemas(),
      ...storedRunSchemas(),
      ...(hasSchedules && scheduleSchemas()),
      ...serviceSchemas(),
      ...(Object.assign({}, ...ofOthers) as Record<string, OpenApiSchema>),
    },
    parameters: { ...parameters(), ...(hasSchedules && scheduleParameters) },
    headers: {
      RequestId: header("The id of the request: the client's if it sent one, else a new one.", true),
      RunId: header("The id of the run, by which it can be cancelled.", true),
      SessionId: header("The session of the run: the client's, or a new one.", true),
      RetryAfter: { ...header("The seconds to wait."), schema: { type: "integer", minimum: 0 } },
      ContentLocation: header("The path of the run, where it can be asked for after its connection."),
      Location: header("The path of the run.", true),
      ...(hasSchedules && { ScheduleLocation: header("The path of the schedule.", true) }),
      PreferenceApplied: header("`respond-async`, if the client preferred that."),
      Attachment: header("`attachment`, with the name of the file if it has one.", true),
      Allow: header("The methods that the path takes.", true),
    },
    responses: errorResponses(),
    securitySchemes: { ...keySchemes(service), ...securitySchemes },
  };
}

/**
 * Returns the OpenAPI `security` of a run's operation: no key, or any of the key headers. These include `x-api-key`
 * only if `genericApiKeyHeader` is true.
 */
export function keyAlternatives(service: HttpParts["service"]): Record<string, string[]>[] {
  return [{}, ...Object.keys(keySchemes(service)).map((name) => ({ [name]: [] }))];
}

function keySchemes(service: HttpParts["service"]): Record<string, object> {
  const schemes = keyHeadersOf(service).map(({ vendor, header: name }) =>
    vendor === undefined
      ? ["anyKey", keyScheme(name, "A key for the vendor of the agent, if that vendor's own header is missing.")]
      : [`${vendor}Key`, keyScheme(name, `A key of ${vendor} that the run uses instead of the service's.`)],
  );
  return Object.fromEntries(schemes) as Record<string, object>;
}

function keyScheme(name: string, description: string): object {
  return { type: "apiKey", in: "header", name, description };
}

function parameters(): Record<string, object> {
  const sessionId = { type: "string", pattern: sessionIdPattern };
  const page = { type: "integer", minimum: 1, maximum: 100, default: 20 };
  return {
    RunId: { name: "runId", in: "path", required: true, schema: { type: "string" } },
    SessionId: {
      name: "id",
      in: "path",
      required: true,
      schema: sessionId,
      description: "The session of this id that the user who is signed in has, or without one that has no user.",
    },
    EarlyStream: {
      name: "early",
      in: "query",
      schema: { type: "string", enum: ["0", "1"], default: "0" },
      description:
        "`1`: the head of the stream, with the ids of the run, is sent as soon as the run begins, and not with its first " +
        "event or after a second. Whatever fails then has no status of its own: it is the event `error`.",
    },
    EarlyRun: {
      name: "early",
      in: "query",
      schema: { type: "string", enum: ["0", "1"], default: "0" },
      description:
        "`1`: the ids of the run are sent before its answer, as headers of an interim response 103. The answer is the same.",
    },
    OnDisconnect: {
      name: "onDisconnect",
      in: "query",
      schema: { type: "string", enum: ["cancel"] },
      description: "`cancel`: the run is cancelled when this client disconnects, whatever the service does otherwise.",
    },
    Limit: { name: "limit", in: "query", schema: page, description: "The maximum number of entries." },
    AfterSession: {
      name: "after",
      in: "query",
      schema: { type: "string", pattern: `^\\d{1,16}~${sessionIdPattern.slice(1)}` },
      description: "`next` of the previous page.",
    },
    ...turnParameters(),
    ...deliveryHeaders(),
    ...storedRunParameters(),
  };
}

/** The pattern of a run event's id. */
const position = "[1-9]\\d{0,11}\\.\\d{1,9}";

/** Returns the OpenAPI parameters for the headers of requests for runs that outlive their connections. */
function deliveryHeaders(): Record<string, object> {
  const ofHeader = (name: string, schema: object, description: string) => ({ name, in: "header", schema, description });
  return {
    IdempotencyKey: ofHeader(
      "Idempotency-Key",
      { type: "string", pattern: "^[!-~]{1,255}$" },
      "A new random value for each run or schedule. The same request with the same key joins the run that it has begun, or " +
        "returns the schedule that it has made.",
    ),
    Prefer: ofHeader(
      "Prefer",
      { type: "string" },
      "`respond-async`: the answer is a 202 at once, where the run outlives its connection.",
    ),
    LastEventId: ofHeader(
      "Last-Event-ID",
      { type: "string", pattern: `^(${position})?$` },
      "The `id` of the last event that the client has seen; an empty one counts for nothing. On `/stream` with the " +
        "Idempotency-Key of the run: without the key it is a 400, and a 410 where the run is not kept any more.",
    ),
  };
}

/** Returns the OpenAPI parameters in paths and queries of runs that outlive their connections. */
function storedRunParameters(): Record<string, object> {
  return {
    AfterEvent: {
      name: "after",
      in: "query",
      schema: { type: "string", pattern: `^${position}$` },
      description: "The `id` of the last event that the client has seen. The header `Last-Event-ID` goes before it.",
    },
    AllEvents: {
      name: "events",
      in: "query",
      schema: { type: "string", enum: ["all"] },
      description:
        "`all`: with attempts, tool calls and finished steps, and `reset` for a step whose chunks another process makes anew. " +
        "Without it such a stream ends with the error `interrupted`.",
    },
    RunStatus: {
      name: "status",
      in: "query",
      schema: { type: "string", enum: [...runStatuses] },
      description: "Only runs of this status.",
    },
    AfterRun: {
      name: "after",
      in: "query",
      schema: { type: "string", pattern: "^\\d{1,15}\\.[\\w-]{1,64}$" },
      description: "`next` of the previous page.",
    },
    WaitId: {
      name: "waitId",
      in: "path",
      required: true,
      schema: { type: "string" },
      description: "`waitId` of a wait of the run.",
    },
  };
}

/** The OpenAPI schema of a turn number. Without the format, generators of some languages would use 32 bits. */
const turnNumber = { type: "integer", format: "int64", maximum: 999_999_999_999 };

/** Returns the OpenAPI parameters of paths to turns and their parts. */
function turnParameters(): Record<string, object> {
  return {
    FromTurn: {
      name: "from",
      in: "query",
      required: true,
      schema: { ...turnNumber, minimum: 1 },
      description: "The number of the first turn to delete.",
    },
    TurnNumber: {
      name: "seq",
      in: "path",
      required: true,
      schema: { ...turnNumber, minimum: 1 },
      description: "The number of the turn.",
    },
    PartIndex: {
      name: "index",
      in: "path",
      required: true,
      schema: { ...turnNumber, minimum: 0 },
      description: "`stored.index` of a part of the turn.",
    },
    InlineParts: {
      name: "parts",
      in: "query",
      schema: { type: "string", enum: ["inline"] },
      description: "`inline`: with the data of parts, as far as it fits into the page. The others are references.",
    },
    AfterTurn: {
      name: "after",
      in: "query",
      schema: { ...turnNumber, minimum: 0 },
      description: "`next` of the previous page.",
    },
  };
}

const scheduleParameters = {
  ScheduleId: { name: "id", in: "path", required: true, schema: { type: "string" } },
};

function header(description: string, required = false): object {
  return { description, required, schema: { type: "string" } };
}
