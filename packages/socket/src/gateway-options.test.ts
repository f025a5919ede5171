import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { readGatewayOptions } from "./gateway-options.ts";
import type { GatewayOptions } from "./gateway-options.ts";

const io = { of: () => undefined } as unknown as GatewayOptions["io"];
const agent = new Agent({ name: "a", model: new ScriptedModel("Hi.") });

describe("the options of a gateway", () => {
  it("have defaults", () => {
    const { logger, io: given, agents, teams, ...rest } = readGatewayOptions({ io });
    expect(rest).toStrictEqual({
      namespace: "/service",
      bodyUserId: "unverified",
      onDisconnect: "cancel",
      maxRunsPerSocket: 8,
      maxBufferedBytes: 1_048_576,
      maxTotalBufferedBytes: 134_217_728,
      resumeMs: 60_000,
    });
    expect([given === io, agents.size, teams.size, logger.level]).toEqual([true, 0, 0, "warn"]);
  });

  it("are those that are given", () => {
    const logger = { ...readGatewayOptions({ io }).logger };
    const given = {
      namespace: "/x",
      bodyUserId: "trusted",
      onDisconnect: "continue",
      maxRunsPerSocket: 1,
      maxBufferedBytes: 1,
      maxTotalBufferedBytes: 1,
      resumeMs: 5,
      allowedOrigins: ["https://a.example"],
      allowedHosts: ["a.example"],
      authMiddleware: () => {},
      mayAnswer: () => true,
      runOptions: () => undefined,
    } as const;
    const read = readGatewayOptions({ io, logger, agents: { a: agent }, teams: new Map([["t", agent]]), ...given });
    expect(read).toMatchObject({ ...given, allowedOrigins: ["https://a.example"] });
    expect([read.logger === logger, [...read.agents], [...read.teams]]).toEqual([true, [["a", agent]], [["t", agent]]]);
  });

  it.each<[string, unknown]>([
    ["io", {}],
    ["io", undefined],
    ["namespace", "service"],
    ["namespace", ""],
    ["namespace", 7],
    ["authMiddleware", {}],
    ["runs", {}],
    ["mayAnswer", true],
    ["runOptions", {}],
    ["bodyUserId", "body"],
    ["onDisconnect", "stop"],
    ["maxRunsPerSocket", 0],
    ["maxRunsPerSocket", 1.5],
    ["maxRunsPerSocket", Number.NaN],
    ["maxBufferedBytes", 0],
    ["maxTotalBufferedBytes", 0],
    ["resumeMs", -1],
    ["logger", {}],
    ["onDisconected", "cancel"],
  ])("are refused, and named, where %s is %j", (name, value) => {
    const refused = { code: "invalid_config", message: expect.stringContaining(name) as string };
    const options = { io, [name]: value } as GatewayOptions;
    expect(() => readGatewayOptions(options)).toThrow(expect.objectContaining(refused));
  });
});
