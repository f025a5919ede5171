import { describe, expect, it } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { defaultMemoryBytes } from "../../base/util/default-memory-bytes.ts";
import { LocalEngine } from "./local-engine.ts";
import { readServeOptions, readServiceOptions } from "./run-service-options.ts";

const hour = 3_600_000;
const longest = 2 ** 31 - 1;
const secret = "0123456789abcdef0123456789abcdef";
const wrong = (name: string) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(name) });
const read = (options: object) => readServiceOptions(options);

describe("the options of a service", () => {
  it("have defaults for runs in memory", () => {
    const { logger, now, ...options } = readServiceOptions({});
    expect(now).toBe(Date.now);
    expect(logger.level).toBe("warn");
    expect(options).toEqual({
      admission: { maxQueued: 1000, perCaller: 20, maxAnonymousBytes: 268_435_456, schedulesPerUser: 20 },
      retention: {
        logMs: hour,
        recordMs: hour,
        maxEnded: 1000,
        maxBytes: defaultMemoryBytes(),
        maxBytesPerRun: 1_048_576,
        anonymousWaitMs: 24 * hour,
      },
      webhooks: { targets: [], allowCallers: false, maxPerOwner: 100, allowPrivateHosts: [], timeoutMs: 15_000 },
    });
  });

  it("keep runs for longer in a storage, or as long as they say", () => {
    const storage = new InMemoryStorage();
    expect(readServiceOptions({ storage }).retention).toMatchObject({ logMs: 24 * hour, recordMs: 168 * hour });
    expect(readServiceOptions({ storage, retention: { logMs: 0 } }).retention).toEqual({
      logMs: 0,
      recordMs: 168 * hour,
      maxEnded: 1000,
      maxBytes: defaultMemoryBytes(),
      maxBytesPerRun: 1_048_576,
      anonymousWaitMs: 24 * hour,
    });
    const own = { logMs: 1, recordMs: 2, maxEnded: 3, maxBytes: 1025, maxBytesPerRun: 1026, anonymousWaitMs: 6 };
    expect(readServiceOptions({ retention: own }).retention).toEqual(own);
  });

  it("have a default for each limit that is left out", () => {
    const limits = { maxQueued: 7, perCaller: 8, maxAnonymousBytes: 2048, schedulesPerUser: 9 };
    expect(readServiceOptions({ admission: limits }).admission).toEqual(limits);
    const defaults = readServiceOptions({}).admission;
    for (const name of ["maxQueued", "perCaller", "maxAnonymousBytes", "schedulesPerUser"] as const)
      expect(readServiceOptions({ admission: { [name]: limits[name] } }).admission).toEqual({
        ...defaults,
        [name]: limits[name],
      });
  });

  it("are those that are given", () => {
    const given = {
      storage: new InMemoryStorage(),
      engine: new LocalEngine(),
      agents: {},
      teams: new Map(),
      workflows: {},
      node: "worker-2",
      sealKeys: [secret],
      logger: silentLogger,
      now: () => 5,
    };
    const options = readServiceOptions(given);
    for (const [name, value] of Object.entries(given)) expect(options).toHaveProperty(name, value);
    expect(readServiceOptions({ sealKeys: false }).sealKeys).toBe(false);
    expect(readServiceOptions({ sealKeys: [] }).sealKeys).toEqual([]);
  });

  it.each(["a", "n".repeat(100), "Knoten é 1", "😀"])("take the name %j", (node) => {
    expect(readServiceOptions({ node }).node).toBe(node);
  });

  it.each(["", " ", "n".repeat(101), "a\nb", "a\u0000", "a\u2028b", "a\u2029", "a\u202eb", "a\ud800", 5, null])(
    "take no name %j",
    (node) => {
      expect(() => read({ node })).toThrow(wrong("node"));
    },
  );

  it.each([secret, [secret.slice(1)], [secret, ""], [5], true, null])(
    "take no seal keys %#, and show none",
    (sealKeys) => {
      expect(() => read({ sealKeys })).toThrow(wrong("sealKeys"));
      expect(() => read({ sealKeys })).not.toThrow(secret.slice(1));
    },
  );

  it.each([
    ["admission", "maxQueued", [0, -1, 1.5, NaN, Infinity, "1", null]],
    ["admission", "perCaller", [0, -1, 1.5, NaN, Infinity, "1"]],
    ["admission", "maxAnonymousBytes", [0, 1023, 1024.5, NaN, "1024"]],
    ["admission", "schedulesPerUser", [-1, 0.5, NaN, "1"]],
    ["retention", "logMs", [-1, NaN, longest + 1, Infinity, "1"]],
    ["retention", "recordMs", [-1, NaN, longest + 1, "1"]],
    ["retention", "anonymousWaitMs", [-1, NaN, longest + 1, "1"]],
    ["retention", "maxEnded", [0, -1, 1.5, NaN, "1"]],
    ["retention", "maxBytes", [0, 1023, NaN, "1024"]],
    ["retention", "maxBytesPerRun", [0, 1023, NaN, "1024"]],
  ])("name %s.%s when it is wrong", (group, name, values) => {
    for (const value of values) expect(() => read({ [group]: { [name]: value } })).toThrow(wrong(`${group}.${name}`));
  });

  it.each([
    ["admission", "maxQueued", 1],
    ["admission", "perCaller", 1],
    ["admission", "maxAnonymousBytes", 1024],
    ["admission", "schedulesPerUser", 0],
    ["retention", "logMs", longest],
    ["retention", "recordMs", 0],
    ["retention", "anonymousWaitMs", 0],
    ["retention", "maxEnded", 1],
    ["retention", "maxBytes", 1024],
    ["retention", "maxBytesPerRun", 1024],
  ] as const)("take %s.%s of %d", (group, name, value) => {
    expect(read({ [group]: { [name]: value } })[group]).toHaveProperty(name, value);
  });

  it.each(["agents", "teams", "workflows"])("take no %s that are an array, a text or null", (name) => {
    for (const value of [[], "a", null, 5]) expect(() => read({ [name]: value })).toThrow(wrong(name));
  });

  it.each([
    ["storage", { get: () => {} }],
    ["engine", { submit: () => {} }],
    ["logger", console],
    ["now", 5],
    ["other", 1],
    ["admission", { maxAge: 1 }],
    ["retention", { maxQueued: 1 }],
  ])("name %s when it is wrong", (name, value) => {
    expect(() => read({ [name]: value })).toThrow(wrong(name));
  });

  it.each(["submit", "withdraw", "serve", "waiting", "close"])("take no engine without %s", (method) => {
    const engine = Object.fromEntries(
      ["submit", "withdraw", "serve", "waiting", "close"].map((name) => [name, () => {}]),
    );
    expect(() => read({ engine })).not.toThrow();
    expect(() => read({ engine: { ...engine, [method]: undefined } })).toThrow(wrong("engine"));
  });

  it("need a storage that can compare", () => {
    expect(() => read({ storage: new MapStorage() })).toThrow(wrong("needs compareAndSet"));
  });
});

describe("the options of serving", () => {
  it.each([
    [{}, 100],
    [{ concurrency: undefined }, 100],
    [{ concurrency: 1 }, 1],
  ])("%j perform so many runs at a time: %d", (options, concurrency) => {
    expect(readServeOptions(options)).toEqual({ concurrency });
  });

  it.each([0, -1, 1.5, NaN, Infinity, "1", null])("are not %j", (concurrency) => {
    expect(() => readServeOptions({ concurrency: concurrency as number })).toThrow(wrong("concurrency"));
  });
});
