import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InspectorClient } from "./inspector-client.ts";

type Asked = { readonly url: string; readonly headers: unknown; readonly signal: AbortSignal; readonly at: number };

/** Answers each request with the next of these. The last one stands for all later requests. */
function answering(...answers: readonly (() => Response | Error)[]): Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal("fetch", async (url: URL | string, { headers, signal }: RequestInit) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]?.();
    signal?.throwIfAborted();
    asked.push({ url: String(url), headers, signal: signal as AbortSignal, at: Date.now() });
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("No answer.");
    return await Promise.resolve(answer);
  });
  return asked;
}

const client = new InspectorClient(new URL("http://h/page/"));
const events = (...lines: readonly string[]) => new Response(lines.join(""));
const event = (id: string, data: object) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
const text = { type: "text", step: "m/0", text: "é" };
const end = { type: "end", output: null };

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the requests of the inspector", () => {
  it.each([
    [{ status: "" }, "http://h/page/inspector/runs?limit=30"],
    [{ status: "error", after: "r/1" }, "http://h/page/inspector/runs?limit=30&status=error&after=r%2F1"],
  ])("list runs with %j at %s", async (options, url) => {
    const asked = answering(() => Response.json({ runs: [] }));
    const { signal } = new AbortController();

    expect(await client.list(options, signal)).toEqual({ runs: [] });
    expect(asked).toMatchObject([{ url, headers: {} }]);
    expect(asked[0]?.signal).toBe(signal);
  });

  it("read a run", async () => {
    const asked = answering(() => Response.json({ run: {} }));
    await client.read("r/é", new AbortController().signal);

    expect(asked).toMatchObject([{ url: "http://h/page/inspector/runs/r%2F%C3%A9" }]);
  });

  it("read the model call of a step, whose key may have any characters", async () => {
    const asked = answering(() => Response.json({ modelId: "m" }));
    expect(await client.modelCall("r/é", "t/0/0/run/m/1", new AbortController().signal)).toEqual({ modelId: "m" });

    expect(asked).toMatchObject([
      { url: "http://h/page/inspector/runs/r%2F%C3%A9/model-call?step=t%2F0%2F0%2Frun%2Fm%2F1" },
    ]);
  });

  it.each<[number, string | undefined, string, boolean]>([
    [403, '{"error":{"message":"Not é."}}', "Not é.", true],
    [499, "{}", "The inspector answered 499.", true],
    [408, "{}", "The inspector answered 408.", false],
    [429, "{}", "The inspector answered 429.", false],
    [500, '{"error":{"message":7}}', "The inspector answered 500.", false],
    [503, "no JSON", "The inspector answered 503.", false],
  ])("that are answered with %i fail", async (...[status, body, message, isFinal]) => {
    answering(() => new Response(body, { status }));

    await expect(client.read("r", new AbortController().signal)).rejects.toMatchObject({ message, isFinal });
  });

  it("say of a run that is not there that it was not kept, or is not theirs", async () => {
    answering(() => Response.json({ error: { message: 'Run "r" not found.' } }, { status: 404 }));

    await expect(client.read("r", new AbortController().signal)).rejects.toMatchObject({
      message:
        "This run was not kept, or is not yours. Only durable runs have steps here, for as long as the service keeps them.",
      isFinal: true,
    });
  });

  it("have the user's keys if they make a model call again, and no others [page.keys]", async () => {
    const asked = answering(() => Response.json({ runs: [] }));
    const keyed = new InspectorClient(new URL("http://h/page/"), () => ({ "x-openai-api-key": "sk-canary" }));
    const { signal } = new AbortController();
    await keyed.list({ status: "" }, signal);
    await keyed.read("r", signal);
    await keyed.modelCall("r", "m/0", signal);
    expect(JSON.stringify(asked)).not.toContain("sk-canary");
    await keyed.callAgain("r", "m/0", { model: "large", system: "" });
    await client.callAgain("r", "m/0", { model: "large", system: "" });

    expect(asked.slice(3).map(({ headers }) => headers)).toEqual([
      { "x-openai-api-key": "sk-canary", "Content-Type": "application/json" },
      { "Content-Type": "application/json" },
    ]);
    expect([keyed.takesKeys, client.takesKeys]).toEqual([true, false]);
  });
});

describe("the log of a run", () => {
  /** Follows a run until it ends or this much time is over. */
  async function follow(ms: number, signal: AbortSignal = new AbortController().signal) {
    const updates: unknown[] = [];
    const reading = (async () => {
      for await (const update of client.follow("r", signal)) updates.push(update === "broken" ? update : update.id);
    })().then(
      () => "over",
      (error: Error) => error.message,
    );
    await vi.advanceTimersByTimeAsync(ms);
    return { updates, result: await Promise.race([reading, Promise.resolve("open")]) };
  }

  it("is read to its end, and no further", async () => {
    const asked = answering(() => events(event("1", text), event("2", end), event("3", text)));

    expect(await follow(0)).toEqual({ updates: ["1", "2"], result: "over" });
    expect(asked).toMatchObject([{ url: "http://h/page/inspector/runs/r/events", headers: {} }]);
  });

  it("goes on behind the last event when the connection breaks", async () => {
    const asked = answering(
      () => events(event("1", text)),
      () => new Error("Broken."),
      () => events(event("2", text)),
      () => events(event("3", end)),
    );

    expect(await follow(60_000)).toEqual({ updates: ["1", "broken", "broken", "2", "broken", "3"], result: "over" });
    expect(asked.map(({ headers }) => headers)).toEqual([
      {},
      { "Last-Event-ID": "1" },
      { "Last-Event-ID": "1" },
      { "Last-Event-ID": "2" },
    ]);
  });

  it("is asked for after longer and longer pauses, which an event makes short again", async () => {
    const broken = () => new Error("Broken.");
    const answers = [...Array<() => Error>(8).fill(broken), () => events(event("1", text)), broken];
    const asked = answering(...answers);
    await follow(75_000);
    const times = asked.map(({ at }) => at);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));

    expect(pauses.slice(0, 11)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 500, 1000, 2000]);
  });

  it.each([
    ["a refusal", () => new Response('{"error":{"message":"Gone."}}', { status: 410 })],
    ["an error among the events", () => events(`data: ${JSON.stringify({ error: { message: "Gone." } })}\n\n`)],
  ])("is given up after %s", async (_, answer) => {
    const asked = answering(answer);

    expect(await follow(60_000)).toEqual({ updates: [], result: "Gone." });
    expect(asked).toHaveLength(1);
  });

  it("is left when the reader leaves, also in a pause", async () => {
    const asked = answering(() => new Error("Broken."));
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 700);

    expect((await follow(60_000, leaving.signal)).updates).toEqual(["broken", "broken"]);
    expect(asked).toHaveLength(2);
  });
});
