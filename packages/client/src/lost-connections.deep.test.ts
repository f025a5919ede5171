import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createClient } from "./index.ts";
import { expect, inject, it, onTestFinished } from "vitest";
import { servers, serveOn } from "../test/serve.ts";

const [chunks, kills] = inject("trials") === "many" ? [10_000, 34] : [1000, 5];

/** A proxy that ends connections after a number of bytes from the server, until it has ended as many as it should. */
async function killingProxy(target: string, places: readonly number[]): Promise<{ url: string; killed: () => number }> {
  const left = [...places];
  const { port } = new URL(target);
  const proxy = createServer((client) => {
    const server = connect(Number(port), "127.0.0.1");
    let room = left.shift() ?? Infinity;
    server.on("data", (bytes) => {
      client.write(bytes.subarray(0, room));
      room -= bytes.length;
      if (room > 0) return;
      client.resetAndDestroy();
      server.destroy();
    });
    client.on("data", (bytes) => void server.write(bytes));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("close", () => other.destroy());
      one.on("error", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    killed: () => places.length - left.length,
  };
}

/** Random places from a seed, with small ones among them: within the head of an answer, and within an event. */
function placesOf(seed: number): number[] {
  let state = seed;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647);
  return Array.from({ length: kills }, (_, index) => (index % 5 === 0 ? 1 + (next() % 600) : 400 + (next() % 24_000)));
}

it.each(servers.map((server, index) => [server, 7 + index] as const))(
  `the client reads ${chunks} chunks from %s without a gap and without one twice, over ${kills} connections that are killed, seed %i [client.resume]`,
  { timeout: 60_000 },
  async (server, seed) => {
    const texts = Array.from({ length: chunks }, (_, index) => `${index} `);
    const model = new ScriptedModel().respond(() => ({ text: texts }));
    const helper = new Agent({ name: "helper", model, storage: new InMemoryStorage() });
    const { url, killed } = await killingProxy(await serveOn(server, { agents: { helper } }), placesOf(seed));
    const client = createClient({ baseUrl: url, pause: async () => await Promise.resolve() });

    const read: string[] = [];
    for await (const event of client.agent("helper").stream("Count.")) if (event.type === "text") read.push(event.text);

    expect(read.join("")).toBe(texts.join(""));
    expect(killed()).toBe(kills);
    expect(model.calls).toHaveLength(1);
  },
);
