import { Network } from "@troupe/core/kit";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startVendor } from "../test/vendor.ts";
import { keySourcesOf } from "./connection.ts";
import { ollama } from "./index.ts";

const ask = [{ role: "user" as const, content: "Hello?" }];

afterEach(() => void vi.unstubAllEnvs());

describe("keys", () => {
  it.each([
    ["https://ollama.com", "key-of-env"],
    ["https://ollama.com/", "key-of-env"],
    ["http://ollama.com", undefined],
    ["https://ollama.com.example.org", undefined],
    ["https://eu.ollama.com", undefined],
    ["http://127.0.0.1:11434", undefined],
  ])("are sent from the environment only to ollama.com: %s gets %s", async (baseURL, expected) => {
    vi.stubEnv("OLLAMA_API_KEY", "key-of-env");

    const open = async (apiKey?: string) =>
      (await new Network({ apiKey }).openCall({ providerId: "ollama", ...keySourcesOf(baseURL) })).key?.value;

    expect(await open()).toBe(expected);
    expect(await open("key-1")).toBe("key-1");
  });

  it("make a call to ollama.com unauthorized when they are missing, before any request", async () => {
    vi.stubEnv("OLLAMA_API_KEY", "");
    const model = ollama("gpt-oss:120b", { baseURL: "https://ollama.com" });

    await expect(model.generate(ask)).rejects.toMatchObject({
      code: "unauthorized",
      message: "ollama needs an API key: send the header x-ollama-api-key, pass apiKey or set OLLAMA_API_KEY.",
    });
  });
});

describe("the environment", () => {
  it("does not move the server that is asked by default", async () => {
    const { vendor: elsewhere } = await startVendor();
    vi.stubEnv("OLLAMA_HOST", elsewhere.url);

    // Whether or not a server runs on this machine, it has no such model.
    const asked = ollama("troupe-has-no-such-model", { timeoutMs: 5000 }).generate(ask);

    await expect(asked).rejects.toMatchObject({ code: "model_failed" });
    expect(elsewhere.exchanges).toEqual([]);
  });
});
