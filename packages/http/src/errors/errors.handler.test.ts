import { createLogger, TroupeError } from "@troupe/core";
import express from "express";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { head, sendRaw } from "../../test/raw.ts";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { errorHandler } from "./error-handler.ts";

function failing(error: Error): RequestHandler {
  return (_, __, next) => next(error);
}

describe("errorHandler", () => {
  const handler = () => errorHandler({ logger: createLogger() });

  it("answers errors of the host as the router does [http.error-handler]", async () => {
    const broken: RequestHandler = (request, _, next) =>
      next(request.url === "/known" ? new TroupeError("not_found", "No such page.") : new Error("sk-secret"));
    const service = await serve({ agents: { a: talker() } }, { behind: [broken, handler()] });

    const known = await service.ask("/known");
    const unknown = await service.ask("/x");

    expect(known).toMatchObject({ status: 404, json: { error: { code: "not_found", message: "No such page." } } });
    expect(unknown).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    expect(unknown.text).not.toContain("sk-secret");
    expect((await service.post("/agents/b/run", {})).json).toMatchObject({ error: { code: "not_found" } });
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ["broken JSON", '{"apiKey": sk-secret}', {}, 400, "invalid_request"],
    ["too much", JSON.stringify({ input: "x".repeat(2000) }), {}, 413, "payload_too_large"],
    ["an unknown encoding", "{}", { "content-encoding": "zstd-x" }, 415, "unsupported_media_type"],
    ["another charset", "{}", { "content-type": "application/json; charset=utf-7" }, 415, "unsupported_media_type"],
  ])(
    "translates the errors of a body parser in front of the router: %s",
    async (_, ...[body, headers, status, code]) => {
      const before = [express.json({ limit: 1000 })];
      const service = await serve({ agents: { a: talker() } }, { before, behind: [handler()] });

      const answer = await service.post("/agents/a/run", body, headers);

      expect(answer).toMatchObject({ status, json: { error: { code } } });
      expect(answer.text).not.toContain("sk-secret");
    },
  );

  it("translates broken paths, and shows messages that the host wrote for its clients", async () => {
    const teapot = Object.assign(new Error("Only tea here."), { status: 418, expose: true });
    const hidden = Object.assign(new Error("sk-secret"), { status: 403, expose: false });
    const vendors = Object.assign(new Error("Incorrect API key sk-secret"), { status: 401 });
    const servers = Object.assign(new Error("sk-secret"), { status: 503, expose: true });
    const app = express.Router();
    app.get("/page/:name", (_, response) => void response.send("page"));
    for (const [name, error] of Object.entries({ teapot, hidden, vendors, servers }))
      app.get(`/${name}`, failing(error));
    const service = await serve({}, { behind: [app, handler()] });
    const shown = async (path: string) => {
      const { status, json } = await service.ask(path);
      const { code, message } = (json as { error: { code: string; message: string } }).error;
      return [status, code, message];
    };

    expect(await shown("/page/%zz")).toEqual([
      400,
      "invalid_request",
      "The path has a broken percent escape. Encode it with encodeURIComponent.",
    ]);
    expect(await shown("/teapot")).toEqual([418, "invalid_request", "Only tea here."]);
    expect(await shown("/hidden")).toEqual([403, "forbidden", "This is not allowed."]);
    expect(await shown("/vendors")).toEqual([500, "internal", "Something went wrong in this service."]);
    expect(await shown("/servers")).toEqual([500, "internal", "Something went wrong in this service."]);
  });

  it("answers a client that sent too much to a body parser before it closes the connection", async () => {
    const service = await serve(
      { agents: { a: talker() } },
      { before: [express.json({ limit: 1000 })], behind: [handler()] },
    );
    const body = "x".repeat(200_000);

    const answer = await sendRaw(
      service,
      head("/agents/a/run", "Content-Type: application/json", `Content-Length: ${body.length}`),
      body,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("refuses unknown options and a wrong logger", () => {
    expect(() => errorHandler({ log: console } as never)).toThrow(
      'Unknown option "log" of errorHandler. Expected logger.',
    );
    expect(() => errorHandler({ logger: console as never })).toThrow("logger must be a logger");
  });
});
