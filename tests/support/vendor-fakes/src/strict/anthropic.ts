import type { Refusal, VendorRequest } from "../dialect.ts";
import { isObject, objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { modelTraits } from "../dialects/anthropic-models.ts";
import { cacheChecks } from "./anthropic-cache.ts";
import { anthropicHostedChecks } from "./anthropic-hosted.ts";
import { anthropicMessageChecks, textChecks } from "./anthropic-messages.ts";
import { settingsChecks } from "./anthropic-settings.ts";
import { thinkingChecks } from "./anthropic-thinking.ts";
import { firstRefusal, refuseIf, repeatedIn, toolName } from "./checks.ts";
import type { Checks } from "./checks.ts";

const knownFields =
  "model messages max_tokens system stream stop_sequences tools tool_choice thinking output_config metadata " +
  "service_tier container context_management cache_control inference_geo speed";

/** Returns why Anthropic would answer 400 to a Messages request. */
export function refuseAnthropic({ body, headers }: VendorRequest): Refusal | undefined {
  if (!isObject(body)) return { message: "The request body is not valid JSON." };
  return firstRefusal(checks(body, headers["anthropic-version"]));
}

function* checks(body: JsonObject, version: string | undefined): Checks {
  const sampling = version === "2023-06-01" ? ["temperature", "top_p", "top_k"] : [];
  const unknown = Object.keys(body).find((key) => ![...knownFields.split(" "), ...sampling].includes(key));
  yield refuseIf(version === undefined, "anthropic-version: header is required");
  yield refuseIf(unknown !== undefined, `${unknown}: Extra inputs are not permitted`, unknown);
  yield refuseIf(stringOrEmpty(body["model"]) === "", "model: Field required", "model");
  yield* cacheChecks(body);
  yield* settingsChecks(body);
  yield* systemChecks(body["system"]);
  yield* toolChecks(body);
  yield* anthropicMessageChecks(objectsIn(body["messages"]), modelTraits(stringOrEmpty(body["model"])));
  yield* anthropicHostedChecks(body);
  yield* thinkingChecks(body);
}

function* systemChecks(system: unknown): Checks {
  yield refuseIf(system === "", "system: text content blocks must be non-empty", "system");
  for (const [index, block] of objectsIn(system).entries()) yield* textChecks(block, `system.${index}`);
}

function* toolChecks(body: JsonObject): Checks {
  const tools = objectsIn(body["tools"]);
  for (const [index, { name, input_schema: schema, type }] of tools.entries()) {
    const at = `tools.${index}`;
    if (type !== undefined && type !== "custom") continue;
    const { type: root, ...rest } = objectOf(schema);
    const isJoined = ["oneOf", "anyOf", "allOf"].some((keyword) => rest[keyword] !== undefined);
    yield refuseIf(
      !toolName.test(stringOrEmpty(name)),
      `${at}.name: String should match pattern '${toolName.source}'`,
      at,
    );
    yield refuseIf(root !== "object", `${at}.input_schema.type: Field required`, at);
    yield refuseIf(isJoined, `${at}.input_schema: does not support oneOf, allOf, or anyOf at the top level`, at);
  }
  const [repeated] = repeatedIn(tools.map(({ name }) => name));
  yield refuseIf(repeated !== undefined, "tools: Tool names must be unique.", "tools");
  yield* choiceChecks(body);
}

function* choiceChecks(body: JsonObject): Checks {
  const { type, name } = objectOf(body["tool_choice"]);
  const tools = objectsIn(body["tools"]);
  const isForced = type === "any" || type === "tool";
  const { refusesForcedTools } = modelTraits(stringOrEmpty(body["model"]));
  const thinks = ["enabled", "adaptive"].includes(stringOrEmpty(objectOf(body["thinking"])["type"]));
  yield refuseIf(
    stringOf(type) !== undefined && tools.length === 0,
    "tool_choice may only be specified while providing tools.",
    "tool_choice",
  );
  yield refuseIf(
    type === "tool" && !tools.some((tool) => tool["name"] === name),
    `Tool '${String(name)}' not found in provided tools`,
    "tool_choice",
  );
  yield refuseIf(
    isForced && (refusesForcedTools || thinks),
    "Thinking may not be enabled when tool_choice forces tool use.",
    "tool_choice",
  );
}
