import { agUi } from "@troupe/ag-ui";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { chatStream } from "@troupe/use-chat";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const said = [{ role: "user", content: "Grüß Gott." }];
const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "ask_a", arguments: { message: "Grüß Gott." } },
};

/** Each request that begins a run which ends with its client: its path and its body. */
const requests: Readonly<Record<string, readonly [path: string, body: object]>> = {
  "an answer over HTTP": ["/agents/a/run", { input: "Grüß Gott." }],
  "a stream over HTTP": ["/agents/a/stream", { input: "Grüß Gott." }],
  "a stream of useChat": [
    "/agents/a/ui",
    { id: "c", message: { id: "m", role: "user", parts: [{ type: "text", text: "Grüß Gott." }] } },
  ],
  "a run of AG-UI": ["/agui/agents/a", { threadId: "t", runId: "r", messages: [{ id: "u", ...said[0] }] }],
  "an answer of Chat Completions": ["/v1/chat/completions", { model: "a", messages: said }],
  "a stream of Chat Completions": ["/v1/chat/completions", { model: "a", messages: said, stream: true }],
  "an answer of Responses": ["/v1/responses", { model: "a", input: "Grüß Gott." }],
  "a stream of Responses": ["/v1/responses", { model: "a", input: "Grüß Gott.", stream: true }],
  "a tool call of MCP": ["/mcp", call],
};

/** Serves an agent whose model never answers, over each protocol whose runs end with their clients. */
function serveHanging() {
  const model = new ScriptedModel().respond(() => ({ hang: true }));
  const agents = { a: new Agent({ name: "a", model, storage: new InMemoryStorage() }) };
  const service = createService({ agents, logger: createLogger({ level: "silent" }) });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return { service, model, handler: createHandler(service, [http(), chatStream(), agUi(), openaiApi(), mcp()]) };
}

/** Sends a request whose client leaves right before or right after its run begins, and returns the model. */
async function leave([path, body]: readonly [string, object], isBefore: boolean) {
  const { service, model, handler } = serveHanging();
  const client = new AbortController();
  const { servedRuns } = service;
  for (const name of ["begin", "beginStored"] as const) {
    const begin = servedRuns[name].bind(servedRuns) as (...given: unknown[]) => Promise<never>;
    const spy = vi.spyOn(servedRuns, name).mockImplementation(async (...given: unknown[]) => {
      if (isBefore) client.abort();
      const run = await begin(...given);
      client.abort();
      return run;
    });
    onTestFinished(() => spy.mockRestore());
  }
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const init = { method: "POST", headers, body: JSON.stringify(body), signal: client.signal };
  await handler(new Request(`http://own.example${path}`, init));
  await vi.waitFor(() => expect(client.signal.aborted).toBe(true), { timeout: 30_000 });
  return { service, model };
}

describe.each(Object.entries(requests))("%s", (_name, request) => {
  it.each([
    ["before", true],
    ["as soon as", false],
  ])("has no run any more if its client leaves %s the run begins", async (_when, isBefore) => {
    const { service, model } = await leave(request, isBefore);

    await vi.waitFor(() => expect(service.servedRuns.size).toBe(0), { timeout: 30_000 });
    expect(model.calls.filter(({ end }) => end !== "cancelled")).toEqual([]);
  });
});
