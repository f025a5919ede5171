import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import type { ConverseCommandInput } from "@aws-sdk/client-bedrock-runtime";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import { describe, expect, it, onTestFinished } from "vitest";
import { startVendor } from "../test/vendor.ts";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "token" };
const png = Buffer.from("image").toString("base64");
const look = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: { at: { type: "string" } } },
};
const schema = {
  type: "object",
  properties: { dry: { type: "boolean" } },
  required: ["dry"],
  additionalProperties: false,
};

/** A conversation with everything that a request can have. */
const messages: ChatMessage[] = [
  { role: "system", content: "Be short." },
  {
    role: "user",
    content: [
      { type: "text", text: "Größe?" },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "file", data: "AAAA", mimeType: "application/pdf", filename: "plan.pdf" },
    ],
  },
  {
    role: "assistant",
    content: null,
    toolCalls: [{ id: "a", name: "look", arguments: { at: "Tromsø" } }],
    vendorState: {
      providerId: "bedrock",
      modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0",
      items: [
        { reasoningContent: { reasoningText: { text: "Hm.", signature: "EqQB-OPAQUE" } } },
        { reasoningContent: { redactedContent: "AAAA" } },
        { toolUse: { toolUseId: "a", name: "look", input: { at: "Tromsø" } } },
      ],
    },
  } as ChatMessage,
  { role: "tool", toolCallId: "a", content: [{ type: "image", data: png, mimeType: "image/png" }] },
];

const settings: Readonly<Record<string, ModelOptions>> = {
  plain: { maxTokens: 100, temperature: 0.5, stop: ["END"], tools: [look] },
  reasoning: { reasoning: { enabled: true }, tools: [look], parallelToolCalls: false },
  demanded: {
    tools: [look],
    toolChoice: { tool: "look" },
    responseFormat: { type: "json_schema", schema, name: "dry" },
  },
  guarded: {
    tools: [look],
    vendor: {
      bedrock: { guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" }, serviceTier: { type: "flex" } },
    },
  },
};

/** Returns JSON with bytes where AWS's client expects them. */
function withBytes(body: unknown): ConverseCommandInput {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    (name === "bytes" || name === "redactedContent") && typeof value === "string"
      ? Buffer.from(value, "base64")
      : value,
  ) as ConverseCommandInput;
}

async function start() {
  const { vendor, connect } = await startVendor();
  const client = new BedrockRuntimeClient({
    endpoint: vendor.url,
    region: "us-east-1",
    credentials,
    maxAttempts: 1,
    // Without it the client speaks HTTP/2.
    requestHandler: new NodeHttpHandler(),
  });
  onTestFinished(() => client.destroy());
  return {
    vendor,
    client,
    connect: (modelId: string) => connect(modelId, { credentials, promptCache: { ttl: "1h" } }),
  };
}

/** Streams an answer with AWS's client, and returns its text. */
async function streamText(client: BedrockRuntimeClient, input: ConverseCommandInput): Promise<string> {
  const { stream = [] } = await client.send(new ConverseStreamCommand(input));
  let text = "";
  for await (const { contentBlockDelta } of stream) text += contentBlockDelta?.delta?.text ?? "";
  return text;
}

/** Returns the region and the service for which a request is signed. */
function scopeOf(request: { headers: Readonly<Record<string, string | undefined>> } | undefined): unknown {
  return request?.headers["authorization"]?.split("/").slice(2, 4);
}

describe("AWS's own client", () => {
  it.each(Object.entries(settings))("writes the same request: %s", async (_, options) => {
    const { vendor, client, connect } = await start();
    vendor.respond(() => ({ answer: "Yes." }));
    const modelId = "anthropic.claude-sonnet-4-5-20250929-v1:0";
    await collectResponse(connect(modelId).stream(messages, options));
    const ours = vendor.exchanges[0]?.request;
    await streamText(client, { ...withBytes(ours?.body), modelId });
    const theirs = vendor.exchanges[1]?.request;

    // A field that the client does not know is not in its request.
    expect(theirs?.body).toEqual(ours?.body);
    expect(theirs?.url).toBe(ours?.url);
    expect(scopeOf(theirs)).toEqual(scopeOf(ours));
  });

  const answer = {
    thinking: "Hm.",
    text: ["Größe", " 😀."],
    toolCalls: [{ name: "look", arguments: { at: "Tromsø" } }],
    usage: { promptTokens: 125, completionTokens: 60, totalTokens: 185, cachedTokens: 100 },
  };
  const modelId = "amazon.nova-pro-v1:0";
  const ask = [{ role: "user" as const, content: "Umbrella?" }];
  const input = { modelId, messages: [{ role: "user" as const, content: [{ text: "Umbrella?" }] }] };

  it("reads the same whole answer", async () => {
    const { vendor, client, connect } = await start();
    vendor.respond(() => ({ answer }));
    const ours = await connect(modelId).generate(ask);
    const { output, usage } = await client.send(new ConverseCommand(input));

    expect(usage).toEqual(ours.usage.providerMetrics);
    expect(output?.message?.content).toEqual([
      { reasoningContent: { reasoningText: { text: ours.thinking, signature: expect.any(String) as string } } },
      { text: ours.text },
      { toolUse: { toolUseId: expect.any(String) as string, name: "look", input: ours.toolCalls[0]?.arguments } },
    ]);
  });

  it("reads the same streamed answer", async () => {
    const { vendor, client, connect } = await start();
    vendor.respond(() => ({ answer }));
    const { text } = await collectResponse(connect(modelId).stream(ask));

    expect(text).toBe("Größe 😀.");
    expect(await streamText(client, input)).toBe(text);
  });
});
