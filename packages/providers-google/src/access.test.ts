import { Network } from "@troupe/core/kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createOpenCall } from "./access.ts";

const baseURL = "https://generativelanguage.googleapis.com";
const { signal } = new AbortController();

afterEach(() => void vi.unstubAllEnvs());

function open(apiKey?: string, environment: Record<string, string> = {}) {
  for (const name of ["GOOGLE_API_KEY", "GEMINI_API_KEY"]) vi.stubEnv(name, environment[name] ?? "");
  return createOpenCall({ network: new Network({ apiKey }), baseURL });
}

describe("a call", () => {
  const both = { GOOGLE_API_KEY: "of-google", GEMINI_API_KEY: "of-gemini" };

  it.each([
    ["the call", "callers", "ours", both, "callers", true],
    ["the options", undefined, "ours", both, "ours", false],
    ["Google's variable", undefined, undefined, both, "of-google", false],
    ["Gemini's variable", undefined, undefined, { GEMINI_API_KEY: "of-gemini" }, "of-gemini", false],
  ])("has the key of %s", async (...[, apiKey, own, environment, value, fromCaller]) => {
    const opened = await open(own, environment)({ ...(apiKey !== undefined && { apiKey }), signal });

    expect(opened).toEqual({
      call: { providerId: "google", key: { value, fromCaller }, signal, headers: undefined },
      access: { baseURL: `${baseURL}/v1beta`, headers: { "x-goog-api-key": value } },
    });
  });

  it("is unauthorized without any key", async () => {
    await expect(open()({})).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("reads the environment anew", async () => {
    const opening = open(undefined, { GOOGLE_API_KEY: "first" });
    const first = await opening({});
    vi.stubEnv("GOOGLE_API_KEY", "second");
    const second = await opening({});

    expect([first, second].map(({ access }) => access?.headers["x-goog-api-key"])).toEqual(["first", "second"]);
  });
});

describe("a call over a client", () => {
  class GoogleGenAI {
    vertexai = false;
  }
  const openOver = (client: object) => createOpenCall({ network: new Network({ client }), baseURL, client });

  it("has a key of its own only where the client takes one", async () => {
    expect((await openOver(new GoogleGenAI())({ apiKey: "callers" })).call.key).toMatchObject({ value: "callers" });
    expect((await openOver({})({})).call.key).toBeUndefined();
    await expect(openOver({})({ apiKey: "callers" })).rejects.toMatchObject({ code: "invalid_request" });
  });
});
