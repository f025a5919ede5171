import type { InspectedModelCall, ShownJson } from "../../src/inspector/inspected-run.ts";
import { isObject } from "../ui/format.ts";

/** The request of a vendor: its address, its headers, and its body. Keys are named by variables of the shell. */
type VendorRequest = { readonly url: string; readonly headers: readonly string[]; readonly body: object };

type Fields = Readonly<Record<string, ShownJson>>;

/** The addresses of vendors with the chat completions of OpenAI, and the variable of the key. */
const chatVendors: Readonly<Record<string, readonly [url: string, key: string | undefined]>> = {
  openai: ["https://api.openai.com/v1/chat/completions", "OPENAI_API_KEY"],
  google: ["https://generativelanguage.googleapis.com/v1beta/openai/chat/completions", "GEMINI_API_KEY"],
  ollama: ["http://localhost:11434/v1/chat/completions", undefined],
};

/**
 * Writes a model call as a curl command: to Anthropic in its form, to all others as chat completions. The command has no
 * key but the variable `$…_API_KEY`. Values that were cut in the inspector are cut in the command, too.
 */
export function toCurl(call: InspectedModelCall): string {
  const { url, headers, body } = call.providerId === "anthropic" ? toMessages(call) : toCompletions(call);
  const lines = ["content-type: application/json", ...headers].map((header) => `-H "${header}"`);
  return [`curl "${url}"`, ...lines, `-d ${quoted(JSON.stringify(body, undefined, 2))}`].join(" \\\n  ");
}

/** Quotes a text for the shell, in which nothing is then expanded. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function toCompletions({ providerId, modelId, isStream, settings, system, messages, tools }: InspectedModelCall) {
  const known = Object.hasOwn(chatVendors, providerId) ? chatVendors[providerId] : undefined;
  const [url, key] = known ?? ["$BASE_URL/chat/completions", "API_KEY"];
  const { temperature, topP, maxTokens, stop, seed } = fieldsOf(settings);
  const body = {
    model: modelId,
    messages: [...system.map((content) => ({ role: "system", content })), ...messages.map(toChatMessage)],
    ...(tools.length > 0 && { tools: tools.filter(isObject).map((tool) => ({ type: "function", function: tool })) }),
    ...given({ temperature, top_p: topP, max_tokens: maxTokens, stop, seed }),
    ...(isStream && { stream: true }),
  };
  return { url, headers: key === undefined ? [] : [`authorization: Bearer $${key}`], body } satisfies VendorRequest;
}

function toChatMessage(message: ShownJson): object {
  const { role = "user", content = message, toolCalls, toolCallId } = fieldsOf(message);
  const calls = listOf(toolCalls).map((call) => ({
    id: call["id"],
    type: "function",
    function: { name: call["name"], arguments: JSON.stringify(call["arguments"] ?? {}) },
  }));
  return { role, content, ...(calls.length > 0 && { tool_calls: calls }), ...given({ tool_call_id: toolCallId }) };
}

function toMessages({ modelId, isStream, settings, system, messages, tools }: InspectedModelCall): VendorRequest {
  const { temperature, topP, maxTokens, stop } = fieldsOf(settings);
  const texts = system.map((content) => (typeof content === "string" ? content : JSON.stringify(content)));
  const body = {
    model: modelId,
    // Anthropic requires `max_tokens`.
    max_tokens: maxTokens ?? 4096,
    ...(texts.length > 0 && { system: texts.join("\n\n") }),
    messages: messages.map(toBlockMessage),
    ...(tools.length > 0 && {
      tools: tools.filter(isObject).map((tool) => {
        const { name, description, parameters } = fieldsOf(tool);
        return given({ name, description, input_schema: parameters });
      }),
    }),
    ...given({ temperature, top_p: topP, stop_sequences: typeof stop === "string" ? [stop] : stop }),
    ...(isStream && { stream: true }),
  };
  const headers = ["x-api-key: $ANTHROPIC_API_KEY", "anthropic-version: 2023-06-01"];
  return { url: "https://api.anthropic.com/v1/messages", headers, body };
}

function toBlockMessage(message: ShownJson): object {
  const { role = "user", content = message, toolCalls, toolCallId } = fieldsOf(message);
  if (role === "tool")
    return { role: "user", content: [{ type: "tool_result", tool_use_id: toolCallId ?? "", content }] };
  const calls = listOf(toolCalls);
  if (calls.length === 0) return { role, content };
  const text = typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
  const uses = calls.map(({ id, name, arguments: input }) => ({ type: "tool_use", ...given({ id, name, input }) }));
  return { role, content: [...text, ...uses] };
}

/** Returns the fields that have a value. */
function given(fields: Readonly<Record<string, ShownJson | undefined>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

function listOf(value: ShownJson | undefined): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: ShownJson): Fields {
  return isObject(value) ? value : {};
}
