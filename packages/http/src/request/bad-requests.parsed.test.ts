import express from "express";
import { describe, expect, it } from "vitest";
import { counter, scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe("a body that the host has already parsed", () => {
  const parsing = { before: [express.json({ limit: "5mb" })], onNode: "a parser of Express has read the body" };

  it("is taken as it is [http.body-input]", async () => {
    const service = await serve({ agents: { a: talker("Hello.") }, workflows: { counter: counter() } }, parsing);

    expect(await service.post("/agents/a/run", { input: "x" })).toMatchObject({
      status: 200,
      json: { text: "Hello." },
    });
    expect((await service.ask("/workflows/counter/run", { method: "POST" })).status).toBe(200);
  });

  it.each([
    [{}, 400],
    [{ input: "x", more: 1 }, 400],
    [[], 400],
    [`{"input":${nested(64)}}`, 400],
    ['{"input":"x","__proto__":{}}', 400],
  ])("is checked like any other: %j", async (body, status) => {
    const service = await serve({ agents: { a: talker() } }, parsing);

    expect(await service.post("/agents/a/run", body)).toMatchObject({
      status,
      json: { error: { code: "invalid_request" } },
    });
  });

  it("must have been sent as JSON", async () => {
    const service = await serve({ agents: { a: talker() } }, { before: [express.urlencoded()] });
    const form = { "content-type": "application/x-www-form-urlencoded" };

    expect((await service.post("/agents/a/run", "input=x", form)).status).toBe(415);
  });

  it("is read also if the host has called setEncoding", async () => {
    const decode: express.RequestHandler = (request, _, next) => {
      request.setEncoding("utf8");
      next();
    };
    const { agent, model } = scripted("Hello.");
    const service = await serve({ agents: { a: agent } }, { before: [decode] });

    expect((await service.post("/agents/a/run", { input: "Grüße 💩" })).status).toBe(200);
    expect(model.calls[0]?.messages.at(-1)?.content).toBe("Grüße 💩");
  });

  it("counts as missing if the host has discarded it", async () => {
    const drain: express.RequestHandler = (request, _, next) => {
      request.on("end", () => next()).resume();
    };
    const service = await serve({ agents: { a: talker() } }, { before: [drain] });

    expect((await service.post("/agents/a/run", { input: "x" })).status).toBe(400);
  });
});
