import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import { expect, it, onTestFinished } from "vitest";
import { durable, textOf } from "../test/stored-runs.ts";
import type { Frame } from "../test/stored-runs.ts";
import { createAgentRouter } from "./create-agent-router.ts";

const texts = ["a", "b"].map((half) => Array.from({ length: 30 }, (_, index) => `${half}${index}`).join(" "));

/** A program that reads a stream with the EventSource of Node until that gives up, and prints all events. */
const program = `
  const frames = [];
  // The pause before it asks again does not keep the process alive.
  setInterval(() => {}, 1000);
  const source = new EventSource(process.argv[1]);
  source.onmessage = ({ data, lastEventId }) => frames.push({ id: lastEventId, data: JSON.parse(data) });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) process.stdout.write(JSON.stringify(frames), () => process.exit());
  };
`;

/** Serves a durable agent whose first answer with events is cut in the middle. */
async function serveCut() {
  const cut = Promise.withResolvers<void>();
  // However late its reader comes: the run is not over before the first answer is cut.
  const hold = defineTool({
    name: "hold",
    description: "Waits.",
    parameters: { type: "object" },
    execute: async () => (await cut.promise, "held"),
  });
  const [before, after] = texts.map((text) => ({ text, chunkDelayMs: 3 }));
  const model = new ScriptedModel({ ...before, toolCalls: [{ name: "hold" }] }, { ...after });
  const agent = new Agent({ name: "a", model, tools: [hold] });
  const router = createAgentRouter({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
  const asked: (string | undefined)[] = [];
  const app = express().use((request, response, next) => {
    if (request.path.endsWith("/events")) {
      asked.push(request.get("last-event-id"));
      const write = response.write.bind(response) as (...sent: unknown[]) => boolean;
      response.write = ((...sent: unknown[]) => {
        const isWritten = write(...sent);
        if (asked.length === 1) setImmediate(() => cut.resolve(void response.destroy()));
        return isWritten;
      }) as typeof response.write;
    }
    next();
  });
  const server = createServer(app.use(router)).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, model };
}

it("an EventSource reads a durable run over a broken connection without a gap, and gives up when it has all [http.event-source]", async () => {
  const { url, asked, model } = await serveCut();
  const accepted = await fetch(`${url}/agents/a/run`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "respond-async" },
    body: '{"input":"Hello?"}',
  });

  const child = spawn(process.execPath, [
    "--experimental-eventsource",
    "--eval",
    program,
    `${url}${accepted.headers.get("location")}/events`,
  ]);
  const pieces: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
  await once(child, "close");

  const frames = JSON.parse(Buffer.concat(pieces).toString()) as Frame[];
  expect(textOf(frames)).toBe(texts.join(""));
  expect(frames.filter(({ data }) => data["type"] === "finish")).toHaveLength(1);
  // The second time it gets the rest, and the third time nothing.
  expect(asked).toHaveLength(3);
  expect(asked.slice(1)).not.toContain(undefined);
  expect(model.calls).toHaveLength(2);
});
