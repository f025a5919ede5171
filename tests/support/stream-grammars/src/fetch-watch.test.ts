import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { takeBreaches } from "./breaches.ts";
import { watchFetches } from "./fetch-watch.ts";

const own = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform" };
const ofRun = { ...own, "x-run-id": "r" };
const ofUi = { ...ofRun, "x-vercel-ai-ui-message-stream": "v1" };
const ofMcp = { ...own, "cache-control": "no-cache, no-transform" };
const task = { jsonrpc: "2.0", id: 1, result: { kind: "task", id: "t", contextId: "c", status: { state: "working" } } };

/** Serves what a function writes on every request until the test is over, and returns its address. */
async function serve(write: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => write(response)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Reads a stream to its end, and returns what is wrong with it. The streams of this file are broken on purpose. */
async function breachesOf(headers: Record<string, string>, body: string, init: RequestInit = {}): Promise<string[]> {
  const url = await serve((response) => response.writeHead(200, headers).end(body));
  await (await fetch(url, init)).text();
  return takeBreaches().map(({ message }) => message.replace(url, ""));
}

const frames = (...data: unknown[]): string => data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("");

watchFetches();

describe("watchFetches", () => {
  it.each([
    ["of a run", ofRun, "id: 2\n" + frames({ type: "finish" }), "id-order"],
    ["of UI messages", ofUi, frames({ type: "start", messageId: "m" }, { type: "finish" }), "no-end"],
    ["of A2A", own, frames(task), "no-end"],
    ["of A2A without a frame", own, "", "no-end"],
    ["that is cut within a frame", ofRun, "id: 1\ndata: {", "whole-frames"],
  ])("reports the stream %s that breaks its grammar", async (...[, headers, body, rule]) => {
    expect(await breachesOf(headers, body)).toEqual([expect.stringMatching(`^GET /: .* breaks the rule ${rule}:`)]);
  });

  it("reports the answer of an MCP server to a request without a response, and not the stream of a GET", async () => {
    const body = frames({ jsonrpc: "2.0", method: "notifications/message" });

    expect(await breachesOf(ofMcp, body)).toEqual([]);
    expect(await breachesOf(ofMcp, body, { method: "POST" })).toEqual([expect.stringContaining("no-end")]);
  });

  it("knows from the request behind which event a run is followed", async () => {
    const body = `id: 5.0\n${frames({ type: "tool_result", toolCallId: "c" }, { type: "error" })}`.replace(
      /\n\ndata/,
      "\n\nid: 5.1\ndata",
    );

    expect(await breachesOf(ofRun, body, { headers: { "last-event-id": "4.0" } })).toEqual([]);
    expect(await breachesOf(ofRun, body)).toEqual([expect.stringContaining("call-before")]);
  });

  it("reads streams that are not ours, and a reader that leaves early, without a word", async () => {
    expect(await breachesOf({ "content-type": "text/event-stream" }, frames(task))).toEqual([]);
    const url = await serve((response) => response.writeHead(200, ofRun).write(`id: 1\n${frames({ type: "text" })}`));
    const left = new AbortController();
    const reader = (await fetch(url, { signal: left.signal })).body?.getReader();
    await reader?.read();
    left.abort();

    await expect(reader?.read()).rejects.toThrow("aborted");
    expect(takeBreaches()).toEqual([]);
  });
});
