import type { Refusal } from "../dialect.ts";
import { isObject, objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { firstRefusal, refuseIf, refuseUnknown, toolName } from "./checks.ts";
import type { Checks } from "./checks.ts";
import { openaiMessageChecks } from "./openai-messages.ts";
import { isReasoningModel, samplingChecks } from "./openai-models.ts";
import { refuseLooseSchema } from "./openai-schema.ts";

const knownFields =
  "model messages stream stream_options temperature top_p stop max_tokens max_completion_tokens n seed store tools " +
  "tool_choice parallel_tool_calls response_format reasoning_effort user metadata verbosity frequency_penalty " +
  "presence_penalty logprobs top_logprobs modalities audio prediction service_tier safety_identifier prompt_cache_key";

/** Returns why OpenAI would answer 400 to a Chat Completions request. */
export function refuseOpenaiChat(body: unknown): Refusal | undefined {
  if (!isObject(body)) return { message: "We could not parse the JSON body of your request." };
  return firstRefusal(checks(body));
}

function* checks(body: JsonObject): Checks {
  yield refuseUnknown(body, knownFields.split(" "));
  yield refuseIf(stringOf(body["model"]) === undefined, "you must provide a model parameter", "model");
  yield refuseIf(objectsIn(body["messages"]).length === 0, "[] is too short - 'messages'", "messages");
  yield* toolChecks(body);
  yield* modelChecks(body);
  yield* formatChecks(body);
  yield* openaiMessageChecks(objectsIn(body["messages"]));
}

function* toolChecks(body: JsonObject): Checks {
  const { tools } = body;
  yield refuseIf(Array.isArray(tools) && tools.length === 0, "[] is too short - 'tools'", "tools");
  for (const field of ["tool_choice", "parallel_tool_calls"]) {
    const isAlone = tools === undefined && body[field] !== undefined;
    yield refuseIf(isAlone, `'${field}' is only allowed when 'tools' are specified.`, field);
  }
  for (const [index, tool] of objectsIn(tools).entries()) {
    const { name, strict, parameters } = objectOf(tool["function"]);
    yield refuseIf(tool["type"] !== "function", "Invalid value for 'type'.", `tools[${index}].type`);
    yield refuseIf(
      !toolName.test(stringOrEmpty(name)),
      "Invalid 'tools[].function.name': string does not match pattern.",
      `tools[${index}].function.name`,
    );
    if (strict === true) yield refuseLooseSchema(parameters, stringOrEmpty(name));
  }
}

function* modelChecks(body: JsonObject): Checks {
  const effort = body["reasoning_effort"];
  if (!isReasoningModel(body)) {
    yield refuseIf(
      effort !== undefined,
      "Unrecognized request argument supplied: reasoning_effort",
      "reasoning_effort",
    );
    return;
  }
  yield* samplingChecks(body);
  yield refuseIf(
    body["max_tokens"] !== undefined,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "max_tokens",
  );
  yield refuseIf(
    body["tools"] !== undefined && effort !== undefined && effort !== "none",
    `Function tools with reasoning_effort are not supported for ${stringOrEmpty(body["model"])} in /v1/chat/completions.`,
    "reasoning_effort",
  );
}

function* formatChecks(body: JsonObject): Checks {
  const { type, json_schema: format } = objectOf(body["response_format"]);
  const { name, schema, strict } = objectOf(format);
  yield refuseIf(
    body["stream"] !== true && body["stream_options"] !== undefined,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    "stream_options",
  );
  if (type !== "json_schema") return;
  yield refuseIf(!toolName.test(stringOrEmpty(name)), "Invalid 'response_format.json_schema.name'.", "response_format");
  if (strict === true) yield refuseLooseSchema(schema, "response_format");
}
