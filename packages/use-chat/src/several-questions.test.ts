import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { LocalEngine } from "@troupe/core/runs";
import type { RunEngine } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, vi } from "vitest";
import { checkChunks, lastText, openChat, typesOf } from "../test/chat.ts";
import type { TestChat } from "../test/chat.ts";
import { durable } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";

const patience = { timeout: 20_000, interval: 5 };
const rounds = [1, 2, 3];

/** An engine that performs what it is given only when it is told to. */
class LateEngine extends LocalEngine implements RunEngine {
  #mayPerform = Promise.resolve();
  perform: () => void = () => undefined;

  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#mayPerform = promise;
    this.perform = resolve;
  }

  override async submit(job: Parameters<LocalEngine["submit"]>[0]): Promise<void> {
    void this.#mayPerform.then(async () => await super.submit(job));
    await Promise.resolve();
  }
}

/** Makes an agent that asks for an approval in each round. */
function asker(): { agent: Agent; paid: unknown[] } {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { round: { type: "number" } } },
    needsApproval: true,
    execute: (args) => `Paid ${paid.push(args)}.`,
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    const round = messages.filter(({ role }) => role === "tool").length + 1;
    return round > rounds.length ? "All is paid." : { toolCalls: [{ name: "pay", arguments: { round } }] };
  });
  return { agent: new Agent({ name: "a", model, tools: [pay], storage: new InMemoryStorage() }), paid };
}

function questionOf({ chat }: TestChat): string {
  const part = chat.messages.at(-1)?.parts.findLast((each) => each.type === "tool-pay");
  return (part as { approval?: { id: string } } | undefined)?.approval?.id ?? "";
}

it("a run that asks in several rounds goes on in its message after each answer, however late it is performed [http.ui-approval]", async () => {
  const { agent, paid } = asker();
  const engine = new LateEngine();
  const runs = await durable({ agents: { a: agent }, engine });
  const service = await serve({ agents: { a: agent }, runs });
  const open = openChat(service, "/agents/a/ui", { id: "c1" });
  await open.chat.sendMessage({ text: "Pay." });

  for (const round of rounds) {
    expect(paid).toHaveLength(round - 1);
    await open.chat.addToolApprovalResponse({ id: questionOf(open), approved: true });
    engine.hold();
    // A record that lags behind the answer: the run still waits, and it is looked at again and again.
    const waiting = await runs.get(open.chat.messages.at(-1)?.id ?? "", "host");
    const looks = vi.spyOn(runs, "get").mockResolvedValue(waiting);
    const before = open.chunks.length;
    let isOver = false;
    const answered = open.chat.sendMessage().finally(() => (isOver = true));
    await vi.waitFor(() => expect(isOver || looks.mock.calls.length > 5).toBe(true), patience);
    expect([isOver, typesOf(open.chunks.slice(before))]).toEqual([false, expect.not.arrayContaining(["finish"])]);
    looks.mockRestore();
    engine.perform();
    await answered;
    expect(paid).toHaveLength(round);
    expect(typesOf(open.chunks.slice(before)).filter((type) => type === "tool-output-available")).toHaveLength(1);
  }

  expect(lastText(open)).toBe("All is paid.");
  await checkChunks(open.chunks);
  expect(open.chat.messages).toHaveLength(2);
  expect(open.chat.messages.at(-1)?.parts.filter(({ type }) => type === "tool-pay")).toMatchObject(
    rounds.map((round) => ({ state: "output-available", input: { round }, output: `Paid ${round}.` })),
  );
});
