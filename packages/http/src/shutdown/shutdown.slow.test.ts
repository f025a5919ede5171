import { once } from "node:events";
import { Agent as HttpAgent, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { settled, Vendor, VendorModel } from "@troupe-internal/fault-tools";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSocket, post, readFrames, readToEnd, requestBytes } from "../../test/clients.ts";
import { serve } from "../../test/serve-agent.ts";
import type { Service } from "../../test/serve-agent.ts";

const patience = { timeout: 5000, interval: 5 };

type Closable = Service & { readonly close: () => Promise<void> };

async function serveModel(model: ModelProvider, graceMs: number, drainMs?: number): Promise<Closable> {
  const service = await serve({ agent: new Agent({ name: "a", model }) });
  service.served.attach(service.server);
  return { ...service, close: async () => await service.served.close({ graceMs, drainMs }) };
}

async function connectionsOf({ server }: Service): Promise<number> {
  return await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
}

/** Sends requests over one connection that is kept alive. */
function keeper({ port }: Service) {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async (path: string): Promise<IncomingMessage> => {
    const headers = { "content-type": "application/json" };
    const sent = request({ port, host: "127.0.0.1", path, method: "POST", headers, agent });
    sent.end(JSON.stringify({ input: "Hello?" }));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    return response;
  };
}

describe("a service that shuts down", () => {
  it("keeps its listener open for drainMs, and refuses runs and readiness there [http.shutdown-drain]", async () => {
    const service = await serveModel(new ScriptedModel({ hang: true }), 60_000, 1500);
    const running = post(service, "/agents/a/run").catch(() => undefined);
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);

    void service.close();

    for (const [path, method, status] of [
      ["/ready", "GET", 503],
      ["/agents/a/run", "POST", 503],
      ["/agents/a/stream", "POST", 503],
      ["/health", "GET", 200],
      ["/agents", "GET", 200],
    ] as const) {
      const response = await post(service, path, method === "GET" ? { method, body: null } : {});
      await response.text();
      expect([path, response.status, response.headers.get("connection")]).toEqual([path, status, "close"]);
      expect(response.headers.get("retry-after")).toBe(status === 503 ? "1" : null);
    }
    // The run goes on, and the listener does not.
    await vi.waitFor(
      async () => await expect(fetch(`${service.url}/health`)).rejects.toThrow("fetch failed"),
      patience,
    );
    expect(service.runs.size).toBe(1);
    service.server.closeAllConnections();
    await running;
  });

  it("refuses runs and readiness in the same way on a server that is not attached [http.shutdown-drain]", async () => {
    const service = await serve({ agent: new Agent({ name: "a", model: new ScriptedModel() }) });
    await service.served.close();

    for (const [path, sent] of [
      ["/ready", { method: "GET", body: null }],
      ["/agents/a/run", {}],
      ["/agents/a/stream", {}],
    ] as const) {
      const { status, headers } = await post(service, path, sent);
      expect([path, status, headers.get("connection"), headers.get("retry-after")]).toEqual([path, 503, "close", "1"]);
    }
  });

  it("closes its listener before drainMs when no request is left [http.shutdown-drain]", async () => {
    const service = await serveModel(new ScriptedModel({ text: "Umbrella.", delayMs: 100 }), 600_000, 600_000);
    const answer = post(service, "/agents/a/run");
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);

    await service.close();

    expect((await answer).status).toBe(200);
    await expect(fetch(`${service.url}/health`)).rejects.toThrow("fetch failed");
  });

  it("answers the next request on a connection whose stream has just ended [http.shutdown-no-reset]", async () => {
    const model = new ScriptedModel({ text: ["one ", "two"], chunkDelayMs: 100 });
    const service = await serveModel(model, 60_000, 0);
    const ask = keeper(service);
    const stream = await ask("/agents/a/stream");
    const { localPort } = stream.socket;
    const over = service.close();
    await stream.resume().toArray();

    const next = await ask("/agents/a/run");

    expect([next.socket.localPort, next.statusCode, next.headers.connection]).toEqual([localPort, 503, "close"]);
    next.resume();
    await over;
  });

  it("answers requests on connections that it has not accepted yet [http.shutdown-no-reset]", async () => {
    const service = await serveModel(new ScriptedModel(), 60_000, 0);
    const sockets = Array.from({ length: 20 }, () => connect(service.port, "127.0.0.1"));
    for (const socket of sockets) socket.write(requestBytes("/agents/a/run"));
    await new Promise<void>((resolve) => process.nextTick(resolve));

    const over = service.close();

    for (const socket of sockets) expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 503 /);
    await over;
  });

  it("answers a client that is still sending its body [http.shutdown-no-reset]", async () => {
    const service = await serveModel(new ScriptedModel({ hang: true }), 60_000, 2000);
    const running = post(service, "/agents/a/run").catch(() => undefined);
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);
    void service.close();

    const socket = await openSocket(service);
    const ended = once(socket, "end");
    socket.write("POST /agents/none/run HTTP/1.1\r\nhost: test\r\ncontent-length: 2000000\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    for (const half of ["a", "b"]) {
      socket.write(half.repeat(1_000_000));
      await sleep(20);
    }

    await expect(ended).resolves.toEqual([]);
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
    socket.destroy();
    service.server.closeAllConnections();
    await running;
  });

  it("lets active runs finish, and closes their connections", async () => {
    const service = await serveModel(new ScriptedModel({ text: "Umbrella.", delayMs: 100 }), 5000);
    const answer = post(service, "/agents/a/run");
    await vi.waitFor(() => expect(service.runs.size).toBe(1), patience);

    await service.close();

    expect((await answer).status).toBe(200);
    expect((await answer).headers.get("connection")).toBe("close");
  });

  it("waits for the titles of sessions, and no longer than the grace period [session.title-close]", async () => {
    for (const [title, ended, expected] of [
      [{ text: "Rainy Oslo", delayMs: 50 }, "completed", "Rainy Oslo"],
      [{ hang: true }, "cancelled", "Hello?"],
    ] as const) {
      const titles = new ScriptedModel(title);
      const model = new ScriptedModel("Umbrella.");
      const agent = new Agent({ name: "a", model, titles: { model: titles } });
      const service = await serve({ agent });
      service.served.attach(service.server);
      const body = JSON.stringify({ input: "Hello?", sessionId: "s" });
      expect((await post(service, "/agents/a/run", { body })).status).toBe(200);

      await service.served.close({ graceMs: 300 });

      expect(titles.calls[0]?.end).toBe(ended);
      expect((await agent.sessions.readSession("s")).title).toBe(expected);
    }
  });

  it("takes no more connections, and ends idle ones", async () => {
    const service = await serveModel(new ScriptedModel({ text: "Umbrella." }), 5000);
    const ask = keeper(service);
    const response = await ask("/agents/a/run");
    const closed = once(response.socket, "close");
    response.resume();
    await once(response, "end");

    await service.close();

    await closed;
    await expect(post(service, "/agents/a/run")).rejects.toThrow("fetch failed");
  });

  it("refuses runs on connections that are still open, with Retry-After", async () => {
    const service = await serveModel(new ScriptedModel({ text: "Umbrella." }), 100);
    const socket = await openSocket(service);
    // An incomplete request keeps its connection open.
    const bytes = requestBytes("/agents/a/run");
    socket.write(bytes.slice(0, -5));
    await once(service.server, "request");

    const over = service.close();
    socket.write(bytes.slice(-5));
    const [answer] = (await once(socket, "data")) as [Buffer];
    await over;

    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer.toString()).toMatch(/^Connection: close\r$/m);
    expect(answer.toString()).toMatch(/^Retry-After: 1\r$/m);
    expect(answer.toString()).toContain('"code":"unavailable"');
  });

  it("does not cut off an answer that has been written but not yet read", async () => {
    const service = await serveModel(new ScriptedModel({ text: "x".repeat(12_000_000) }), 10_000);
    const socket = await openSocket(service);
    socket.pause();
    socket.write(requestBytes("/agents/a/run"));
    const [, response] = (await once(service.server, "request")) as [unknown, ServerResponse];
    await vi.waitUntil(() => response.writableEnded, patience);

    const over = service.close();
    const answer = await readToEnd(socket);
    await over;

    expect(answer.length).toBeGreaterThan(12_000_000);
    expect(answer.endsWith("}")).toBe(true);
  });

  it("is not ready as soon as it begins", async () => {
    const service = await serveModel(new ScriptedModel({ hang: true }), 300);
    const socket = await openSocket(service);
    socket.write("GET /ready HTTP/1.1\r\nhost: test\r\n");
    await sleep(20);

    void service.close();
    socket.write("\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];

    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
  });

  it("ends the runs that are left after the grace period, and answers their clients", async () => {
    const model = new ScriptedModel({ text: ["one ", "two"], chunkDelayMs: 60_000 }, { hang: true });
    const service = await serveModel(model, 200);
    const stream = await post(service, "/agents/a/stream", { body: JSON.stringify({ input: "Hello?" }) });
    const answer = post(service, "/agents/a/run", { body: JSON.stringify({ input: "Hello?" }) });
    await vi.waitFor(() => expect(service.runs.size).toBe(2), patience);

    await service.close();

    const frames = await readFrames(stream);
    expect(frames.map(({ data }) => data.error?.code ?? data.type)).toEqual(["text", "unavailable"]);
    expect((await answer).status).toBe(503);
    expect(await (await answer).json()).toMatchObject({ error: { code: "unavailable" } });
    expect(model.calls.map(({ end }) => end)).toEqual(["cancelled", "cancelled"]);
  });

  it("cuts off a reader that does not read the end of its answer", async () => {
    const vendor = await Vendor.start({ pieces: 65_536, pieceBytes: 16_384 });
    onTestFinished(() => vendor.close());
    const service = await serveModel(new VendorModel(vendor.url), 100);
    const socket = await openSocket(service);
    socket.write(requestBytes("/agents/a/stream"));
    await once(socket, "data");
    socket.pause();
    await settled(() => vendor.takenBytes);

    await service.close();

    expect(service.runs.size).toBe(0);
    await vi.waitFor(async () => expect(await connectionsOf(service)).toBe(0), patience);
  });

  it("shuts down once, however often it is closed", async () => {
    const service = await serveModel(new ScriptedModel(), 100);
    const closing = vi.spyOn(service.served.servedRuns, "drain");

    await Promise.all([service.close(), service.close(), service.served.closed]);
    await service.close();

    expect(closing).toHaveBeenCalledOnce();
  });

  it("refuses unknown options, and grace periods longer than a timer", async () => {
    const { served } = await serveModel(new ScriptedModel(), 100);
    const refusal = async (options: object) => await served.close(options).catch((error: unknown) => error);

    expect(await refusal({ grace: 1 })).toMatchObject({
      message: expect.stringMatching(/Unknown option "grace" of service.close/) as string,
    });
    expect(await refusal({ graceMs: Infinity })).toMatchObject({
      message: expect.stringMatching(/graceMs must be/) as string,
    });
    expect(await refusal({ graceMs: 300, drainMs: 301 })).toMatchObject({
      message: expect.stringContaining("drainMs must be at most graceMs, 300, got 301") as string,
    });
    expect(await refusal({ drainMs: -1 })).toMatchObject({
      message: expect.stringMatching(/drainMs must be/) as string,
    });
  });
});
