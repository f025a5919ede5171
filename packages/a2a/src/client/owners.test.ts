import { checkOwners, usersOfAll } from "@troupe-internal/fault-tools";
import { describe, expect, it } from "vitest";
import { fakeRemote, sendError, sendResult, task1 } from "../../test/fake-remote.ts";
import type { Answer, SentMessage } from "../../test/fake-remote.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

const shows = ["packages/a2a/src/client/remote-contexts.ts"];

type User = (typeof usersOfAll)[number];

const textOf = ({ parts }: SentMessage): string => (parts as { text: string }[]).map(({ text }) => text).join("");

/** Answers each message with all that was said in its context: that of the client, or one of the agent's own. */
function tellAll(hasOwnIds: boolean): Answer {
  const said = new Map<string, string[]>();
  return (asked, response) => {
    const { message } = asked.rpc.params;
    const given = message.contextId as string | undefined;
    if (hasOwnIds && given !== undefined && !said.has(given)) return sendError(asked, response, -32602);
    const contextId = hasOwnIds ? (given ?? `own-${said.size}`) : message.contextId;
    const texts = [...(said.get(contextId) ?? []), textOf(message)];
    said.set(contextId, texts);
    sendResult(asked, response, { task: task1("COMPLETED", texts.join("; "), { contextId }) });
  };
}

describe("users who differ in one field, of one remote agent and under one session id", () => {
  it.each([
    ["the client's", false, "another process"],
    ["the agent's own", true, "this process"],
  ])("have a context each: the id is %s [remote.context]", async (_, hasOwnIds, place) => {
    const { url } = await fakeRemote(tellAll(hasOwnIds));
    const agent = new A2ARemoteAgent({ url });
    const later = place === "this process" ? agent : new A2ARemoteAgent({ url });
    const ask = async (remote: A2ARemoteAgent, input: string, user: User) =>
      (await remote.run(input, { sessionId: "s", ...user })).text;
    await checkOwners({
      shows,
      owners: usersOfAll,
      leave: async (user, mark) => await ask(agent, mark, user),
      find: async (user) => (await ask(later, "What?", user)).split("; ").filter((text) => text !== "What?"),
    });
  });

  it("go on with their own task that waits for an answer [remote.input-required]", async () => {
    const question = { messageId: "q", role: "ROLE_AGENT", parts: [{ text: "Which city?" }] };
    const waiting = new Map<string, string>();
    const { url } = await fakeRemote((asked, response) => {
      const { message } = asked.rpc.params;
      const { contextId, taskId: answered } = message;
      const mark = textOf(message);
      if (answered === undefined) {
        const id = `t-${waiting.size}`;
        waiting.set(id, mark);
        const status = { state: "TASK_STATE_INPUT_REQUIRED", message: question };
        return sendResult(asked, response, { task: task1("", undefined, { id, contextId, status }) });
      }
      const found = waiting.get(answered) ?? "";
      waiting.delete(answered);
      sendResult(asked, response, { task: task1("COMPLETED", found, { id: answered, contextId }) });
    });
    const agent = new A2ARemoteAgent({ url });
    const marks = new Map<User, string>();
    const run = async (user: User, input: string) => (await agent.run(input, { sessionId: "s", ...user })).text;
    await checkOwners({
      shows,
      owners: usersOfAll,
      leave: async (user, mark) => {
        marks.set(user, mark);
        await run(user, mark);
      },
      find: async (user) => await Promise.resolve([...waiting.values()].filter((mark) => mark === marks.get(user))),
      remove: async (user) => expect(await run(user, "Oslo.")).toBe(marks.get(user)),
    });
  });
});
