import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import type OpenAI from "openai";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serve } from "../test/serve.ts";

const messages = [{ role: "user" as const, content: "Hi" }];
const getTime = { type: "function", function: { name: "get_time", parameters: { type: "object" } } } as const;
const time = { type: "function", name: "get_time", parameters: { type: "object" }, strict: false } as const;
const input = "Hi";
const model = "helper";

/** Begins an answer that its client then no longer waits for. The promise settles once it is aborted. */
type Begin = (client: OpenAI, signal: AbortSignal) => Promise<unknown>;

const readToEnd = async (stream: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of stream);
};

const ways: Readonly<Record<string, Begin>> = {
  "a completion": (client, signal) => client.chat.completions.create({ model, messages }, { signal }),
  "a completion with tools of the client": (client, signal) =>
    client.chat.completions.create({ model, messages, tools: [getTime] }, { signal }),
  "a streamed completion": async (client, signal) =>
    await readToEnd(await client.chat.completions.create({ model, messages, stream: true }, { signal })),
  "a streamed completion with tools of the client": async (client, signal) =>
    await readToEnd(
      await client.chat.completions.create({ model, messages, tools: [getTime], stream: true }, { signal }),
    ),
  "a response": (client, signal) => client.responses.create({ model, input }, { signal }),
  "a response with tools of the client": (client, signal) =>
    client.responses.create({ model, input, tools: [time] }, { signal }),
  "a streamed response": async (client, signal) =>
    await readToEnd(await client.responses.create({ model, input, stream: true }, { signal })),
};

/** A model that says a word, and then waits until its run is cancelled, or the test lets it go on. */
class HangingModel extends ScriptedModel {
  readonly begun = Promise.withResolvers<undefined>();
  readonly goOn = Promise.withResolvers<undefined>();
  wasAborted = false;

  override async *stream(...[, options]: Parameters<ScriptedModel["stream"]>): ReturnType<ScriptedModel["stream"]> {
    yield { type: "text", text: "Ünd " };
    await this.#hang(options?.signal);
    yield { type: "text", text: "so." };
    yield { type: "finish", finishReason: "stop", usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 } };
  }

  override async generate(...call: Parameters<ScriptedModel["generate"]>): ReturnType<ScriptedModel["generate"]> {
    await this.#hang(call[1]?.signal);
    return await super.generate(...call);
  }

  async #hang(signal: AbortSignal | undefined): Promise<void> {
    this.begun.resolve(undefined);
    const aborted = new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => {
        this.wasAborted = true;
        resolve();
      });
    });
    await Promise.race([aborted, this.goOn.promise]);
    signal?.throwIfAborted();
  }
}

function hanging(): { helper: Agent; hangs: HangingModel } {
  const hangs = new HangingModel("So.");
  return { helper: new Agent({ name: "helper", model: hangs, storage: new InMemoryStorage() }), hangs };
}

describe.each(Object.entries(ways))("%s whose client leaves", (_, begin) => {
  it("cancels its run, and leaves none behind", async () => {
    const { helper, hangs } = hanging();
    const { client, service } = await serve({ agents: { helper } });
    const leaving = new AbortController();
    const answer = begin(client, leaving.signal);
    await hangs.begun.promise;
    leaving.abort();

    await answer.catch(() => undefined);
    await vi.waitFor(() => expect(hangs.wasAborted).toBe(true));
    await vi.waitFor(() => expect(service.servedRuns.size).toBe(0));
  });
});

describe("a response whose client leaves", () => {
  it.each([
    ["in the background", false, { background: true }],
    ["of a durable run", true, {}],
  ])("goes on %s, and is read later", async (_name, isDurable, more) => {
    const { helper, hangs } = hanging();
    const runs = new RunService({ storage: new InMemoryStorage(), agents: { helper } });
    onTestFinished(async () => await runs.close());
    if (isDurable) await runs.serve();
    const { as } = await serve({ agents: { helper }, ...(isDurable && { runs }) });
    const client = as("ada");
    const leaving = new AbortController();
    let id = "";
    const reading = (async () => {
      const { signal } = leaving;
      for await (const event of await client.responses.create({ model, input, stream: true, ...more }, { signal })) {
        if (event.type === "response.created") id = event.response.id;
      }
    })();
    await hangs.begun.promise;
    await vi.waitFor(() => expect(id).not.toBe(""));
    leaving.abort();
    await reading.catch(() => undefined);
    // The service has noticed the lost connection by the time it answers on another one.
    await client.models.list();
    hangs.goOn.resolve(undefined);

    await vi.waitFor(async () => {
      const { status, output_text: text } = await client.responses.retrieve(id);
      expect([status, text]).toEqual(["completed", "Ünd so."]);
    });
    expect(hangs.wasAborted).toBe(false);
  });
});
