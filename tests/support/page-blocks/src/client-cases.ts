import { createElement } from "react";
import * as React from "react";
import { renderToString } from "react-dom/server";
import { expect } from "vitest";
import { createClient } from "@troupe/client";
import { useRun } from "@troupe/client/react";
import type { Case } from "./case.ts";
import { runProgram } from "./run-text.ts";
import { answer } from "./service.ts";

const page = "docs/guide/client.md";

type Client = ReturnType<typeof createClient>;
type Shown = { props: { children: [{ props: { onClick: () => void } }] } };

/** Expects that the client that a text makes reaches the agent. */
async function expectAnswer(text: string, scope: object): Promise<void> {
  const { client } = await runProgram(text, { createClient, ...scope });
  expect(await (client as Client).agent("helper").run("Hello")).toMatchObject({ text: answer });
}

/** The fragments of the page about the typed client. */
export const clientCases: readonly Case[] = [
  {
    page,
    begins: "import type { service }",
    run: async (text, { url }) => await expectAnswer(text.replace("/api", url), {}),
  },
  {
    page,
    begins: "const client = createClient({ baseUrl",
    run: async (text, { url }) => {
      const token = async () => await Promise.resolve("t1");
      await expectAnswer(text.replace("/api", url), { token });
    },
  },
  {
    page,
    begins: 'const stream = client.agent("cashier")',
    run: async (text, { url, callsOf }) => {
      await runProgram(text, { client: createClient({ baseUrl: url }), confirm: () => true });
      expect(callsOf("cashier")).toBe(2);
    },
  },
  {
    page,
    begins: "function Chat()",
    run: async (text, { url, callsOf }) => {
      const before = callsOf("helper");
      const { Chat } = await runProgram(text, { client: createClient({ baseUrl: url }), useRun, React });
      const shown: Shown[] = [];
      const Page = (): React.ReactNode => {
        const element = (Chat as () => React.ReactNode)();
        shown.push(element as unknown as Shown);
        return element;
      };
      expect(renderToString(createElement(Page))).toContain("<button>Stop</button>");
      shown[0]?.props.children[0].props.onClick();
      await expect.poll(() => callsOf("helper")).toBe(before + 1);
    },
  },
];
