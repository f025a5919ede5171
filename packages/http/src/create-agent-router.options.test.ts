import { Agent, createLogger, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { counter, desk, talker } from "../test/runnables.ts";
import { createAgentRouter } from "./create-agent-router.ts";
import { http } from "./http.ts";
import { generateOpenAPISpec } from "./openapi/generate-open-api-spec.ts";

const logger = createLogger();

/** The message for a name that cannot stand in a path. */
const noSegment = (option: string): string => `in ${option} cannot be a segment of a path`;

/** Makes an error with this code, whose message has this text. */
const wrong = (message: string) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) as string }) as Error;

describe("createAgentRouter", () => {
  it("makes a service with these defaults", () => {
    expect(createAgentRouter({ logger }).service.settings).toEqual({
      agents: new Map(),
      teams: new Map(),
      workflows: new Map(),
      bodyUserId: "unverified",
      genericApiKeyHeader: true,
      trustAddresses: false,
      onDisconnect: "cancel",
      resumeMs: 60_000,
      heartbeatMs: 8000,
      logger,
    });
  });

  it.each([
    [{}, 60_000],
    [{ resumeMs: 5 }, 5],
  ])("createAgentRouter with %j keeps the events of an ended run in memory for %i ms", async (options, ms) => {
    vi.useFakeTimers({ now: 500_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const agent = new Agent({ name: "a", model: new ScriptedModel("Hi.") });
    const { service } = createAgentRouter({ agents: { a: agent }, logger, ...options });
    onTestFinished(async () => await service.close());
    const opts = { runId: "01234567-89ab-4def-8123-456789abcdef", sessionId: "s", isNewSession: true };
    const requested = { subject: agent, input: "Hi?", opts: { ...opts, fromOutside: true }, owner: {} } as never;
    const run = await service.servedRuns.beginStored(requested, { kind: "agent", name: "a" });
    const check = (endedAt: number) => run.checkReadable({ endedAt } as never);
    expect(() => check(500_000 - ms)).not.toThrow();
    expect(() => check(500_000 - ms - 1)).toThrow(expect.objectContaining({ code: "gone" }) as Error);
    await run.over;
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
    ["the option of an earlier version", { shutdown: {} }, 'Unknown option "shutdown" of createAgentRouter.'],
    ["an array", [], "The options of createAgentRouter must be an object, got an array."],
    [
      "a misspelt option of HTTP",
      { swager: {} },
      "heartbeatMs, telemetry, logger, swagger, fileUpload or middleware. Did you mean swagger?",
    ],
  ])("refuses %s and says what is expected", (_, options, message) => {
    expect(() => createAgentRouter(options as never)).toThrow(wrong(message));
  });

  it("takes agents, teams and workflows as runnables", () => {
    const workflow = new Workflow({ name: "w", initialState: {}, steps: [] as never });

    const agents = { t: desk(), a: talker(), w: workflow.asRunnable() };
    expect(() => createAgentRouter({ agents, logger })).not.toThrow();
  });
});

it("http and generateOpenAPISpec name themselves in the errors of their options", () => {
  expect(() => http({ swager: {} } as never)).toThrow(
    wrong('Unknown option "swager" of http. Expected swagger or fileUpload.'),
  );
  expect(() => http(null as never)).toThrow(wrong("The options of http must be an object, got null."));
  expect(() => generateOpenAPISpec({ agent: {} } as never)).toThrow(
    wrong('"agent" of generateOpenAPISpec. Expected agents'),
  );
  expect(() => generateOpenAPISpec(null as never)).toThrow(
    wrong("The options of generateOpenAPISpec must be an object, got null."),
  );
  expect(() => generateOpenAPISpec({ middleware: [], logger })).not.toThrow();
});
