import { agUi } from "@troupe/ag-ui";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { chatStream } from "@troupe/use-chat";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runRequests } from "./run-requests.ts";

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

describe.each(Object.entries(runRequests))("%s", (_name, request) => {
  it.each([
    ["before", true],
    ["as soon as", false],
  ])("has no run any more if its client leaves %s the run begins", async (_when, isBefore) => {
    const { service, model } = await leave(request, isBefore);

    await vi.waitFor(() => expect(service.servedRuns.size).toBe(0), { timeout: 30_000 });
    expect(model.calls.filter(({ end }) => end !== "cancelled")).toEqual([]);
  });
});
