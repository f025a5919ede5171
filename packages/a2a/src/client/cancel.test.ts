import { Agent, Team } from "@troupe/core";
import type { RunEvents } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import {
  card1,
  fakeRemote,
  piece1,
  sendError,
  sendFrames,
  sendResult,
  status1,
  task1,
  until,
  withPatience,
} from "../../test/fake-remote.ts";
import type { Answer, Asked } from "../../test/fake-remote.ts";
import { serveA2A } from "../../test/serve-a2a.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

const streaming = card1({ capabilities: { streaming: true } });

/** Begins a task that never ends, and takes its cancel. */
const endless: Answer = (asked, response) => {
  if (asked.rpc.method === "CancelTask") sendResult(asked, response, task1("CANCELED"));
  else sendFrames(asked, response, { task: task1("WORKING") }, piece1("So ", false));
};

describe("a run of a remote agent that ends early", () => {
  it.each(["the caller's signal", "cancel()", "a reader that leaves"])(
    "cancels its task: by %s [remote.cancel]",
    async (way) => {
      const { url, asked, methods } = await fakeRemote(endless, streaming);
      const abort = new AbortController();
      const stream = new A2ARemoteAgent({ url }).stream("Go.", { signal: abort.signal });
      const chunks = stream[Symbol.asyncIterator]();
      await chunks.next();
      if (way === "the caller's signal") abort.abort();
      if (way === "cancel()") stream.cancel();
      if (way === "a reader that leaves") await chunks.return?.();

      await expect(stream.output).rejects.toMatchObject({ code: "cancelled", output: { text: "So " } });
      expect(methods).toEqual(["SendStreamingMessage", "CancelTask"]);
      expect(asked.at(-1)?.rpc.params.id).toBe("t-1");
    },
  );

  it("cancels its task: by a limit [remote.cancel]", async () => {
    await withPatience(async (durationMs) => {
      const { url, methods } = await fakeRemote(endless, streaming);
      const running = new A2ARemoteAgent({ url }).run("Go.", { limits: { durationMs } });

      await expect(running).rejects.toMatchObject({ code: "limit_exceeded" });
      expect(methods).toEqual(["SendStreamingMessage", "CancelTask"]);
    });
  });

  it("waits for the id of a task that is on its way, to cancel it [remote.cancel]", async () => {
    const held: (() => void)[] = [];
    const { url, methods } = await fakeRemote((asked, response) => {
      if (asked.rpc.method === "CancelTask") sendResult(asked, response, task1("CANCELED"));
      else held.push(() => sendFrames(asked, response, { task: task1("WORKING") }));
    }, streaming);
    const abort = new AbortController();
    const running = new A2ARemoteAgent({ url }).run("Go.", { signal: abort.signal });
    running.catch(() => undefined);
    await until(() => held.length === 1);
    abort.abort();
    held[0]?.();

    await expect(running).rejects.toMatchObject({ code: "cancelled" });
    expect(methods).toEqual(["SendStreamingMessage", "CancelTask"]);
  });

  it("sends nothing when it is cancelled before its message, and cancels nothing that is over [remote.cancel]", async () => {
    const { url, asked, methods } = await fakeRemote((each, response) =>
      sendResult(each, response, { task: task1("COMPLETED", "Done.") }),
    );
    const agent = new A2ARemoteAgent({ url });
    await expect(agent.run("Go.", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    expect(asked).toEqual([]);
    const stream = agent.stream("Go.");
    await stream.output;
    stream.cancel();

    expect(methods).toEqual(["SendMessage"]);
  });

  it("is given up while it waits between questions for its task, and cancels that [remote.cancel]", async () => {
    const { url, methods } = await fakeRemote((asked, response) => {
      const { method } = asked.rpc;
      sendResult(
        asked,
        response,
        method === "SendMessage" ? { task: task1("WORKING") } : task1(method === "GetTask" ? "WORKING" : "CANCELED"),
      );
    });
    const abort = new AbortController();
    const running = new A2ARemoteAgent({ url }).run("Go.", { signal: abort.signal });
    running.catch(() => undefined);
    await until(() => methods.includes("GetTask"));
    abort.abort();

    await expect(running).rejects.toMatchObject({ code: "cancelled" });
    expect(methods.at(-1)).toBe("CancelTask");
  });

  it("warns when its task cannot be cancelled, but not of one that is over [remote.not-cancelled]", async () => {
    const warningsOf = async (refuse: (asked: Asked, response: Parameters<Answer>[1]) => void): Promise<unknown[]> => {
      const { url } = await fakeRemote((asked, response) => {
        if (asked.rpc.method === "CancelTask") refuse(asked, response);
        else endless(asked, response);
      }, streaming);
      const agent = new A2ARemoteAgent({ url, name: "far" });
      const warnings: RunEvents["run.warning"][] = [];
      agent.eventBus.on("run.warning", (warning) => warnings.push(warning));
      for await (const chunk of agent.stream("Go.")) if (chunk.type === "text") break;
      return warnings;
    };

    expect(await warningsOf((_asked, response) => response.writeHead(500).end("remote-canary"))).toMatchObject([
      { code: "remote_not_cancelled", message: "The task of a remote agent could not be cancelled. It may go on." },
    ]);
    expect(await warningsOf((asked, response) => sendError(asked, response, -32002))).toEqual([]);
  });

  it("cancels its task when it fails by itself [remote.cancel]", async () => {
    const { url, methods } = await fakeRemote((asked, response) => {
      if (asked.rpc.method === "CancelTask") sendResult(asked, response, task1("CANCELED"));
      else sendFrames(asked, response, { task: task1("WORKING") }, { neither: "this nor that" });
    }, streaming);

    await expect(new A2ARemoteAgent({ url }).run("Go.")).rejects.toMatchObject({ code: "model_failed" });
    expect(methods).toEqual(["SendStreamingMessage", "CancelTask"]);
  });

  it("fails when the agent asks for further credentials, and cancels the task [remote.failures]", async () => {
    const { url, methods } = await fakeRemote((asked, response) => {
      if (asked.rpc.method === "CancelTask") sendResult(asked, response, task1("CANCELED"));
      else sendFrames(asked, response, { task: task1("WORKING") }, status1("AUTH_REQUIRED", "remote-canary"));
    }, streaming);
    const error: unknown = await new A2ARemoteAgent({ url, name: "far" }).run("Go.").catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({
      code: "model_failed",
      message: expect.stringContaining("asks for further credentials"),
    });
    expect(JSON.stringify(error)).not.toContain("remote-canary");
    expect(methods.at(-1)).toBe("CancelTask");
  });
});

it("a team with a local and a remote member that is cancelled midway stops on both sides [remote.both-sides]", async () => {
  const endlessly = () => new ScriptedModel({ text: "word ".repeat(100), chunkDelayMs: 600_000 });
  const [near, far, orchestrator] = [endlessly(), endlessly(), new ScriptedModel("never")];
  const { url } = await serveA2A({ agents: { far: new Agent({ name: "far", model: far }) } });
  const members = [new Agent({ name: "near", model: near }), new A2ARemoteAgent({ url, name: "far" })];
  const team = new Team({ name: "team", mode: "broadcast", model: orchestrator, members });
  const abort = new AbortController();
  const running = team.run("Go.", { signal: abort.signal });
  running.catch(() => undefined);
  await until(() => near.calls.length === 1 && far.calls.length === 1);
  abort.abort();

  await expect(running).rejects.toMatchObject({ code: "cancelled" });
  await until(() => [near, far].every(({ calls }) => ["cancelled", "abandoned"].includes(calls[0]?.end ?? "")));
  expect(orchestrator.calls).toEqual([]);
});
