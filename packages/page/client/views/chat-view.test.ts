import { createElement } from "preact";
import { act } from "preact/test-utils";
import { expect, it, vi } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { showOnPage } from "../test/fake-page.ts";
import { FakeRun, storedTurn } from "../chat/test/fake-conversation.ts";
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

it("a chat with many turns shows the last ones, and earlier ones when they are asked for [page.chat]", async () => {
  vi.stubGlobal("document", { activeElement: null, body: {}, title: "" });
  vi.stubGlobal("location", { hash: "#/s/s" });
  const { services, service } = fakeServices([clerk]);
  service.sessions.set(
    "s",
    Array.from({ length: 1000 }, (_, index) => storedTurn(index + 1)),
  );
  const { body } = showOnPage((props: Parameters<typeof ChatView>[0]) => createElement(ChatView, props), {
    services,
    runnables: [clerk],
    isShown: true,
  });
  await act(async () => await services.conversation.open("s"));
  const shown = () => body.all("article").map(({ text }) => /Q\d+/.exec(text)?.[0]);
  const earlier = () => body.all("button").find(({ text }) => text.startsWith("Earlier questions"));

  expect([shown().length, shown()[0], shown().at(-1)]).toEqual([20, "Q981", "Q1000"]);
  expect(earlier()?.text).toBe("Earlier questions (980)");
  earlier()?.fire("click");
  expect([shown().length, shown()[0]]).toEqual([40, "Q961"]);

  service.onStart = async () => await Promise.resolve(new FakeRun("r-new", "s").send({ type: "finish" }).response);
  await act(async () => await services.conversation.send(clerk, { text: "Q1001", files: [] }));
  expect([shown().length, shown()[0], shown().at(-1)]).toEqual([41, "Q961", "Q1001"]);

  service.sessions.set("t", [storedTurn(1)]);
  await act(async () => await services.conversation.open("t"));
  expect([shown(), earlier()]).toEqual([["Q1"], undefined]);
});
