import type { Service } from "@troupe/core/transport";
import { errorRefs, headerRefs, keySecurity, OperationIds, parameterRef, schemaRef } from "./builders.ts";
import { sessionIdPattern } from "./chat-schemas.ts";

/** An agent or a team that is served to `useChat`. */
type Subject = { readonly collection: "agents" | "teams"; readonly word: "agent" | "team"; readonly name: string };

/** The question of the examples: every agent can answer it. */
const question = "What can you help me with?";

/**
 * Returns the OpenAPI paths for `useChat` of the AI SDK. They refer to parameters, headers and errors of the document of
 * `@troupe/http`, which they are a part of.
 */
export function chatPaths(service: Service): Record<string, object> {
  const { agents, teams } = service;
  const ids = new OperationIds();
  const subjects = [
    ...[...agents.keys()].map((name): Subject => ({ collection: "agents", word: "agent", name })),
    ...[...teams.keys()].map((name): Subject => ({ collection: "teams", word: "team", name })),
  ];
  const security = keySecurity(service);
  const paths = subjects.flatMap((subject): [path: string, item: object][] => {
    const path = `/${subject.collection}/${encodeURIComponent(subject.name)}/ui`;
    return [
      [path, { post: { ...chatOperation(subject, ids), security } }],
      [`${path}/{chatId}/stream`, { get: resumeOperation(subject, ids) }],
      [`${path}/{chatId}/stop`, { post: stopOperation(subject, ids) }],
    ];
  });
  return Object.fromEntries(paths);
}

function chatOperation({ collection, word, name }: Subject, ids: OperationIds): object {
  const parts = [{ type: "text", text: question }];
  const example = { id: "chat-1", messages: [{ id: "message-1", role: "user", parts }] };
  return {
    operationId: ids.next(`chat_${word}`, name),
    tags: [collection],
    summary: `Chat with the ${word} ${name}, for useChat of the AI SDK`,
    description:
      "The session has the id of the chat. A message that answers what its run waits for goes on with that run.",
    parameters: [parameterRef("EarlyStream"), parameterRef("OnDisconnect")],
    requestBody: { required: true, content: { "application/json": { schema: schemaRef("ChatRequest"), example } } },
    responses: {
      "200": streamAnswer("The message."),
      ...errorRefs(400, 401, 403, 404, 409, 410, 413, 415, 422, 429, 499, 500, 502, 503, 504),
    },
  };
}

function resumeOperation({ collection, word, name }: Subject, ids: OperationIds): object {
  return {
    operationId: ids.next(`resume_${word}_chat`, name),
    tags: [collection],
    summary: `Read the message of the ${word} ${name} that is under way`,
    description: "From its beginning, for a page that has lost its connection or was loaded again.",
    parameters: [chatId],
    responses: {
      "200": streamAnswer("The message that is under way, or that waits for an answer."),
      "204": { description: "There is none.", headers: headerRefs("X-Request-Id") },
      ...errorRefs(400, 404, 410, 500, 503),
    },
  };
}

function stopOperation({ collection, word, name }: Subject, ids: OperationIds): object {
  return {
    operationId: ids.next(`stop_${word}_chat`, name),
    tags: [collection],
    summary: `Stop the message of the ${word} ${name} that is under way`,
    description: "Does nothing if there is none.",
    parameters: [chatId],
    requestBody: {
      required: false,
      content: { "application/json": { schema: schemaRef("ChatStop"), example: {} } },
    },
    responses: {
      "204": { description: "Done.", headers: headerRefs("X-Request-Id") },
      ...errorRefs(400, 404, 413, 415, 500, 503),
    },
  };
}

const chatId = {
  name: "chatId",
  in: "path",
  required: true,
  schema: { type: "string", pattern: sessionIdPattern },
  description: "The id of the chat, which is that of its session.",
};

function streamAnswer(description: string): object {
  const headers = headerRefs("X-Request-Id", "X-Run-Id", "X-Session-Id", "Content-Location");
  return { description, headers, content: chunkStream() };
}

const framing =
  "The UI message stream of the AI SDK, version 1: server-sent events with a chunk as JSON in one line of `data:`, the last one " +
  "`data: [DONE]`. Lines that begin with a colon are heartbeats. Ignore them.";

function chunkStream(): object {
  const chunks = ['{"type":"start","messageId":"m1"}', '{"type":"finish","finishReason":"stop"}', "[DONE]"];
  const schema = { type: "string", description: framing, "x-event-data": schemaRef("UiMessageChunk") };
  return { "text/event-stream": { schema, example: chunks.map((chunk) => `data: ${chunk}\n\n`).join("") } };
}
