import { bedrockEvent } from "@troupe-internal/vendor-fakes";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { gather, startVendor, stubNoCloud } from "../test/vendor.ts";
import { bedrock } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
const tools = [{ name: "look", description: "Looks.", parameters: { type: "object" } }];
const stream = { "content-type": "application/vnd.amazon.eventstream" };
const end = [
  bedrockEvent("messageStop", { stopReason: "end_turn" }),
  bedrockEvent("metadata", { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }),
];

describe("bedrock", () => {
  it("makes a provider", () => {
    expect(bedrock("amazon.nova-pro-v1:0")).toMatchObject({ providerId: "bedrock", modelId: "amazon.nova-pro-v1:0" });
  });

  it.each<[string, object, RegExp]>([
    ["a region that is none", { region: "us-east-1.evil.example/" }, /^region must be the id of a region/],
    ["credentials without a secret", { credentials: { accessKeyId: "a" } }, /^credentials must be/],
    ["credentials beside a key", { credentials: () => ({}), apiKey: "k" }, /credentials or apiKey, not both/],
    ["a client", { client: {} }, /^Unknown option "client"/],
    ["a wrong cache", { promptCache: true }, /^promptCache must be false or/],
    ["an unknown rule", { rules: { vision: true } }, /^Unknown option "vision" of rules/],
    ["a wrong rule", { rules: { tools: true } }, /^rules.tools must be/],
  ])("refuses %s where it is given", (_, options, message) => {
    expect(() => bedrock("m", options)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) as string }) as Error,
    );
  });

  it("needs a region before any request", async () => {
    stubNoCloud();
    await expect(bedrock("m", { apiKey: "k" }).generate(ask)).rejects.toMatchObject({
      code: "invalid_config",
      message: "bedrock needs a region: pass region, or set AWS_REGION.",
    });
    vi.stubEnv("AWS_REGION", "us-east-1/x");
    await expect(bedrock("m", { apiKey: "k" }).generate(ask)).rejects.toMatchObject({ code: "invalid_config" });
  });

  it.each<[string, string, Record<string, string>, object, string]>([
    [
      "the option",
      "m",
      { AWS_REGION: "eu-west-1" },
      { region: "us-west-2" },
      "bedrock-runtime.us-west-2.amazonaws.com",
    ],
    [
      "AWS_REGION",
      "m",
      { AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "x-1" },
      {},
      "bedrock-runtime.eu-west-1.amazonaws.com",
    ],
    [
      "AWS_DEFAULT_REGION",
      "m",
      { AWS_DEFAULT_REGION: "cn-north-1" },
      {},
      "bedrock-runtime.cn-north-1.amazonaws.com.cn",
    ],
    [
      "the model's ARN",
      "arn:aws:bedrock:sa-east-1:1:imported-model/a",
      {},
      {},
      "bedrock-runtime.sa-east-1.amazonaws.com",
    ],
    [
      "its own address",
      "m",
      { AWS_REGION: "eu-west-1" },
      { baseURL: "https://vpce-1a-b.bedrock-runtime.us-east-2.vpce.amazonaws.com" },
      "vpce-1a-b.bedrock-runtime.us-east-2.vpce.amazonaws.com",
    ],
  ])("takes the region of %s", async (_, modelId, ...[variables, options, host]) => {
    stubNoCloud({ ...variables, AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" });
    const asked: Request[] = [];
    const fetch = async (...given: ConstructorParameters<typeof Request>) => {
      asked.push(new Request(...given));
      return new Response("{}");
    };
    await bedrock(modelId, { fetch, ...options })
      .generate(ask)
      .catch(() => undefined);

    const [request] = asked;
    expect(new URL(request?.url ?? "").host).toBe(host);
    const region = /bedrock-runtime\.([^.]+)/.exec(host)?.[1];
    expect(request?.headers.get("authorization")).toContain(`/${region}/bedrock/aws4_request`);
  });

  it.each([
    "http://bedrock-runtime.us-east-1.amazonaws.com",
    "https://evil-1.us-east-1.elb.amazonaws.com",
    "https://bedrock-runtime.us-east-1.amazonaws.com.evil.example",
    "https://x.bedrock-runtime.us-east-1.amazonaws.com",
  ])("gives nothing of the environment to %s", async (baseURL) => {
    stubNoCloud({ AWS_BEARER_TOKEN_BEDROCK: "key-1", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" });
    const asked: (string | null)[] = [];
    const fetch = async (...given: ConstructorParameters<typeof Request>) => {
      asked.push(new Request(...given).headers.get("authorization"));
      return new Response("{}");
    };
    await bedrock("m", { baseURL, region: "us-east-1", fetch })
      .generate(ask)
      .catch(() => undefined);

    expect(asked).toEqual([null]);
  });
});

describe("a whole answer", () => {
  it("has text, thinking, calls, sources, usage and what is to go back", async () => {
    const { vendor, connect } = await startVendor();
    const content = [
      { reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } }, toolUse: null },
      { reasoningContent: { redactedContent: "AAAA" } },
      { text: "Yes.", reasoningContent: null, citationsContent: null },
      {
        citationsContent: {
          content: [{ text: " So it says." }],
          citations: [
            { title: "Plan", location: { documentPage: { documentIndex: 1 } } },
            { title: "Page", location: { web: { url: "https://example.com/" } } },
          ],
        },
      },
      { toolUse: { toolUseId: "t", name: "look", input: { at: 1 } } },
      { toolUse: { name: "" } },
    ];
    const usage = {
      inputTokens: 1,
      outputTokens: 4,
      totalTokens: 325,
      cacheReadInputTokens: 20,
      cacheWriteInputTokens: 300,
    };
    const body = { output: { message: { role: "assistant", content } }, stopReason: "end_turn", usage };
    vendor.plan({ raw: { status: 200, headers: {}, frames: [JSON.stringify(body)] } });

    expect(await connect("m").generate(ask)).toEqual({
      text: "Yes. So it says.",
      thinking: "Hm.",
      toolCalls: [{ id: "t", name: "look", arguments: { at: 1 } }],
      skippedCalls: 1,
      sources: [
        { id: "document-1", title: "Plan" },
        { id: expect.any(String) as string, url: "https://example.com/", title: "Page" },
      ],
      finishReason: "tool_calls",
      usage: {
        promptTokens: 321,
        completionTokens: 4,
        totalTokens: 325,
        cachedTokens: 20,
        cacheWriteTokens: 300,
        providerMetrics: usage,
      },
      vendorState: {
        providerId: "bedrock",
        modelId: "m",
        items: [
          { reasoningContent: { reasoningText: { text: "Hm.", signature: "s" } } },
          { reasoningContent: { redactedContent: "AAAA" } },
          { text: "Yes." },
          { text: " So it says." },
          { toolUse: { toolUseId: "t", name: "look", input: { at: 1 } } },
        ],
      },
    });
  });

  it.each([
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "content_filter"],
    ["malformed_tool_use", "error"],
    ["constructor", "other"],
  ])("finishes for %s with %s", async (stopReason, finishReason) => {
    const { vendor, connect } = await startVendor();
    const body = { output: { message: { content: [] } }, stopReason };
    vendor.plan({ raw: { status: 200, headers: {}, frames: [JSON.stringify(body)] } });

    expect(await connect("m").generate(ask)).toMatchObject({ finishReason, usage: { totalTokens: 0 } });
  });
});

describe("a stream", () => {
  it("is a whole answer for a model that cannot stream the calls of its tools, and only with tools", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say({ text: "Wait.", toolCalls: [{ name: "look", arguments: { at: "Tromsø" } }] }, "Yes.");
    const model = connect("us.meta.llama3-3-70b-instruct-v1:0");
    const { chunks } = await gather(model.stream(ask, { tools }));
    await gather(model.stream(ask));

    expect(vendor.exchanges.map(({ request }) => request.url.split("/").at(-1))).toEqual([
      "converse",
      "converse-stream",
    ]);
    expect(chunks.map(({ type }) => type)).toEqual([
      "text",
      "tool_call_start",
      "tool_call_delta",
      "tool_call_end",
      "finish",
    ]);
  });

  it("is read from the JSON of a gateway that does not stream", async () => {
    const { vendor, connect } = await startVendor();
    const body = { output: { message: { content: [{ text: "Yes." }] } }, stopReason: "end_turn" };
    vendor.plan({
      raw: { status: 200, headers: { "content-type": "application/json" }, frames: [JSON.stringify(body)] },
    });

    expect((await gather(connect().stream(ask))).chunks[0]).toEqual({ type: "text", text: "Yes." });
  });

  it("passes over what it does not know, and members that are null", async () => {
    const { vendor, connect } = await startVendor();
    const events: [string, object][] = [
      ["news", { of: "tomorrow" }],
      ["contentBlockStart", { contentBlockIndex: 0, start: { image: {} } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Yes", toolUse: null } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: null, hologram: {} } }],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: "{}" } } }],
      ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse: { toolUseId: "t", name: "look" } } }],
      ["contentBlockStart", { contentBlockIndex: 1, start: { toolUse: { toolUseId: "t", name: "look" } } }],
      ["contentBlockStop", { contentBlockIndex: 1 }],
      ["contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "u" } } }],
      ["contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: "{}" } } }],
    ];
    const frames = [...events.map(([type, payload]) => bedrockEvent(type, payload)), ...end];
    vendor.plan({ raw: { status: 200, headers: stream, frames } });
    const { chunks } = await gather(connect().stream(ask));

    expect(chunks).toEqual([
      { type: "text", text: "Yes" },
      { type: "tool_call_start", toolCall: { id: "t", name: "look" } },
      { type: "tool_call_delta", toolCallId: "t", argumentsDelta: "{}" },
      { type: "tool_call_end", toolCallId: "t" },
      expect.objectContaining({ type: "finish", finishReason: "tool_calls", skippedCalls: 2 }),
    ]);
  });

  it("ends with its stop reason if its usage never comes, and reads both in any order", async () => {
    const { vendor, connect } = await startVendor();
    const text = bedrockEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Yes." } });
    vendor.plan(
      { raw: { status: 200, headers: stream, frames: [text, ...end.slice(0, 1)] } },
      { raw: { status: 200, headers: stream, frames: [text, ...end.toReversed()] } },
    );

    for (const totalTokens of [0, 3])
      expect((await gather(connect().stream(ask))).chunks.at(-1)).toMatchObject({
        finishReason: "stop",
        usage: { totalTokens },
      });
  });
});

it("bedrock loads no library of AWS, and does nothing at import", async () => {
  vi.resetModules();
  vi.doMock("@aws-sdk/credential-providers", () => {
    throw new Error("The library was loaded.");
  });
  onTestFinished(() => {
    vi.doUnmock("@aws-sdk/credential-providers");
    vi.resetModules();
  });
  const { vendor } = await startVendor();
  vendor.say("Yes.");
  const fresh = await import("./index.ts");
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const model = fresh.bedrock("amazon.nova-pro-v1:0", { credentials, region: "us-east-1", baseURL: vendor.url });

  expect((await model.generate(ask)).text).toBe("Yes.");
});
