import { createElement } from "preact";
import { act } from "preact/test-utils";
import type { RunnableInfo } from "@troupe-internal/client";
import { vi } from "vitest";
import { showOnPage } from "./fake-page.ts";
import { fakeServices } from "./fake-services.ts";
import { changeOf, outlinePage } from "./outline-page.ts";
import type { Act } from "./story.ts";

/** An agent that takes parts, an agent that takes texts, and a workflow. */
export const runnables: RunnableInfo[] = [
  { kind: "agent", name: "clerk", description: "Files é.", input: ["text", "parts"] },
  { kind: "agent", name: "poet\u202e", input: ["text"] },
  { kind: "workflow", name: "flow", input: ["object"] },
];

/** Milliseconds of a day. */
export const dayMs = 86_400_000;

/** The time at which the page is opened. */
export const noon = new Date(2026, 4, 20, 12).getTime();

/** The media query for a narrow window, which the sidebar asks when it is first loaded. */
export const narrow = {
  matches: false,
  listeners: new Set<() => void>(),
  addEventListener: (_: string, listener: () => void) => void narrow.listeners.add(listener),
  removeEventListener: (_: string, listener: () => void) => void narrow.listeners.delete(listener),
};

/** The media queries that the page has asked. */
export const queries: string[] = [];
vi.stubGlobal("matchMedia", (query: string) => (queries.push(query), narrow));
const { App } = await import("../app.tsx");

/** Lets time pass, and the page draw itself anew. */
export const pass = async (ms = 0) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

/** Opens the page with services that a test may prepare. */
export async function open(
  given: Parameters<typeof fakeServices>[0] = runnables,
  fields: Parameters<typeof fakeServices>[1] = {},
  prepare: (made: ReturnType<typeof fakeServices>) => void = () => undefined,
) {
  const made = fakeServices(given, fields);
  prepare(made);
  const shown = showOnPage((props: Parameters<typeof App>[0]) => createElement(App, props), {
    services: made.services,
  });
  await pass();
  return { ...made, ...shown };
}

/** Does one thing after the other with the page, and writes down how it looks after each. */
export async function tell(
  opened: Awaited<ReturnType<typeof open>>,
  acts: Readonly<Record<string, Act>>,
): Promise<string> {
  const { body, told } = opened;
  let outline = outlinePage(body);
  const facts = () => [
    `title ${document.title}, address ${location.hash}`,
    ...told.splice(0).map((line) => `! ${line}`),
  ];
  const chapters = [[...facts(), outline].join("\n")];
  for (const [title, doIt] of Object.entries(acts)) {
    await doIt(body);
    await pass();
    const before = outline;
    outline = outlinePage(body);
    chapters.push([`## ${title}`, ...facts(), changeOf(before, outline)].join("\n"));
  }
  return `${withoutDays(chapters.join("\n\n"))}\n`;
}

/** Names the days that are written in the language of the machine. */
function withoutDays(outline: string): string {
  const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "long" });
  const known = outline.replaceAll(day.format(noon - 7 * dayMs), "<a week ago>");
  return known.replaceAll(day.format(200 * dayMs), "<long ago>");
}
