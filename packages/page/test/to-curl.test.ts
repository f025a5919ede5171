import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { InspectedModelCall } from "../src/inspector/inspected-run.ts";
import { toCurl } from "../client/inspector/to-curl.ts";

const call: InspectedModelCall = {
  providerId: "openai",
  modelId: "m-1",
  isStream: true,
  settings: { temperature: 0, topP: 0.5, maxTokens: 50, stop: ["END", "é"], seed: 7, outputType: "json" },
  system: ["Be brief; it's $HOME `x` \\."],
  messages: [
    { role: "user", content: "Où est l'hôtel?" },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "look", arguments: { at: "Oslo" } }] },
    { role: "tool", content: "9 °C", toolCallId: "1", name: "look" },
    "… 3 more",
  ],
  tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }, "… 1 more"],
};

/** Runs a command in a shell whose curl writes its arguments, one a line, with an empty line behind each. */
function argumentsOf(command: string): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${command}`;
  const env = { OPENAI_API_KEY: "of-openai", ANTHROPIC_API_KEY: "of-anthropic", API_KEY: "own", BASE_URL: "http://b" };
  return execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

function bodyOf(command: string): unknown {
  return JSON.parse(argumentsOf(command).at(-1) ?? "");
}

describe("a model call as a curl command [page.inspector-calls]", () => {
  it("has the messages, the tools and the settings of a chat completion, however they are quoted", () => {
    expect(bodyOf(toCurl(call))).toEqual({
      model: "m-1",
      messages: [
        { role: "system", content: "Be brief; it's $HOME `x` \\." },
        { role: "user", content: "Où est l'hôtel?" },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: '{"at":"Oslo"}' } }],
        },
        { role: "tool", content: "9 °C", tool_call_id: "1" },
        { role: "user", content: "… 3 more" },
      ],
      tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: { type: "object" } } }],
      temperature: 0,
      top_p: 0.5,
      max_tokens: 50,
      stop: ["END", "é"],
      seed: 7,
      stream: true,
    });
  });

  it.each([
    ["openai", ["https://api.openai.com/v1/chat/completions", "authorization: Bearer of-openai"]],
    [
      "anthropic",
      ["https://api.anthropic.com/v1/messages", "x-api-key: of-anthropic", "anthropic-version: 2023-06-01"],
    ],
    ["ollama", ["http://localhost:11434/v1/chat/completions"]],
    ["constructor", ["http://b/chat/completions", "authorization: Bearer own"]],
  ])("names the key of %s by a variable alone", (providerId, [url, ...headers]) => {
    const given = argumentsOf(toCurl({ ...call, providerId }));
    const flags = headers.flatMap((header) => ["-H", header]);

    expect(given.slice(0, -1)).toEqual([url, "-H", "content-type: application/json", ...flags, "-d"]);
  });

  it("has the blocks of Anthropic, and a bound where none was given", () => {
    const settings = { stop: "END" };
    const body = bodyOf(toCurl({ ...call, providerId: "anthropic", isStream: false, settings, system: ["a", ["b"]] }));

    expect(body).toEqual({
      model: "m-1",
      max_tokens: 4096,
      system: 'a\n\n["b"]',
      messages: [
        { role: "user", content: "Où est l'hôtel?" },
        { role: "assistant", content: [{ type: "tool_use", id: "1", name: "look", input: { at: "Oslo" } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "9 °C" }] },
        { role: "user", content: "… 3 more" },
      ],
      tools: [{ name: "look", description: "Looks.", input_schema: { type: "object" } }],
      stop_sequences: ["END"],
    });
  });

  it("a plain question as a curl command has neither tools nor settings", () => {
    const plain = {
      ...call,
      isStream: false,
      settings: {},
      system: [],
      tools: [],
      messages: call.messages.slice(0, 1),
    };
    expect(bodyOf(toCurl(plain))).toEqual({ model: "m-1", messages: call.messages.slice(0, 1) });
  });
});
