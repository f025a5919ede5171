import { afterEach, describe, expect, it, vi } from "vitest";
import { toPublicError } from "../../base/errors/public-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { until } from "../../testing/conformance/assert.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { AgentHooks } from "./agent-config.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const asks = { toolCalls: [callOf("1")] };
const broken = () => Promise.reject(new Error("hook broke with sk-12345678"));

describe("the hooks of an agent", () => {
  afterEach(() => void vi.useRealTimers());

  it("may be an instance of a class with fields of its own", async () => {
    class Counter implements AgentHooks {
      runs = 0;
      beforeRun(): void {
        this.runs += 1;
      }
    }
    const hooks = new Counter();
    await scripted(["Done."], { hooks }).agent.run("Weather?");

    expect(hooks.runs).toBe(1);
  });

  it("decide on calls that need an approval, as methods of an object that has state [agent.hooks]", async () => {
    class Approver implements AgentHooks {
      #asked: string[] = [];

      get asked(): string[] {
        return this.#asked;
      }

      onApproval(_context: RunContext, { arguments: args }: ToolCall): { approved: boolean; reason?: string } {
        this.#asked.push(String(args["at"]));
        return this.#asked.length === 1 ? { approved: true } : { approved: false, reason: "once is enough" };
      }
    }
    const hooks = new Approver();
    const tool = toolNamed("look", (at) => `${at} seen`, { needsApproval: true });
    const calls = { toolCalls: [callOf("1"), callOf("2", "Bergen")] };
    const { agent, model } = scripted([calls, "Done."], { tools: [tool], hooks });
    const output = await agent.run("Weather?");

    expect(hooks.asked).toEqual(["Oslo", "Bergen"]);
    expect(output.toolCalls.map(({ result }) => result)).toEqual([
      "Oslo seen",
      "The call of look was denied: once is enough",
    ]);
    expect(model.calls[1]?.messages.at(-1)?.content).toBe("The call of look was denied: once is enough");
  });

  it("are called in their order, with the run's context [agent.hooks]", async () => {
    const calls: unknown[][] = [];
    const hooks: AgentHooks = {
      beforeRun: (context, input) => void calls.push(["beforeRun", context.runId, input]),
      onToolCall: (context, call) => void calls.push(["onToolCall", context.runId, call]),
      afterRun: (context, output) => void calls.push(["afterRun", context.runId, output]),
      onError: () => expect.unreachable(),
    };
    const { agent } = scripted([asks, "Done."], { tools: [look], hooks });
    const output = await agent.run("Weather?");

    const { runId } = output;
    expect(calls).toEqual([
      ["beforeRun", runId, "Weather?"],
      ["onToolCall", runId, callOf("1")],
      ["afterRun", runId, output],
    ]);
  });

  it("may be methods of an object that has state", async () => {
    class Counting implements AgentHooks {
      #count = 0;

      get count(): number {
        return this.#count;
      }

      beforeRun(): void {
        this.#count += 1;
      }
      onToolCall(): void {
        this.#count += 10;
      }
      afterRun(): void {
        this.#count += 100;
      }
    }
    const hooks = new Counting();
    await scripted([asks, "Done."], { tools: [look], hooks }).agent.run("Hi");

    expect(hooks.count).toBe(111);
  });

  it("may replace the input in the model call, the answer and the session", async () => {
    const storage = new InMemoryStorage();
    const hooks = { beforeRun: async () => [{ type: "text" as const, text: "In Oslo?" }] };
    const { agent, model } = scripted(["Rain."], { hooks, storage });
    const output = await agent.run("Weather?", { sessionId: "s" });

    const input = [{ type: "text", text: "In Oslo?" }];
    expect(model.calls[0]?.messages).toEqual([{ role: "user", content: input }]);
    expect(output.messages?.[0]).toEqual({ role: "user", content: input });
    expect(await storage.list("turns")).toMatchObject([{ value: { input } }]);
  });

  it("may replace some inputs and leave others", async () => {
    const hooks: AgentHooks = {
      beforeRun: async (_context, input) => {
        if (input === "Weather?") return "In Oslo?";
        return undefined;
      },
    };
    const { agent, model } = scripted(["Rain.", "Hi."], { hooks });
    await agent.run("Weather?");
    await agent.run("Hello");

    expect(model.calls.map(({ messages }) => messages[0]?.content)).toEqual(["In Oslo?", "Hello"]);
  });

  it("may not replace the input with nothing", async () => {
    for (const input of ["", [], 5, { text: "Hi" }]) {
      const { agent, model } = scripted(["Hi."], { hooks: { beforeRun: () => input as string } });

      const error = await runErrorOf(agent.run("Hi"));
      expect(error).toMatchObject({ code: "invalid_request", message: expect.stringContaining("beforeRun") });
      expect(model.calls).toEqual([]);
    }
  });

  it("end the run when beforeRun throws: with a TroupeError as it is, with any other error hidden from clients", async () => {
    const refusal = new TroupeError("forbidden", "Not on Sundays.");
    const refused = scripted(["Hi."], { hooks: { beforeRun: () => Promise.reject(refusal) } });
    const failed = scripted(["Hi."], { hooks: { beforeRun: broken } });

    expect(await runErrorOf(refused.agent.run("Hi"))).toMatchObject({ code: "forbidden", message: "Not on Sundays." });
    const error = await runErrorOf(failed.agent.run("Hi"));
    expect(error.code).toBe("internal");
    expect(error.message).toMatch(/^The hook beforeRun failed: /);
    expect(toPublicError(error).message).not.toContain("sk-");
    expect([refused.model.calls, failed.model.calls]).toEqual([[], []]);
  });

  it("may deny a call: the model gets the reason, and goes on", async () => {
    const tool = toolNamed("look", () => expect.unreachable());
    const hooks = { onToolCall: () => ({ deny: "not at night" }) };
    const { agent, model } = scripted([asks, "Pity."], { tools: [tool], hooks });

    const output = await agent.run("Weather?");

    expect(output).toMatchObject({ text: "Pity.", toolCalls: [{ error: expect.stringContaining("not at night") }] });
    expect(model.calls[1]?.messages.at(-1)?.content).toContain("not at night");
  });

  it("deny a call when onToolCall throws", async () => {
    const tool = toolNamed("look", () => expect.unreachable());
    const { agent } = scripted([asks, "Pity."], { tools: [tool], hooks: { onToolCall: broken } });

    const output = await agent.run("Weather?");

    expect(output).toMatchObject({ text: "Pity.", toolCalls: [{ error: "The call of look was not allowed." }] });
  });

  it("are called once for a run that failed or was cancelled, before the caller gets the error [agent.on-error]", async () => {
    const order: unknown[] = [];
    const outputs: unknown[] = [];
    const hooks: AgentHooks = {
      afterRun: () => expect.unreachable(),
      onError: async (_context, error) => {
        await Promise.resolve();
        order.push(error.code);
        outputs.push(error.output);
      },
    };
    const failing = scripted([{ error: new Error("broken") }, { hang: true }], { hooks });
    failing.agent.eventBus.on("run.error", () => void order.push("event"));
    await failing.agent.run("Hi").catch(() => order.push("caller"));
    const stream = failing.agent.stream("Hi");
    const output = stream.output.catch(() => order.push("caller"));
    await until(() => failing.model.calls.length === 2);
    stream.cancel();
    await output;

    expect(order).toEqual(["internal", "event", "caller", "cancelled", "event", "caller"]);
    expect(outputs).toMatchObject([{ status: "error", messages: [{ content: "Hi" }] }, { status: "error" }]);
  });

  it("change nothing when afterRun or onError throws", async () => {
    const hooks = { afterRun: broken, onError: broken };
    const { agent } = scripted(["Hi.", { error: new TroupeError("model_failed", "Broken.") }], { hooks });

    expect((await agent.run("Hi")).status).toBe("completed");
    expect((await runErrorOf(agent.run("Hi"))).code).toBe("model_failed");
  });

  it("run afterRun after the turn is stored", async () => {
    const storage = new InMemoryStorage();
    const stored: number[] = [];
    const hooks = { afterRun: async () => void stored.push((await storage.list("turns")).length) };
    await scripted(["Hi."], { storage, hooks }).agent.run("Hi");

    expect(stored).toEqual([1]);
  });

  it("delay the end by the grace period at most when they hang", async () => {
    vi.useFakeTimers();
    const hooks = { onError: () => new Promise<void>(() => {}) };
    const outcome = scripted([{ error: new Error("broken") }], { hooks })
      .agent.run("Hi")
      .catch(() => "failed");
    await vi.advanceTimersByTimeAsync(5000);

    expect(await outcome).toBe("failed");
  });
});
