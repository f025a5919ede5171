import { createElement } from "preact";
import { expect, it, vi } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { showOnPage } from "../test/fake-page.ts";
import { fakeServices } from "../test/fake-services.ts";
import { ChatView } from "./chat-view.tsx";

const clerk: RunnableInfo = { kind: "agent", name: "clerk", input: ["text"] };
const flow: RunnableInfo = { kind: "workflow", name: "flow", input: ["object", "text"] };
const other: RunnableInfo = { kind: "workflow", name: "other", input: ["object", "text"] };

it.each([
  [flow, "Start flow, for example with city: Oslo"],
  [other, "Start other"],
  [clerk, "Ask clerk"],
])("the composer of a chat with %j has the hint: %s", (first, hint) => {
  vi.stubGlobal("document", { activeElement: null, body: {}, title: "" });
  const object = ['{"city":"Oslo"}'];
  const { services } = fakeServices([first], { suggestions: { flow: ["Go on.", ...object], clerk: object } });
  const { body } = showOnPage((props: Parameters<typeof ChatView>[0]) => createElement(ChatView, props), {
    services,
    runnables: [first],
    isShown: true,
  });

  expect(body.one("textarea").attributes["placeholder"]).toBe(hint);
});
