import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunServiceOptions } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { onTestFinished } from "vitest";

/** Makes a durable service over memory that performs its runs until the test is over. */
export async function durable(options: RunServiceOptions): Promise<RunService> {
  const service = new RunService({ storage: new InMemoryStorage(), ...options });
  onTestFinished(async () => await service.close());
  await service.serve();
  return service;
}

/** Makes an agent that asks for approval before it pays, with the payments that it has made. */
export function payer(): { agent: Agent; paid: unknown[] } {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: true,
    execute: (args) => {
      paid.push(args);
      return "Paid.";
    },
  });
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "It is done." : { toolCalls: [{ name: "pay", arguments: { amount: 20 } }] },
  );
  return { agent: new Agent({ name: "payer", model, tools: [pay], storage: new InMemoryStorage() }), paid };
}

/** An agent whose model says some words, one whenever it is told to. */
export type Teller = {
  readonly agent: Agent;
  readonly say: (words: number) => void;
  readonly calls: { count: number };
};

/** Makes an agent that answers with "1 2 3 …": a word for each that `say` allows, up to the given number. */
export function teller(words: number): Teller {
  const calls = { count: 0 };
  const turn = { allowed: 0, wake: () => undefined as void };
  const model = new ScriptedModel();
  model.stream = async function* stream(_messages, options) {
    calls.count += 1;
    const { signal } = options ?? {};
    for (let said = 1; said <= words; said++) {
      while (said > turn.allowed) {
        signal?.throwIfAborted();
        await new Promise<void>((resolve) => {
          turn.wake = resolve;
          signal?.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      signal?.throwIfAborted();
      yield { type: "text", text: `${said} ` };
    }
    yield { type: "finish", finishReason: "stop" };
  };
  const say = (more: number): void => {
    turn.allowed += more;
    turn.wake();
  };
  return { agent: new Agent({ name: "teller", model, storage: new InMemoryStorage() }), say, calls };
}
