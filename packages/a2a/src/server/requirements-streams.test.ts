import { describe, expect, it } from "vitest";
import { bindings, serveChecked, toPayer } from "../../test/checked-client.ts";
import { firstOf, message1, textsOf } from "../../test/serve-a2a.ts";
import type { Received } from "../../test/serve-a2a.ts";

/** The kind of each event of a stream, and its state. */
function kindsOf(events: readonly { statusUpdate?: { status: { state: string } } }[]): string[] {
  return events.map((event) => event.statusUpdate?.status.state ?? Object.keys(event).join());
}

// The names in front of the titles are those of the requirement table of A2A 1.0.
describe.each(bindings)("requirements of A2A 1.0 on streams, over %s [a2a.requirements-streams]", (binding) => {
  it("CORE-STREAM-001, CORE-STREAM-003, JSONRPC-SSE-001: a stream begins with the task and closes when it is over", async () => {
    const hasText = Promise.withResolvers<void>();
    const client = await serveChecked(binding, hasText.promise);
    const events: Received[] = [];
    for await (const event of client.stream("SendStreamingMessage", message1("Hi"))) {
      events.push(event);
      // A client that has no text at the end of the run gets all of it in one piece.
      if (textsOf(events).join("") === "Answer 1.") hasText.resolve();
    }
    const [first, ...others] = kindsOf(events);
    expect(first).toBe("task");
    expect(others.slice(0, 2)).toEqual(["TASK_STATE_WORKING", "artifactUpdate"]);
    expect(others.at(-1)).toBe("TASK_STATE_COMPLETED");
    expect(others.filter((kind) => kind === "task")).toEqual([]);
    const updates = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    const closing = updates.pop();
    expect(textsOf(events.slice(0, -2)).join("")).toBe("Answer 1.");
    expect(updates.map(({ append = false, lastChunk = false }) => [append, lastChunk])).toEqual(
      updates.map((_, index) => [index > 0, false]),
    );
    expect(closing).toMatchObject({ artifact: { parts: [{ text: "Answer 1." }] }, lastChunk: true });
    expect(closing?.append ?? false).toBe(false);
  });

  it("STREAM-SUB-001, STREAM-SUB-002, STREAM-ORDER-001 to STREAM-ORDER-004: all streams of a task get the same events in the same order, also when one is left", async () => {
    const client = await serveChecked(binding);
    const { id } = await client.send("Pay", toPayer);
    const streams = [1, 2, 3].map(() => client.stream("SubscribeToTask", { id }));
    const firsts = await Promise.all(streams.map((stream) => firstOf(stream)));
    expect(firsts.map(({ task }) => task.id)).toEqual([id, id, id]);
    await streams[2]?.return();
    await client.call("SendMessage", { ...message1("Approved", { taskId: id }) });
    const [one, other] = await Promise.all(streams.slice(0, 2).map((stream) => Array.fromAsync(stream)));
    expect(one).toEqual(other);
    expect(kindsOf(one ?? []).at(-1)).toBe("TASK_STATE_COMPLETED");
    expect(new Set(kindsOf(one ?? []).filter((kind) => kind.startsWith("TASK_STATE"))).size).toBe(2);
  });

  it("STREAM-SUB-003, STREAM-SUB-004: a task that is over, or is not there, has no stream, and the error is JSON", async () => {
    const client = await serveChecked(binding);
    const { id } = await client.send("Hi");
    expect((await client.call("SubscribeToTask", { id })).error.code).toBe(-32004);
    expect((await client.call("SubscribeToTask", { id: "nowhere" })).error.code).toBe(-32001);
    expect((await client.call("SendStreamingMessage", {})).error.code).toBe(-32602);
  });

  it("closes where the task waits for its client, who goes on with another stream", async () => {
    const client = await serveChecked(binding);
    const waiting = await Array.fromAsync(client.stream("SendStreamingMessage", { ...message1("Pay"), ...toPayer }));
    expect(kindsOf(waiting).at(-1)).toBe("TASK_STATE_INPUT_REQUIRED");
    const taskId = waiting[0]?.task.id ?? "";
    const going = await Array.fromAsync(client.stream("SendStreamingMessage", message1("Approved", { taskId })));
    expect(going[0]?.task.id).toBe(taskId);
    expect(kindsOf(going).at(-1)).toBe("TASK_STATE_COMPLETED");
  });

  it("goes on when its client has left: the task is completed", async () => {
    const client = await serveChecked(binding);
    const stream = client.stream("SendStreamingMessage", message1("Hi"));
    const { task } = await firstOf(stream);
    await stream.return();
    const stateOf = async () => (await client.call("GetTask", { id: task.id })).result.status.state;
    await expect.poll(stateOf).toBe("TASK_STATE_COMPLETED");
  });
});
