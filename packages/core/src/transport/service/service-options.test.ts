import { watchErrorStream } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { readServiceRules, serviceOptionNames } from "./service-options.ts";

const refused = (message: string) => expect.objectContaining({ code: "invalid_config", message }) as Error;
const read = (options: object) => readServiceRules(options, "createService");
const storage = new InMemoryStorage();
const engine = { submit: async () => undefined, serve: async () => ({ drain: async () => undefined }) };
const runs = { accept: () => undefined, find: () => undefined, events: () => undefined };
const names =
  "agents, teams, workflows, storage, durable, schedules, runs, webhooks, authenticate, runOptions, mayAnswer, bodyUserId, limits, " +
  "genericApiKeyHeader, allowedOrigins, allowedHosts, trustAddresses, maxBodyBytes, onDisconnect, resumeMs, heartbeatMs, telemetry or logger";
const milliseconds = "an integer from 1 to 2147483647";

describe("a wrong option of a service", () => {
  it.each<[object, string]>([
    [{ agents: 7 }, "agents must be an object or a Map of entries by name, got 7."],
    [
      { agents: { a: 1 } },
      'agents["a"] must be an agent, a team or another Runnable, with the methods run and stream, got 1.',
    ],
    [{ teams: [] }, "teams must be an object or a Map of entries by name, got an array."],
    [
      { workflows: { w: {} } },
      'workflows["w"] must be a Workflow (agents and teams have options of their own), with the methods run, stream and asRunnable, got an object.',
    ],
    [{ storage: {} }, "storage must be a storage driver, with the methods get and list, got an object."],
    [{ durable: null }, "durable must be true, false or an object of options, got null."],
    [{ durable: 1 }, "durable must be true, false or an object of options, got 1."],
    [{ durable: [] }, "durable must be true, false or an object of options, got an array."],
    [{ durable: { perform: 1 } }, "durable.perform must be true or false, got 1."],
    [
      { durable: { storage: {} } },
      "durable.storage must be a storage driver, with the methods get and list, got an object.",
    ],
    [
      { durable: { engine: {} } },
      "durable.engine must be an engine of durable runs, with the methods submit and serve, got an object.",
    ],
    [{ durable: { x: 1 } }, 'Unknown option "x" of durable. Expected storage, engine, sealKeys or perform.'],
    [{ schedules: 1 }, "schedules must be true, false or an object of options, got 1."],
    [{ schedules: { allow: true } }, "schedules.allow must be a function, got true."],
    [{ schedules: { maxPerUser: -1 } }, "schedules.maxPerUser must be an integer of 0 or more, got -1."],
    [{ schedules: true }, "schedules begin durable runs. Set durable: true, or give runs."],
    [{ runs: {} }, "runs must be a RunService, with the methods accept, find and events, got an object."],
    [{ authenticate: {} }, "authenticate must be a function, got an object."],
    [{ runOptions: {} }, "runOptions must be a function, got an object."],
    [{ mayAnswer: true }, "mayAnswer must be a function, got true."],
    [{ bodyUserId: "x" }, 'bodyUserId must be "trusted" or "unverified", got a string.'],
    [{ limits: 1 }, "limits must be an object, got 1."],
    [{ limits: { durationMs: 0 } }, "limits.durationMs must be a positive number up to 2147483647, got 0."],
    [{ genericApiKeyHeader: 1 }, "genericApiKeyHeader must be true or false, got 1."],
    [{ allowedHosts: "x" }, "allowedHosts must be an array of hosts, got a string."],
    [
      { allowedOrigins: ["x"] },
      'allowedOrigins[0] must be an origin such as "https://app.example.org", without a path, got a string.',
    ],
    [{ trustAddresses: 1 }, "trustAddresses must be true, false or a function, got 1."],
    [{ maxBodyBytes: 0 }, "maxBodyBytes must be a positive integer, got 0."],
    [{ maxBodyBytes: 1.5 }, "maxBodyBytes must be a positive integer, got 1.5."],
    [{ onDisconnect: "x" }, 'onDisconnect must be "cancel" or "continue", got a string.'],
    [{ resumeMs: 0 }, `resumeMs must be ${milliseconds}, got 0.`],
    [{ resumeMs: 2_147_483_648 }, `resumeMs must be ${milliseconds}, got 2147483648.`],
    [{ heartbeatMs: 0 }, `heartbeatMs must be ${milliseconds}, got 0.`],
    [{ heartbeatMs: 2_147_483_648 }, `heartbeatMs must be ${milliseconds}, got 2147483648.`],
    [
      { logger: {} },
      "logger must be a logger such as createLogger({ level }), with the methods debug, info, warn, error, child and withSecrets, got an object.",
    ],
    [{ agent: {} }, `Unknown option "agent" of createService. Expected ${names}. Did you mean agents?`],
  ])("is refused in %j: %s", (options, message) => {
    expect(() => read(options)).toThrow(refused(message));
  });

  it("is named with the function that took it, and so are options that are no object", () => {
    expect(() => readServiceRules({ shutdown: {} } as never, "createAgentRouter")).toThrow(
      refused(`Unknown option "shutdown" of createAgentRouter. Expected ${names}.`),
    );
    expect(() => readServiceRules(null as never, "createAgentRouter")).toThrow(
      refused("The options of createAgentRouter must be an object, got null."),
    );
  });
});

describe("options of a service without an effect", () => {
  const two = "durable makes a run service, and runs is one. Give one of the two.";
  const nowhere = "durable needs a storage that outlives the process. Give storage, or durable: { storage }.";
  const notDurable = "webhooks report durable runs. Set durable: true with a storage, or leave webhooks out.";
  const unused = "storage has no effect here: it holds durable runs. Set durable: true, or leave storage out.";

  it.each<[string, object, string]>([
    ["durable beside runs", { durable: true, storage, runs }, two],
    ["durable beside runs, without a storage", { durable: {}, runs }, two],
    ["durable without a storage", { durable: true }, nowhere],
    ["durable with an engine but without a storage", { durable: { engine } }, nowhere],
    ["storage without durable", { storage }, unused],
    ["storage with durable: false", { storage, durable: false }, unused],
    ["storage with runs", { storage, runs }, unused],
    ["storage beside that of durable", { storage, durable: { storage } }, unused],
    ["webhooks without durable", { webhooks: [] }, notDurable],
    ["webhooks with durable: false", { webhooks: [], durable: false }, notDurable],
    [
      "webhooks beside runs",
      { webhooks: [], runs },
      "webhooks has no effect beside runs. Give webhooks to the RunService.",
    ],
  ])("%s are refused", (_what, options, message) => {
    expect(() => read(options)).toThrow(refused(message));
  });

  it.each<[string, object]>([
    ["durable with a storage", { durable: true, storage }],
    ["durable with a storage and options of its own", { durable: { engine, perform: false }, storage }],
    ["durable with a storage of its own", { durable: { storage } }],
    ["durable with webhooks", { durable: true, storage, webhooks: [] }],
    ["durable: false", { durable: false }],
    ["durable: false beside runs", { durable: false, runs }],
  ])("%s are accepted", (_what, options) => {
    expect(() => read(options)).not.toThrow();
  });
});

describe("the options of a service", () => {
  it("have their defaults, with none for what is then left to others", () => {
    const { logger, ...settings } = read({});

    expect(settings).toEqual({
      agents: new Map(),
      teams: new Map(),
      workflows: new Map(),
      bodyUserId: "unverified",
      genericApiKeyHeader: true,
      trustAddresses: false,
      onDisconnect: "cancel",
      resumeMs: 60_000,
      heartbeatMs: 8000,
    });
    expect(logger).toBeDefined();
  });

  it("have warnings and errors on standard error by default, named as those of a service", () => {
    const { lines, restore } = watchErrorStream();
    onTestFinished(restore);
    const { logger } = read({});
    logger.info("Not this.");
    logger.warn("But that.");

    expect(lines).toEqual([expect.stringMatching(/service.*But that\./)]);
  });

  it("are what the host says, also the least and the greatest values", () => {
    const given = {
      authenticate: () => undefined,
      runOptions: () => undefined,
      mayAnswer: () => true,
      bodyUserId: "trusted",
      limits: { durationMs: 1, totalTokens: 2 },
      genericApiKeyHeader: false,
      allowedHosts: ["example.org"],
      allowedOrigins: ["https://app.example.org"],
      trustAddresses: () => undefined,
      maxBodyBytes: 1,
      onDisconnect: "continue",
      resumeMs: 1,
      heartbeatMs: 2_147_483_647,
      logger: silentLogger,
      runs,
    };

    expect(read(given)).toMatchObject(given);
    expect(read({ resumeMs: 2_147_483_647, heartbeatMs: 1, trustAddresses: true })).toMatchObject({
      resumeMs: 2_147_483_647,
      heartbeatMs: 1,
      trustAddresses: true,
    });
  });

  it("copy the registries: what is registered later is not served", () => {
    const agent = new Agent({ name: "a", model: new ScriptedModel() });
    const agents: Record<string, Agent> = { a: agent };
    const settings = read({ agents });
    agents["b"] = agent;

    expect([...settings.agents]).toEqual([["a", agent]]);
  });

  it.each<[unknown, unknown]>([
    [true, { perform: true }],
    [{}, { perform: true }],
    [
      { perform: false, sealKeys: false },
      { perform: false, sealKeys: false },
    ],
    [
      { engine, sealKeys: ["k"] },
      { engine, sealKeys: ["k"], perform: true },
    ],
    [false, undefined],
    [undefined, undefined],
  ])("read durable: %j as %j", (durable, expected) => {
    const hasRuns = durable !== false && durable !== undefined;

    expect(read({ durable, ...(hasRuns && { storage }) }).durable).toEqual(expected);
  });

  it.each<[unknown, unknown]>([
    [true, {}],
    [{ maxPerUser: 0 }, { maxPerUser: 0 }],
    [false, undefined],
    [undefined, undefined],
  ])("read schedules: %j as %j", (schedules, expected) => {
    expect(read({ schedules, durable: true, storage }).schedules).toEqual(expected);
  });

  it("leave the bound of schedules to a given run service", () => {
    expect(read({ runs, schedules: true }).schedules).toEqual({});
    expect(() => read({ runs, schedules: { maxPerUser: 1 } })).toThrow(
      refused(
        "schedules.maxPerUser has no effect with runs. Give it as admission: { schedulesPerUser } of the RunService.",
      ),
    );
  });

  it("have a list of their names, from which short forms tell them from their own", () => {
    expect(serviceOptionNames.join(", ").replace(/, logger$/, " or logger")).toBe(names);
  });
});
