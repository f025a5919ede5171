import type { LookupFunction } from "node:net";
import { createLogger } from "@troupe/core";
import { replaceSleep } from "@troupe-internal/interleavings";
import type { Sleep } from "@troupe-internal/interleavings";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { noLookup, receive, tokenOf } from "../../test/receiver.ts";
import type { Receiver } from "../../test/receiver.ts";
import type { PushConfig } from "../wire/push-config.ts";
import { PushPost } from "./push-post.ts";
import type { PushSettings } from "./push-options.ts";
import { PushSigner } from "./push-signer.ts";

const pauses: unknown[] = [];
const during = { pause: () => {} };

/** The pauses between attempts take no time here. */
const pause: Sleep = async (ms, { ref = true, signal } = {}) => {
  pauses.push(ref ? { ms, ref } : ms);
  during.pause();
  return await (signal?.aborted === true ? Promise.reject(signal.reason as Error) : Promise.resolve());
};

const signer = new PushSigner(undefined, undefined);
const bounds = { timeoutMs: 10_000, maxAttempts: 3, retryMs: 1000, maxPerTask: 10, concurrency: 10 };

/** Makes what sends to a receiver. */
function postTo({ host }: Pick<Receiver, "host">, settings: Partial<PushSettings> = {}) {
  onTestFinished(replaceSleep(pause));
  const logged: unknown[] = [];
  const logger = createLogger({ level: "silent" });
  logger.warn = (...entry: unknown[]) => void logged.push(entry);
  const post = new PushPost({ ...bounds, allowPrivateHosts: [host], lookup: noLookup, ...settings }, signer, logger);
  const [stop, abort] = [new AbortController(), new AbortController()];
  const send = async (config: PushConfig, id = "n-1") => {
    const request = { config, taskId: "t-1", id, contentType: "application/a2a+json", body: { text: "Grüße" } };
    return await post.send(request, { stop: stop.signal, abort: abort.signal });
  };
  return { post, send, logged, stop, abort };
}

const failed = (attempts: number, problem: string) => [
  ["A push notification was not delivered.", { taskId: "t-1", configId: "c", attempts, problem }],
];

beforeEach(() => {
  pauses.length = 0;
  during.pause = () => {};
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void vi.restoreAllMocks());

describe("a notification", () => {
  it.each([
    [200, "done", 1, []],
    [204, "done", 1, []],
    [299, "done", 1, []],
    [400, "done", 1, failed(1, "status 400")],
    [404, "done", 1, failed(1, "status 404")],
    [408, "done", 3, failed(3, "status 408")],
    [410, "unwanted", 1, failed(1, "status 410")],
    [425, "done", 3, failed(3, "status 425")],
    [429, "done", 3, failed(3, "status 429")],
    [499, "done", 1, failed(1, "status 499")],
    [500, "done", 3, failed(3, "status 500")],
    [503, "done", 3, failed(3, "status 503")],
    [false, "done", 3, failed(3, "unreachable")],
  ] as const)("that is answered with %s is %s after %i requests", async (...[answer, outcome, count, entries]) => {
    const receiver = await receive(() => answer);
    const { send, logged } = postTo(receiver);
    expect(await send({ id: "c", url: receiver.url })).toBe(outcome);
    expect(receiver.notified).toHaveLength(count);
    expect(pauses).toHaveLength(count - 1);
    expect(logged).toEqual(entries);
  });

  it("is the same in each attempt, and not logged once it is delivered", async () => {
    const receiver = await receive((index) => (index === 0 ? 503 : 204));
    const { send, logged } = postTo(receiver);
    expect(await send({ id: "c", url: receiver.url })).toBe("done");
    expect(receiver.notified.map(({ text, path }) => [text, path])).toEqual(
      [1, 2].map(() => ['{"text":"Grüße"}', "/hook"]),
    );
    expect(logged).toEqual([]);
  });

  it.each<[Partial<PushConfig>, string | undefined, string | undefined]>([
    [{}, undefined, undefined],
    [{ token: "tok" }, undefined, "tok"],
    [{ credentials: "abc" }, "Bearer abc", undefined],
    [{ scheme: "Basic", credentials: "abc" }, "Basic abc", undefined],
    [{ scheme: "Basic" }, undefined, undefined],
  ])("has the headers of its config %j", async (fields, authorization, token) => {
    const receiver = await receive();
    await postTo(receiver).send({ id: "c", url: receiver.url, ...fields });
    const headers = receiver.notified[0]?.headers;
    const signature = headers?.["x-a2a-notification-signature"];
    expect(signature).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(headers?.["content-type"]).toBe("application/a2a+json");
    expect(headers?.authorization).toBe(authorization ?? `Bearer ${String(signature)}`);
    expect(headers?.["x-a2a-notification-token"]).toBe(token);
  });

  it.each(["https://10.0.0.1/hook", "http://receiver.example/hook", "https://a:b@receiver.example/", "nothing"])(
    "is not sent to %s, where a config of another process may lead",
    async (url) => {
      const { send, logged } = postTo({ host: "127.0.0.1:1" });
      expect(await send({ id: "c", url })).toBe("done");
      expect(logged).toEqual(failed(1, "private_address"));
      expect(pauses).toEqual([]);
    },
  );
});

describe("the pauses between attempts", () => {
  it.each([
    [0, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]],
    [1, [1250, 2500, 5000, 10_000, 20_000, 40_000, 75_000, 75_000]],
  ])("double up to a minute, with up to a quarter more by chance: %i", async (chance, expected) => {
    vi.spyOn(Math, "random").mockReturnValue(chance);
    const receiver = await receive(() => 503);
    await postTo(receiver, { maxAttempts: 9 }).send({ id: "c", url: receiver.url });
    expect(pauses).toEqual(expected);
  });

  it.each([
    ["7", [7000, 7000]],
    ["1", [1000, 2000]],
    ["61", [60_000, 60_000]],
    ["soon", [1000, 2000]],
  ])("are at least as long as the receiver asks, up to a minute: %s", async (retryAfter, expected) => {
    const receiver = await receive(() => ({ status: 429, headers: { "retry-after": retryAfter } }));
    await postTo(receiver).send({ id: "c", url: receiver.url });
    expect(pauses).toEqual(expected);
  });
});

describe("a sending that ends", () => {
  it("a sending that ends before it begins sends nothing", async () => {
    const receiver = await receive();
    const { send, stop, logged } = postTo(receiver);
    stop.abort();
    expect(await send({ id: "c", url: receiver.url })).toBe("stopped");
    expect([receiver.notified, logged]).toEqual([[], []]);
  });

  it("a sending that ends in a pause makes no further attempt", async () => {
    const receiver = await receive(() => 503);
    const { send, stop, logged } = postTo(receiver);
    during.pause = () => stop.abort();
    expect(await send({ id: "c", url: receiver.url })).toBe("stopped");
    expect([receiver.notified.length, logged]).toEqual([1, []]);
  });

  it("a sending that ends before its next attempt is delivered, if the attempt under way succeeds", async () => {
    const ends: (() => void)[] = [];
    const receiver = await receive(() => (ends[0]?.(), 204));
    const { send, stop } = postTo(receiver);
    ends.push(() => stop.abort());
    expect(await send({ id: "c", url: receiver.url })).toBe("done");
  });

  it("a sending that ends at once leaves the attempt under way, without a word", async () => {
    const ends: (() => void)[] = [];
    const receiver = await receive(async () => (ends[0]?.(), await new Promise<never>(() => {})));
    const { send, abort, logged } = postTo(receiver);
    ends.push(() => abort.abort());
    expect(await send({ id: "c", url: receiver.url })).toBe("stopped");
    expect([receiver.notified.length, pauses, logged]).toEqual([1, [], []]);
  });
});

it("attempts are no more than concurrency at once, in the order in which they came, and give their places back", async () => {
  const held: (() => void)[] = [];
  const receiver = await receive(async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    return 204;
  });
  const { send } = postTo(receiver, { concurrency: 2 });
  const ids = ["a", "b", "c", "d"];
  for (const count of [0, 4]) {
    const sending = ids.map(async (id) => await send({ id: "c", url: receiver.url }, id));
    await receiver.until(count + 2);
    // Time for a third one to come.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(receiver.notified).toHaveLength(count + 2);
    held[count]?.();
    await receiver.until(count + 3);
    held[count + 1]?.();
    await receiver.until(count + 4);
    for (const release of held) release();
    expect(await Promise.all(sending)).toEqual(ids.map(() => "done"));
  }
  const order = receiver.notified.map((each) => tokenOf(each)["jti"]);
  expect([order.slice(2, 4), order.slice(6)]).toEqual([
    ["c", "d"],
    ["c", "d"],
  ]);
});

describe("the check of an address", () => {
  const refusal = {
    kind: "invalid-params",
    message: "url must be an https: address of a public host, without a user name or password.",
    fields: { field: "url" },
  };
  const found = (address: string): LookupFunction =>
    ((_host: string, _options: object, done: (error: null, all: object[]) => void) =>
      done(null, [{ address, family: 4 }])) as unknown as LookupFunction;
  const post = (lookup: LookupFunction) => postTo({ host: "127.0.0.1:8080" }, { lookup }).post;

  it.each([
    "http://a.example/",
    "https://10.0.0.1/",
    "https://me@a.example/",
    "https://:p@a.example/",
    "ftp://a.example/",
    "a",
  ])("refuses %s without a lookup", async (url) => {
    await expect(post(() => expect.fail("It looks up the name.")).checkUrl(url)).rejects.toMatchObject(refusal);
  });

  it("takes a name that leads to a public host, or to none now, and one that is allowed", async () => {
    await expect(post(found("93.184.216.34")).checkUrl("https://a.example/")).resolves.toBeUndefined();
    await expect(post(noLookup).checkUrl("https://a.example/")).resolves.toBeUndefined();
    await expect(post(noLookup).checkUrl("http://127.0.0.1:8080/hook")).resolves.toBeUndefined();
    await expect(post(found("10.0.0.1")).checkUrl("https://a.example/")).rejects.toMatchObject(refusal);
  });

  it("takes a name whose lookup takes longer than two seconds, and one beside two lookups", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const answers: (() => void)[] = [];
      const slow = ((_host: string, _options: object, done: (error: null, all: object[]) => void) =>
        answers.push(() => done(null, [{ address: "10.0.0.1", family: 4 }]))) as unknown as LookupFunction;
      const checker = post(slow);
      const ends: string[] = [];
      const check = (name: string): void =>
        void checker.checkUrl(`https://${name}.example/`).then(
          () => ends.push(`${name} taken`),
          () => ends.push(`${name} refused`),
        );
      for (const name of ["a", "b", "c"]) check(name);
      await vi.advanceTimersByTimeAsync(1999);
      expect([ends, answers.length]).toEqual([["c taken"], 2]);
      answers[0]?.();
      await vi.advanceTimersByTimeAsync(1);
      expect(ends).toEqual(["c taken", "a refused", "b taken"]);
      check("d");
      await vi.advanceTimersByTimeAsync(0);
      expect(answers).toHaveLength(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
