import { Chat, useChat } from "@ai-sdk/react";
import { HttpAgent } from "ag-ui-client-1";
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect } from "vitest";
import { Agent, Team } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Case } from "./case.ts";
import { runProgram } from "./run-text.ts";
import { answer, post } from "./service.ts";

type Options = ConstructorParameters<typeof DefaultChatTransport>[0];
type Shown = Pick<ReturnType<typeof useChat>, "sendMessage">;

/** Calls the hook of a text in a component, sends a message, and expects the answer of the service. */
async function expectChat(text: string): Promise<void> {
  const streams: Promise<string>[] = [];
  class WatchedTransport extends DefaultChatTransport<never> {
    constructor(options: Options) {
      const watched: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        streams.push(response.clone().text());
        return response;
      };
      super({ ...options, fetch: watched });
    }
  }
  const scope = {
    useChat,
    DefaultChatTransport: WatchedTransport,
    lastAssistantMessageIsCompleteWithApprovalResponses,
    chatId: crypto.randomUUID(),
  };
  const names = Object.keys(scope);
  // A hook is called while its component is rendered, which an asynchronous function would outlast.
  // oxlint-disable-next-line typescript/no-implied-eval
  const call = new Function(...names, `${text}\nreturn { sendMessage };`) as (...values: unknown[]) => Shown;
  const shown: Shown[] = [];
  const Page = (): null => {
    shown.push(call(...Object.values(scope)));
    return null;
  };
  renderToString(createElement(Page));
  await shown[0]?.sendMessage({ text: "Hello" });
  expect((await Promise.all(streams)).join("")).toContain(answer);
}

/** The fragments of chats: `useChat`, AG-UI and teams. */
export const chatCases: readonly Case[] = [
  {
    page: "docs/guide/use-chat.md",
    begins: "const { messages, sendMessage, addToolApprovalResponse }",
    run: async (text, { url }) => await expectChat(text.replace('"/agents', `"${url}/agents`)),
  },
  {
    page: "docs/recipes/serve-in-next.md",
    begins: "const { messages, sendMessage } = useChat(",
    run: async (text, { url }) => await expectChat(text.replace('"/api', `"${url}`)),
  },
  {
    page: "docs/guide/use-chat.md",
    begins: "prepareSendMessagesRequest:",
    run: async (text, { url }) => {
      const { options } = await runProgram(`const options = {\n${text.replace(/;\n$/, "")}};`, {});
      const transport = new DefaultChatTransport({ api: `${url}/agents/helper/ui`, ...(options as object) });
      const chat = new Chat({ id: crypto.randomUUID(), transport });
      await chat.sendMessage({ text: "Hello" });
      expect(chat.messages.at(-1)?.parts.at(-1)).toMatchObject({ type: "text", text: answer });
    },
  },
  {
    page: "docs/guide/ag-ui.md",
    begins: "const agent = new HttpAgent(",
    run: async (text, { url }) => {
      const scope = { HttpAgent, threadId: crypto.randomUUID() };
      const { agent } = await runProgram(text.replace("https://example.com", url), scope);
      expect((agent as HttpAgent).messages.at(-1)).toMatchObject({ role: "assistant", content: answer });
    },
  },
  {
    page: "docs/guide/ag-ui.md",
    begins: '{ "resume"',
    run: async (text, { url }) => {
      const path = `${url}/agui/agents/cashier`;
      const [threadId, messages] = [crypto.randomUUID(), [{ id: "m1", role: "user", content: "Pay the bill." }]];
      const asked = await (await post(path, { threadId, runId: "r1", messages })).text();
      expect(asked).toContain('"interrupt');
      const { resume } = JSON.parse(text) as { resume: unknown };
      expect(await (await post(path, { threadId, runId: "r2", messages, resume })).text()).toContain(answer);
    },
  },
  {
    page: "docs/guide/teams.md",
    begins: 'if (chunk.type === "text"',
    run: async (text) => {
      const call = { toolCalls: [{ name: "delegate_to_writer", arguments: { task: "A slogan." } }] };
      const writer = new Agent({ name: "writer", description: "Writes.", model: new ScriptedModel("Rain!") });
      const model = new ScriptedModel(call, answer);
      const team = new Team({ name: "team", mode: "coordinate", model, members: [writer], streamMembers: true });
      const program = `let answer = "";\nfor await (const chunk of team.stream("A slogan")) {\n${text}}`;
      expect(await runProgram(program, { team })).toMatchObject({ answer });
    },
  },
];
