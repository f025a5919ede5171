import type { CallContext } from "@troupe/core/provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { clientConnection, clientHttpOptions, toClientError } from "./connection.ts";
import type { GeminiClient } from "./options.ts";

type Ask = GeminiClient["models"]["generateContent"];

const { signal } = new AbortController();
const key = { value: "key-1", fromCaller: true };
const call: CallContext = { providerId: "google", signal };
const body = { contents: [{ role: "user", parts: [{ text: "Rain?" }] }], generationConfig: { topP: 1 } };

afterEach(() => void vi.useRealTimers());

describe("a client's connection", () => {
  const request = { modelId: "m", body: { ...body, tools: [], labels: { a: "b" } } };
  const failing = { status: 429, message: 'got {"error":{"status":"RESOURCE_EXHAUSTED"}}' };

  function record() {
    const generateContent = vi.fn<Ask>().mockResolvedValue({ responseId: "r" });
    const generateContentStream = vi.fn<Ask>().mockImplementation(async () => (async function* () {})());
    return { generateContent, generateContentStream };
  }

  it.each([
    ["no key", call, {}],
    ["a key", { ...call, key }, { headers: { "x-goog-api-key": "key-1" } }],
  ])("asks once, with all fields of the body, and with %s of the call", async (_, context, more) => {
    const models = record();
    const connection = clientConnection({ models }, 5000);

    expect(await connection.send(request, context)).toEqual({ responseId: "r" });
    await connection.open(request, context);

    const { contents, ...rest } = request.body;
    const parameters = {
      model: "m",
      contents,
      config: {
        topP: 1,
        tools: [],
        labels: { a: "b" },
        automaticFunctionCalling: { disable: true },
        automaticContinuation: false,
        abortSignal: expect.any(AbortSignal) as unknown,
        httpOptions: { extraBody: rest, retryOptions: { attempts: 1 }, ...more },
      },
    };
    expect(models.generateContent.mock.calls).toEqual([[parameters]]);
    expect(models.generateContentStream.mock.calls).toEqual([[parameters]]);
    expect(clientHttpOptions(context)).toStrictEqual({ retryOptions: { attempts: 1 }, ...more });
  });

  it.each(["send", "open"] as const)("rejects with the vendor's error (%s)", async (way) => {
    const fail = () => Promise.reject(Object.assign(new Error(failing.message), { status: 429 }));
    const connection = clientConnection({ models: { generateContent: fail, generateContentStream: fail } }, 5000);

    await expect(connection[way](request, call)).rejects.toMatchObject({ vendorCode: "RESOURCE_EXHAUSTED" });
  });

  it.each(["send", "open"] as const)("is left when the signal of the call aborts (%s)", async (way) => {
    const abort = new AbortController();
    const left = vi.fn<() => void>();
    const wait = ({ config }: { config: { abortSignal: AbortSignal } }) =>
      new Promise<never>(() => config.abortSignal.addEventListener("abort", left));
    const connection = clientConnection({ models: { generateContent: wait, generateContentStream: wait } }, 5000);
    const asked = connection[way](request, { ...call, signal: abort.signal });
    const reason = new Error("gone");
    abort.abort(reason);

    expect(left).toHaveBeenCalledOnce();
    await expect(asked).rejects.toBe(reason);
  });

  it.each<["send" | "open", number, number]>([
    ["send", 5000, 600_000],
    ["send", 700_000, 700_000],
    ["open", 5000, 5000],
  ])("gives up (%s), with %j ms between pieces, after %j ms", async (way, idle, limit) => {
    vi.useFakeTimers();
    const silent = () => new Promise<never>(() => undefined);
    const models = { generateContent: silent, generateContentStream: silent };
    const settled = vi.fn<(error: unknown) => void>();
    clientConnection({ models }, idle)[way](request, call).then(settled, settled);

    await vi.advanceTimersByTimeAsync(limit - 1);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10);
    expect(settled.mock.calls).toEqual([[expect.any(Error)]]);
  });

  it("reads the status of an error whose JSON tells none", () => {
    const thrown = { status: 404, message: 'got {"error":{"message":"no such model"}}' };

    expect(toClientError(thrown)).toMatchObject({ status: 404, message: "no such model" });
  });

  it.each<[string, unknown]>([
    ["without a status", new Error('{"error":{}}')],
    ["without JSON", { status: 500, message: "oops" }],
    ["with half of its JSON", { status: 500, message: "{oops}" }],
    ["with a status of text", { status: "429", message: "{}" }],
    ["with no message", { status: 500 }],
    ["of nothing", undefined],
    ["of null", null],
  ])("leaves an error %s as it is", (_, thrown) => {
    expect(toClientError(thrown)).toBe(thrown);
  });
});
