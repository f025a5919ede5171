import { Agent, InMemoryStorage } from "@troupe/core";
import { LocalEngine, RunService } from "@troupe/core/runs";
import type { RunEngine } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { seededRandom } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { durable, readPart, textOf, toFrames } from "../../test/stored-runs.ts";
import type { Frame, ReadPart } from "../../test/stored-runs.ts";
import { scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const text = Array.from({ length: 60 }, (_, index) => `word${index}`).join(" ");
const slow = { text, chunkDelayMs: 3 };
const body = { input: "Hello?" };
const patience = { timeout: 20_000, interval: 5 };

type Ask = (lastEventId: string | undefined, cutAfter: number) => Promise<ReadPart>;

/** Reads a stream to its end over connections that break at random places, as a client that asks again does. */
async function readBroken(ask: Ask, { seed, breaks }: { seed: number; breaks: number }): Promise<Frame[]> {
  const random = seededRandom(seed);
  const frames: Frame[] = [];
  for (let at = 0; ; at++) {
    const cutAfter = at < breaks ? 60 + Math.floor(random() * 900) : Infinity;
    const part = await ask(frames.at(-1)?.id, cutAfter);
    frames.push(...part.frames);
    if (part.isEnded && part.head !== "") {
      if (at >= breaks) return frames;
    }
  }
}

function expectWhole(frames: readonly Frame[]): void {
  const ids = frames.map(({ id = "" }) => id.split(".").map(Number));
  const isRising = ids.every(([number = 0, index = 0], at) => {
    const [lastNumber = 0, lastIndex = -1] = ids[at - 1] ?? [];
    return number > lastNumber || (number === lastNumber && index > lastIndex);
  });
  expect(isRising).toBe(true);
  expect(textOf(frames)).toBe(text);
  expect(frames.filter(({ data }) => data["type"] === "finish")).toHaveLength(1);
}

/** A durable run that is over, with its events. */
async function ended() {
  const agent = talker("Take an umbrella.");
  const service = await serve({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
  const { headers, text: streamed } = await service.post("/agents/a/stream", body);
  const path = `${headers.get("content-location")}/events`;
  await vi.waitFor(
    async () =>
      expect((await service.ask(headers.get("content-location") ?? "")).json).toMatchObject({ status: "completed" }),
    patience,
  );
  return { service, path, frames: toFrames(streamed) };
}

function withId(lastEventId: string | undefined): Record<string, string> {
  return lastEventId === undefined ? {} : { "last-event-id": lastEventId };
}

describe("a stream that breaks off", () => {
  it.each([1, 2, 3])(
    "goes on without a gap and nothing twice, over 20 breaks of a durable run, seed %i [http.resume-events]",
    async (seed) => {
      const { agent, model } = scripted(slow);
      const service = await serve({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
      const { headers } = await service.post("/agents/a/run", body, { prefer: "respond-async" });
      const path = `${headers.get("location")}/events`;

      const frames = await readBroken(
        async (id, cutAfter) => await readPart(service, { path, headers: withId(id), cutAfter }),
        { seed, breaks: 20 },
      );

      expectWhole(frames);
      expect(model.calls).toHaveLength(1);
    },
  );

  it("goes on without a gap and nothing twice where its request is sent again with its key, without a service [http.resume-key-stream]", async () => {
    const { agent, model } = scripted(slow);
    const service = await serve({ agents: { a: agent } });

    const frames = await readBroken(
      async (id, cutAfter) =>
        await readPart(service, {
          method: "POST",
          path: "/agents/a/stream",
          headers: { "idempotency-key": "k", ...withId(id) },
          body,
          cutAfter,
        }),
      { seed: 4, breaks: 20 },
    );

    expectWhole(frames);
    expect(model.calls).toHaveLength(1);
  });

  it("is read on by the id of its run where runs outlive their connections [http.resume-continue]", async () => {
    const { agent, model } = scripted(slow);
    const service = await serve({ agents: { a: agent }, onDisconnect: "continue" });

    const first = await readPart(service, { method: "POST", path: "/agents/a/stream", body, cutAfter: 900 });
    const runId = /x-run-id: (\S+)/i.exec(first.head)?.[1];
    const after = first.frames.at(-1)?.id;
    const rest = await readPart(service, { path: `/runs/${runId}/events?after=${after}` });

    expect(after).toBeDefined();
    expectWhole([...first.frames, ...rest.frames]);
    expect(model.calls).toHaveLength(1);
  });

  it("goes on behind the header before the query, as a browser keeps its first address", async () => {
    const { service, path, frames } = await ended();

    const rest = await readPart(service, { path: `${path}?after=${frames[0]?.id}`, headers: withId(frames[2]?.id) });

    expect(rest.frames).toEqual(frames.slice(3));
  });

  it("is a 204 when nothing is left, so that a browser asks no more, and the end is told once [http.events-seen]", async () => {
    const { service, path, frames } = await ended();

    const all = await readPart(service, { path });
    const none = await readPart(service, { path, headers: withId(frames.at(-1)?.id) });
    const head = await readPart(service, { method: "HEAD", path });

    expect(all.frames).toEqual(frames);
    expect([all.status, none.status, head.status]).toEqual([200, 204, 200]);
    expect(none.frames).toEqual([]);
  });

  it("is a 204 too behind the error that ended the run", async () => {
    const model = new ScriptedModel().respond(() => ({ error: new Error("broken") }));
    const agent = new Agent({ name: "a", model, retry: { maxRetries: 0 } });
    const service = await serve({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const { headers } = await service.post("/agents/a/run", body, { prefer: "respond-async" });
    const path = `${headers.get("location")}/events`;

    const all = await readPart(service, { path });
    const none = await readPart(service, { path, headers: withId(all.frames.at(-1)?.id) });

    expect([all.status, all.frames.at(-1)?.data["type"], none.status]).toEqual([200, "error", 204]);
  });

  it("is a 410 when its events were removed, and a 400 for what is no position [http.events-gone]", async () => {
    const agent = talker();
    let now = Date.now();
    const runs = await durable({ agents: { a: agent }, storage: new InMemoryStorage(), now: () => now });
    const service = await serve({ agents: { a: agent }, runs });
    const runId = (await service.post("/agents/a/run", body)).headers.get("x-run-id");
    await vi.waitFor(
      async () => expect(await runs.get(runId ?? "", "host")).toMatchObject({ status: "completed" }),
      patience,
    );

    const wrong = await service.ask(`/runs/${runId}/events?after=nowhere`);
    const behind = await service.ask(`/runs/${runId}/events?after=900.0`);
    now += 25 * 3_600_000;
    await runs.removal.cleanUp();
    const removed = await service.ask(`/runs/${runId}/events`);
    const kept = await service.ask(`/runs/${runId}`);
    now += 7 * 24 * 3_600_000;
    await runs.removal.cleanUp();

    expect([wrong.status, behind.status, removed.status, kept.status]).toEqual([400, 410, 410, 200]);
    expect(removed.json).toMatchObject({ error: { code: "gone" } });
    expect((await service.ask(`/runs/${runId}`)).status).toBe(404);
  });

  it("is a 410 in the process when its run is over for longer than resumeMs [http.resume-ms]", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const service = await serve({ agents: { a: talker() }, resumeMs: 5000 });
    const ask = async (path: string, more = {}) => await service.post(path, body, { "idempotency-key": "k", ...more });
    const first = await ask("/agents/a/stream");
    const path = `${first.headers.get("content-location")}/events`;

    vi.advanceTimersByTime(4000);
    const inTime = await service.ask(path);
    vi.advanceTimersByTime(4000);
    const late = await service.ask(path);
    const again = await ask("/agents/a/stream", { "last-event-id": "1.0" });

    expect([inTime.status, late.status, again.status]).toEqual([200, 410, 410]);
  });

  it("lets many clients follow one run [http.many-tails]", async () => {
    const { agent } = scripted(slow);
    const service = await serve({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const { headers } = await service.post("/agents/a/run", body, { prefer: "respond-async" });
    const path = `${headers.get("location")}/events`;

    const parts = await Promise.all(Array.from({ length: 50 }, async () => await readPart(service, { path })));

    for (const { frames } of parts) expectWhole(frames);
  });
});

describe("a takeover in the middle of a text", () => {
  /** Begins a run in one process, whose text a second process begins anew, and serves the second one. */
  async function takenOver() {
    const storage = new InMemoryStorage();
    const agentWith = (...answers: ConstructorParameters<typeof ScriptedModel>) =>
      new Agent({ name: "a", model: new ScriptedModel(...answers), storage: new InMemoryStorage() });
    const first = await durable({ agents: { a: agentWith({ text, chunkDelayMs: 40 }) }, storage });
    const agent = agentWith({ text });
    const second = new RunService({ agents: { a: agent }, storage });
    onTestFinished(async () => await second.close());
    const service = await serve({ agents: { a: agent }, runs: second });
    const { runId } = await first.accept({ kind: "agent", name: "a", input: "Hello?" });
    const takeOver = async () => {
      await first.close();
      await second.serve();
    };
    return { service, path: `/runs/${runId}/events`, runId, takeOver };
  }

  it("ends a plain stream with interrupted, and sends reset to a client that wants all events [http.interrupted]", async () => {
    const { service, path, runId, takeOver } = await takenOver();
    const reading = [path, `${path}?events=all`].map((each) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      return { hasText: promise, part: readPart(service, { path: each, onText: resolve }) };
    });
    await Promise.all(reading.map(({ hasText }) => hasText));
    await takeOver();
    const [plain, whole] = await Promise.all(reading.map(({ part }) => part));

    const end = plain?.frames.at(-1);
    expect(end?.data).toMatchObject({ type: "error", error: { code: "interrupted", runId } });
    const rest = await readPart(service, { path, headers: withId(end?.id) });
    expect(textOf(rest.frames)).toBe(text);
    expect(textOf((await readPart(service, { path })).frames)).toBe(text);
    const frames = whole?.frames ?? [];
    const reset = frames.findIndex(({ data }) => data["type"] === "reset");
    const step = frames[reset]?.data["journalStep"];
    const counting = frames.filter(({ data }, at) => at > reset || data["journalStep"] !== step);
    expect(reset).toBeGreaterThan(0);
    expect(textOf(counting)).toBe(text);
  });

  it("tells a client that sends its request again behind such a text from where it can go on [http.interrupted]", async () => {
    const storage = new InMemoryStorage();
    const agentWith = (...answers: ConstructorParameters<typeof ScriptedModel>) =>
      new Agent({ name: "a", model: new ScriptedModel(...answers), storage: new InMemoryStorage() });
    const agent = agentWith({ text });
    const second = new RunService({ agents: { a: agent }, storage, engine: shared(new LocalEngine()) });
    onTestFinished(async () => await second.close());
    const service = await serve({ agents: { a: agent }, runs: second });
    const send = async (lastEventId?: string, onText?: () => void) =>
      await readPart(service, {
        method: "POST",
        path: "/agents/a/stream",
        headers: { "idempotency-key": "k", ...withId(lastEventId) },
        body,
        ...(onText && { onText }),
      });
    const { promise: hasText, resolve } = Promise.withResolvers<void>();
    const reading = send(undefined, resolve);
    await vi.waitFor(async () => expect(await storage.list("runs")).toHaveLength(1), patience);
    const first = await durable({ agents: { a: agentWith({ text, chunkDelayMs: 40 }) }, storage });
    await hasText;
    await first.close();
    await second.serve();
    const seen = (await reading).frames.findLast(({ data }) => data["type"] === "text");

    const [told, ...others] = (await send(seen?.id)).frames;

    expect(others).toEqual([]);
    expect(told?.data).toMatchObject({ type: "error", error: { code: "interrupted" } });
    expect(textOf((await send(told?.id)).frames)).toBe(text);
  });
});

/** An engine that other processes may serve, as far as its service knows. */
function shared(engine: RunEngine): RunEngine {
  return {
    submit: (job) => engine.submit(job),
    withdraw: (runId) => engine.withdraw(runId),
    serve: (perform, options) => engine.serve(perform, options),
    waiting: () => engine.waiting(),
    close: () => engine.close(),
  };
}
