import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { chooseModel } from "./choose-model.ts";
import { findOllama } from "./find-ollama.ts";

async function chosen(variables: Record<string, string>): Promise<string> {
  const { providerId, modelId } = await chooseModel(variables, async () => await Promise.resolve(undefined));
  return `${providerId}/${modelId}`;
}

describe("chooseModel", () => {
  it("chooses the offline model when there is no key", async () => {
    expect(await chosen({})).toBe("offline/patterns");
    expect(await chosen({ OPENAI_API_KEY: "" })).toBe("offline/patterns");
  });

  it("chooses the first vendor that has a key", async () => {
    expect(await chosen({ OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toMatch(/^openai\//);
    expect(await chosen({ GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toMatch(/^anthropic\//);
    expect(await chosen({ GOOGLE_API_KEY: "k" })).toMatch(/^google\//);
    expect(await chosen({ GEMINI_API_KEY: "k" })).toMatch(/^google\//);
  });

  it("chooses the model that TROUPE_DEMO_MODEL names, whatever keys there are", async () => {
    const named = async (name: string) => await chosen({ OPENAI_API_KEY: "k", TROUPE_DEMO_MODEL: name });

    expect(await named("offline")).toBe("offline/patterns");
    expect(await named("anthropic")).toMatch(/^anthropic\/claude-/);
    expect(await named("ollama/hf.co/some/model:q4")).toBe("ollama/hf.co/some/model:q4");
    expect(await named("vertex/gemini-x")).toBe("vertex/gemini-x");
    expect(await named("vertex")).toMatch(/^vertex\/gemini-/);
    expect(await named("bedrock")).toMatch(/^bedrock\/us\.amazon\.nova-/);
  });

  it("uses Google Cloud only when it is named, and checks its place then alone", async () => {
    const place = { GOOGLE_CLOUD_PROJECT: "my-project", GOOGLE_CLOUD_LOCATION: "europe-west4" };

    expect(await chosen(place)).toBe("offline/patterns");
    expect(await chosen({ ...place, GOOGLE_CLOUD_LOCATION: "not one" })).toBe("offline/patterns");
    expect(await chosen({ ...place, TROUPE_DEMO_MODEL: "vertex" })).toMatch(/^vertex\//);
  });

  it.each<[variables: Record<string, string>, problem: string]>([
    [
      { TROUPE_DEMO_MODEL: "gpt-6" },
      "TROUPE_DEMO_MODEL names no vendor. Expected offline or one of openai, anthropic, google, ollama",
    ],
    [{ TROUPE_DEMO_MODEL: "constructor" }, "TROUPE_DEMO_MODEL names no vendor"],
    [{ TROUPE_DEMO_MODEL: "vertex", GOOGLE_CLOUD_PROJECT: "a/b" }, "GOOGLE_CLOUD_PROJECT must be the id of a project"],
    [
      { TROUPE_DEMO_MODEL: "vertex", GOOGLE_CLOUD_LOCATION: "EU" },
      "GOOGLE_CLOUD_LOCATION must be the id of a location",
    ],
    [{ TROUPE_DEMO_MODEL_URL: "http://localhost:1" }, "set TROUPE_DEMO_MODEL to one"],
    [{ TROUPE_DEMO_MODEL: "offline", TROUPE_DEMO_MODEL_URL: "http://localhost:1" }, "set TROUPE_DEMO_MODEL to one"],
    [{ TROUPE_DEMO_MODEL: "openai", TROUPE_DEMO_MODEL_URL: "nowhere" }, "is no http: or https: URL. Expected"],
  ])("refuses %j", async (variables, problem) => {
    await expect(chosen(variables)).rejects.toThrow(problem);
  });

  it.each<[variables: Record<string, string>]>([
    [{ TROUPE_DEMO_MODEL: "sk-secret" }],
    [{ TROUPE_DEMO_MODEL: "sk-secret/gpt-6" }],
    [{ TROUPE_DEMO_MODEL: "vertex", GOOGLE_CLOUD_PROJECT: "ya29/secret" }],
    [{ TROUPE_DEMO_MODEL: "openai", TROUPE_DEMO_MODEL_URL: "ada:secret@models.example/v1" }],
    [{ TROUPE_DEMO_MODEL: "openai", TROUPE_DEMO_MODEL_URL: "ftp://ada:secret@models.example/v1" }],
    [{ TROUPE_DEMO_MODEL: "openai", TROUPE_DEMO_MODEL_URL: "http://ada:secret@models.example:port/v1" }],
  ])("refuses %j without showing the value, which may be a secret", async (variables) => {
    const error = await chosen(variables).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "invalid_config" });
    expect(String(error)).not.toContain("secret");
  });
});

describe("chooseModel with an Ollama on this machine", () => {
  async function serve(answers: Record<string, unknown>): Promise<Record<string, string>> {
    const app = express();
    app.use(express.json({ type: () => true }), ({ url, body }, response) => {
      const { model = "" } = (body ?? {}) as { model?: string };
      const answer = answers[`${url}${model && ` ${model}`}`];
      if (answer !== undefined) response.json(answer);
    });
    const server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => server.close().closeAllConnections());
    return { OLLAMA_HOST: `127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  const choose = async (variables: Record<string, string>, patienceMs = 60_000) =>
    await chooseModel(variables, async (each) => await findOllama(each, { patienceMs }));

  const listed = { models: [{ model: "nomic-embed-text" }, { model: "qwen3:8b" }] };

  it("takes the newest of its models that can call tools", async () => {
    const variables = await serve({
      "/api/tags": listed,
      "/api/show nomic-embed-text": { capabilities: ["embedding"] },
      "/api/show qwen3:8b": { capabilities: ["completion", "tools"] },
    });

    expect(await choose(variables)).toMatchObject({ providerId: "ollama", modelId: "qwen3:8b" });
    expect(await choose({ ...variables, OPENAI_API_KEY: "k" })).toMatchObject({ providerId: "openai" });
  });

  it.each<[what: string, answers: Record<string, unknown>]>([
    ["has no models", { "/api/tags": { models: [] } }],
    ["answers with something else", { "/api/tags": ["?"] }],
    ["has no model with tools", { "/api/tags": listed, "/api/show nomic-embed-text": {}, "/api/show qwen3:8b": null }],
  ])("takes the offline model when it %s", async (_, answers) => {
    expect(await choose(await serve(answers))).toMatchObject({ providerId: "offline" });
  });

  it("takes the offline model when it does not answer in time", async () => {
    expect(await choose(await serve({}), 20)).toMatchObject({ providerId: "offline" });
  });

  it("takes the offline model when nothing listens there, or the address is none", async () => {
    expect(await choose({ OLLAMA_HOST: "127.0.0.1:1" })).toMatchObject({ providerId: "offline" });
    expect(await choose({ OLLAMA_HOST: "http://[::1" })).toMatchObject({ providerId: "offline" });
  });
});
