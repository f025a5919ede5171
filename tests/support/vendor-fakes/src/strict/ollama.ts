import type { Refusal } from "../dialect.ts";
import { isObject, objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { firstRefusal, refuseIf } from "./checks.ts";
import type { Checks } from "./checks.ts";

const roles = ["system", "user", "assistant", "tool"];
/** Model families without thinking, and without tools. */
const thoughtless = /^(?:gemma|llama|mistral|phi|qwen2)/;
const toolless = /^(?:gemma3|phi3|llava)/;

/** Returns why Ollama, or the template of its model, would refuse a chat. Ollama ignores unknown fields. */
export function refuseOllama(body: unknown): Refusal | undefined {
  if (!isObject(body)) return { message: "missing request body" };
  return firstRefusal(checks(body));
}

function* checks(body: JsonObject): Checks {
  const model = stringOrEmpty(body["model"]);
  const messages = objectsIn(body["messages"]);
  const thinks = body["think"] !== undefined && body["think"] !== false;
  const { format, tools } = body;
  const isFormat = format === undefined || format === "" || format === "json" || isObject(format);
  yield refuseIf(model === "", "model is required", "model");
  yield refuseIf(thinks && thoughtless.test(model), `"${model}" does not support thinking`, "think");
  yield refuseIf(objectsIn(tools).length > 0 && toolless.test(model), `${model} does not support tools`, "tools");
  yield refuseIf(!isFormat, 'invalid format: expected "json" or a JSON schema', "format");
  for (const [index, tool] of objectsIn(tools).entries()) yield* toolChecks(tool, `tools[${index}]`);
  for (const [index, message] of messages.entries()) yield* messageChecks(message, `messages[${index}]`);
  yield* pairingChecks(messages);
}

function* toolChecks(tool: JsonObject, at: string): Checks {
  const { name, parameters } = objectOf(tool["function"]);
  yield refuseIf(stringOrEmpty(name) === "", `${at} has no name`, at);
  yield refuseIf(!isObject(objectOf(parameters)["properties"]), `${at} has no properties`, at);
}

function* messageChecks({ role, content, images, tool_calls: calls }: JsonObject, at: string): Checks {
  const kind = Array.isArray(content) ? "array" : typeof content;
  yield refuseIf(!roles.includes(stringOrEmpty(role)), `invalid role: ${String(role)}`, `${at}.role`);
  yield refuseIf(
    stringOf(content) === undefined,
    `json: cannot unmarshal ${kind} into Go struct field ChatRequest.messages.content of type string`,
    `${at}.content`,
  );
  const isEncoded = (image: unknown) => /^[A-Za-z0-9+/]+={0,2}$/.test(stringOrEmpty(image));
  yield refuseIf(
    Array.isArray(images) && !images.every(isEncoded),
    "illegal base64 data at input byte 4",
    `${at}.images`,
  );
  yield refuseIf(calls !== undefined && role !== "assistant", "only the assistant calls tools", `${at}.tool_calls`);
  for (const call of objectsIn(calls)) {
    const { name, arguments: args } = objectOf(call["function"]);
    yield refuseIf(stringOrEmpty(name) === "", "a tool call has no name", `${at}.tool_calls`);
    yield refuseIf(
      !isObject(args),
      "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments",
      `${at}.tool_calls`,
    );
  }
}

type Waiting = { id: unknown; name: unknown };

/** Checks that each result belongs to a call, by its id or else by its tool name. */
function* pairingChecks(messages: readonly JsonObject[]): Checks {
  let waiting: Waiting[] = [];
  for (const message of messages) {
    if (message["role"] === "tool") {
      const found = waiting.findIndex((call) => isAnsweredBy(call, message));
      yield refuseIf(found < 0, "a tool message must answer a tool call of the assistant", "messages");
      waiting.splice(found, 1);
      continue;
    }
    yield refuseIf(waiting.length > 0, "a tool call has no tool message right after it", "messages");
    waiting = objectsIn(message["tool_calls"]).map(({ id, function: called }) => ({
      id,
      name: objectOf(called)["name"],
    }));
  }
  yield refuseIf(waiting.length > 0, "a tool call has no tool message right after it", "messages");
}

function isAnsweredBy(call: Waiting, { tool_call_id: id, tool_name: name }: JsonObject): boolean {
  return call.id !== undefined && id !== undefined ? call.id === id : call.name === name;
}
