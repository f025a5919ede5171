import { createLogger, TroupeError } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { noLookup } from "../../test/receiver.ts";
import { heldAgent, message0, message1, scriptedAgent, serveA2A, untilState } from "../../test/serve-a2a.ts";
import type { A2AServerOptions, ServedA2A } from "../../test/serve-a2a.ts";
import { messageReply, completedReply } from "../agent/reply.ts";
import { ProgrammaticAgent } from "../agent/programmatic-agent.ts";

const silent = createLogger({ level: "silent" });

async function serve(options: Partial<A2AServerOptions> = {}): Promise<ServedA2A> {
  const agents = { helper: scriptedAgent([{ text: "Good day." }, { text: "Again you." }]) };
  return await serveA2A({ agents, logger: silent, ...options }, "ada");
}

/** Reads all frames of a stream, with their errors. */
async function framesOf(served: ServedA2A, method: string, params: object): Promise<Record<string, object>[]> {
  const response = await fetch(served.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: "));
  return frames.map((frame) => JSON.parse(frame.slice(6)) as Record<string, object>);
}

describe("a message", () => {
  it.each(["three", "toString", "__proto__"])(
    "a message to the agent %j, which is not known, is refused unread",
    async (agent) => {
      const runOptions = vi.fn<NonNullable<A2AServerOptions["runOptions"]>>();
      const served = await serve({ runOptions });
      const { error } = await served.call("message/send", message0("Hi", { metadata: { agent } }));
      expect([error.code, error.message]).toEqual([
        -32602,
        "The message names an agent that is not known. The agent card lists them all.",
      ]);
      expect(runOptions).not.toHaveBeenCalled();
    },
  );

  it("has the options that the host gives for its request, once", async () => {
    const seen: unknown[] = [];
    const agent = new ProgrammaticAgent({
      name: "helper",
      answer: async () => await Promise.resolve(completedReply("Done.")),
    });
    const stream = agent.stream.bind(agent);
    agent.stream = (input, given) => {
      seen.push(given?.metadata?.["of"]);
      return stream(input, given);
    };
    const runOptions = vi.fn<NonNullable<A2AServerOptions["runOptions"]>>(({ headers }) => ({
      metadata: { of: headers.get("x-of") },
    }));
    const served = await serve({ agents: { helper: agent }, runOptions });
    await served.call("message/send", message0("Hi"), { headers: { "x-of": "me" } });
    expect(new Set(seen)).toEqual(new Set(["me"]));
    expect(runOptions).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["message/send", message0],
    ["SendMessage", message1],
  ] as const)("begins no task where its address for notifications is refused: %s", async (method, message) => {
    const served = await serve({ pushNotifications: { lookup: noLookup } });
    const url = "http://10.0.0.1/hook";
    const configuration = { pushNotificationConfig: { url }, taskPushNotificationConfig: { url } };
    const { error } = await served.call(method, { ...message("Hi"), configuration });
    expect([error.code, error.message]).toEqual([
      -32602,
      "url must be an https: address of a public host, without a user name or password.",
    ]);
    expect((await served.call("ListTasks", {})).result).toMatchObject({ tasks: [], totalSize: 0 });
  });

  it("a message for a task that is not there keeps no config, and begins none", async () => {
    const served = await serve({ pushNotifications: { lookup: noLookup } });
    const configuration = { taskPushNotificationConfig: { url: "https://a.example/" } };
    const { error } = await served.call("SendMessage", { ...message1("Hi", { taskId: "unknown" }), configuration });
    expect(error.code).toBe(-32001);
    expect((await served.call("ListTasks", {})).result.totalSize).toBe(0);
  });

  it("has no answer by a message where its client does not wait, or goes on with a task", async () => {
    const agent = new ProgrammaticAgent({
      name: "helper",
      answer: async function* ({ message, ask }) {
        yield* [];
        if (JSON.stringify(message.parts).includes("ask")) await ask("Which?");
        return messageReply("Hello!");
      },
    });
    const served = await serve({ agents: { helper: agent } });
    const kindOf = async (params: object): Promise<string> => (await served.call("message/send", params)).result.kind;
    expect(await kindOf(message0("Hi"))).toBe("message");
    expect(await kindOf({ ...message0("Hi"), configuration: { blocking: false } })).toBe("task");
    const { result } = await served.call("message/send", message0("ask"));
    const done = await served.call("message/send", message0("This.", { taskId: result.id }));
    expect(done.result).toMatchObject({ kind: "task", id: result.id, status: { state: "completed" } });
  });

  it.each([
    [undefined, 1],
    [0, 0],
    [1, 1],
  ])("is answered with as much of the history as was asked for: %s", async (historyLength, count) => {
    const served = await serve();
    const { result } = await served.call("message/send", { ...message0("Hi"), configuration: { historyLength } });
    expect(result.history ?? []).toHaveLength(count);
    const got = await served.call("tasks/get", { id: result.id, historyLength });
    expect(got.result.history ?? []).toHaveLength(count);
    const [first] = await framesOf(served, "message/stream", { ...message0("Hi"), configuration: { historyLength } });
    const shown: { history?: object[] } = first?.["result"] ?? {};
    expect(shown.history ?? []).toHaveLength(count);
  });
});

describe("a subscription to a task that is over", () => {
  it("brings the task and its end to a client of 0.x", async () => {
    const served = await serve();
    const { result } = await served.call("message/send", message0("Hi"));
    const frames = await framesOf(served, "tasks/resubscribe", { id: result.id });
    expect(frames.map((frame) => frame["result"])).toEqual([
      result,
      {
        kind: "status-update",
        taskId: result.id,
        contextId: result.contextId,
        status: result.status,
        final: true,
      },
    ]);
  });

  it("is refused for one of 1.0", async () => {
    const served = await serve();
    const { result } = await served.call("message/send", message0("Hi"));
    const { error } = await served.call("SubscribeToTask", { id: result.id });
    expect([error.code, error.message]).toEqual([-32004, "The task is over: it has no more events. Get it by its id."]);
  });
});

describe("a stream whose task cannot be read on", () => {
  it.each([
    ["storage_unavailable", -32603, 1],
    ["not_found", -32001, 0],
    ["interrupted", -32603, 0],
  ] as const)("ends with the error of the task, as the last frame: %s", async (code, rpcCode, logs) => {
    const lines: string[] = [];
    const logger = createLogger({ level: "error", write: (line) => void lines.push(line) });
    const agents = { helper: scriptedAgent([{ text: "Good day." }]) };
    const runs = new RunService({ agents, logger: silent });
    onTestFinished(async () => await runs.close());
    await runs.serve();
    vi.spyOn(runs, "events").mockImplementation(() => {
      const next = async (): Promise<never> => await Promise.reject(new TroupeError(code, "Away."));
      const events = { next, return: next, [Symbol.asyncIterator]: () => events };
      events.return = (async () => await Promise.resolve({ done: true, value: undefined })) as never;
      return events as never;
    });
    const served = await serve({ agents, runs, logger });
    const frames = await framesOf(served, "SendStreamingMessage", message1("Hi"));
    expect(frames.map((frame) => Object.keys(frame["result"] ?? frame["error"] ?? {})[0])).toEqual(["task", "code"]);
    expect(frames.at(-1)?.["error"]).toMatchObject({ code: rpcCode });
    expect(lines.filter((line) => line.includes("A call failed by a fault of the service."))).toHaveLength(logs);
  });
});

describe("the cancel of a task", () => {
  it("answers with the task, a second time in 1.0 alone", async () => {
    const { agent } = heldAgent([]);
    const served = await serve({ agents: { helper: agent } });
    const begun = await served.call("message/send", { ...message0("Hi"), configuration: { blocking: false } });
    const { id } = begun.result;
    await untilState(served, id, "working");
    const { result } = await served.call("tasks/cancel", { id });
    expect(result).toMatchObject({ kind: "task", id, status: { state: "canceled" } });
    const again = [await served.call("tasks/cancel", { id }), await served.call("CancelTask", { id })];
    expect(again.map(({ error }) => error?.code)).toEqual([-32002, undefined]);
    expect(again[1]?.result).toMatchObject({ id, status: { state: "TASK_STATE_CANCELED" } });
  });
});
