import { once } from "node:events";
import { createServer, get } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { encodeSse } from "./encode-sse.ts";
import { readSse } from "./read-sse.ts";
import { SseWriter } from "./sse-writer.ts";

const patience = { timeout: 60_000, interval: 20 };
/** A busy machine may take longer to open hundreds of connections than a reader may stall by default. */
const patientWriter = { stallMs: 120_000 };

async function serve(handle: (response: ServerResponse) => Promise<void>): Promise<Server> {
  const server = createServer((_, response) => void handle(response)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return server;
}

async function open(server: Server): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo;
  const [reply] = (await once(get({ port, host: "127.0.0.1", agent: false }), "response")) as [IncomingMessage];
  return reply;
}

describe("SseWriter on a real connection", () => {
  it("delivers every frame in order and then the end", async () => {
    const texts = Array.from({ length: 1000 }, (_, index) => `é😀\n${index}`);
    const server = await serve(async (response) => {
      const writer = new SseWriter(response);
      for (const data of texts) await writer.write(encodeSse({ data }));
      await writer.close();
    });
    const received: string[] = [];

    for await (const { data } of readSse(await open(server))) received.push(data);

    expect(received).toEqual(texts);
  });

  it("pauses for a reader that does not read, with little memory, and resumes when it does", async () => {
    const state = { written: 0, mostBuffered: 0, isEnded: false };
    const padding = "x".repeat(1000);
    const server = await serve(async (response) => {
      const writer = new SseWriter(response, patientWriter);
      try {
        for (;;) {
          await writer.write(encodeSse({ id: state.written, data: padding }));
          state.written += 1;
          state.mostBuffered = Math.max(state.mostBuffered, response.writableLength);
        }
      } catch {
        state.isEnded = true;
      }
    });
    const reply = await open(server);

    const stoppedAt = await settled(() => state.written);
    const events = readSse(reply);
    for (let id = 0; id < stoppedAt + 1000; id += 1) {
      expect(await events.next()).toMatchObject({ value: { id: String(id) } });
    }
    await events.return({ isCut: false });

    await vi.waitFor(() => expect(state.isEnded).toBe(true), patience);
    expect(state.mostBuffered).toBeLessThan(65_536 + 16_384 + 2000);
    expect(state.written).toBeGreaterThan(stoppedAt);
  });

  it("leaves no writer waiting when 500 readers disconnect at once", async () => {
    const responses: ServerResponse[] = [];
    const counts = { active: 0, cancelled: 0 };
    const server = await serve(async (response) => {
      const isFast = responses.push(response) % 10 === 0;
      const writer = new SseWriter(response, patientWriter);
      const frame = encodeSse({ data: "x".repeat(isFast ? 20_000 : 100) });
      counts.active += 1;
      try {
        for (;;) {
          await writer.write(frame);
          if (!isFast) await new Promise((resolve) => setTimeout(resolve, 50));
        }
      } catch (error) {
        if ((error as { code?: string }).code === "cancelled") counts.cancelled += 1;
      } finally {
        counts.active -= 1;
        await writer.close();
      }
    });
    const replies = await Promise.all(Array.from({ length: 500 }, () => open(server)));
    const activeBefore = counts.active;

    for (const reply of replies) reply.destroy();

    await vi.waitFor(() => expect(counts).toEqual({ active: 0, cancelled: 500 }), patience);
    expect(activeBefore).toBe(500);
    expect(responses.map((response) => response.listenerCount("drain"))).toEqual(responses.map(() => 0));
    expect(new Set(responses.map((response) => response.listenerCount("close"))).size).toBe(1);
  });
});

/** The value once it has stopped to change. */
async function settled(read: () => number): Promise<number> {
  let last = -1;
  await vi.waitFor(
    () => {
      const before = last;
      last = read();
      expect(last).toBe(before);
    },
    { ...patience, interval: 200 },
  );
  return last;
}
