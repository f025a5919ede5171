import { createLogger, Workflow } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { counter, desk, talker } from "../../test/runnables.ts";
import { readSettings } from "./read-settings.ts";

const logger = createLogger();

describe("the options of a router", () => {
  it("have these defaults", () => {
    expect(readSettings({ logger })).toMatchObject({
      agents: new Map(),
      teams: new Map(),
      workflows: new Map(),
      middleware: [],
      onDisconnect: "cancel",
      genericApiKeyHeader: true,
      maxBodyBytes: 1_048_576,
      heartbeatMs: 15_000,
      logger,
    });
  });

  it.each<[string, unknown, string]>([
    ["null", null, "The options of createAgentRouter must be an object"],
    ["an unknown option", { agent: {} }, 'Unknown option "agent" of createAgentRouter. Expected agents, teams'],
    ["agents in a list", { agents: [talker()] }, "agents must be an object or a Map"],
    [
      "an agent that is none",
      { agents: { a: { name: "a" } } },
      'agents["a"] must be an agent, a team or anything else that runs',
    ],
    ["an agent that is nothing", { agents: { a: undefined } }, 'agents["a"] must be an agent'],
    [
      "a workflow among agents",
      { agents: { w: counter() } },
      'agents["w"] is a workflow: register it in workflows, or as workflow.asRunnable().',
    ],
    ["an agent among workflows", { workflows: { a: talker() } }, 'workflows["a"] must be a Workflow'],
    ["an empty name", { agents: { "": talker() } }, "agents has a name that cannot stand in a path"],
    ["a name of one dot", { teams: { ".": desk() } }, "teams has a name that cannot stand in a path"],
    ["a name of two dots", { agents: { "..": talker() } }, "cannot stand in a path"],
    ["a name with a slash", { agents: { "a/b": talker() } }, "cannot stand in a path"],
    ["a name with a backslash", { agents: { "a\\b": talker() } }, "cannot stand in a path"],
    ["a name with a line break", { agents: { "a\nb": talker() } }, "cannot stand in a path"],
    ["a name of 129 characters", { agents: { ["a".repeat(129)]: talker() } }, "cannot stand in a path"],
    ["a name with half a character", { agents: { "\ud800": talker() } }, "cannot stand in a path"],
    ["a name that is no text", { agents: new Map([[7, talker()]]) }, "cannot stand in a path"],
    ["middleware that is no list", { middleware: () => undefined }, "middleware must be a list of request handlers"],
    ["middleware that is nothing", { middleware: [undefined] }, "middleware must be a list of request handlers"],
    ["another answer to leaving", { onDisconnect: "abort" }, 'onDisconnect must be "cancel" or "continue"'],
    ["a switch in words", { genericApiKeyHeader: "no" }, "genericApiKeyHeader must be true or false"],
    ["no bytes", { maxBodyBytes: 0 }, "maxBodyBytes must be a positive integer"],
    ["bytes in words", { maxBodyBytes: "1mb" }, "maxBodyBytes must be"],
    ["no beat", { heartbeatMs: 0 }, "heartbeatMs must be"],
    ["a beat that no timer keeps", { heartbeatMs: 2 ** 31 }, "heartbeatMs must be"],
    ["uploads as a number", { fileUpload: 1 }, "fileUpload must be true, false or"],
    ["uploads in words", { fileUpload: "yes" }, "fileUpload must be true, false or"],
    ["uploads of null", { fileUpload: null }, "fileUpload must be true, false or"],
    ["an unknown option of uploads", { fileUpload: { maxSize: 1 } }, 'Unknown option "maxSize" of fileUpload'],
    ["a console for a logger", { logger: console }, "logger must be a logger, like createLogger({ level })"],
    ["a shutdown that is none", { shutdown: {} }, "shutdown must be"],
  ])("are refused with what mends them: %s", (_, options, message) => {
    expect(() => readSettings(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }) as Error,
    );
  });

  it("take whatever runs among agents and teams", () => {
    const workflow = new Workflow({ name: "w", initialState: {}, steps: [] as never });

    expect(() => readSettings({ agents: { t: desk(), a: talker(), w: workflow.asRunnable() } })).not.toThrow();
  });
});
