import type { Service } from "@troupe/core/transport";
import type { ApiSettings } from "../settings.ts";

type Answer = {
  readonly description: string;
  readonly schema: object;
  readonly isStream?: boolean;
  readonly parameters?: readonly object[];
};

/** Describes the paths of the API for the OpenAPI document of the service. */
export function apiPaths(_service: Service, { basePath, chat }: ApiSettings): Record<string, object> {
  const paths = { ...modelPaths(), ...(chat === false ? {} : chatPaths()), ...responsePaths() };
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [basePath + path, item]));
}

function modelPaths(): Record<string, object> {
  const list = { description: "The models that the caller may run.", schema: ref("OpenAiModelList") };
  const one = { description: "The model.", schema: ref("OpenAiModel") };
  return {
    "/models": { get: operation("listOpenAiModels", "List agents, teams and workflows as models", list) },
    "/models/{model}": {
      get: operation("getOpenAiModel", "Read a model", { ...one, parameters: [pathParameter("model")] }),
    },
  };
}

function chatPaths(): Record<string, object> {
  const answer = { description: "The completion, or its chunks.", schema: ref("OpenAiCompletion"), isStream: true };
  const example = { model: "helper", messages: [{ role: "user", content: "What can you help me with?" }] };
  const made = operation("createOpenAiChatCompletion", "Create a chat completion", answer);
  return { "/chat/completions": { post: { ...made, requestBody: body("OpenAiChatRequest", example) } } };
}

function responsePaths(): Record<string, object> {
  const response = { description: "The response.", schema: ref("OpenAiResponse") };
  const streamed = { ...response, description: "The response, or its events.", isStream: true };
  const id = [pathParameter("id")];
  const example = { model: "helper", input: "What can you help me with?" };
  const deleted = { description: "What was deleted.", schema: ref("OpenAiDeleted") };
  const items = { description: "What the user has said.", schema: ref("OpenAiItemList") };
  const query = [
    queryParameter("stream", { type: "boolean" }),
    queryParameter("starting_after", { type: "integer", minimum: 0 }),
  ];
  return {
    "/responses": {
      post: {
        ...operation("createOpenAiResponse", "Create a response", streamed),
        requestBody: body("OpenAiResponseRequest", example),
      },
    },
    "/responses/{id}": {
      get: operation("getOpenAiResponse", "Read a response, or its events again", {
        ...streamed,
        parameters: [...id, ...query],
      }),
      delete: operation("deleteOpenAiResponse", "Delete a response, with those behind it in its session", {
        ...deleted,
        parameters: id,
      }),
    },
    "/responses/{id}/cancel": {
      post: operation("cancelOpenAiResponse", "Cancel a response that is in progress", { ...response, parameters: id }),
    },
    "/responses/{id}/input_items": {
      get: operation("listOpenAiInputItems", "List the input of a response", { ...items, parameters: id }),
    },
  };
}

function operation(operationId: string, summary: string, answer: Answer): object {
  const { description, schema, isStream, parameters = [] } = answer;
  const events = isStream === true && {
    "text/event-stream": {
      schema: { type: "string", description: "Server-sent events, the last one `data: [DONE]`." },
    },
  };
  const failed = { description: "An error.", content: { "application/json": { schema: ref("OpenAiError") } } };
  return {
    operationId,
    tags: ["openai"],
    summary,
    ...(parameters.length > 0 && { parameters }),
    responses: { "200": { description, content: { "application/json": { schema }, ...events } }, default: failed },
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
