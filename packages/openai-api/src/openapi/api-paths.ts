import type { ApiSettings } from "../settings.ts";

/** The fields in which the OpenAPI operations of the API differ from each other. */
type Operation = {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly answer: string;
  readonly schema: string;
  readonly isStream?: boolean;
  readonly parameters?: readonly object[];
};

/** The tag of the API's operations in the OpenAPI document of the service. */
export const apiTag = { name: "openai", description: "Agents, teams and workflows as models of OpenAI's API." };

/** Describes the paths of the API for the OpenAPI document of the service. */
export function apiPaths({ basePath, chat }: ApiSettings): Record<string, object> {
  const paths = { ...modelPaths(), ...(chat === false ? {} : chatPaths()), ...responsePaths(), ...storedPaths() };
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [basePath + path, item]));
}

function modelPaths(): Record<string, object> {
  const list = operation({
    id: "listOpenAiModels",
    summary: "List agents, teams and workflows as models",
    description: "Lists what the caller may run. A name that an agent has too is `team/<name>` or `workflow/<name>`.",
    answer: "The models that the caller may run.",
    schema: "OpenAiModelList",
  });
  const one = operation({
    id: "getOpenAiModel",
    summary: "Read a model",
    description: "Returns one of the models that the caller may run, and 404 for any other.",
    answer: "The model.",
    schema: "OpenAiModel",
    parameters: [pathParameter("model")],
  });
  return { "/models": { get: list }, "/models/{model}": { get: one } };
}

function chatPaths(): Record<string, object> {
  const made = operation({
    id: "createOpenAiChatCompletion",
    summary: "Create a chat completion",
    description: "Runs an agent, team or workflow with the messages of a conversation.",
    answer: "The completion, or its chunks.",
    schema: "OpenAiCompletion",
    isStream: true,
  });
  const example = { model: "helper", messages: [{ role: "user", content: "What can you help me with?" }] };
  return { "/chat/completions": { post: { ...made, requestBody: body("OpenAiChatRequest", example) } } };
}

function responsePaths(): Record<string, object> {
  const made = operation({
    id: "createOpenAiResponse",
    summary: "Create a response",
    description:
      "Runs an agent, team or workflow. With `previous_response_id` the run goes on behind that response, in its session.",
    answer: "The response, or its events.",
    schema: "OpenAiResponse",
    isStream: true,
  });
  const example = { model: "helper", input: "What can you help me with?" };
  return { "/responses": { post: { ...made, requestBody: body("OpenAiResponseRequest", example) } } };
}

function storedPaths(): Record<string, object> {
  const parameters = [pathParameter("id")];
  const query = [
    queryParameter("stream", { type: "boolean" }),
    queryParameter("starting_after", { type: "integer", minimum: 0 }),
  ];
  const read = operation({
    id: "getOpenAiResponse",
    summary: "Read a response, or its events again",
    description: "Returns a stored response. With `stream` its events follow, from behind `starting_after`.",
    answer: "The response, or its events.",
    schema: "OpenAiResponse",
    isStream: true,
    parameters: [...parameters, ...query],
  });
  const deleted = operation({
    id: "deleteOpenAiResponse",
    summary: "Delete a response, with those behind it in its session",
    description: "Deletes a response with its turn. Those behind it were answers to it, so they go with it.",
    answer: "What was deleted.",
    schema: "OpenAiDeleted",
    parameters,
  });
  const cancelled = operation({
    id: "cancelOpenAiResponse",
    summary: "Cancel a response that is in progress",
    description: "Cancels the run of a response that was made with `background`.",
    answer: "The response.",
    schema: "OpenAiResponse",
    parameters,
  });
  const items = operation({
    id: "listOpenAiInputItems",
    summary: "List the input of a response",
    description: "Lists what the user said in the turn of a stored response.",
    answer: "What the user has said.",
    schema: "OpenAiItemList",
    parameters,
  });
  return {
    "/responses/{id}": { get: read, delete: deleted },
    "/responses/{id}/cancel": { post: cancelled },
    "/responses/{id}/input_items": { get: items },
  };
}

function operation({ id, summary, description, answer, schema, isStream, parameters = [] }: Operation): object {
  const events = isStream === true && {
    "text/event-stream": {
      schema: { type: "string", description: "Server-sent events, the last one `data: [DONE]`." },
    },
  };
  const content = { "application/json": { schema: ref(schema) }, ...events };
  const failed = (reason: string) => ({
    description: reason,
    content: { "application/json": { schema: ref("OpenAiError") } },
  });
  return {
    operationId: id,
    tags: [apiTag.name],
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      "200": { description: answer, content },
      "4XX": failed("The request is wrong, or the caller may not make it."),
      default: failed("The service or a vendor has failed."),
    },
  };
}

function body(name: string, example: object): object {
  return { required: true, content: { "application/json": { schema: ref(name), example } } };
}

function pathParameter(name: string): object {
  return { name, in: "path", required: true, schema: { type: "string" } };
}

function queryParameter(name: string, schema: object): object {
  return { name, in: "query", required: false, schema };
}

function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
