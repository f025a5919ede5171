import type { DocsSettings } from "../settings/docs-options.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { keyAlternatives } from "./components.ts";
import { errorResponseRefs } from "./error-responses.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiContent, OpenApiOperation, OpenApiPath, OpenApiResponse } from "./open-api-spec.ts";
import { OperationIds, questionFor } from "./run-paths.ts";

/** An agent or a team that is served to `useChat`. */
type Subject = { collection: "agents" | "teams"; word: "agent" | "team"; name: string; question: string };

/** Returns the OpenAPI paths for `useChat` of the AI SDK, none without the option `ui`. */
export function uiPaths(settings: RouterSettings, { questions }: DocsSettings): Record<string, OpenApiPath> {
  const { agents, teams, ui, genericApiKeyHeader } = settings;
  if (ui === undefined) return {};
  const ids = new OperationIds();
  const toSubject = (collection: Subject["collection"], word: Subject["word"]) => (name: string) => {
    return { collection, word, name, question: questionFor(name, questions) };
  };
  const subjects = [
    ...[...agents.keys()].map(toSubject("agents", "agent")),
    ...[...teams.keys()].map(toSubject("teams", "team")),
  ];
  const security = keyAlternatives(genericApiKeyHeader);
  const paths = subjects.flatMap((subject): [path: string, item: OpenApiPath][] => {
    const path = `/${subject.collection}/${encodeURIComponent(subject.name)}/ui`;
    return [
      [path, { post: { ...chatOperation(subject, ids), security } }],
      [`${path}/{chatId}/stream`, { get: resumeOperation(subject, ids) }],
      [`${path}/{chatId}/stop`, { post: stopOperation(subject, ids) }],
    ];
  });
  return Object.fromEntries(paths);
}

function chatOperation({ collection, word, name, question }: Subject, ids: OperationIds): OpenApiOperation {
  const parts = [{ type: "text", text: question }];
  const example = { id: "chat-1", messages: [{ id: "message-1", role: "user", parts }] };
  return {
    operationId: ids.next(`chat_${word}`, name),
    tags: [collection],
    summary: `Chat with the ${word} ${name}, for useChat of the AI SDK`,
    description:
      "The session has the id of the chat. A message that answers what its run waits for goes on with that run.",
    parameters: ["EarlyStream", "OnDisconnect"].map((each) => componentRef("parameters", each)),
    requestBody: { required: true, content: { "application/json": { schema: schemaRef("ChatRequest"), example } } },
    responses: {
      "200": streamAnswer("The message."),
      ...errorResponseRefs(400, 401, 403, 404, 409, 410, 413, 415, 422, 429, 499, 500, 502, 503, 504),
    },
  };
}

function resumeOperation({ collection, word, name }: Subject, ids: OperationIds): OpenApiOperation {
  return {
    operationId: ids.next(`resume_${word}_chat`, name),
    tags: [collection],
    summary: `Read the message of the ${word} ${name} that is under way`,
    description: "From its beginning, for a page that has lost its connection or was loaded again.",
    parameters: [componentRef("parameters", "ChatId")],
    responses: {
      "200": streamAnswer("The message that is under way, or that waits for an answer."),
      "204": { description: "There is none.", headers: { "X-Request-Id": componentRef("headers", "RequestId") } },
      ...errorResponseRefs(400, 404, 410, 500, 503),
    },
  };
}

function stopOperation({ collection, word, name }: Subject, ids: OperationIds): OpenApiOperation {
  return {
    operationId: ids.next(`stop_${word}_chat`, name),
    tags: [collection],
    summary: `Stop the message of the ${word} ${name} that is under way`,
    description: "Does nothing if there is none.",
    parameters: [componentRef("parameters", "ChatId")],
    requestBody: {
      required: false,
      content: { "application/json": { schema: schemaRef("ChatStop"), example: {} } },
    },
    responses: {
      "204": { description: "Done.", headers: { "X-Request-Id": componentRef("headers", "RequestId") } },
      ...errorResponseRefs(400, 404, 413, 415, 500, 503),
    },
  };
}

function streamAnswer(description: string): OpenApiResponse {
  const header = (name: string) => componentRef("headers", name);
  return {
    description,
    headers: {
      "X-Request-Id": header("RequestId"),
      "X-Run-Id": header("RunId"),
      "X-Session-Id": header("SessionId"),
      "Content-Location": header("ContentLocation"),
    },
    content: chunkStream(),
  };
}

const framing =
  "The UI message stream of the AI SDK, version 1: server-sent events with a chunk as JSON in one line of `data:`, the last one " +
  "`data: [DONE]`. Lines that begin with a colon are heartbeats. Ignore them.";

function chunkStream(): OpenApiContent {
  const chunks = ['{"type":"start","messageId":"m1"}', '{"type":"finish","finishReason":"stop"}', "[DONE]"];
  const schema = { type: "string", description: framing, "x-event-data": schemaRef("UiMessageChunk") };
  return { "text/event-stream": { schema, example: chunks.map((chunk) => `data: ${chunk}\n\n`).join("") } };
}
