import { a2a, createA2AServer } from "@troupe/a2a";
import { createLogger } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { createAgentRouter, generateOpenAPISpec, http } from "@troupe/http";
import { createMcpServer, mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { createPage, page } from "@troupe/page";
import { createAgentGateway } from "@troupe/socket";
import { chatStream } from "@troupe/use-chat";
import { describe, expect, it } from "vitest";
import { steadyAgent } from "./visit.ts";

const agents = { helper: steadyAgent() };
const logger = createLogger({ level: "silent" });
const io = { of: () => undefined };

/** Functions of hosts, by their names, with the options that each of them needs. */
const factories: readonly (readonly [name: string, make: (options: never) => unknown, needed: object])[] = [
  ["createService", createService, {}],
  ["createAgentRouter", createAgentRouter, { agents, logger }],
  ["generateOpenAPISpec", generateOpenAPISpec, { agents, logger }],
  ["createA2AServer", createA2AServer, { agents, logger }],
  ["createMcpServer", createMcpServer, { agents, logger }],
  ["createAgentGateway", createAgentGateway, { io, agents, logger }],
  ["createPage", createPage, { logger }],
  ["page", page, {}],
  ["http", http, {}],
  ["a2a", a2a, {}],
  ["mcp", mcp, {}],
  ["openaiApi", openaiApi, {}],
  ["chatStream", chatStream, {}],
];

/** Returns the error of a call. */
function errorOf(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

describe.each(factories)("%s", (name, make, needed) => {
  it("is named in the error of an unknown option, and no other function is", () => {
    const error = errorOf(() => make({ ...needed, strange: 1 } as never));

    expect(error).toMatchObject({ code: "invalid_config" });
    expect(String(error)).toContain(`Unknown option "strange" of ${name}. Expected `);
    const others = factories.map(([other]) => other).filter((other) => other.startsWith("create") && other !== name);
    expect(others.filter((other) => String(error).includes(` ${other}`))).toEqual([]);
  });
});

describe("an error about the agents of a service", () => {
  it.each<[name: string, make: () => unknown]>([
    ["createA2AServer", () => createA2AServer({ agents: {}, logger })],
    ["createMcpServer", () => createMcpServer({ agents: {}, logger })],
  ])("names %s, which the host called", (name, make) => {
    expect(String(errorOf(make))).toContain(`${name} needs at least one`);
  });

  it("names createA2AServer for an agent that may answer by a message and is not served", () => {
    const error = errorOf(() => createA2AServer({ agents, mayAnswerByMessage: ["nobody"], logger }));

    expect(String(error)).toContain('mayAnswerByMessage of createA2AServer must have names of agents, got "nobody".');
  });
});
