import { Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, describe, it } from "vitest";
import { questionTool } from "../agent/question.ts";
import { fakeRemote, sendError, sendResult, task1 } from "../../test/fake-remote.ts";
import type { Answer, SentMessage } from "../../test/fake-remote.ts";
import { scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

const question = { messageId: "q", role: "ROLE_AGENT", parts: [{ text: "Which city?" }] };

/** Completes each message in the context that it names, or in one of its own. */
const inContext: Answer = (asked, response) => {
  const { contextId } = asked.rpc.params.message;
  sendResult(asked, response, { task: task1("COMPLETED", "Rain.", { contextId: contextId ?? "of-the-server" }) });
};

function messagesOf({ asked }: { asked: readonly { rpc: { params: { message?: SentMessage } } }[] }): SentMessage[] {
  return asked.flatMap(({ rpc }) => rpc.params.message ?? []);
}

describe("a session with a remote agent", () => {
  it("is one context for all of its turns, in each process, and apart from other users' [remote.context]", async () => {
    const served = await fakeRemote(inContext);
    const { url } = served;
    const [agent, again] = [new A2ARemoteAgent({ url }), new A2ARemoteAgent({ url })];
    await agent.run("1", { sessionId: "s-canary", userId: "ann" });
    await agent.run("2", { sessionId: "s-canary", userId: "ann" });
    await again.run("3", { sessionId: "s-canary", userId: "ann" });
    await agent.run("4", { sessionId: "s-canary", userId: "ben" });
    const unverified = { sessionId: "s-canary", userId: "ann", verified: false };
    await agent.run("5", unverified);
    await agent.run("6");
    const contexts = messagesOf(served).map(({ contextId }) => contextId);

    expect(new Set(contexts.slice(0, 3)).size).toBe(1);
    expect(new Set(contexts).size).toBe(4);
    expect(contexts[5]).toBeUndefined();
    expect(JSON.stringify(served.asked)).not.toMatch(/s-canary|ann|ben/);
  });

  it.each([
    { memberSessions: "persist", contexts: 1 },
    { memberSessions: undefined, contexts: 2 },
  ] as const)(
    "a session with a remote agent of a member of a team lasts as long as memberSessions says: $memberSessions [remote.context]",
    async ({ memberSessions, contexts }) => {
      const served = await fakeRemote(inContext);
      const members = [new A2ARemoteAgent({ url: served.url, name: "weather" }), scriptedAgent(["unused"])];
      const model = new ScriptedModel().respond(() => ({ structured: { member: "weather" } }));
      const team = new Team({ name: "team", mode: "route", model, members, memberSessions });
      await team.run("1", { sessionId: "s" });
      await team.run("2", { sessionId: "s" });
      const seen = messagesOf(served).map(({ contextId }) => contextId);

      expect(seen).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^[\da-f-]{36}$/)));
      expect(new Set(seen).size).toBe(contexts);
    },
  );

  it("is in the context that the agent says, where it has its own [remote.context]", async () => {
    const served = await fakeRemote((asked, response) => {
      const { contextId } = asked.rpc.params.message;
      const isKnown = contextId === undefined || contextId === "own-1";
      if (isKnown) sendResult(asked, response, { task: task1("COMPLETED", "Rain.", { contextId: "own-1" }) });
      else sendError(asked, response, -32602);
    });
    const agent = new A2ARemoteAgent({ url: served.url });
    await agent.run("1", { sessionId: "s" });
    await agent.run("2", { sessionId: "s" });
    const contexts = messagesOf(served).map(({ contextId }) => contextId);

    expect(contexts).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), undefined, "own-1"]);
  });

  it.each(["FAILED", "REJECTED", "CANCELED", "AUTH_REQUIRED"])(
    "stays in the context that the agent says, also after a task of it ended as %s [remote.context]",
    async (state) => {
      let count = 0;
      const served = await fakeRemote((asked, response) => {
        sendResult(asked, response, { task: task1(++count === 1 ? state : "COMPLETED", "Ré", { contextId: "own-1" }) });
      });
      const agent = new A2ARemoteAgent({ url: served.url });
      await expect(agent.run("1", { sessionId: "s" })).rejects.toThrow("remote agent");
      await agent.run("2", { sessionId: "s" });

      expect(messagesOf(served).map(({ contextId }) => contextId)).toEqual([expect.any(String), "own-1"]);
    },
  );

  it("goes on with a task that waits for an answer, once [remote.input-required]", async () => {
    let count = 0;
    const served = await fakeRemote((asked, response) => {
      const { contextId } = asked.rpc.params.message;
      const waiting = { status: { state: "TASK_STATE_INPUT_REQUIRED", message: question }, contextId };
      sendResult(asked, response, {
        task: ++count === 1 ? task1("", undefined, waiting) : task1("COMPLETED", "Rain.", { contextId }),
      });
    });
    const agent = new A2ARemoteAgent({ url: served.url });
    const first = await agent.run("Umbrella?", { sessionId: "s" });
    const second = await agent.run("Oslo.", { sessionId: "s" });
    await agent.run("And now?", { sessionId: "s" });

    expect([first.text, first.status, second.text]).toEqual(["Which city?", "completed", "Rain."]);
    expect(messagesOf(served).map(({ taskId }) => taskId)).toEqual([undefined, "t-1", undefined]);
  });

  it.each([-32001, -32004])(
    "begins a new task when the one that waited is gone (error %i) [remote.input-required]",
    async (code) => {
      let count = 0;
      const served = await fakeRemote((asked, response) => {
        const { contextId, taskId } = asked.rpc.params.message;
        const waiting = { status: { state: "TASK_STATE_INPUT_REQUIRED", message: question }, contextId };
        if (taskId !== undefined) sendError(asked, response, code);
        else
          sendResult(asked, response, {
            task: ++count === 1 ? task1("", undefined, waiting) : task1("COMPLETED", "Rain."),
          });
      });
      const agent = new A2ARemoteAgent({ url: served.url });
      await agent.run("Umbrella?", { sessionId: "s" });

      expect((await agent.run("Oslo.", { sessionId: "s" })).text).toBe("Rain.");
      expect(messagesOf(served).map(({ taskId }) => taskId)).toEqual([undefined, "t-1", undefined]);
    },
  );

  it("a session with a remote agent of our own server has its history, and answers its questions [remote.input-required]", async () => {
    const ask = { id: "q", name: "ask_client", arguments: { question: "Which city?" } };
    const tool = questionTool({ name: "ask_client" });
    const helper = scriptedAgent([{ toolCalls: [ask] }, "Rain in Oslo.", "As I said: rain."], { tools: [tool] });
    const { url } = await serveA2A({ agents: { helper } });
    const agent = new A2ARemoteAgent({ url });
    const texts: string[] = [];
    for (const input of ["Umbrella?", "Oslo.", "Sure?"]) texts.push((await agent.run(input, { sessionId: "s" })).text);

    expect(texts).toEqual([expect.stringContaining("Which city?"), "Rain in Oslo.", "As I said: rain."]);
  });
});
