import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebhookSender } from "./webhook-sender.ts";

const now = Date.UTC(2027, 0, 1);
const timeoutMs = 3_600_000;

/** Serves a receiver until the test is over. Returns its address, the sender for it, and the requests that it got. */
async function receiver(answer: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sender = new WebhookSender({ allowPrivateHosts: [host], timeoutMs }, () => now);
  const request = { url: `http://${host}/hook`, headers: { "content-type": "text/plain" }, body: "Ünal" };
  const send = async (signal = new AbortController().signal) => await sender.send(request, signal);
  return { server, requests, send };
}

describe("an attempt to notify a receiver", () => {
  it("posts the headers and the body", async () => {
    let body: Promise<string> | undefined;
    const { requests, send } = await receiver((request, response) => {
      body = text(request);
      void body.then(() => response.writeHead(204).end());
    });
    expect(await send()).toEqual({ status: "delivered" });
    expect(requests).toMatchObject([{ method: "POST", url: "/hook", headers: { "content-type": "text/plain" } }]);
    expect(await body).toBe("Ünal");
  });

  it.each(["before it begins", "before its answer", "within its answer"])(
    "an attempt that is aborted %s is stopped",
    async (when) => {
      const controller = new AbortController();
      let closed: Promise<unknown> | undefined;
      const { requests, send } = await receiver((_request, response) => {
        closed = once(response, "close");
        if (when === "within its answer") response.writeHead(200).write("é");
        setImmediate(() => controller.abort(new Error("The process ends.")));
      });
      if (when === "before it begins") controller.abort();
      expect(await send(controller.signal)).toEqual({ status: "stopped" });
      // The connection does not stay open.
      await closed;
      expect(requests).toHaveLength(when === "before it begins" ? 0 : 1);
    },
  );

  it("an attempt without an answer fails at its timeout, and may succeed later", async () => {
    const { server, send } = await receiver(() => undefined);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const requested = once(server, "request");
    const outcome = send();
    await requested;
    const late = { status: "failed", problem: "timeout", isRefused: false };
    vi.advanceTimersByTime(timeoutMs - 1);
    const early = await Promise.race([outcome, new Promise((resolve) => setImmediate(resolve))]);
    vi.advanceTimersByTime(1);
    expect([early, await outcome]).toEqual([undefined, late]);
  });

  it("an attempt to notify a receiver that cannot be reached fails, and may succeed later", async () => {
    const { server, send } = await receiver(() => undefined);
    server.close();
    await once(server, "close");
    expect(await send()).toEqual({ status: "failed", problem: "unreachable", isRefused: false });
  });

  it("reads only the first 4 KB of an answer, and needs no more of it", async () => {
    const { send } = await receiver((request, response) => {
      request.resume().once("end", () => {
        // The rest of the answer never comes: a sender that reads on loses it.
        response.writeHead(200, { "content-length": 8192 }).write("é".repeat(2049), () => response.destroy());
      });
    });
    expect(await send()).toEqual({ status: "delivered" });
  });

  it.each([301, 302, 303, 307, 308])("follows no redirect with %i", async (status) => {
    const { requests, send } = await receiver((request, response) => {
      response.writeHead(request.url === "/hook" ? status : 204, { location: "/other" }).end();
    });
    expect(await send()).toMatchObject({ status: "failed", isRefused: true });
    expect(requests.map(({ url }) => url)).toEqual(["/hook"]);
  });

  it.each<[what: string, retryAfter: string | undefined, waitMs: number | undefined]>([
    ["seconds", "7", 7000],
    ["a date", new Date(now + 9000).toUTCString(), 9000],
    ["nothing", undefined, undefined],
  ])("that is refused for now with %s to wait says so", async (_what, retryAfter, waitMs) => {
    const { send } = await receiver((_request, response) => {
      response.writeHead(429, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end();
    });
    const failed = { status: "failed", problem: "status 429", isRefused: false };
    expect(await send()).toEqual({ ...failed, ...(waitMs !== undefined && { waitMs }) });
  });
});
