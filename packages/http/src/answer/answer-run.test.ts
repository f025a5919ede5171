import { once } from "node:events";
import { Agent, createLogger, defineTool, InMemoryStorage, Workflow } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import type { RequestHandler } from "express";
import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it, vi } from "vitest";
import { openSocket, post, readToEnd, requestBytes } from "../../test/clients.ts";
import { serve } from "../../test/serve-agent.ts";

const patience = { timeout: 5000, interval: 5 };

function hangingAgent() {
  const model = new ScriptedModel({ hang: true });
  const storage = new InMemoryStorage();
  return { model, storage, agent: new Agent({ name: "a", model, storage }) };
}

describe("POST …/run", () => {
  it("answers with the public output of the run, without messages and user [http.agent-run] [http.output-shape]", async () => {
    const service = await serve({ agent: new Agent({ name: "a", model: new ScriptedModel("Umbrella.") }) });

    const response = await post(service, "/agents/a/run");
    const body = (await response.json()) as Record<string, unknown>;

    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(body).toMatchObject({ text: "Umbrella.", toolCalls: [], structured: null, sessionId: "s" });
    expect(body).not.toHaveProperty("messages");
    expect(service.runs.size).toBe(0);
  });

  it("carries the results of tools as strings or as content parts [tool.result-parts] [tool.result-json]", async () => {
    const parts = [{ type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" }];
    const look = (name: string, execute: () => object) =>
      defineTool({ name, description: "Looks.", parameters: { type: "object" }, execute });
    const tools = [look("parts", () => ({ content: parts })), look("json", () => ({ rain: true }))];
    const model = new ScriptedModel({ toolCalls: [{ name: "parts" }, { name: "json" }] }, "A map.");
    const service = await serve({ agent: new Agent({ name: "a", model, tools }) });

    const body: unknown = await (await post(service, "/agents/a/run")).json();

    expect(body).toMatchObject({ toolCalls: [{ result: parts }, { result: '{"rain":true}' }] });
  });

  it("gives a string input to the first agent step of a workflow, and answers with its answer [workflow.answers]", async () => {
    const model = new ScriptedModel("Rain.");
    const steps = [{ name: "weather", agent: new Agent({ name: "helper", model }) }];
    const service = await serve({ workflow: new Workflow({ name: "w", initialState: {}, steps }) });

    const body = JSON.stringify({ input: "The weather in Oslo?" });
    const result: unknown = await (await post(service, "/workflows/w/run", { body })).json();

    expect(model.calls[0]?.messages.at(-1)?.content).toBe("The weather in Oslo?");
    expect(result).toMatchObject({
      state: { weather: "Rain." },
      steps: [{ name: "weather", status: "completed", output: "Rain." }],
    });
  });

  it("answers with the result of a workflow, with its state [http.workflow-run]", async () => {
    const greet = { name: "greet", run: ({ who }: { who: string }) => ({ greeting: `Hello ${who}` }) };
    const initialState = { who: "nobody", greeting: "" };
    const service = await serve({ workflow: new Workflow({ name: "w", initialState, steps: [greet] }) });

    const body = JSON.stringify({ input: { who: "Ada" } });
    const result: unknown = await (await post(service, "/workflows/w/run", { body })).json();

    expect(result).toMatchObject({ status: "completed", state: { who: "Ada", greeting: "Hello Ada" } });
    expect(Object.keys(result as object).toSorted()).toEqual(
      ["durationMs", "runId", "state", "status", "steps", "usage"].toSorted(),
    );
  });
});

describe("a third-party runnable", () => {
  it.each(["run", "stream"])("leaves no active run if its %s method throws at once", async (mode) => {
    const refuse = () => {
      throw new Error("planned");
    };
    const agent = Object.assign(new Agent({ name: "a", model: new ScriptedModel() }), { run: refuse, stream: refuse });
    const service = await serve({ agent });

    expect((await post(service, `/agents/a/${mode}`)).status).toBe(500);
    expect(service.runs.size).toBe(0);
  });
});

it("answerRun closes the connection and logs the failure if the response of the host throws while the failure is sent", async () => {
  const spoil: RequestHandler = (_, response, next) => {
    response.writeHead = () => {
      throw new Error("planned");
    };
    next();
  };
  const lines: string[] = [];
  const logger = createLogger({ level: "error", write: (line) => void lines.push(line) });
  const service = await serve({
    agent: new Agent({ name: "a", model: new ScriptedModel() }),
    middleware: [spoil],
    logger,
  });

  await expect(post(service, "/agents/a/run")).rejects.toThrow("fetch failed");
  expect(lines.join("")).toContain("A failure could not be sent.");
});

describe("a client that disconnects before its answer", () => {
  it("cancels the run, aborts the model call and stores no turn", async () => {
    const { agent, model, storage } = hangingAgent();
    const service = await serve({ agent });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/run"));
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);
    socket.destroy();

    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    expect(model.calls.map(({ end }) => end)).toEqual(["cancelled"]);
    expect(await storage.list("turns")).toEqual([]);
  });

  it("cancels the run also if it only ended its sending side, as in Node", async () => {
    const { agent, model } = hangingAgent();
    const service = await serve({ agent });
    const socket = await openSocket(service);

    socket.end(requestBytes("/agents/a/run"));

    await vi.waitFor(() => expect(model.calls[0]?.end).toBe("cancelled"), patience);
    expect(service.runs.size).toBe(0);
    expect(await readToEnd(socket)).toBe("");
  });

  it("starts no run if it is gone before the run begins", async () => {
    const { agent, model } = hangingAgent();
    const service = await serve({
      agent,
      onNode: "a parser of Express has read the body",
      before: [express.json(), (_request, response, next) => void response.once("close", () => setImmediate(next))],
    });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/run"), () => socket.resetAndDestroy());
    const [response] = (await once(service.server, "request")).slice(1) as [NodeJS.EventEmitter];
    await once(response, "close");
    await letRun();

    expect(model.calls).toEqual([]);
    expect(service.runs.size).toBe(0);
  });

  it("does not cancel the run with onDisconnect set to continue: the turn is stored", async () => {
    const storage = new InMemoryStorage();
    const model = new ScriptedModel({ text: "Umbrella.", delayMs: 100 });
    const service = await serve({ agent: new Agent({ name: "a", model, storage }), onDisconnect: "continue" });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/run"));
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);
    socket.destroy();

    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    expect(model.calls[0]?.end).toBe("completed");
    expect(await storage.list("turns")).toHaveLength(1);
  });

  it("starts a run with onDisconnect set to continue even if it is gone before", async () => {
    const model = new ScriptedModel("Umbrella.");
    const service = await serve({
      agent: new Agent({ name: "a", model }),
      onDisconnect: "continue",
      onNode: "a parser of Express has read the body",
      before: [express.json(), (_request, response, next) => void response.once("close", () => setImmediate(next))],
    });
    const socket = await openSocket(service);

    socket.write(requestBytes("/agents/a/run"), () => setTimeout(() => socket.resetAndDestroy(), 20));

    await vi.waitFor(() => expect(model.calls[0]?.end).toBe("completed"), patience);
  });
});
