import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, createLogger } from "@troupe/core";
import compression from "compression";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSocket, post, requestBytes } from "./test/clients.ts";
import { serve } from "./test/serve.ts";
import { settled } from "./test/settled.ts";
import { Vendor, VendorModel } from "./test/vendor.ts";
import type { VendorPlan } from "./test/vendor.ts";

const patience = { timeout: 15_000, interval: 100 };
const gigabyte = { pieces: 65_536, pieceBytes: 16_384 };

async function serveVendor(plan: VendorPlan, before: RequestHandler[] = []) {
  const vendor = await Vendor.start(plan);
  onTestFinished(() => vendor.close());
  const model = new VendorModel(vendor.url);
  const agent = new Agent({ name: "a", model, logLevel: "silent" });
  return { vendor, model, service: await serve({ agent, before, logger: createLogger() }) };
}

/**
 * On loopback with its giant segments the system itself takes four megabytes for a connection, before a program hears that
 * its reader has stopped. What a socket in the file system takes is a fifth of a megabyte.
 */
async function alsoListenOnPath(server: Server): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-http-"));
  const path = join(folder, "socket");
  const second = createServer((request, response) => server.emit("request", request, response)).listen(path);
  await once(second, "listening");
  onTestFinished(() => {
    second.closeAllConnections();
    second.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return path;
}

describe("a reader that stops reading", () => {
  it("stops its vendor, of whose gigabyte at most two megabytes are taken after that", async () => {
    const { vendor, model, service } = await serveVendor(gigabyte);
    const path = await alsoListenOnPath(service.server);
    const sockets = Array.from({ length: 10 }, () => connect({ path }));

    for (const socket of sockets) socket.write(requestBytes("/agents/a/stream"));
    await Promise.all(sockets.map((socket) => once(socket, "data")));
    for (const socket of sockets) socket.pause();
    const before = model.readBytes;
    const taken = (await settled(() => model.readBytes)) - before;

    expect(taken / sockets.length).toBeLessThan(2 * 1024 * 1024);
    expect(service.runs.size).toBe(10);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    await vi.waitFor(() => expect(vendor.answering).toBe(0), patience);
  });

  it("is dropped after thirty seconds, and its run with it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { vendor, service } = await serveVendor(gigabyte);
    const socket = await openSocket(service);
    socket.write(requestBytes("/agents/a/stream"));
    await once(socket, "data");
    socket.pause();
    await settled(() => vendor.takenBytes);

    expect(service.runs.size).toBe(1);
    vi.advanceTimersByTime(30_000);

    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    await vi.waitFor(() => expect(vendor.answering).toBe(0), patience);
  });
});

describe("behind compression", () => {
  it("a stream is left as it is: each chunk arrives when it is said", async () => {
    const { vendor, service } = await serveVendor({ pieces: 3, pieceBytes: 10, everyMs: 200 }, [compression()]);
    const response = await post(service, "/agents/a/stream", {
      headers: { "content-type": "application/json", "accept-encoding": "gzip" },
    });
    const first = await response.body?.getReader().read();

    expect(response.headers.get("content-encoding")).toBeNull();
    expect(Buffer.from(first?.value ?? []).toString("utf8")).toContain("xxxxxxxxxx");
    expect(vendor.answering).toBe(1);
  });
});
