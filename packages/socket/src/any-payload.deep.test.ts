import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { emitAnything, RawSocket, sendFrames } from "../test/generated/send-anything.ts";
import { ServedGateway } from "../test/serve-gateway.ts";
import { transports } from "../test/test-client.ts";

const trials = { few: { events: 50, frames: 8 }, many: { events: 10_000, frames: 500 } }[inject("trials")];

async function serveAnything(): Promise<{ served: ServedGateway; faults: unknown[] }> {
  const faults: unknown[] = [];
  const note = (fault: unknown): void => void faults.push(fault);
  process.on("unhandledRejection", note).on("uncaughtException", note);
  onTestFinished(() => void process.off("unhandledRejection", note).off("uncaughtException", note));
  const answering = new ScriptedModel().respond(() => "Hello.");
  const slow = new ScriptedModel().respond(() => ({ text: "One two three.", chunkDelayMs: 1 }));
  const agents = {
    a: new Agent({ name: "a", model: answering, logLevel: "silent" }),
    slow: new Agent({ name: "slow", model: slow, logLevel: "silent" }),
  };
  return { served: await ServedGateway.start({ agents }), faults };
}

async function expectNothingLeft({ served, faults }: Awaited<ReturnType<typeof serveAnything>>): Promise<void> {
  await vi.waitUntil(() => served.gateway.service.servedRuns.size === 0);
  expect(faults).toEqual([]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(served.lines.filter((line) => /\berror\b/i.test(line))).toEqual([]);
}

describe("the gateway", () => {
  it.each(transports)("answers any payload over %s with an error or a run [socket.any-payload]", async (transport) => {
    const place = await serveAnything();

    const outcomes = await emitAnything(place.served, transport, trials.events);

    expect([...outcomes]).toEqual(expect.arrayContaining(["run", "not_found"]));
    await expectNothingLeft(place);
  });

  it("goes on for others whatever frames a client sends [socket.any-payload]", async () => {
    const place = await serveAnything();

    await sendFrames(place.served, trials.frames);

    await expectNothingLeft(place);
  });

  it("acknowledges a payload that is no object, by its raw frame [socket.any-payload]", async () => {
    const { served } = await serveAnything();
    const raw = await RawSocket.open(served.url);

    raw.send('42/service,5["agent.run",7]');
    raw.send('42/service,6["agent.run"]');
    raw.send('42/service,7["agent.run",null,null,null]');
    await vi.waitUntil(() =>
      ["5", "6", "7"].every((id) => raw.texts.some((text) => text.startsWith(`43/service,${id}[`))),
    );

    for (const text of raw.texts.filter((each) => each.startsWith("43"))) expect(text).toContain('"code":"');
    await raw.close();
  });
});
