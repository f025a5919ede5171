import { getOwn } from "@troupe/core/kit";
import type { DocsSettings } from "../settings/docs-options.ts";
import type { HttpParts } from "../settings/http-options.ts";
import { keyAlternatives } from "./components.ts";
import { errorResponseRefs } from "./error-responses.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiContent, OpenApiPath, OpenApiResponse, OpenApiSchema } from "./open-api-spec.ts";
import { anyQuestion, formSchema } from "./schemas/run-schemas.ts";
import { runOutputSchema, workflowRequestSchema } from "./subject-schemas.ts";

/**
 * The errors of a workflow's `/stream` before the stream opens. Errors of the workflow's run are events of the stream.
 */
const workflowStreamErrors = errorResponseRefs(400, 403, 410, 413, 415, 422, 500, 503);
const runErrors = errorResponseRefs(400, 401, 403, 404, 409, 410, 413, 415, 422, 429, 499, 500, 502, 503, 504);

/** An agent, team or workflow, with the facts that its operations mention. */
type Subject = {
  collection: "agents" | "teams" | "workflows";
  word: "agent" | "team" | "workflow";
  name: string;
  description: string | undefined;
  request: OpenApiContent;
  answer: OpenApiSchema;
  /** The name of the schema for the data of the stream's events. */
  event: string;
};

/**
 * Returns the OpenAPI paths that depend on the registered names: `/run` and `/stream` of each agent, team and workflow.
 */
export function runPaths(parts: HttpParts, docs: DocsSettings): Record<string, OpenApiPath> {
  const ids = new OperationIds();
  const security = keyAlternatives(parts.service);
  const paths = subjectsOf(parts, docs).flatMap((subject) => {
    const path = `/${subject.collection}/${encodeURIComponent(subject.name)}`;
    return [
      [`${path}/run`, { post: { ...operationOf(subject, ids, "run"), security } }],
      [`${path}/stream`, { post: { ...operationOf(subject, ids, "stream"), security } }],
    ] as const;
  });
  return Object.fromEntries(paths);
}

function subjectsOf({ service, uploads }: HttpParts, { questions }: DocsSettings): Subject[] {
  const { agents, teams, workflows } = service;
  const takesWebhook = service.runs?.webhooks.allowsCallers === true;
  const talking = (name: string) => {
    const example = { input: questionFor(name, questions) };
    const form = uploads && { "multipart/form-data": { schema: formSchema(uploads.rules, example.input), example } };
    return {
      request: { "application/json": { schema: schemaRef("RunRequest"), example }, ...form },
      event: "StreamEvent",
    };
  };
  return [
    ...[...agents].map(([name, agent]) => {
      const { description } = agent;
      return {
        collection: "agents",
        word: "agent",
        name,
        description,
        answer: runOutputSchema(agent),
        ...talking(name),
      } as const;
    }),
    ...[...teams].map(([name, team]) => {
      const { description } = team;
      return {
        collection: "teams",
        word: "team",
        name,
        description,
        answer: runOutputSchema(team),
        ...talking(name),
      } as const;
    }),
    ...[...workflows].map(([name, workflow]) => ({
      collection: "workflows" as const,
      word: "workflow" as const,
      name,
      description: workflow.description,
      request: { "application/json": { schema: workflowRequestSchema(workflow, { takesWebhook }), example: {} } },
      answer: schemaRef("WorkflowResult"),
      event: "WorkflowEvent",
    })),
  ];
}

/** Returns the question that the docs suggest for an agent or a team. */
export function questionFor(name: string, questions: DocsSettings["questions"]): string {
  return getOwn(questions, name) ?? anyQuestion;
}

function operationOf(subject: Subject, ids: OperationIds, verb: "run" | "stream") {
  const { collection, word, name, description, request, answer, event } = subject;
  const content = verb === "run" ? { "application/json": { schema: answer } } : eventStream(event);
  const errors = verb === "stream" && word === "workflow" ? workflowStreamErrors : runErrors;
  return {
    operationId: ids.next(`${verb}_${word}`, name),
    tags: [collection],
    summary: verb === "run" ? `Run the ${word} ${name}` : `Run the ${word} ${name} as a stream`,
    description: description === undefined ? plainDescriptions[verb] : plainText(description),
    parameters: [...parametersOf[verb], "OnDisconnect", "IdempotencyKey"].map((each) =>
      componentRef("parameters", each),
    ),
    requestBody: { required: collection !== "workflows", content: request },
    responses: { "200": runAnswer(verb, content), ...(verb === "run" && { "202": acceptedAnswer() }), ...errors },
  };
}

/** Descriptions of the operations whose agent, team or workflow has no description. */
const plainDescriptions = {
  run: "Answers once the run has ended.",
  stream: "Answers with server-sent events while the run goes on.",
};

const parametersOf = { run: ["EarlyRun", "Prefer"], stream: ["EarlyStream", "LastEventId"] };

/** Returns the 202 answer for a run that continues after its request. */
function acceptedAnswer(): OpenApiResponse {
  const header = (name: string) => componentRef("headers", name);
  return {
    description: "The run goes on: it waits for an answer, or the client prefers to ask for the result later.",
    headers: {
      "X-Request-Id": header("RequestId"),
      "X-Run-Id": header("RunId"),
      "X-Session-Id": header("SessionId"),
      "Content-Location": header("ContentLocation"),
      Location: header("Location"),
      "Preference-Applied": header("PreferenceApplied"),
      "Retry-After": header("RetryAfter"),
    },
    content: { "application/json": { schema: schemaRef("AcceptedRun") } },
  };
}

function runAnswer(verb: "run" | "stream", content: OpenApiContent): OpenApiResponse {
  return {
    description: verb === "run" ? "The output of the run." : "The events of the run.",
    headers: {
      "X-Request-Id": componentRef("headers", "RequestId"),
      "X-Run-Id": componentRef("headers", "RunId"),
      "X-Session-Id": componentRef("headers", "SessionId"),
      "Content-Location": componentRef("headers", "ContentLocation"),
    },
    content,
  };
}

const framing = `Server-sent events. Each has an \`id:\`, which is opaque, and one line of \`data:\` with JSON. The last one
is of type \`finish\`, or \`error\` if the run failed after the stream had begun: with its first event, after a second, or at
once with \`early\` (a run that fails before is answered with a status of its own). Lines that begin with a colon are heartbeats. Ignore them.`;

/**
 * Returns the content of an event stream. OpenAPI 3.0 cannot describe streams: the body is a string, and `x-event-data`
 * names the schema of its events.
 */
export function eventStream(event: string): OpenApiContent {
  const last = event === "WorkflowEvent" ? '{"type":"finish","result":{}}' : '{"type":"finish","finishReason":"stop"}';
  const example = `id: 1\ndata: ${event !== "WorkflowEvent" ? '{"type":"text","text":"Hi."}' : '{"type":"step_start","step":"answer"}'}\n\n: heartbeat\n\nid: 2\ndata: ${last}\n\n`;
  const schema = { type: "string", description: framing, "x-event-data": schemaRef(event) };
  return { "text/event-stream": { schema, example } };
}

/** Makes unique operation ids that client generators accept as names. */
export class OperationIds {
  readonly #given = new Set<string>();

  next(verb: string, name: string): string {
    const id = `${verb}_${name.replaceAll(/[^A-Za-z0-9_]/g, "_")}`;
    let free = id;
    for (let count = 2; this.#given.has(free); count++) free = `${id}_${count}`;
    this.#given.add(free);
    return free;
  }
}

/** Escapes text for Markdown, so that it is shown literally, without markup, pictures or links. */
function plainText(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&#|~]/g, "\\$&").replaceAll(/\b(https?|www)(?=[:.])/gi, "$1\u{200b}");
}
