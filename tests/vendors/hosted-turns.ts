import { FakeVendor } from "@troupe-internal/vendor-fakes";
import type { HostedCall } from "@troupe-internal/vendor-fakes";
import { Agent, defineTool, SessionStore } from "@troupe/core";
import type { ModelProvider, ModelSettings, RunOutput, StorageDriver } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { expect, onTestFinished } from "vitest";
import { connect } from "./vendors.ts";

const yr = { url: "https://yr.no/oslo", title: "Oslo" };
const met = { url: "https://met.no/", title: "Met" };
const search: HostedCall = { tool: "web_search", query: "Oslo weather", pages: [yr, met] };
const code: HostedCall = { tool: "code", code: "print(1 + 1)", output: "2" };

/** A vendor with tools of its own: how they are asked for, and what goes back of an answer that used them. */
type HostedVendor = {
  model: (url: string) => ModelProvider;
  vendor: NonNullable<ModelSettings["vendor"]>;
  /** Returns the kinds of the parts in the last answer of the model that a request sends back. */
  sentBack: (body: unknown) => string[];
  kinds: string[];
  /** True where functions cannot stand beside the vendor's own tools. */
  hasNoFunctions?: true;
};

type Body = Record<string, Record<string, unknown>[]>;
const kindsOf = (items: readonly object[] = []) => items.map((item) => String((item as { type?: string }).type));
const anthropicTools = [
  { type: "web_search_20250305", name: "web_search" },
  { type: "code_execution_20260521", name: "code_execution" },
];
const geminiParts = (body: unknown) =>
  ((body as Body)["contents"] ?? [])
    .filter(({ role }) => role === "model")
    .flatMap(({ parts }) => parts as object[])
    .map((part) =>
      "thought" in part ? "thought" : String(Object.keys(part).find((key) => key !== "thoughtSignature")),
    );
const google = (url: string) => connect.google(url, { apiKey: "key-1" });

/** The vendors with tools of their own, as the strict vendor plays them. */
export const hostedVendors: Readonly<Record<string, HostedVendor>> = {
  OpenAI: {
    model: (url) => connect.openai(url, { apiKey: "sk-1" }),
    vendor: {
      openai: {
        tools: [{ type: "web_search" }, { type: "code_interpreter", container: { type: "auto" } }],
        include: ["web_search_call.action.sources", "code_interpreter_call.outputs"],
      },
    },
    sentBack: (body) => kindsOf((body as Body)["input"]).filter((kind) => kind !== "undefined"),
    kinds: ["reasoning", "web_search_call", "code_interpreter_call", "message"],
  },
  Anthropic: {
    model: (url) => connect.anthropic(url, { apiKey: "sk-1" }),
    vendor: { anthropic: { tools: anthropicTools } },
    sentBack: (body) =>
      ((body as Body)["messages"] ?? [])
        .filter(({ role }) => role === "assistant")
        .flatMap(({ content }) => kindsOf(content as object[])),
    kinds: [
      "thinking",
      "server_tool_use",
      "web_search_tool_result",
      "server_tool_use",
      "code_execution_tool_result",
      "text",
    ],
  },
  Gemini: {
    model: google,
    vendor: { google: { tools: [{ googleSearch: {} }, { codeExecution: {} }] } },
    sentBack: geminiParts,
    kinds: ["thought", "executableCode", "codeExecutionResult", "text"],
    hasNoFunctions: true,
  },
  "Gemini beside functions": {
    model: google,
    vendor: {
      google: {
        tools: [{ googleSearch: {} }, { codeExecution: {} }],
        toolConfig: { includeServerSideToolInvocations: true },
      },
    },
    sentBack: geminiParts,
    kinds: ["thought", "toolCall", "toolResponse", "executableCode", "codeExecutionResult", "text"],
  },
};

const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  execute: () => "seen",
});

/** Asks in one session, each time with an agent of its own, as a process of its own would have. */
async function session(hosted: HostedVendor, storage: StorageDriver, way: "run" | "stream") {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  const [sessionId, userId] = [createId(), "ada"];
  const ask = async (input: string): Promise<RunOutput> => {
    const agent = new Agent({
      name: "guide",
      model: hosted.model(vendor.url),
      storage,
      modelOptions: { vendor: hosted.vendor, reasoning: { enabled: true } },
      tools: hosted.hasNoFunctions ? [] : [look],
      retry: { maxRetries: 0 },
    });
    const opts = { sessionId, userId };
    return way === "run" ? await agent.run(input, opts) : await agent.stream(input, opts).output;
  };
  const close = () => new SessionStore(storage).deleteSession(sessionId, { owner: { userId } });
  const bodyOf = (exchange: number) => vendor.exchanges[exchange]?.request.body;
  return { vendor, ask, close, bodyOf };
}

/**
 * Asks three questions in one session of a storage: for the first the vendor searches the web and runs code, for the second it
 * calls a tool of ours too. A strict vendor takes back all of it, as it was.
 */
export async function expectHostedTurns(name: string, storage: StorageDriver, way: "run" | "stream"): Promise<void> {
  const hosted = hostedVendors[name] as HostedVendor;
  const calls = hosted.hasNoFunctions !== true;
  const { vendor, ask, close, bodyOf } = await session(hosted, storage, way);
  vendor.say(
    { thinking: "Look.", vendorState: true, hosted: [search, code], text: "It rains." },
    { hosted: [code], text: "I look.", ...(calls && { toolCalls: [{ name: "look" }] }) },
    ...(calls ? ["Sure."] : []),
    "Bye.",
  );
  const first = await ask("Weather in Oslo?");
  const second = await ask("Sure?");
  await ask("Bye.");
  await close();

  vendor.assertDone();
  expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect([first.text, second.text]).toEqual(["It rains.", calls ? "Sure." : "I look."]);
  expect(first.toolCalls).toEqual([]);
  expect(first.sources?.map(({ url }) => url).toSorted()).toEqual([met.url, yr.url]);
  expect(second.sources).toBeUndefined();
  expect(hosted.sentBack(bodyOf(1))).toEqual(hosted.kinds);
  const last = hosted.sentBack(vendor.exchanges.at(-1)?.request.body);
  expect(last.slice(0, hosted.kinds.length)).toEqual(hosted.kinds);
  const ofCode = hosted.kinds.at(-2);
  expect(last.slice(hosted.kinds.length).filter((kind) => kind === ofCode)).toHaveLength(1);
}

/** Asks a question whose answer Anthropic pauses within its code, and another one after it, in one session of a storage. */
export async function expectPausedTurns(storage: StorageDriver, way: "run" | "stream"): Promise<void> {
  const { vendor, ask, close, bodyOf } = await session(hostedVendors["Anthropic"] as HostedVendor, storage, way);
  const paused = { hosted: [search, code], finishReason: "other" as const };
  vendor.say(paused, { hosted: [code, code], finishReason: "other" }, { hosted: [code], text: "It rains." }, "Sure.");
  const first = await ask("Weather in Oslo?");
  const second = await ask("Sure?");
  await close();

  vendor.assertDone();
  expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  expect([first.text, second.text]).toEqual(["It rains.", "Sure."]);
  expect(first.usage.completionTokens).toBe(15);
  expect(bodyOf(1)).toMatchObject({ container: "container_1" });
  expect(bodyOf(2)).toMatchObject({ container: "container_1" });
  const [searched, ran] = [
    ["server_tool_use", "web_search_tool_result"],
    ["server_tool_use", "code_execution_tool_result"],
  ];
  const { sentBack } = hostedVendors["Anthropic"] as HostedVendor;
  expect(sentBack(bodyOf(1))).toEqual([...searched, "server_tool_use"]);
  expect(sentBack(bodyOf(2))).toEqual([...searched, ...ran, "server_tool_use"]);
  expect(sentBack(bodyOf(3))).toEqual([...searched, ...ran, ...ran, "text"]);
}
