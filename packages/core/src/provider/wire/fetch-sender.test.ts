import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { sendByFetch } from "./fetch-sender.ts";
import type { FetchFunction } from "./fetch-sender.ts";

const url = "http://vendor.example/";

/** A `fetch` that never answers, whatever becomes of its signal. */
const deaf: FetchFunction = () => new Promise(() => undefined);

/** A `fetch` whose reply has a first piece and then nothing more. */
const halfDeaf: FetchFunction = () => {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("first")) });
  return Promise.resolve(new Response(body));
};

/** Sends a request, and reads the reply to its end. */
async function read(send: FetchFunction, signal?: AbortSignal): Promise<unknown> {
  const timeouts = { headersTimeoutMs: 50, idleTimeoutMs: 50 };
  const reply = await sendByFetch(send, url, { ...timeouts, ...(signal !== undefined && { signal }) });
  return await reply.text();
}

describe.each([
  ["before its head", deaf],
  ["within its body", halfDeaf],
])("a fetch of the user that ignores its signal %s", (_where, send) => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  it("holds up no caller that has aborted, and leaves no timer", async () => {
    const abort = new AbortController();
    const reading = read(send, abort.signal).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    abort.abort(new Error("The user left."));

    expect(await reading).toMatchObject({ message: "The user left." });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is a timeout after its time, and leaves nothing at the signal of its caller", async () => {
    const { signal } = new AbortController();
    const reading = read(send, signal).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(50);

    expect(await reading).toMatchObject({ code: "timeout" });
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is not waited for by a caller that had aborted before", async () => {
    await expect(read(send, AbortSignal.abort(new Error("Gone.")))).rejects.toThrow("Gone.");
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("the fetch sender keeps no chunk of a reply that its reader has taken", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const sent: WeakRef<Uint8Array>[] = [];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = new Uint8Array(1000);
        sent.push(new WeakRef(chunk));
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const { bytes } = await sendByFetch(() => Promise.resolve(new Response(body)), url);

  for (let count = 0; count < 100; count++) await bytes.next();
  // What the last turn of the loop has used is garbage only in the next one.
  await new Promise((resolve) => void setImmediate(resolve));
  collectGarbage();

  expect(sent).toHaveLength(100);
  expect(sent.filter((each) => each.deref() !== undefined).length).toBeLessThan(5);
  await bytes.return?.();
});
