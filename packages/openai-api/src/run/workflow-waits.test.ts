import { Workflow } from "@troupe/core";
import type { WorkflowStep } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serve } from "../../test/serve.ts";

type State = { greeting?: string; paid?: unknown; question?: unknown };

/** Serves a workflow as a model. Its steps come before a step that greets. */
async function serveSteps(steps: readonly WorkflowStep<State>[]) {
  const greet = { name: "greet", run: () => ({ greeting: "Grüße." }) };
  const flow = new Workflow<State>({ name: "flow", initialState: {}, steps: [...steps, greet] });
  const runs = new RunService({ workflows: { flow } });
  await runs.serve();
  onTestFinished(async () => await runs.close());
  const api = await serve({ workflows: { flow }, runs });
  return { ...api, runs };
}

const messages = [{ role: "user" as const, content: "Hi" }];

/** Asks the workflow in each way of the API. Returns the texts of the answers. */
const ways = {
  completion: async ({ client }) => {
    return (await client.chat.completions.create({ model: "flow", messages })).choices[0]?.message.content;
  },
  "streamed completion": async ({ client }) => {
    let text = "";
    for await (const { choices } of await client.chat.completions.create({ model: "flow", messages, stream: true })) {
      text += choices[0]?.delta.content ?? "";
    }
    return text;
  },
  response: async ({ client }) => (await client.responses.create({ model: "flow", input: "Hi" })).output_text,
  "streamed response": async ({ client }) => {
    let text = "";
    for await (const event of await client.responses.create({ model: "flow", input: "Hi", stream: true })) {
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.failed") throw new Error(event.response.error?.message);
      if (event.type === "error") throw new Error(event.message);
    }
    return text;
  },
} satisfies Record<string, (api: Awaited<ReturnType<typeof serve>>) => Promise<string | null | undefined>>;

describe.each(Object.entries(ways))("a %s of a workflow", (_name, ask) => {
  it("goes on after a sleep", async () => {
    const api = await serveSteps([{ name: "nap", sleepMs: 60 }]);

    expect(await ask(api)).toContain("Grüße.");
  });

  it("goes on with the signal that its run waits for", async () => {
    const api = await serveSteps([{ name: "paid", waitFor: "bezahlt ✓" }]);
    const answer = ask(api);
    const waiting = async () => (await api.runs.list("host", { status: "waiting" })).runs.map(({ runId }) => runId);
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 10_000 });
    const [runId = ""] = await waiting();
    await api.runs.signal(runId, "bezahlt ✓", { amount: 40 }, "host");

    expect(await answer).toContain("40");
  });

  it("fails with a sentence if the run asks a person", async () => {
    const api = await serveSteps([{ name: "question", ask: () => "Which colour?" }]);

    await expect(ask(api)).rejects.toThrow("The run waits for an answer that this API has no place for.");
  });
});

describe("a response of a workflow in the background", () => {
  it.each<[string, WorkflowStep<State>]>([
    ["sleeps", { name: "nap", sleepMs: 3_600_000 }],
    ["waits for a signal", { name: "paid", waitFor: "bezahlt ✓" }],
  ])("is in progress while its run %s", async (_, step) => {
    const { client, runs } = await serveSteps([step]);
    const { id } = await client.responses.create({ model: "flow", input: "Hi", background: true });
    await untilWaiting(runs);

    expect(await client.responses.retrieve(id)).toMatchObject({ status: "in_progress", completed_at: null });
  });

  it("is refused with a sentence while its run asks a person", async () => {
    const { client, runs } = await serveSteps([{ name: "question", ask: () => "Which colour?" }]);
    const { id } = await client.responses.create({ model: "flow", input: "Hi", background: true });
    await untilWaiting(runs);

    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 409, code: "run_waits" });
  });
});

async function untilWaiting(runs: RunService): Promise<void> {
  const waiting = async () => (await runs.list("host", { status: "waiting" })).runs;
  await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 10_000 });
}
