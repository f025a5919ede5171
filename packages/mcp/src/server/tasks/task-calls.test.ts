import { CallToolResultSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { post, serveHttp } from "../../../test/serve-http.ts";
import { connectFirst, ModernClient } from "../../../test/task-clients.ts";
import type { McpExtend } from "../extension.ts";

/** Tools of the host that hand over to ask_helper, one for each way, and one that does not. */
const extend: McpExtend = (server, { callTool }) => {
  for (const task of ["optional", "required", "forbidden"] as const) {
    const tool = server.registerTool(task, { description: "Asks the helper." }, async (ctx) => {
      return await callTool("ask_helper", { message: task }, { ctx, task });
    });
    tool.execution = { taskSupport: task };
  }
  server.registerTool("plain", { description: "Says so." }, () => ({ content: [{ type: "text", text: "plain" }] }));
  server.registerTool(
    "lost",
    { description: "Asks nobody." },
    async (ctx) => await callTool("ask_nobody", {}, { ctx }),
  );
};

const saidOf = (tool: string) => ({ content: [{ text: `You said "${tool}", turn 1.` }] });

describe("callTool of extend", () => {
  it("gives a client of 2026-07-28 that takes tasks a task, and others the result [mcp-server.call-tool]", async () => {
    const { url } = await serveHttp({ extend });
    const client = new ModernClient(url);
    for (const tool of ["optional", "required"]) {
      const created = await client.call(tool, {});
      expect(created).toMatchObject({ resultType: "task" });
      await expect.poll(async () => (await client.get(created.taskId)).result).toMatchObject(saidOf(tool));
    }
    expect(await client.call("forbidden", {})).toMatchObject({ resultType: "complete", ...saidOf("forbidden") });
    expect(await client.call("plain", {})).toMatchObject({ resultType: "complete", content: [{ text: "plain" }] });
    expect(await client.call("lost", {})).toMatchObject({ isError: true });

    const plain = async (name: string) =>
      (await (await post(url, "tools/call", { params: { name, arguments: {} } })).json()) as object;
    expect(await plain("optional")).toMatchObject({ result: saidOf("optional") });
    expect(await plain("required")).toMatchObject({
      error: { code: -32_021, data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } } },
    });
  });

  it.each([{ ttl: 0 }, { ttl: -1 }, { ttl: "1" }, [], "soon"])(
    "refuses a wish for a task that is none, or lasts no time: %j",
    async (task) => {
      const { url } = await serveHttp({ extend });
      const client = await connectFirst(url);
      const params = { name: "ask_helper", arguments: { message: "Hi" }, task };
      const asked = client.request({ method: "tools/call", params }, CallToolResultSchema);

      await expect(asked).rejects.toMatchObject({
        code: ErrorCode.InvalidParams,
        message: expect.stringContaining("task must be an object"),
      });
    },
  );

  it("gives a client of 2025-11-25 a task where it asks for one and the tool says so [mcp-server.call-tool]", async () => {
    const { url } = await serveHttp({ extend });
    const client = await connectFirst(url);
    const { tools } = await client.listTools();
    const support = tools.map(({ name, execution }) => [name, execution?.taskSupport]);
    expect(Object.fromEntries(support)).toMatchObject({
      ask_helper: "optional",
      required: "required",
      plain: undefined,
    });

    const asTask = async (name: string) => {
      const params = { name, arguments: {} };
      return await Array.fromAsync(client.experimental.tasks.callToolStream(params, undefined, { task: {} }));
    };
    for (const tool of ["optional", "required"]) {
      const events = await asTask(tool);
      expect([events[0]?.type, events.at(-1)]).toMatchObject(["taskCreated", { type: "result", result: saidOf(tool) }]);
    }
    for (const tool of ["forbidden", "plain"]) {
      expect(await asTask(tool)).toMatchObject([{ type: "error", error: { code: ErrorCode.MethodNotFound } }]);
    }
    expect(await client.callTool({ name: "optional", arguments: {} })).toMatchObject(saidOf("optional"));
    const required = client.request(
      { method: "tools/call", params: { name: "required", arguments: {} } },
      CallToolResultSchema,
    );
    await expect(required).rejects.toMatchObject({ code: ErrorCode.MethodNotFound });
  });
});
