import { createLogger, Team, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { serveAgents } from "../../test/served-agents.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { mcp } from "./mcp.ts";
import { mcpOptionNames, readProtocolOptions } from "./mcp-server-options.ts";
import type { McpOptions } from "./mcp-server-options.ts";

const { agents } = serveAgents();
const { helper } = agents;
const model = new ScriptedModel();
const team = new Team({ name: "office", mode: "coordinate", model, members: [helper] });
const flow = new Workflow({ name: "flow", initialState: {}, steps: [{ name: "add", run: () => ({}) }] });
const extend = (): void => undefined;

const read = (options: McpOptions) => readProtocolOptions(options, "mcp");
const create = (options: object) => createMcpServer({ agents: { helper }, ...options });
const refused = (message: string) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }) as Error;

describe("readProtocolOptions", () => {
  it("fills in the defaults", () => {
    expect(read({})).toEqual({
      path: "/mcp",
      name: "troupe",
      version: "1.0.0",
      maxSessions: 1000,
      maxMediaBytes: 1_048_576,
    });
  });

  it("keeps the defaults of sessions with extend", () => {
    expect(read({ extend })).toMatchObject({ maxSessions: 1000 });
    expect(read({ extend, maxSessions: 1 })).toMatchObject({ maxSessions: 1 });
    expect(read({ extend, maxSessions: 0 })).toMatchObject({ maxSessions: 0 });
  });

  it("takes every option as given", () => {
    const options = {
      path: "/tools/mcp",
      name: "team",
      version: "2",
      instructions: "",
      extend,
      stateKey: "s".repeat(32),
      maxSessions: 5,
      maxMediaBytes: 0,
    };

    expect(read(options)).toEqual(options);
    expect(new Set(["path", ...mcpOptionNames])).toEqual(new Set(Object.keys(options)));
  });

  it.each(["mcp", "/", "/mcp/", "/mcp?x", "/:name", "/mcp/*", 7, ""])("refuses the path %j", (path) => {
    expect(() => mcp({ path: path as string })).toThrow(refused('path must be a path such as "/mcp"'));
  });

  it.each([{ agents: { helper } }, { logger: createLogger() }, { maxTasks: 1 }])("is no place for %o", (options) => {
    expect(() => mcp(options as McpOptions)).toThrow(refused(`Unknown option "${Object.keys(options)[0]}" of mcp`));
  });
});

describe("createMcpServer", () => {
  it("serves the entries by their kinds", () => {
    const { service } = create({ teams: { team }, workflows: { flow } });

    expect(service.agents).toEqual(new Map([["helper", helper]]));
    expect(service.teams).toEqual(new Map([["team", team]]));
    expect(service.workflows).toEqual(new Map([["flow", flow]]));
  });

  it("takes every option of a service as given", () => {
    const options = {
      allowedOrigins: ["https://app.example"],
      allowedHosts: ["api.example"],
      trustAddresses: true,
      genericApiKeyHeader: false,
      maxBodyBytes: 1,
      runOptions: () => ({}),
      logger: createLogger(),
    };

    expect(create({ ...options, extend, name: "team" }).service.settings).toMatchObject(options);
  });

  it.each<[string, object, string]>([
    ["an unknown option", { agent: {} }, 'Unknown option "agent" of createMcpServer'],
    ["a blank name", { name: " " }, "name must be a string that is not blank"],
    ["a number as the version", { version: 2 }, "version must be a string"],
    ["a number as instructions", { instructions: 1 }, "instructions must be a string"],
    ["an origin with a path", { allowedOrigins: ["https://app.example/x"] }, "allowedOrigins[0] must be an origin"],
    ["a URL as a host", { allowedHosts: ["https://api.example"] }, "allowedHosts[0] must be a name or an address"],
    ["an object as extend", { extend: {} }, "extend must be a function"],
    ["a fraction of sessions", { extend, maxSessions: 0.5 }, "maxSessions must be an integer of 0 or more"],
    ["fewer than no sessions", { extend, maxSessions: -1 }, "maxSessions must be an integer of 0 or more"],
    ["a key of 31 characters", { extend, stateKey: "s".repeat(31) }, "stateKey must be a string of at least 32"],
    ["a string for a boolean", { trustAddresses: "yes" }, "trustAddresses must be true, false or a function"],
    ["a number for a boolean", { genericApiKeyHeader: 0 }, "genericApiKeyHeader must be true or false"],
    [
      "a path, which the host chooses by mounting the handler",
      { path: "/mcp" },
      'Unknown option "path" of createMcpServer',
    ],
    ["messages of 0 bytes", { maxBodyBytes: 0 }, "maxBodyBytes must be a positive integer, got 0."],
    ["an object as runOptions", { runOptions: {} }, "runOptions must be a function"],
    ["an object as runs", { runs: {} }, "runs must be a RunService, with the methods accept"],
    ["a number of tasks", { maxTasks: 5 }, 'Unknown option "maxTasks" of createMcpServer'],
    ["fewer than 0 bytes of media", { maxMediaBytes: -1 }, "maxMediaBytes must be an integer of 0 or more"],
    ["a shutdown", { shutdown: {} }, 'Unknown option "shutdown" of createMcpServer'],
    ["the console as a logger", { logger: console }, "logger must be a logger"],
    ["maxSessions without extend", { maxSessions: 1 }, "maxSessions has no effect without extend"],
    ["maxSessions 0 without extend", { maxSessions: 0 }, "maxSessions has no effect without extend"],
    ["stateKey without extend", { stateKey: "s".repeat(32) }, "stateKey has no effect without extend"],
  ])("refuses %s", (_, options, message) => {
    expect(() => create(options)).toThrow(refused(message));
  });
});
