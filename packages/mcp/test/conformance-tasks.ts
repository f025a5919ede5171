/**
 * The tools that the scenarios of the conformance runner for the tasks extension ask for: tools of the host that call served
 * workflows and agents. The names, texts and schemas are those that the runner documents.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, defineTool, TroupeError, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { McpExtend, McpServerOptions } from "@troupe/mcp";

const slow = new Workflow({
  name: "slow",
  initialState: { seconds: 0, label: "" },
  steps: [
    {
      name: "compute",
      run: async ({ seconds }, { signal }) => {
        await sleep(seconds * 1000, undefined, { signal });
      },
    },
  ],
});

const broken = new Workflow({
  name: "broken",
  initialState: {},
  steps: [
    {
      name: "break",
      run: () => {
        throw new Error("This step fails by a mistake of its program.");
      },
    },
  ],
});

const greeting = new Workflow({
  name: "greeting",
  initialState: { name: "" },
  steps: [{ name: "greet", run: ({ name }) => ({ name: `Hello, ${name}!` }) }],
});

const erase = defineTool({
  name: "erase",
  description: "Deletes a file.",
  parameters: { type: "object", properties: { file: { type: "string" } } },
  needsApproval: true,
  execute: ({ file }) => `${String(file)} is deleted.`,
});

/** An agent that deletes so many files at once, and then says so. */
function eraser(name: string, files: number): Agent {
  const toolCalls = Array.from({ length: files }, (_, index) => ({
    name: "erase",
    arguments: { file: `${index}.txt` },
  }));
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "It is done." : { toolCalls },
  );
  return new Agent({ name, model, tools: [erase] });
}

const failing = new Agent({
  name: "failing",
  model: new ScriptedModel().respond(() => ({ error: new TroupeError("model_failed", "The vendor has a bad day.") })),
});

/** The agents and workflows that the tools call. */
export const taskRunnables: Pick<McpServerOptions, "agents" | "workflows"> = {
  agents: { failing, one: eraser("one", 1), two: eraser("two", 2) },
  workflows: { slow, broken, greeting },
};

/** Registers the tools. */
export const extendWithTasks: McpExtend = (server, { library, callTool }) => {
  const strings = (...names: string[]) =>
    library.fromJsonSchema<Record<string, string>>({
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    });
  server.registerTool("greet", { description: "Greets.", inputSchema: strings("name") }, ({ name }) => ({
    content: [{ type: "text", text: `Hello, ${name}!` }],
  }));
  const inputSchema = library.fromJsonSchema<{ seconds?: number; label?: string }>({
    type: "object",
    properties: { seconds: { type: "number" }, label: { type: "string" } },
  });
  server.registerTool("slow_compute", { description: "Takes its time.", inputSchema }, async (input, ctx) => {
    return await callTool("run_slow", { input }, { ctx });
  });
  type Job = { calls: string; args: object; task?: "required" };
  const jobs: Record<string, Job> = {
    failing_job: { calls: "ask_failing", args: { message: "Work." }, task: "required" },
    protocol_error_job: { calls: "run_broken", args: {} },
    confirm_delete: { calls: "ask_one", args: { message: "Delete it." } },
    multi_input: { calls: "ask_two", args: { message: "Delete both." } },
  };
  for (const [name, { calls, args, task = "optional" }] of Object.entries(jobs)) {
    const description = `Calls ${calls}.`;
    server.registerTool(name, { description, inputSchema: strings("filename") }, async (_args, ctx) => {
      return await callTool(calls, { ...args }, { ctx, task });
    });
  }
  server.registerTool("test_tool_with_task", { description: "Asks for a name, and greets." }, async (ctx) => {
    const given = library.acceptedContent<{ name: string }>(ctx.mcpReq.inputResponses, "user_name");
    if (given !== undefined) {
      return await callTool("run_greeting", { input: { name: given.name } }, { ctx, task: "required" });
    }
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    const user_name = library.inputRequired.elicit({ message: "What is your name?", requestedSchema });
    return library.inputRequired({ inputRequests: { user_name } });
  });
};
