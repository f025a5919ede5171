import { A2ARemoteAgent, createA2AServer, ProgrammaticAgent, questionTool } from "@troupe/a2a";
import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createMcpServer, McpToolServer } from "@troupe/mcp";
import type { Subject } from "./subject.ts";
import { steadyAgent, whileServed } from "./visit.ts";

const logger = createLogger({ level: "silent" });

/** Subjects that call other services, and agents that a program writes for A2A. */
export const callingSubjects: readonly Subject[] = [
  {
    page: "a2a",
    type: "ProgrammaticAgentOptions",
    base: { name: "echo", answer: () => Promise.resolve() },
    observe: async (options: ConstructorParameters<typeof ProgrammaticAgent>[0]) => {
      const agent = new ProgrammaticAgent(options);
      return [agent.name, agent.description, agent.effect, await agent.run("Hi")];
    },
  },
  { page: "a2a", type: "QuestionToolOptions", observe: (options: object) => questionTool(options) },
  {
    page: "a2a",
    type: "A2ARemoteAgentOptions",
    base: { url: "replaced" },
    observe: async (options: object) => {
      const handler = createA2AServer({ agents: { helper: steadyAgent() }, logger });
      return await whileServed(handler, async (url) => {
        const agent = new A2ARemoteAgent({ ...options, url });
        const output = await agent.run("Hi");
        await handler.service.close({ graceMs: 0 });
        return [output, agent.name, agent.effect];
      });
    },
  },
  {
    page: "mcp",
    type: "McpToolServerOptions",
    base: { url: "replaced" },
    observe: async (options: object) => {
      const served = createMcpServer({ agents: { helper: steadyAgent() }, logger });
      return await whileServed(served.handler, async (url) => {
        const server = new McpToolServer({ name: "far", transport: "http", ...options, url });
        const model = new ScriptedModel(
          { toolCalls: [{ id: "c", name: "far__ask_helper", arguments: { input: "Hi" } }] },
          { text: "Done." },
        );
        const output = await new Agent({ name: "caller", model, tools: [server] }).run("Ask.");
        await server.close();
        await served.close();
        return [output.toolCalls, model.calls.map((each) => each.options.tools)];
      });
    },
  },
];
