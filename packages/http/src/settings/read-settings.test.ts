import { createLogger, Workflow } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { counter, desk, talker } from "../../test/runnables.ts";
import { readSettings } from "./read-settings.ts";

const logger = createLogger();

/** The message for a name that cannot stand in a path. */
const noSegment = (option: string): string => `in ${option} cannot be a segment of a path`;

describe("readSettings", () => {
  it("fills in the defaults", () => {
    expect(readSettings({ logger })).toMatchObject({
      agents: new Map(),
      teams: new Map(),
      workflows: new Map(),
      middleware: [],
      docs: undefined,
      onDisconnect: "cancel",
      genericApiKeyHeader: true,
      maxBodyBytes: 1_048_576,
      uploads: undefined,
      heartbeatMs: 15_000,
      logger,
    });
  });

  it.each<[string, unknown, string]>([
    ["null", null, "The options of createAgentRouter must be an object, got null."],
    ["an unknown option", { agent: {} }, 'Unknown option "agent" of createAgentRouter. Expected agents, teams'],
    [
      "an array of agents",
      { agents: [talker()] },
      "agents must be an object or a Map of entries by name, got an array.",
    ],
    [
      "an object without run as an agent",
      { agents: { a: { name: "a" } } },
      'agents["a"] must be an agent, a team or another Runnable, with the methods run and stream, got an object.',
    ],
    ["undefined as an agent", { agents: { a: undefined } }, 'agents["a"] must be an agent'],
    [
      "a workflow among agents",
      { agents: { w: counter() } },
      'agents["w"] is a workflow. Register it in workflows, or as workflow.asRunnable().',
    ],
    ["an agent among workflows", { workflows: { a: talker() } }, 'workflows["a"] must be a Workflow'],
    ["an empty name", { agents: { "": talker() } }, noSegment("agents")],
    ["a name of one dot", { teams: { ".": desk() } }, noSegment("teams")],
    ["a name of two dots", { agents: { "..": talker() } }, noSegment("agents")],
    ["a name with a slash", { agents: { "a/b": talker() } }, noSegment("agents")],
    ["a name with a backslash", { agents: { "a\\b": talker() } }, noSegment("agents")],
    ["a name with a line break", { agents: { "a\nb": talker() } }, noSegment("agents")],
    ["a name of 129 characters", { agents: { ["a".repeat(129)]: talker() } }, noSegment("agents")],
    ["a name with half a surrogate pair", { agents: { "\ud800": talker() } }, noSegment("agents")],
    ["a name that is a number", { agents: new Map([[7, talker()]]) }, noSegment("agents")],
    ["a function as middleware", { middleware: () => undefined }, "middleware must be an array of request handlers"],
    ["undefined as a handler", { middleware: [undefined] }, "middleware[0] must be a function, got undefined."],
    ["an unknown policy", { onDisconnect: "abort" }, 'onDisconnect must be "cancel" or "continue"'],
    ["a string for a boolean", { genericApiKeyHeader: "no" }, "genericApiKeyHeader must be true or false"],
    ["a body of 0 bytes", { maxBodyBytes: 0 }, "maxBodyBytes must be a positive integer, got 0."],
    ["a size as a string", { maxBodyBytes: "1mb" }, "maxBodyBytes must be a positive integer, got a string."],
    ["a heartbeat of 0 ms", { heartbeatMs: 0 }, "heartbeatMs must be an integer from 1 to 2147483647, got 0."],
    [
      "a heartbeat longer than a timer",
      { heartbeatMs: 2 ** 31 },
      "heartbeatMs must be an integer from 1 to 2147483647",
    ],
    ["a number for fileUpload", { fileUpload: 1 }, "fileUpload must be true, false or its options, got 1."],
    ["a string for fileUpload", { fileUpload: "yes" }, "fileUpload must be true, false or its options, got a string."],
    ["null for fileUpload", { fileUpload: null }, "fileUpload must be true, false or its options, got null."],
    ["an array for fileUpload", { fileUpload: [] }, "fileUpload must be an object, got an array."],
    [
      "an unknown limit",
      { fileUpload: { maxSize: 1 } },
      'Unknown option "maxSize" of fileUpload. Expected maxFileSize',
    ],
    ["the console as a logger", { logger: console }, "logger must be a logger such as createLogger({ level })"],
    ["an object as a shutdown", { shutdown: {} }, "shutdown must be what createShutdown() returns, got an object."],
  ])("refuses %s and says what is expected", (_, options, message) => {
    expect(() => readSettings(options as never)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) }) as Error,
    );
  });

  it("takes agents, teams and workflows as runnables", () => {
    const workflow = new Workflow({ name: "w", initialState: {}, steps: [] as never });

    expect(() => readSettings({ agents: { t: desk(), a: talker(), w: workflow.asRunnable() } })).not.toThrow();
  });
});
