import { Agent } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { watchErrorStream } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished } from "vitest";
import { readGatewayOptions } from "./gateway-options.ts";
import type { GatewayOptions } from "./gateway-options.ts";

const io = { of: () => undefined } as unknown as GatewayOptions["io"];
const agent = new Agent({ name: "a", model: new ScriptedModel("Hi.") });

describe("the options of a gateway", () => {
  it("have defaults", () => {
    const { io: given, service, ...rest } = readGatewayOptions({ io });
    expect(rest).toStrictEqual({
      ownsService: true,
      namespace: "/service",
      maxRunsPerSocket: 8,
      maxBufferedBytes: 1_048_576,
      maxTotalBufferedBytes: 134_217_728,
    });
    expect(service.settings).toMatchObject({ bodyUserId: "unverified", onDisconnect: "cancel", resumeMs: 60_000 });
    const { agents, teams, logger } = service;
    expect([given === io, agents.size, teams.size, logger.level]).toEqual([true, 0, 0, "warn"]);
  });

  it("are those that are given", () => {
    const logger = { ...readGatewayOptions({ io }).service.logger };
    const own = {
      namespace: "/x",
      maxRunsPerSocket: 1,
      maxBufferedBytes: 1,
      maxTotalBufferedBytes: 1,
      authMiddleware: () => {},
    } as const;
    const shared = {
      bodyUserId: "trusted",
      onDisconnect: "continue",
      resumeMs: 5,
      allowedOrigins: ["https://a.example"],
      allowedHosts: ["a.example"],
      mayAnswer: () => true,
      runOptions: () => undefined,
    } as const;
    const runnables = { agents: { a: agent }, teams: new Map([["t", agent]]) };
    const { service, ...read } = readGatewayOptions({ io, logger, ...runnables, ...own, ...shared });
    const { agents, teams } = service;
    expect(read).toMatchObject(own);
    expect(service.settings).toMatchObject({ ...shared, allowedOrigins: ["https://a.example"] });
    expect([service.logger === logger, [...agents], [...teams]]).toEqual([true, [["a", agent]], [["t", agent]]]);
  });

  it("take a service that the host has made, and then no option of one", () => {
    const service = createService({ agents: { a: agent } });
    expect(readGatewayOptions({ io, service })).toMatchObject({ service, ownsService: false });
    for (const [name, value] of [
      ["agents", { a: agent }],
      ["runOptions", () => undefined],
      ["genericApiKeyHeader", false],
    ] as const) {
      expect(() => readGatewayOptions({ io, service, [name]: value })).toThrow(
        expect.objectContaining({
          code: "invalid_config",
          message: `${name} is an option of the service. Give it to createService, or leave service out.`,
        }),
      );
    }
    expect(readGatewayOptions({ io, service, agents: undefined }).service).toBe(service);
  });

  const call = (): undefined => undefined;
  const aServer = "io must be a Socket.IO server (new Server(…) of socket.io), with the methods of, got";
  const aPath = 'namespace must be a path such as "/service", got';
  const aTime = "resumeMs must be an integer from 1 to 2147483647, got";
  const known =
    "Expected io, service, namespace, authMiddleware, maxRunsPerSocket, maxBufferedBytes, maxTotalBufferedBytes, agents, teams, workflows, storage, durable, schedules, runs, webhooks, authenticate, runOptions, mayAnswer, bodyUserId, limits, genericApiKeyHeader, allowedOrigins, allowedHosts, trustAddresses, maxBodyBytes, onDisconnect, resumeMs, heartbeatMs, telemetry or logger.";
  it.each<[object, string]>([
    [{ io: {} }, `${aServer} an object.`],
    [{ io: undefined }, `${aServer} undefined.`],
    [{ agents: [agent] }, "agents must be an object or a Map of entries by name, got an array."],
    [
      { teams: { t: {} } },
      'teams["t"] must be an agent, a team or another Runnable, with the methods run and stream, got an object.',
    ],
    [{ namespace: "service" }, `${aPath} a string.`],
    [{ namespace: "" }, `${aPath} a string.`],
    [{ namespace: 7 }, `${aPath} 7.`],
    [
      { allowedOrigins: ["https://a.example/b"] },
      'allowedOrigins[0] must be an origin such as "https://app.example.org", without a path, got a string.',
    ],
    [{ allowedHosts: "a.example" }, "allowedHosts must be an array of hosts, got a string."],
    [{ authMiddleware: {} }, "authMiddleware must be a function, got an object."],
    ...["accept", "find", "events"].map((missing): [object, string] => [
      { runs: { accept: call, find: call, events: call, [missing]: undefined } },
      "runs must be a RunService, with the methods accept, find and events, got an object.",
    ]),
    [{ mayAnswer: true }, "mayAnswer must be a function, got true."],
    [{ runOptions: {} }, "runOptions must be a function, got an object."],
    [{ bodyUserId: "body" }, 'bodyUserId must be "trusted" or "unverified", got a string.'],
    [{ onDisconnect: "stop" }, 'onDisconnect must be "cancel" or "continue", got a string.'],
    [{ maxRunsPerSocket: 0 }, "maxRunsPerSocket must be a positive integer, got 0."],
    [{ maxRunsPerSocket: 1.5 }, "maxRunsPerSocket must be a positive integer, got 1.5."],
    [{ maxRunsPerSocket: Number.NaN }, "maxRunsPerSocket must be a positive integer, got NaN."],
    [{ maxBufferedBytes: 0 }, "maxBufferedBytes must be a positive integer, got 0."],
    [{ maxTotalBufferedBytes: 0 }, "maxTotalBufferedBytes must be a positive integer, got 0."],
    [{ resumeMs: 0 }, `${aTime} 0.`],
    [{ resumeMs: 2 ** 31 }, `${aTime} 2147483648.`],
    [
      { logger: {} },
      "logger must be a logger such as createLogger({ level }), with the methods debug, info, warn, error, child and withSecrets, got an object.",
    ],
    [
      { service: {} },
      "service must be a service (createService(…)), with the methods open, authenticate and close, got an object.",
    ],
    [{ authenticate: {} }, "authenticate must be a function, got an object."],
    [{ onDisconected: "cancel" }, `Unknown option "onDisconected" of createAgentGateway. ${known}`],
  ])("are refused, and told how to mend them: %j", (wrong, message) => {
    expect(() => readGatewayOptions({ io, ...wrong })).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it("are refused where there are none", () => {
    expect(() => readGatewayOptions(undefined as never)).toThrow(
      "The options of createAgentGateway must be an object, got undefined.",
    );
  });

  it("have a logger of their own, whose lines name the service", () => {
    const { lines, restore } = watchErrorStream();
    onTestFinished(restore);
    const { logger } = readGatewayOptions({ io }).service;
    logger.info("It is not written.");
    logger.warn("It is written.");
    expect(lines).toEqual([expect.stringMatching(/service.*It is written\./)]);
  });
});
