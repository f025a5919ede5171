import { modelTraits } from "../dialects/anthropic-models.ts";
import { isObject, objectOf, objectsIn, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

const leastBudget = 1024;

/** Checks max_tokens, sampling, thinking and output format. */
export function* settingsChecks(body: JsonObject): Checks {
  const { max_tokens: most } = body;
  yield refuseIf(most === undefined, "max_tokens: Field required", "max_tokens");
  yield refuseIf(
    !Number.isInteger(most) || Number(most) < 1,
    "max_tokens: Input should be greater than 0",
    "max_tokens",
  );
  yield* samplingChecks(body);
  yield* budgetChecks(body);
  yield* formatChecks(objectOf(objectOf(body["output_config"])["format"]));
}

function* samplingChecks(body: JsonObject): Checks {
  const { temperature, top_p: topP, thinking } = body;
  const { isOlder } = modelTraits(stringOrEmpty(body["model"]));
  const isWarm = temperature !== undefined && temperature !== 1;
  yield refuseIf(
    !isOlder && (isWarm || topP !== undefined),
    "`temperature` and `top_p` are deprecated for this model.",
    "temperature",
  );
  yield refuseIf(
    temperature !== undefined && topP !== undefined,
    "`temperature` and `top_p` cannot both be specified for this model.",
    "top_p",
  );
  yield refuseIf(
    isWarm && ["enabled", "adaptive"].includes(stringOrEmpty(objectOf(thinking)["type"])),
    "`temperature` may only be set to 1 when thinking is enabled.",
    "temperature",
  );
}

function* budgetChecks(body: JsonObject): Checks {
  const { type, budget_tokens: budget } = objectOf(body["thinking"]);
  const { isOlder, isAdaptive, refusesForcedTools } = modelTraits(stringOrEmpty(body["model"]));
  if (type === undefined) return;
  yield refuseIf(
    type === "enabled" && !isOlder,
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    "thinking",
  );
  yield refuseIf(type === "adaptive" && !isAdaptive, "adaptive thinking is not supported on this model", "thinking");
  yield refuseIf(
    type === "disabled" && refusesForcedTools,
    '"thinking.type.disabled" is not supported for this model.',
    "thinking",
  );
  if (type !== "enabled") return;
  yield refuseIf(!(Number(budget) >= leastBudget), "thinking.budget_tokens: Input should be at least 1024", "thinking");
  yield refuseIf(
    Number(budget) >= Number(body["max_tokens"]),
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
    "max_tokens",
  );
}

const unsupported = ["minimum", "maximum", "multipleOf", "minLength", "maxLength", "pattern", "oneOf", "maxItems"];

function* formatChecks({ type, schema }: JsonObject): Checks {
  if (type === undefined) return;
  yield refuseIf(
    type !== "json_schema" || !isObject(schema),
    "output_config.format.schema: Field required",
    "output_config",
  );
  const found = unsupportedIn(schema);
  yield refuseIf(found !== undefined, `output_config.format.schema: ${found}`, "output_config");
}

function unsupportedIn(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const { type, additionalProperties, properties, items, $defs } = schema;
  if (type === "object" && additionalProperties !== false)
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  const keyword = unsupported.find((one) => schema[one] !== undefined);
  if (keyword !== undefined) return `property '${keyword}' is not supported`;
  const inner = [...Object.values(objectOf(properties)), ...Object.values(objectOf($defs)), items];
  return [...inner, ...objectsIn(schema["anyOf"]), ...objectsIn(schema["allOf"])]
    .map(unsupportedIn)
    .find((found) => found !== undefined);
}
