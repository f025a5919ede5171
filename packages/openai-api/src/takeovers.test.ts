import { Agent, InMemoryStorage } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { LocalEngine, RunService } from "@troupe/core/runs";
import type { RunEngine } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readAll, serve } from "../test/serve.ts";

const patience = { timeout: 20_000, interval: 5 };
const whole = "ganz und gar, é";
const request = { model: "a", messages: [{ role: "user" as const, content: "Hi" }] };

/** Only a completion in a session, such as that of a chat of Open WebUI, is a run that other processes may perform. */
const inSession = { headers: { "x-openwebui-user-id": "ada", "x-openwebui-chat-id": "s1" } };

/** Makes a model that begins its answer and hangs. */
function hangingBehind(...begun: readonly ModelChunk[]): ScriptedModel {
  const model = new ScriptedModel();
  model.stream = async function* stream(_messages, options) {
    yield* begun;
    await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
    options?.signal?.throwIfAborted();
  };
  return model;
}

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

/**
 * Serves an agent in a process that performs no runs at first. `begin` starts another process, which performs them and
 * hangs behind what it has begun; `takeOver` ends that one, so that the first process performs them.
 */
async function open(...begun: readonly ModelChunk[]) {
  const storage = new InMemoryStorage();
  const sessions = new InMemoryStorage();
  const agentOf = (model: ScriptedModel) => new Agent({ name: "a", model, storage: sessions });
  const agents = { a: agentOf(new ScriptedModel(whole)) };
  const runs = new RunService({ agents, storage, engine: shared(new LocalEngine()) });
  const api = await serve({ agents, runs }, { api: { openWebUi: { trustUserHeaders: true } } });
  let other: RunService | undefined;
  onTestFinished(async () => {
    await runs.close();
    await other?.close();
  });
  const begin = async (): Promise<void> => {
    await vi.waitFor(async () => expect(await storage.list("runs")).toHaveLength(1), patience);
    other = new RunService({ agents: { a: agentOf(hangingBehind(...begun)) }, storage });
    void other.serve();
  };
  const takeOver = async (): Promise<void> => {
    await other?.close();
    await runs.serve();
  };
  return { ...api, begin, takeOver };
}

/** Reads a stream, and lets another process take the run over once `isSeen` holds for one of its events. */
async function readOver<Event>(
  stream: AsyncIterable<Event>,
  takeOver: () => Promise<void>,
  isSeen: (event: Event) => boolean,
): Promise<Event[]> {
  const events: Event[] = [];
  let hasTaken = false;
  for await (const event of stream) {
    events.push(event);
    if (hasTaken || !isSeen(event)) continue;
    hasTaken = true;
    await takeOver();
  }
  return events;
}

const half: readonly ModelChunk[] = [
  { type: "text", text: "erste " },
  { type: "text", text: "Hälfte" },
];

describe("a takeover within a chat completion", () => {
  it("ends a stream whose text is void with an error, and never sends text twice [openai-api.takeover]", async () => {
    const { client, begin, takeOver } = await open(...half);
    const asked = client.chat.completions.create({ ...request, stream: true }, inSession);
    await begin();
    let text = "";
    const read = async () => {
      await readOver(await asked, takeOver, ({ choices: [choice] }) => {
        text += choice?.delta.content ?? "";
        return text.endsWith("Hälfte");
      });
    };

    await expect(read()).rejects.toMatchObject({ code: "interrupted" });
    expect(text).toBe("erste Hälfte");
  });

  it("goes on within thoughts, which no answer has [openai-api.takeover]", async () => {
    const { client, begin, takeOver } = await open({ type: "thinking", text: "Hm." });
    const asked = client.chat.completions.create({ ...request, stream: true }, inSession);
    await begin();
    const chunks = await readOver(await asked, takeOver, ({ choices: [choice] }) => {
      return JSON.stringify(choice?.delta ?? null).includes("Hm.");
    });

    expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("")).toBe(whole);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  });

  it("is nothing to a client that waits for the whole [openai-api.takeover]", async () => {
    const { client, begin, takeOver } = await open(...half);
    const asked = client.chat.completions.create(request, inSession);
    await begin();
    await takeOver();

    expect((await asked).choices[0]?.message.content).toBe(whole);
  });
});

describe("a takeover within a response", () => {
  it("ends what is void as incomplete, and the response has the new text alone [openai-api.takeover]", async () => {
    const { client, begin, takeOver } = await open(...half);
    const asked = client.responses.create({ model: "a", input: "Hi", stream: true });
    await begin();
    const events = await readOver(await asked, takeOver, (event) => {
      return event.type === "response.output_text.delta" && event.delta === "Hälfte";
    });

    const items = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
    expect(items.map((item) => "status" in item && item.status)).toEqual(["incomplete", "completed"]);
    const last = events.at(-1);
    expect(last?.type).toBe("response.completed");
    const { response } = last as Extract<typeof last, { type: "response.completed" }>;
    expect(response.output).toEqual([items[1]]);
    expect(JSON.stringify(response.output)).toContain(whole);
  });

  it("is nothing to a client that waits for the whole, or asks for it later [openai-api.takeover]", async () => {
    const { client, begin, takeOver } = await open(...half);
    const asked = client.responses.create({ model: "a", input: "Hi" });
    await begin();
    await takeOver();

    const { id, output_text: text } = await asked;
    expect(text).toBe(whole);
    expect(JSON.stringify((await client.responses.retrieve(id)).output)).toContain(whole);
  });

  it("a takeover within a response in the background is read from its beginning by a later client [openai-api.takeover]", async () => {
    const { client, begin, takeOver } = await open(...half);
    const { id } = await client.responses.create({ model: "a", input: "Hi", background: true });
    await begin();
    await takeOver();
    const events = await readAll(await client.responses.retrieve(id, { stream: true }));

    const deltas = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
    expect(deltas.join("").endsWith(whole)).toBe(true);
    expect(events.at(-1)?.type).toBe("response.completed");
  });
});
