import { Agent } from "@troupe/core";
import type { AgentHooks } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { post, serveHttp } from "../../test/serve-http.ts";

describe("the calls of one client that fail", () => {
  it("are each logged with the id of their own run, and no call that succeeds [mcp-server.errors]", async () => {
    const runs: string[] = [];
    const model = new ScriptedModel().respond(({ messages }) =>
      messages.at(-1)?.content === "fail" ? { error: new Error("canary") } : "Yes.",
    );
    const hooks: AgentHooks = { beforeRun: ({ runId }) => void runs.push(runId) };
    const helper = new Agent({ name: "helper", model, retry: { maxRetries: 0 }, hooks });
    const served = await serveHttp({ agents: { helper } });
    for (const message of ["fail", "ask", "fail", "fail"]) {
      const params = { name: "ask_helper", arguments: { message } };
      await (await post(served.url, "tools/call", { params })).text();
    }

    const failures = served.lines
      .map((line) => JSON.parse(line) as { message: string; runId?: string; tool?: string })
      .filter(({ message }) => message.startsWith("A run for an MCP client failed"));
    expect(failures.map(({ runId }) => runId)).toEqual([runs[0], runs[2], runs[3]]);
    expect(new Set(runs).size).toBe(4);
  });
});
