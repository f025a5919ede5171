import { createElement } from "preact";
import { act } from "preact/test-utils";
import { expect, it, vi } from "vitest";
import type { RunnableInfo } from "@troupe-internal/client";
import { showOnPage } from "./test/fake-page.ts";
import { fakeServices } from "./test/fake-services.ts";

const listen = (): void => undefined;
vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: listen, removeEventListener: listen }));
const { App } = await import("./app.tsx");

const runnables: RunnableInfo[] = [
  { kind: "agent", name: "clerk", input: ["text"] },
  { kind: "agent", name: "poet", input: ["text"] },
  { kind: "workflow", name: "flow", input: ["object"] },
];

it.each([
  [undefined, "Ask clerk", 1],
  [["flow", "clerk"], "Start flow", 1],
  [["poet"], "Ask poet", 0],
])("the page with the shown names %j asks “%s” first, with %i lists to choose from [page.shown]", async (...given) => {
  const [shown, first, lists] = given;
  vi.stubGlobal("document", { activeElement: null, body: {}, title: "", querySelector: () => null });
  vi.stubGlobal("location", { hash: "" });
  const { services } = fakeServices(runnables, { shown });
  const { body } = showOnPage((props: Parameters<typeof App>[0]) => createElement(App, props), { services });
  await act(async () => await Promise.resolve());
  const [form] = body.all("form");

  expect(form?.all("textarea")[0]?.attributes["placeholder"]).toContain(first);
  const opening = form?.all("button").filter(({ attributes }) => attributes["aria-haspopup"] === "dialog");
  expect(opening).toHaveLength(lists);
});
