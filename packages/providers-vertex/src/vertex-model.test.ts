import { inspect } from "node:util";
import type { ChatMessage, ModelOptions } from "@troupe/core";
import type { ModelMessage } from "@troupe/core/provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { authClient, bodiesOf, gather, inProject, startVendor, stubNoCloud } from "../test/vendor.ts";
import { vertex } from "./index.ts";
import type { VertexOptions } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];
/** The option `fetch`, as it is called: with the URL as a string. */
type Send = (url: string, init?: RequestInit) => Promise<Response>;

const client = { models: { generateContent: fetch, generateContentStream: fetch } };
const place = { project: "troupe-1", location: "us-central1" };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("vertex", () => {
  it("makes a provider [vertex.factory]", () => {
    expect(vertex("gemini-3.8-flash", inProject())).toMatchObject({
      providerId: "vertex",
      modelId: "gemini-3.8-flash",
    });
  });

  it.each<[string, unknown, RegExp]>([
    ["an unknown option", { region: "eu" }, /Unknown option "region" of vertex. Expected .*project, location/],
    ["a project that is none", { ...place, project: "a/b" }, /^project must be/],
    ["a location that is another host", { ...place, location: "evil.example/#" }, /^location must be/],
    ["a place beside a client", { project: "p", client }, /^project would have no effect beside client/],
    ["a location beside a client", { location: "eu", client }, /^location would have no effect beside client/],
    ["a key beside a client", { apiKey: "k", client }, /^apiKey would have no effect beside client/],
    ["two networks", { fetch, proxy: "http://127.0.0.1:9" }, /^fetch and proxy exclude each other/],
    ["credentials and a key", { ...inProject(), apiKey: "k" }, /credentials or apiKey, not both/],
    ["credentials without a key", { ...place, credentials: { client_email: "a@b" } }, /^credentials must be/],
    [
      "credentials with a key that cannot be read",
      { ...place, credentials: { client_email: "a@b", private_key: "canary" } },
      /^(?!.*canary)credentials must be/,
    ],
    ["credentials of a wrong kind", { ...place, credentials: "canary" }, /^(?!.*canary)credentials must be/],
  ])("refuses %s where it is given", (_, options, message) => {
    const make = () => vertex("gemini-3.8-flash", options as VertexOptions);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
  });
});

describe("the address", () => {
  const projects = "/v1beta1/projects/troupe-1/locations";
  const models = "publishers/google/models/gemini-3.8-flash:generateContent";

  it.each<[VertexOptions, string, string]>([
    [place, "https://us-central1-aiplatform.googleapis.com", `${projects}/us-central1/${models}`],
    [{ ...place, location: "global" }, "https://aiplatform.googleapis.com", `${projects}/global/${models}`],
    [{ ...place, location: "eu" }, "https://aiplatform.eu.rep.googleapis.com", `${projects}/eu/${models}`],
    [{ ...place, location: "us" }, "https://aiplatform.us.rep.googleapis.com", `${projects}/us/${models}`],
    [{ project: "troupe-1" }, "https://aiplatform.googleapis.com", `${projects}/global/${models}`],
    [{}, "https://aiplatform.googleapis.com", `/v1beta1/${models}`],
    [{ location: "eu" }, "https://aiplatform.eu.rep.googleapis.com", `/v1beta1/${models}`],
  ])("is for %j at %s [vertex.factory]", async (options, origin, path) => {
    const sent = vi.fn<Send>().mockRejectedValue(new Error("not sent"));

    await vertex("gemini-3.8-flash", { ...options, apiKey: "key-1", fetch: sent })
      .generate(ask)
      .catch(() => undefined);

    expect(sent.mock.calls[0]?.[0]).toBe(`${origin}${path}`);
  });

  it.each([
    ["projects/other/locations/eu/endpoints/7", "/v1beta1/projects/other/locations/eu/endpoints/7"],
    ["meta/llama-4", `${projects}/us-central1/publishers/meta/models/llama-4`],
  ])("names the model %s with its project", async (modelId, path) => {
    const sent = vi.fn<Send>().mockRejectedValue(new Error("not sent"));
    const options = { ...place, apiKey: "key-1", baseURL: "https://example.com/", fetch: sent };

    await gather(vertex(modelId, options).stream(ask));

    expect(sent.mock.calls[0]?.[0]).toBe(`https://example.com${path}:streamGenerateContent?alt=sse`);
  });
});

describe("who asks", () => {
  const headersOf = async (options: VertexOptions, apiKey?: string) => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    await connect("gemini-3.8-flash", options).generate(ask, { ...(apiKey !== undefined && { apiKey }) });
    const request = vendor.exchanges[0]?.request;
    return {
      inProject: request?.url.includes("/projects/"),
      key: request?.headers["x-goog-api-key"],
      token: request?.headers["authorization"],
    };
  };

  it("is the project's credentials, unless a key comes with the call or stands in the options", async () => {
    const token = "Bearer token-1";

    expect(await headersOf(inProject())).toEqual({ inProject: true, key: undefined, token });
    expect(await headersOf(inProject(), "callers")).toEqual({ inProject: true, key: "callers", token: undefined });
    expect(await headersOf({ ...place, apiKey: "ours" })).toEqual({ inProject: true, key: "ours", token: undefined });
    expect(await headersOf({ apiKey: "ours" }, "callers")).toMatchObject({ inProject: false, key: "callers" });
    expect(await headersOf({}, "callers")).toEqual({ inProject: false, key: "callers", token: undefined });
  });

  it("is the key of the environment for those who name no project, and for nobody else", async () => {
    vi.stubEnv("GOOGLE_API_KEY", "of-env");

    expect(await headersOf({ useEnvironmentKey: true })).toMatchObject({ inProject: false, key: "of-env" });
    expect(await headersOf(inProject())).toMatchObject({ inProject: true, key: undefined, token: "Bearer token-1" });
  });

  it("must be somebody", async () => {
    stubNoCloud();
    const { vendor, connect } = await startVendor();

    await expect(connect("gemini-3.8-flash", {}).generate(ask)).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringMatching(/^vertex found no credentials: pass credentials or an API key, or set up/),
      fields: { vendor: "vertex" },
    });
    expect(vendor.exchanges).toEqual([]);
  });

  it("is never two at once, whoever asks beside whom", async () => {
    const { vendor, connect } = await startVendor();
    vendor.respond(() => ({ answer: "Yes." }));
    const model = connect();
    const keys = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? `canary-${index}` : undefined));

    await Promise.all(
      keys.map((apiKey, index) =>
        model.generate([{ role: "user", content: `question ${index}.` }], apiKey === undefined ? {} : { apiKey }),
      ),
    );

    expect(vendor.exchanges).toHaveLength(20);
    for (const { request } of vendor.exchanges) {
      const index = keys.findIndex((_, each) => JSON.stringify(request.body).includes(`question ${each}.`));
      const { "x-goog-api-key": key, authorization } = request.headers;
      expect([key, authorization]).toEqual([keys[index], keys[index] === undefined ? "Bearer token-1" : undefined]);
    }
  });

  it("is shown in no error, also not by a token", async () => {
    const { vendor, connect } = await startVendor();
    vendor.plan({ failure: { status: 500, message: "What is canary-token to us?" } });
    const options = { ...inProject(), credentials: authClient("canary-token") };

    const error = await connect("gemini-3.8-flash", options)
      .generate(ask)
      .catch((thrown: unknown) => thrown);

    expect(inspect(error, { depth: null, showHidden: true })).not.toContain("canary");
    expect(error).toMatchObject({ status: 500, cause: { message: expect.stringContaining("What is") } });
  });
});

describe("the request", () => {
  const tools = [{ name: "look", description: "", parameters: { type: "object", properties: {} } }];

  it.each([
    ["gemini-3.8-flash", { thinkingLevel: "LOW" }],
    ["gemini-2.5-pro", { thinkingBudget: 2000 }],
  ])("asks %s to think as %j [vertex.reasoning-budget]", async (modelId, measure) => {
    const { vendor, connect } = await startVendor();
    vendor.say({ thinking: "Hm.", text: "Yes." });

    const answer = await connect(modelId).generate(ask, { reasoning: { enabled: true, budgetTokens: 2000 } });

    expect(answer).toMatchObject({ text: "Yes.", thinking: "Hm." });
    expect(bodiesOf(vendor)[0]?.["generationConfig"]).toEqual({
      thinkingConfig: { includeThoughts: true, ...measure },
    });
  });

  it("names files in buckets, and wants the type of every file", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say("Yes.");
    const about = (data: string, mimeType?: string): ChatMessage[] => [
      { role: "user", content: [{ type: "image", data, ...(mimeType !== undefined && { mimeType }) }] },
    ];

    await connect().generate(about("gs://bucket/a.png", "image/png"));

    expect(bodiesOf(vendor)[0]?.["contents"]).toMatchObject([
      { parts: [{ fileData: { fileUri: "gs://bucket/a.png", mimeType: "image/png" } }] },
    ]);
    for (const data of ["gs://bucket/a.png", "https://example.com/a.png"]) {
      await expect(connect().generate(about(data))).rejects.toMatchObject({
        code: "unsupported_media_type",
        message: expect.stringContaining("of unknown type: set its mimeType"),
      });
    }
  });

  it("brings signatures back, and no ids where the platform gave none", async () => {
    const { vendor, connect } = await startVendor();
    vendor.say(
      {
        thinking: "Hm.",
        toolCalls: [
          { name: "look", arguments: {} },
          { name: "look", arguments: {} },
        ],
      },
      "Yes.",
    );
    const options: ModelOptions = { tools, reasoning: { enabled: true } };
    const { toolCalls, vendorState } = await connect().generate(ask, options);
    const answer: ModelMessage = { role: "assistant", content: null, toolCalls, ...(vendorState && { vendorState }) };
    const results = toolCalls.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: "rain" }));

    await connect().generate([...ask, answer, ...results], options);

    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
    expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
    expect(JSON.stringify(bodiesOf(vendor)[1])).toMatch(/"thoughtSignature":"(?!skip)/);
    vendor.assertDone();
  });
});
