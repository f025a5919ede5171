import type { ComponentChild } from "preact";
import { showOnPage } from "./fake-page.ts";
import type { FakeElement } from "./fake-page.ts";
import { changeOf, outlinePage } from "./outline-page.ts";

/** An act on a page, such as a click. It may return what the page said of it. */
export type Act = (body: FakeElement) => unknown;

/** Shows a view, and does one thing after the other. Returns the page's outline at first, and what has
 * changed and was called after each act. */
export async function tellStory(
  view: ComponentChild,
  acts: Readonly<Record<string, Act>>,
  told: readonly string[] = [],
): Promise<string> {
  const { body, close } = showOnPage<{ child: ComponentChild }>(({ child }) => child, { child: view });
  let seen = 0;
  const news = (): string[] => {
    const added = told.slice(seen).map((line) => `! ${line}`);
    seen = told.length;
    return added;
  };
  let outline = outlinePage(body);
  const chapters = [[...news(), outline].join("\n")];
  for (const [title, act] of Object.entries(acts)) {
    const answer = await act(body);
    const said = answer === undefined ? [] : [`= ${JSON.stringify(answer)}`];
    const before = outline;
    outline = outlinePage(body);
    chapters.push([`## ${title}`, ...said, ...news(), changeOf(before, outline)].join("\n"));
  }
  close();
  return chapters.join("\n");
}

/** Returns an act that sends an event to the element of a name or a label. */
export function fire(nameOrLabel: string, type = "click", fields: object = {}): Act {
  return (body) => {
    const [element] = body.all(nameOrLabel);
    if (element === undefined) throw new Error(`There is no element ${nameOrLabel}.`);
    element.fire(type, fields);
  };
}

/** Returns an act that writes a text into the element of a name or a label. */
export function write(nameOrLabel: string, text: string): Act {
  return (body) => {
    const element = body.one(nameOrLabel);
    element.value = text;
    element.fire("input");
  };
}
