import { defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { StorageDriver } from "@troupe/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { firstOf, message0, message1, scriptedAgent, serveA2A, untilState } from "../../test/serve-a2a.ts";

const call = (id: string, amount: number) => ({ id, name: "pay", arguments: { amount } });

/** An agent that pays once it may, and the amounts that it has paid. */
function payingAgent(storage: StorageDriver = new InMemoryStorage(), calls = [call("c1", 5)]) {
  const paid: number[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
    needsApproval: true,
    execute: ({ amount }: { amount: number }) => {
      paid.push(amount);
      return "paid";
    },
  });
  // Without calls it is the agent after a restart, whose first answer is stored.
  const asking = calls.length > 0 ? [{ text: "Let me see. ", toolCalls: calls }] : [];
  const agent = scriptedAgent([...asking, { text: "Done." }], {
    storage,
    tools: [pay],
  });
  return { agent, paid };
}

describe("a task that waits for an approval", () => {
  it("is input-required with the question, and goes on with the next message [a2a.input-required]", async () => {
    const { agent, paid } = payingAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", message0("Pay 5"));

    expect(result.status.state).toBe("input-required");
    expect(result.status.message.parts).toEqual([
      { kind: "text", text: expect.stringContaining('pay with {"amount":5}') },
      { kind: "data", data: expect.objectContaining({ waitId: "t.0.0", kind: "approval" }) },
    ]);
    expect(paid).toEqual([]);
    const answered = await served.call("message/send", message0("Yes.", { taskId: result.id }));
    expect(answered.result).toMatchObject({
      id: result.id,
      contextId: result.contextId,
      status: { state: "completed" },
    });
    expect(paid).toEqual([5]);
  });

  it("has all messages in its history, in order, and as many as a client wants [a2a.history]", async () => {
    const { agent } = payingAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", message0("Pay 5"));
    const { result: done } = await served.call("message/send", message0("yes", { taskId: result.id }));

    expect(done.history.map(({ role, parts }) => [role, (parts[0] as { text: string }).text])).toEqual([
      ["user", "Pay 5"],
      ["agent", expect.stringContaining("approval")],
      ["user", "yes"],
    ]);
    const last = await served.call("tasks/get", { id: result.id, historyLength: 1 });
    expect(last.result.history).toEqual(done.history.slice(-1));
  });

  it("takes any other text as a refusal that the agent is told [a2a.input-required]", async () => {
    const { agent, paid } = payingAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("SendMessage", message1("Pay 5"));
    const { id } = result.task;
    const answered = await served.call("SendMessage", message1("Too much!", { taskId: id }));

    expect(answered.result.task.status.state).toBe("TASK_STATE_COMPLETED");
    expect(paid).toEqual([]);
  });

  it("takes answers by the ids of several questions, and asks for what is left [a2a.input-required]", async () => {
    const { agent, paid } = payingAgent(undefined, [call("c1", 5), call("c2", 6)]);
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", message0("Pay 5 and 6"));
    const parts = [{ kind: "data", data: { waitId: "t.0.1", approved: true } }];
    const second = await served.call("message/send", message0("", { taskId: result.id, parts }));

    expect(second.result.status).toMatchObject({
      state: "input-required",
      message: { messageId: `${result.id}:t.0.0` },
    });
    const third = await served.call("message/send", message0("ok", { taskId: result.id }));
    expect(third.result.status.state).toBe("completed");
    expect(paid.toSorted((one, other) => one - other)).toEqual([5, 6]);
  });

  it("refuses an answer of a wrong shape, and still waits [a2a.input-required]", async () => {
    const { agent } = payingAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", message0("Pay 5"));
    const parts = [{ kind: "data", data: { waitId: "t.0.0", approved: "yes" } }];

    expect((await served.call("message/send", message0("", { taskId: result.id, parts }))).error.code).toBe(-32602);
    expect((await untilState(served, result.id, "input-required")).history).toHaveLength(1);
  });

  it("ends its stream, and one that is subscribed to hears the rest, the same for all [a2a.same-events]", async () => {
    const { agent } = payingAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const events = await Array.fromAsync(served.stream("message/stream", message0("Pay 5")));
    expect(events.at(-1)).toMatchObject({ final: true, status: { state: "input-required" } });
    const { id } = events[0] ?? { id: "" };

    const readers = [1, 2].map(() => served.stream("SubscribeToTask", { id }));
    for (const reader of readers) expect((await firstOf(reader)).task.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    const answer = Array.fromAsync(served.stream("SendStreamingMessage", message1("yes", { taskId: id })));
    const [one, other] = await Promise.all(readers.map(async (reader) => await Array.fromAsync(reader)));
    expect(one?.at(-1)?.statusUpdate.status.state).toBe("TASK_STATE_COMPLETED");
    expect(other).toEqual(one);
    const own = await answer;
    expect(own[0]?.task.status.state).toBe("TASK_STATE_WORKING");
    expect(JSON.stringify(own)).toContain("Done.");
    expect(JSON.stringify(own)).not.toContain("Let me see");
  });

  it("can be cancelled, and then takes no answer [a2a.tasks-cancel]", async () => {
    const { agent, paid } = payingAgent();
    const served = await serveA2A({ agents: { helper: agent } });
    const { result } = await served.call("message/send", message0("Pay 5"));
    expect((await served.call("tasks/cancel", { id: result.id })).result.status.state).toBe("canceled");
    expect((await served.call("message/send", message0("yes", { taskId: result.id }))).error.code).toBe(-32004);
    expect(paid).toEqual([]);
  });
});

describe("the tasks of a durable service", () => {
  it("go on after a restart, with their history, questions and streams [a2a.restart]", async () => {
    const storage = new InMemoryStorage();
    const before = payingAgent(storage);
    const first = new RunService({ storage, agents: { helper: before.agent } });
    await first.serve();
    const served = await serveA2A({ agents: { helper: before.agent }, runs: first });
    const { result } = await served.call("message/send", message0("Pay 5"));
    await first.close();
    await served.close();

    const later = payingAgent(storage, []);
    const runs = new RunService({ storage, agents: { helper: later.agent } });
    onTestFinished(async () => await runs.close());
    await runs.serve();
    const again = await serveA2A({ agents: { helper: later.agent }, runs });
    expect((await again.call("tasks/get", { id: result.id })).result).toEqual(result);
    const stream = again.stream("tasks/resubscribe", { id: result.id });
    expect(await firstOf(stream)).toMatchObject({ id: result.id, status: { state: "input-required" } });
    await again.call("message/send", message0("yes", { taskId: result.id }));
    const rest = await Array.fromAsync(stream);
    expect(rest.at(-1)).toMatchObject({ final: true, status: { state: "completed" } });
    expect(later.paid).toEqual([5]);
  });
});
