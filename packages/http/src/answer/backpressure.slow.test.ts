import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { settled, Vendor, VendorModel } from "@troupe-internal/fault-tools";
import type { VendorPlan } from "@troupe-internal/fault-tools";
import { Agent, createLogger } from "@troupe/core";
import compression from "compression";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSocket, post, requestBytes } from "../../test/clients.ts";
import { alsoListenOnPath } from "../../test/listen-on-path.ts";
import { serve } from "../../test/serve-agent.ts";

const patience = { timeout: 90_000, interval: 100 };
const gigabyte = { pieces: 65_536, pieceBytes: 16_384 };

async function serveVendor(plan: VendorPlan, before: RequestHandler[] = []) {
  const vendor = await Vendor.start(plan);
  onTestFinished(() => vendor.close());
  const model = new VendorModel(vendor.url);
  const agent = new Agent({ name: "a", model, logLevel: "silent" });
  return { vendor, model, service: await serve({ agent, before, logger: createLogger() }) };
}

/** Collects the sockets that undici opens to vendors. */
function watchVendorSockets(): Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe("undici:client:connected", note);
  onTestFinished(() => void unsubscribe("undici:client:connected", note));
  return sockets;
}

/** The bytes of a socket that the system has taken. `bytesWritten` also counts those that still wait. */
function bytesGone({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

describe("a reader that stops reading", () => {
  it("stops the vendor's stream: at most two megabytes more are read of its gigabyte", async () => {
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

  it("leaves at most two megabytes in this process over TCP, beside what the system's buffers take", async () => {
    const vendorSockets = watchVendorSockets();
    const { model, service } = await serveVendor(gigabyte);
    const answering: Socket[] = [];
    service.server.on("connection", (socket: Socket) => answering.push(socket));
    const readers = await Promise.all(Array.from({ length: 10 }, () => openSocket(service)));

    for (const reader of readers) reader.write(requestBytes("/agents/a/stream"));
    await Promise.all(readers.map((reader) => once(reader, "data")));
    for (const reader of readers) reader.pause();
    await settled(() => model.readBytes);

    const taken = sum(vendorSockets.map(({ bytesRead }) => bytesRead));
    const gone = sum(answering.map(bytesGone));
    expect(vendorSockets).toHaveLength(readers.length);
    expect(gone).toBeGreaterThan(0);
    expect((taken - gone) / readers.length).toBeLessThan(2 * 1024 * 1024);
    for (const reader of readers) reader.destroy();
    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
  });

  it("is disconnected after thirty seconds, and its run is cancelled", async () => {
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

    // On a busy machine the stream may only have seemed to stand still: each look moves the fake clock on.
    await vi.waitFor(() => expect(service.runs.size).toBe(0), patience);
    await vi.waitFor(() => expect(vendor.answering).toBe(0), patience);
  });
});

describe("a stream behind the compression middleware", () => {
  it("is not compressed: each chunk arrives as soon as it is written", async () => {
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
