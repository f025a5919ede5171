import { afterEach, describe, expect, it, vi } from "vitest";
import { requireKey, resolveKey } from "./resolve-key.ts";

const environment = ["FIRST_API_KEY", "SECOND_API_KEY"];

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("resolveKey", () => {
  it("prefers the key of the call to the provider's, and that to the environment's [keys.override-environment]", () => {
    vi.stubEnv("FIRST_API_KEY", "env");

    expect(resolveKey({ providerId: "openai", request: "call", config: "own", environment })).toEqual({
      value: "call",
      fromCaller: true,
    });
    expect(resolveKey({ providerId: "openai", config: "own", environment })).toEqual({
      value: "own",
      fromCaller: false,
    });
    expect(resolveKey({ providerId: "openai", environment })).toEqual({ value: "env", fromCaller: false });
  });

  it("reads the environment at each call, and uses the first variable that is not empty", () => {
    const resolve = () => resolveKey({ providerId: "google", environment })?.value;

    expect(resolve()).toBeUndefined();
    vi.stubEnv("SECOND_API_KEY", "second");
    expect(resolve()).toBe("second");
    vi.stubEnv("FIRST_API_KEY", "");
    expect(resolve()).toBe("second");
    vi.stubEnv("FIRST_API_KEY", "first");
    expect(resolve()).toBe("first");
  });

  it("returns undefined without any key", () => {
    expect(resolveKey({ providerId: "ollama" })).toBeUndefined();
  });

  it("rejects a key that fits into no header, names its place, and does not show it", () => {
    vi.stubEnv("FIRST_API_KEY", "sk-canary\n");

    expect(() => resolveKey({ providerId: "openai", request: "sk-canary\n" })).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/in apiKey of the call (?!.*canary)/),
      }),
    );
    expect(() => resolveKey({ providerId: "openai", config: "" })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringContaining("in apiKey of the provider's options"),
      }),
    );
    expect(() => resolveKey({ providerId: "openai", environment })).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(/FIRST_API_KEY (?!.*canary)/) }),
    );
  });
});

describe("requireKey", () => {
  it("returns the key", () => {
    expect(requireKey({ providerId: "openai", request: "call" })).toEqual({ value: "call", fromCaller: true });
  });

  it("names each way to pass a key when there is none", () => {
    expect(() => requireKey({ providerId: "google", environment })).toThrow(
      expect.objectContaining({
        code: "unauthorized",
        message:
          "google needs an API key: send the header x-google-api-key, pass apiKey, set FIRST_API_KEY or set SECOND_API_KEY.",
        fields: { vendor: "google" },
      }),
    );
    expect(() => requireKey({ providerId: "mistral" })).toThrow("mistral needs an API key: pass apiKey.");
    expect(() => requireKey({ providerId: "constructor" })).toThrow("constructor needs an API key: pass apiKey.");
  });
});
