/**
 * Agents of a scripted model that tests serve over MCP. As a program of its own this file serves them over stdio, and writes
 * to its standard output what does not belong there.
 */
import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createMcpServer } from "../src/index.ts";
import type { McpExtend, McpServer, McpServerOptions } from "../src/index.ts";

/** The requests to the scripted model, and the number of its calls that were aborted. */
export type Watched = {
  server: McpServer;
  agents: Record<"helper" | "typed", Agent>;
  workflows: Record<"flow", Workflow<{ count: number }>>;
  model: ScriptedModel;
  aborted: () => number;
};

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
} as const;

/** Makes an MCP server of an agent, one with a schema, one that fails, one that never answers, and a workflow. */
export function serveAgents(options: McpServerOptions = {}): Watched {
  let aborted = 0;
  const model = new ScriptedModel().respond(({ messages, options: { signal } }) => {
    signal?.addEventListener("abort", () => aborted++);
    const last = messages.at(-1);
    const asked = typeof last?.content === "string" ? last.content : "";
    if (asked === "hang") return { hang: true };
    if (asked === "long") return { text: Array.from({ length: 500 }, () => "word ") };
    if (asked === "slow") return { text: ["One ", "two ", "three."], chunkDelayMs: 400 };
    if (asked === "fail") return { error: new Error("The vendor said: sk-vendor-secret") };
    if (asked === "aborted") return `aborted: ${aborted}`;
    if (asked === "who") return { structured: { name: "Ada", age: 36 } };
    const turns = messages.filter(({ role }) => role === "user").length;
    return { text: [`You said `, `"${asked}", turn ${turns}.`] };
  });
  const helper = new Agent({ name: "helper", description: "Helps.", model });
  const typed = new Agent({ name: "typed", model, structuredOutput: person });
  const flow = new Workflow({
    name: "flow",
    initialState: { count: 1 },
    steps: [{ name: "add", run: ({ count }) => ({ count: count + 1 }) }],
  });
  const agents = { helper, typed };
  const workflows = { flow };
  const server = createMcpServer({ agents, workflows, ...options });
  return { server, agents, workflows, model, aborted: () => aborted };
}

/** A tool of the host that asks the client's model, and one that tells clients of a tool that is new. */
const extend: McpExtend = (mcp, { library }) => {
  mcp.registerTool("sample", { description: "Asks the client's model." }, ({ mcpReq: { inputResponses } }) => {
    if (inputResponses !== undefined) return { content: [{ type: "text", text: JSON.stringify(inputResponses) }] };
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "What rhymes with tea?" } }];
    const rhyme = library.inputRequired.createMessage({ messages, maxTokens: 10 });
    return library.inputRequired({ inputRequests: { rhyme } });
  });
  mcp.registerTool("grow", { description: "Makes a new tool." }, () => {
    mcp.registerTool("grown", { description: "Is new." }, () => ({ content: [] }));
    return { content: [{ type: "text", text: "It is there." }] };
  });
};

if (process.argv[1] === import.meta.filename) {
  const { server, aborted } = serveAgents(process.argv.includes("extended") ? { extend } : {});
  const served = server.serveStdio();
  process.stdout.write("This line is not part of the protocol.\n");
  await served;
  process.stderr.write(`The client has left; ${aborted()} model calls were aborted.\n`);
}
