import { createElement } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, expect, it, vi } from "vitest";
import type { SharedChat, SharedTurn } from "../../src/shares/shared-chat.ts";
import { fakeServices } from "../test/fake-services.ts";
import { showOnPage } from "../test/fake-page.ts";
import { SharedView } from "./shared-view.tsx";

const turn: SharedTurn = {
  seq: 1,
  runnable: "clerk",
  kind: "agent",
  status: "completed",
  createdAt: 0,
  input: "Où?",
  messages: [
    { role: "assistant", content: null, toolCalls: [{ id: "c", name: "look_up", arguments: {} }] },
    { role: "tool", content: null, toolCallId: "c" },
    { role: "assistant", content: "Ici." },
  ],
};

beforeEach(() => void vi.stubGlobal("document", { title: "" }));

async function show(pages: readonly SharedChat[] | Error) {
  const asked: number[] = [];
  const read = async (_: unknown, after: number): Promise<SharedChat> => {
    asked.push(after);
    if (pages instanceof Error) throw pages;
    const found = pages[asked.length - 1];
    if (found === undefined) throw new Error("No such page.");
    return await Promise.resolve(found);
  };
  const { settings } = fakeServices([]).services;
  const { body } = showOnPage(({ settings: given }) => createElement(SharedView, { settings: given, read }), {
    settings,
  });
  await act(async () => await Promise.resolve());
  return { body, asked };
}

it("shows the turns of a shared chat, with tools named and nothing to ask, change or answer [page.share]", async () => {
  const { body, asked } = await show([
    { title: "Le phare", createdAt: 0, expiresAt: 1, hasTools: false, turns: [turn] },
  ]);

  expect(asked).toEqual([0]);
  expect(body.one("h1").text).toBe("Le phare");
  expect(document.title).toBe("Le phare · Troupe é");
  expect(body.text).toContain("Où?");
  expect(body.text).toContain("Ici.");
  expect(body.text).toContain("look_up done");
  expect(body.all("details")).toEqual([]);
  expect(body.all("textarea")).toEqual([]);
  expect(body.all("button").map(({ attributes }) => attributes["aria-label"])).toEqual(["Copy answer"]);
});

it("opens the tools of a chat that is shared with them, and reads further pages when they are asked for", async () => {
  const { body, asked } = await show([
    { createdAt: 0, expiresAt: 1, hasTools: true, turns: [turn], next: 1 },
    { createdAt: 0, expiresAt: 1, hasTools: true, turns: [{ ...turn, seq: 2, input: "Et après?" }] },
  ]);
  expect(body.one("h1").text).toBe("Shared chat");
  expect(body.all("details")).toHaveLength(1);
  const more = body.all("button").find(({ text }) => text === "More of this chat");
  await act(async () => {
    more?.click();
    await Promise.resolve();
  });

  expect(asked).toEqual([0, 1]);
  expect(body.text).toContain("Et après?");
  expect(body.all("button").some(({ text }) => text === "More of this chat")).toBe(false);
});

it("says in a sentence that a link has ended", async () => {
  const { body } = await show(Object.assign(new Error("not found"), { status: 404 }));
  expect(body.text).toContain("This link has ended, or was revoked.");
});

it("says what else has failed", async () => {
  const { body } = await show(new Error("The service cannot be reached."));
  expect(body.text).toContain("The service cannot be reached.");
});
