import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import express from "express";
import type { ErrorRequestHandler, Express, RequestHandler } from "express";
import { watchErrorStream } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { requestLogger } from "../log/request-logger.ts";
import { errorHandler } from "./error-handler.ts";

/** Serves a bare Express app until the test is over, and returns its URL. */
async function listen(app: Express): Promise<string> {
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Collects what the test writes to the standard error stream. */
function watchErrors(): string[] {
  const { lines, restore } = watchErrorStream();
  onTestFinished(restore);
  return lines;
}

/** Collects what anything writes to that stream: also what is written once a connection has been cut off. */
function watchAllErrors(): string[] {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  return lines;
}

const quiet = createLogger({ level: "silent" });
const forms: [string, () => ErrorRequestHandler][] = [
  ["as it is", () => errorHandler],
  ["called with nothing", () => errorHandler()],
  ["called with options", () => errorHandler({ logger: quiet })],
  ["called with undefined", () => errorHandler(undefined)],
];

describe.each(forms)("errorHandler, mounted %s in a bare app [http.error-handler-forms]", (_, handler) => {
  const failing = (thrown: unknown): RequestHandler => {
    return () => {
      throw thrown;
    };
  };

  it.each<[string, unknown, number, string]>([
    ["an error", new Error("sk-secret at /srv"), 500, "internal"],
    ["a string", "sk-secret", 500, "internal"],
    ["a number", 7, 500, "internal"],
    ["an object", { status: 400, expose: true, message: "sk-secret" }, 500, "internal"],
  ])("answers %s that was thrown in the one JSON form, without its text", async (__, ...[thrown, status, code]) => {
    watchErrors();
    const url = await listen(express().get("/", failing(thrown)).use(handler()));

    const response = await fetch(url);
    const text = await response.text();

    expect([response.status, response.headers.get("content-type")]).toEqual([
      status,
      "application/json; charset=utf-8",
    ]);
    expect(JSON.parse(text)).toMatchObject({ error: { code, requestId: response.headers.get("x-request-id") } });
    expect(text).not.toMatch(/sk-secret|srv|at /);
  });

  it("answers a promise that was rejected with null", async () => {
    watchErrors();
    const url = await listen(
      express()
        .get("/", async () => await Promise.reject(null))
        .use(handler()),
    );

    expect((await fetch(url)).status).toBe(500);
  });

  it("translates the errors of a body parser", async () => {
    const app = express().use(express.json({ limit: 100 }));
    const url = await listen(app.post("/", (___, response) => void response.json({})).use(handler()));
    const post = async (body: string) => {
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
    };

    expect(await post('{"apiKey": sk-secret}')).toEqual([400, "invalid_request"]);
    expect(await post(JSON.stringify({ input: "x".repeat(200) }))).toEqual([413, "payload_too_large"]);
  });

  it("cuts off an answer that has begun", async () => {
    watchErrors();
    const begun: RequestHandler = (___, response, next) => {
      response.write("half of it");
      next(new Error("Broken."));
    };
    const url = await listen(express().get("/", begun).use(handler()));

    await expect(fetch(url).then((response) => response.text())).rejects.toThrow(TypeError);
  });
});

describe("errorHandler", () => {
  it("has the four parameters by which Express knows an error handler, in both forms [http.error-handler-forms]", () => {
    expect([errorHandler.length, errorHandler().length]).toEqual([4, 4]);
  });

  it("takes an error of null if it is called by hand", async () => {
    const lines = watchErrors();
    const url = await listen(express().use((request, response, next) => errorHandler(null, request, response, next)));

    expect((await fetch(url)).status).toBe(500);
    expect(lines).toHaveLength(1);
  });

  it("writes failures of the service to the standard error stream when it is mounted as it is", async () => {
    const lines = watchErrors();
    const app = express().use(() => {
      throw new Error("The disk is full.");
    });
    const url = await listen(app.use(errorHandler));

    await fetch(url);
    await fetch(url);

    expect(lines).toHaveLength(2);
    expect(lines.join("")).toContain("The disk is full.");
  });
});

describe("requestLogger", () => {
  it.each<[string, () => RequestHandler]>([
    ["as it is", () => requestLogger],
    ["called with nothing", () => requestLogger()],
    ["called with undefined", () => requestLogger(undefined)],
  ])("logs each request once when it is mounted %s [http.request-logger-forms]", async (_, handler) => {
    const lines = watchErrors();
    const url = await listen(
      express()
        .use(handler())
        .get("/a", (__, response) => void response.send("Hi.")),
    );

    expect(await (await fetch(`${url}/a`)).text()).toBe("Hi.");
    expect((await fetch(`${url}/b`)).status).toBe(404);

    await vi.waitUntil(() => lines.length >= 2);
    expect(lines.map((line) => / ?\/[ab]/.test(line))).toEqual([true, true]);
  });

  it("logs to its logger when it is called with options [http.request-logger-forms]", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
    const url = await listen(express().use(requestLogger({ logger })));

    await fetch(`${url}/a`);

    await vi.waitUntil(() => lines.length > 0);
    expect(lines[0]).toContain('"/a"');
  });

  it("logs an answer that failed half way, behind an error handler mounted as it is", async () => {
    const lines = watchAllErrors();
    const begun: RequestHandler = (_, response, next) => {
      response.write("half of it");
      next(new Error("Broken."));
    };
    const url = await listen(express().use(requestLogger).get("/", begun).use(errorHandler));

    await fetch(url).then(
      async (response) => await response.text().catch(() => {}),
      () => {},
    );

    await vi.waitUntil(() => lines.length >= 2);
    expect(lines.join("")).toMatch(/aborted/);
  });
});
