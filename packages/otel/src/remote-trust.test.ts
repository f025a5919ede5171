import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { A2ARemoteAgent } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, onTestFinished } from "vitest";
import { Recorder } from "../test/recorder.ts";

const task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" }, artifacts: [] };

/** Starts a server of a remote agent that answers calls or refuses their method. Returns its URL and the calls. */
async function startRemote(card: () => object, mayAnswer: () => boolean) {
  const calls: IncomingHttpHeaders[] = [];
  const send = (response: ServerResponse, body: object) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      send(response, card());
      return;
    }
    calls.push(request.headers);
    let text = "";
    request.on("data", (piece: Buffer) => (text += piece.toString()));
    request.on("end", () => {
      const { id } = JSON.parse(text) as { id: unknown };
      const answer = mayAnswer() ? { result: { task } } : { error: { code: -32_601, message: "Unknown." } };
      send(response, { jsonrpc: "2.0", id, ...answer });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

type Origin = "own" | "other";

it.each<[Origin[], Origin, boolean, boolean]>([
  [["own"], "own", false, true],
  [["own", "other"], "own", false, false],
  [["own", "other"], "other", false, false],
  [["other", "own"], "own", false, false],
  [["own", "other"], "other", true, true],
])(
  "a card of the origins %j, of which %s answers, with the other one trusted: %s, gets the trace: %s",
  async (...row) => {
    const [named, answering, isTrusted, isTold] = row;
    const urls: Record<Origin, string> = { own: "", other: "" };
    const card = () => ({
      name: "far",
      version: "1.0.0",
      supportedInterfaces: named.map((origin) => ({ url: `${urls[origin]}/a2a`, protocolBinding: "JSONRPC" })),
    });
    const own = await startRemote(card, () => answering === "own");
    const other = await startRemote(card, () => answering === "other");
    Object.assign(urls, { own: own.url, other: other.url });
    let reads = 0;
    const headers = () => ({ "x-key": String(++reads) });
    const options = { name: "far", headers, ...(isTrusted && { trustedOrigins: [other.url] }) };
    const remote = new A2ARemoteAgent({ url: own.url, ...options });
    const model = new ScriptedModel().respond(({ messages }) => {
      const isAnswered = messages.at(-1)?.role === "tool";
      return isAnswered ? "Oslo." : { toolCalls: [{ name: "ask_far", arguments: { input: "Wo?" } }] };
    });
    const tools = [remote.asTool({ description: "Knows capitals." })];
    const asker = new Agent({ name: "asker", model, tools, telemetry: new Recorder().telemetry });
    for (const question of ["Where?", "And where?"]) await asker.run(question);

    // The headers of the option are read for the card, and then for each run; they go to trusted origins alone.
    const calls = [...own.calls, ...other.calls];
    const keys = own.calls.map(({ "x-key": key }) => key);
    expect([keys.length > 0, keys]).toEqual([true, keys.map(() => expect.stringMatching(/^[23]$/) as unknown)]);
    expect(new Set<unknown>(isTold ? calls.map(({ traceparent }) => traceparent) : [0, 1]).size).toBeGreaterThan(1);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.map(({ traceparent }) => traceparent !== undefined)).toEqual(calls.map(() => isTold));
  },
);
