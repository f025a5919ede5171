import { CallToolResultSchema, CreateTaskResultSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { serveHttp } from "../../../test/serve-http.ts";
import { connectFirst, ModernClient } from "../../../test/task-clients.ts";
import type { McpExtend } from "../extension.ts";

const said = (text: string) => ({ content: [{ type: "text", text }] });

/** Sends a call of revision 2025-11-25 as it stands, so that the client does not correct it. */
async function startTask(params: object) {
  const client = await connectFirst((await serveHttp()).url);
  return await client.request({ method: "tools/call", params: params as never }, CreateTaskResultSchema);
}

describe("a call of a tool as a task, in revision 2025-11-25", () => {
  it("a call without arguments becomes a task", async () => {
    const { task } = await startTask({ name: "run_flow", task: {} });
    expect(task).toMatchObject({ taskId: expect.any(String), ttl: null });
  });

  it.each([{}, { ttl: null }])("a task lives as long as its run is kept with the wish %j", async (task) => {
    const created = await startTask({ name: "ask_helper", arguments: { message: "tea" }, task });
    expect(created.task.ttl).toBeNull();
  });

  it("a task may have a ttl of one millisecond", async () => {
    const created = await startTask({ name: "ask_helper", arguments: { message: "tea" }, task: { ttl: 1 } });
    expect(created.task.ttl).toBeLessThanOrEqual(1);
  });

  it.each([{ arguments: [] }, { arguments: null }, { arguments: "tea" }])(
    "a call as a task is refused by the library with %j, as a call without a task is",
    async (given) => {
      const client = await connectFirst((await serveHttp()).url);
      const refusal = async (params: object) =>
        await client
          .request(
            { method: "tools/call", params: { name: "ask_helper", ...given, ...params } as never },
            CallToolResultSchema,
          )
          .catch((error: unknown) => String(error));
      const plain = await refusal({});
      expect(plain).toContain(String(ErrorCode.InvalidParams));
      expect(await refusal({ task: {} })).toBe(plain);
    },
  );

  it.each([null, 7, { ttl: "1" }])("a call is refused with the wish %j, and told what is expected", async (task) => {
    await expect(startTask({ name: "ask_helper", arguments: { message: "tea" }, task })).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
      message: "MCP error -32602: task must be an object, with ttl a positive number or left out.",
    });
  });

  it.each(["nothing", "toString"])(
    "a call as a task is refused for the tool %s, which does not exist",
    async (name) => {
      await expect(startTask({ name, arguments: {}, task: {} })).rejects.toMatchObject({
        code: ErrorCode.MethodNotFound,
        message: "MCP error -32601: This tool cannot be called as a task.",
      });
    },
  );
});

describe("callTool of extend", () => {
  /** Tools that hand over, what the host's code got from `callTool`, and a prompt that hands over too. */
  function createExtend() {
    const got: unknown[] = [];
    const extend: McpExtend = (server, { callTool }) => {
      for (const task of ["optional", "required"] as const) {
        const hand = (message: unknown) =>
          server.registerTool(`${task}_${typeof message}`, { description: "Asks the helper." }, async (ctx) => {
            const result = await callTool("ask_helper", { message }, { ctx, task });
            got.push(result);
            return result;
          });
        for (const message of ["tea", 7]) hand(message).execution = { taskSupport: task };
      }
      server.registerTool("lost", { description: "Asks nobody." }, async (ctx) => await callTool('a "b"', {}, { ctx }));
      server.registerPrompt("ask", { description: "Asks the helper." }, async (ctx) => {
        const { content } = await callTool("ask_helper", { message: "prompt" }, { ctx, task: "required" });
        const [text = { type: "text" as const, text: "Nothing." }] = content;
        return { messages: [{ role: "user" as const, content: text }] };
      });
    };
    return { extend, got };
  }

  const askPrompt = { messages: [{ role: "user", content: { text: 'You said "prompt", turn 1.' } }] };

  it("callTool returns an empty result with an error to the host where the call became a task", async () => {
    const { extend, got } = createExtend();
    const client = new ModernClient((await serveHttp({ extend })).url);
    expect(await client.call("optional_string", {})).toMatchObject({ resultType: "task" });
    expect(got).toStrictEqual([{ content: [], isError: true }]);
  });

  it("a call has the error of a task that cannot begin as the result, or as the failure of the earlier revision", async () => {
    const { extend } = createExtend();
    const { url } = await serveHttp({ extend });
    const modern = await new ModernClient(url).call("optional_number", {});
    expect(modern).toMatchObject({ resultType: "complete", isError: true, ...said("message must be a string.") });
    const legacy = (await connectFirst(url)).request(
      { method: "tools/call", params: { name: "optional_number", arguments: {}, task: {} } },
      CreateTaskResultSchema,
    );
    await expect(legacy).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
      message: "MCP error -32602: message must be a string.",
    });
  });

  it("callTool tells a client of 2025-11-25 that a tool can be called as a task alone, and calls nothing", async () => {
    const { extend, got } = createExtend();
    const { url, model } = await serveHttp({ extend });
    const client = await connectFirst(url);
    const plain = client.request(
      { method: "tools/call", params: { name: "required_string", arguments: {} } },
      CallToolResultSchema,
    );
    await expect(plain).rejects.toMatchObject({
      code: ErrorCode.MethodNotFound,
      message: "MCP error -32601: This tool can be called as a task alone.",
    });
    expect(got).toStrictEqual([{ content: [], isError: true }]);
    expect(model.calls).toHaveLength(0);
  });

  it("callTool names the tool that there is not, in quotes", async () => {
    const { extend } = createExtend();
    const client = await connectFirst((await serveHttp({ extend })).url);
    expect(await client.callTool({ name: "lost", arguments: {} })).toMatchObject({
      isError: true,
      ...said(String.raw`callTool: there is no tool "a \"b\"".`),
    });
  });

  it("callTool runs the tool within a prompt, which cannot be a task, whatever task says", async () => {
    const { extend } = createExtend();
    const { url } = await serveHttp({ extend });
    const modern = await new ModernClient(url).send("prompts/get", { name: "ask" });
    expect(modern.result).toMatchObject(askPrompt);
    expect(await (await connectFirst(url)).getPrompt({ name: "ask" })).toMatchObject(askPrompt);
  });
});
