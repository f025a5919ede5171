/**
 * Agents of a scripted model that tests serve over MCP. As a program of its own this file serves them over stdio, and writes
 * to its standard output what does not belong there.
 */
import { Agent, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createMcpServer } from "../src/index.ts";
import type { McpServer, McpServerOptions } from "../src/index.ts";

/** The requests to the scripted model, and the number of its calls that were aborted. */
export type Watched = { server: McpServer; model: ScriptedModel; aborted: () => number };

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
  const server = createMcpServer({ agents: { helper, typed }, workflows: { flow }, ...options });
  return { server, model, aborted: () => aborted };
}

if (process.argv[1] === import.meta.filename) {
  const { server, aborted } = serveAgents();
  const served = server.serveStdio();
  process.stdout.write("This line is not part of the protocol.\n");
  await served;
  process.stderr.write(`The client has left; ${aborted()} model calls were aborted.\n`);
}
