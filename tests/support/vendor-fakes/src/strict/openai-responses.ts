import type { Refusal } from "../dialect.ts";
import { isObject, objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { firstRefusal, refuseIf, refuseUnknown, toolName } from "./checks.ts";
import type { Checks } from "./checks.ts";
import { itemsChecks } from "./openai-items.ts";
import { isReasoningModel, samplingChecks } from "./openai-models.ts";
import { refuseLooseSchema } from "./openai-schema.ts";

const knownFields =
  "model input instructions store stream stream_options tools tool_choice parallel_tool_calls reasoning include text " +
  "max_output_tokens temperature top_p truncation user metadata previous_response_id background max_tool_calls " +
  "service_tier prompt_cache_key safety_identifier top_logprobs";

/** Returns why OpenAI would answer 400 to a Responses request without stored responses. */
export function refuseOpenaiResponses(body: unknown): Refusal | undefined {
  if (!isObject(body)) return { message: "We could not parse the JSON body of your request." };
  return firstRefusal(checks(body));
}

function* checks(body: JsonObject): Checks {
  const { input, previous_response_id: previous } = body;
  const isEmpty = Array.isArray(input) ? input.length === 0 : stringOrEmpty(input) === "";
  yield refuseUnknown(body, knownFields.split(" "));
  yield refuseIf(stringOf(body["model"]) === undefined, "Missing required parameter: 'model'.", "model");
  yield refuseIf(isEmpty, "One of 'input' or 'previous_response_id' must be provided.", "input");
  yield refuseIf(
    (previous ?? null) !== null,
    `Previous response with id '${String(previous)}' not found.`,
    "previous_response_id",
  );
  yield* toolChecks(body);
  yield* modelChecks(body);
  yield* formatChecks(body);
  yield* itemsChecks(objectsIn(input));
}

function* toolChecks({ tools, tool_choice: choice }: JsonObject): Checks {
  const names = objectsIn(tools).map(({ name }) => name);
  const chosen = isObject(choice) ? choice["name"] : undefined;
  yield refuseIf(
    (choice === "required" || chosen !== undefined) && names.length === 0,
    "Tool choice must be specified with 'tools'.",
    "tool_choice",
  );
  yield refuseIf(
    chosen !== undefined && !names.includes(chosen),
    `Tool choice '${String(chosen)}' not found in 'tools' parameter.`,
    "tool_choice",
  );
  for (const [index, { type, name, strict, parameters }] of objectsIn(tools).entries()) {
    if (type !== undefined && type !== "function") continue;
    yield refuseIf(type === undefined, `Missing required parameter: 'tools[${index}].type'.`, `tools[${index}].type`);
    yield refuseIf(!toolName.test(stringOrEmpty(name)), `Invalid 'tools[${index}].name'.`, `tools[${index}].name`);
    if (strict === true) yield refuseLooseSchema(parameters, stringOrEmpty(name));
  }
}

function* modelChecks(body: JsonObject): Checks {
  const { effort } = objectOf(body["reasoning"]);
  yield* samplingChecks(body);
  yield refuseIf(
    !isReasoningModel(body) && body["reasoning"] !== undefined,
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    effort === undefined ? "reasoning" : "reasoning.effort",
  );
  yield refuseIf(
    body["stream"] !== true && body["stream_options"] !== undefined,
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    "stream_options",
  );
}

function* formatChecks(body: JsonObject): Checks {
  const { type, name, schema, strict } = objectOf(objectOf(body["text"])["format"]);
  if (type !== "json_schema") return;
  yield refuseIf(
    !toolName.test(stringOrEmpty(name)),
    "Missing required parameter: 'text.format.name'.",
    "text.format.name",
  );
  yield refuseIf(!isObject(schema), "Missing required parameter: 'text.format.schema'.", "text.format.schema");
  if (strict === true) yield refuseLooseSchema(schema, "text.format.schema");
}
