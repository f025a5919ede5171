import { afterEach, describe, expect, it, vi } from "vitest";
import { requireKey, resolveKey } from "./resolve-key.ts";

const environment = ["FIRST_API_KEY", "SECOND_API_KEY"];

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("resolveKey", () => {
  it("prefers the key of the call to the provider's, and that to the environment's [keys.override-environment]", async () => {
    vi.stubEnv("FIRST_API_KEY", "env");

    expect(await resolveKey({ providerId: "openai", request: "call", config: "own", environment })).toEqual({
      value: "call",
      fromCaller: true,
    });
    expect(await resolveKey({ providerId: "openai", config: "own", environment })).toEqual({
      value: "own",
      fromCaller: false,
    });
    expect(await resolveKey({ providerId: "openai", environment })).toEqual({ value: "env", fromCaller: false });
  });

  it("reads the environment at each call, and uses the first variable that is not empty", async () => {
    const resolve = async () => (await resolveKey({ providerId: "google", environment }))?.value;

    expect(await resolve()).toBeUndefined();
    vi.stubEnv("SECOND_API_KEY", "second");
    expect(await resolve()).toBe("second");
    vi.stubEnv("FIRST_API_KEY", "");
    expect(await resolve()).toBe("second");
    vi.stubEnv("FIRST_API_KEY", "first");
    expect(await resolve()).toBe("first");
  });

  it("calls a function for each key, and only without a key of the call", async () => {
    let calls = 0;
    const config = async () => `token-${++calls}`;

    expect(await resolveKey({ providerId: "openai", request: "call", config })).toMatchObject({ value: "call" });
    expect(await resolveKey({ providerId: "openai", config })).toEqual({ value: "token-1", fromCaller: false });
    expect(await resolveKey({ providerId: "openai", config })).toEqual({ value: "token-2", fromCaller: false });
  });

  it("rejects a key of a function that fits into no header, and does not show it", async () => {
    await expect(resolveKey({ providerId: "openai", config: () => "sk-canary\n" })).rejects.toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringMatching(/in the result of the function apiKey (?!.*canary)/),
      }),
    );
    const nothing = (() => undefined) as unknown as () => string;
    await expect(resolveKey({ providerId: "openai", config: nothing })).rejects.toMatchObject({
      code: "invalid_config",
    });
  });

  it("keeps the code of a function that failed, so that a lost connection is tried again", async () => {
    const lost = Object.assign(new Error("no network"), { code: "ECONNRESET", config: { secret: "canary" } });
    const error: unknown = await resolveKey({ providerId: "openai", config: () => Promise.reject(lost) }).catch(
      (reason: unknown) => reason,
    );

    expect(error).toMatchObject({ code: "model_failed", cause: { code: "ECONNRESET" } });
    expect((error as Error).cause).not.toHaveProperty("config");
  });

  it("waits for a function no longer than its signal", async () => {
    const abort = new AbortController();
    const config = () => new Promise<string>(() => undefined);

    const resolving = resolveKey({ providerId: "openai", config, signal: abort.signal });
    abort.abort();

    await expect(resolving).rejects.toMatchObject({ code: "cancelled" });
  });

  it("returns undefined without any key", async () => {
    expect(await resolveKey({ providerId: "ollama" })).toBeUndefined();
  });

  it("rejects a key that fits into no header, names its place, and does not show it", async () => {
    vi.stubEnv("FIRST_API_KEY", "sk-canary\n");

    await expect(resolveKey({ providerId: "openai", request: "sk-canary\n" })).rejects.toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/in apiKey of the call (?!.*canary)/),
      }),
    );
    await expect(resolveKey({ providerId: "openai", config: "" })).rejects.toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringContaining("in apiKey of the provider's options"),
      }),
    );
    await expect(resolveKey({ providerId: "openai", environment })).rejects.toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(/FIRST_API_KEY (?!.*canary)/) }),
    );
  });
});

describe("requireKey", () => {
  it("returns the key", async () => {
    expect(await requireKey({ providerId: "openai", request: "call" })).toEqual({ value: "call", fromCaller: true });
  });

  it("names each way to pass a key when there is none", async () => {
    await expect(requireKey({ providerId: "google", environment })).rejects.toThrow(
      expect.objectContaining({
        code: "unauthorized",
        message:
          "google needs an API key: send the header x-google-api-key, pass apiKey, set FIRST_API_KEY or set SECOND_API_KEY.",
        fields: { vendor: "google" },
      }),
    );
    await expect(requireKey({ providerId: "mistral" })).rejects.toThrow(
      "mistral needs an API key: send the header x-mistral-api-key or pass apiKey.",
    );
    await expect(requireKey({ providerId: "constructor" })).rejects.toThrow(
      "constructor needs an API key: send the header x-constructor-api-key or pass apiKey.",
    );
  });
});
