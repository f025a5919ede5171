import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

const pay = defineTool({
  name: "pay_invoice",
  description: "Pays an invoice.",
  parameters: { type: "object", properties: { to: { type: "string" } } },
  needsApproval: true,
  execute: ({ to }) => `Paid to ${String(to)}.`,
});

/** Serves an agent that asks before it pays, and another one, until the test is over. */
async function serveClerk(): Promise<string> {
  const storage = new InMemoryStorage();
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? "The invoice is paid."
      : { toolCalls: [{ name: "pay_invoice", arguments: { to: "Ångström AB" } }] },
  );
  const poet = new Agent({ name: "poet", description: "Writes verses.", model, storage });
  const clerk = new Agent({ name: "clerk", description: "Pays invoices.", model, tools: [pay], storage });
  const service = createService({
    agents: { poet, clerk },
    storage,
    durable: true,
    logger: createLogger({ level: "silent" }),
    authenticate: () => ({ userId: "ada" }),
  });
  const inspector = { authorize: () => true, modelCalls: true };
  const { url } = await serve(service, [http(), page({ inspector })], { port: 0 });
  onTestFinished(async () => {
    await service.close({ graceMs: 0 });
    await storage.close();
  });
  return url;
}

async function hasFocus(target: Locator): Promise<boolean> {
  return await target.evaluate((element) => (element as unknown as Matching).matches(":focus"));
}

/** An element, whose type is not among those of Node. */
type Matching = { matches(selector: string): boolean };

/** The most elements on the way to another one. */
const mostTabs = 40;

/** Goes on by Tab until an element has the focus. Each element on the way must show that it has the focus. */
async function tabTo(shown: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const way: unknown[] = [];
  while (!(await hasFocus(target))) {
    if (way.length > mostTabs) throw new Error(`Tab does not lead there, but over ${JSON.stringify(way)}.`);
    await shown.keyboard.press("Tab");
    way.push(await shown.evaluate("document.activeElement.outerHTML.slice(0, 80)"));
    const isSeen = `(() => {
      const { left, right, top, bottom, width } = document.activeElement.getBoundingClientRect();
      return document.activeElement === document.body || (document.activeElement.matches(":focus-visible")
        && width > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight);
    })()`;
    expect(await shown.evaluate(isSeen), `seen: ${String(way.at(-1))}`).toBe(true);
  }
}

/** Finds a command by its words, and carries it out. */
async function command(shown: Page, words: string): Promise<void> {
  await shown.keyboard.press("Control+k");
  await shown.getByRole("combobox", { name: "Search commands" }).waitFor();
  await shown.keyboard.type(words);
  await shown.locator('dialog [role="option"][aria-selected="true"]').waitFor();
  await shown.keyboard.press("Enter");
}

describe.runIf(browserUrl.startsWith("http"))("the page by keyboard", { timeout: 120_000 }, () => {
  it.each(looks)(
    "is used from the picker over the chat, the inbox and the inspector to a new chat, %s [page.accessible] [page.palette] [page.inbox] [page.inspector-view]",
    async (name, look) => {
      const url = await serveClerk();
      const visit = await Visit.open(url, `keyboard ${name}`, look);
      const { page: shown } = visit;
      const { keyboard } = shown;
      const question = shown.getByRole("textbox", { name: "Your question" });
      await tabTo(shown, shown.getByRole("button", { name: "Choose whom to ask: poet" }));
      await keyboard.press("Enter");
      await shown.getByRole("combobox", { name: "Search" }).waitFor();
      await keyboard.type("INVOICES");
      await keyboard.press("Enter");
      await tabTo(shown, shown.getByRole("button", { name: "Choose whom to ask: clerk" }));
      await keyboard.press("Shift+Tab");
      await tabTo(shown, question);
      await keyboard.type("Pay Ångström AB.");
      await keyboard.press("Enter");

      await tabTo(shown, shown.getByRole("link", { name: "Inbox, 1 waiting" }));
      await keyboard.press("Enter");
      await tabTo(shown, shown.locator(".inbox").getByRole("button", { name: "Approve" }));
      await keyboard.press("Enter");
      await shown.getByText("Nothing waits for you.").waitFor();
      expect(await visit.faults("answered")).toEqual([]);

      await command(shown, "inspector");
      await tabTo(shown, shown.getByRole("link", { name: /Pay Ångström AB\.[^]*completed/ }));
      await keyboard.press("Enter");
      const first = shown.getByRole("treeitem").first();
      await tabTo(shown, first);
      await keyboard.press("Enter");
      await shown.getByRole("region", { name: "As it was sent" }).waitFor();
      await keyboard.press("ArrowDown");
      await shown.getByRole("region", { name: "Step" }).getByText("Paid to Ångström AB.").waitFor();
      expect(await visit.faults("step")).toEqual([]);

      await command(shown, "new chat");
      await shown.getByRole("heading", { name: "What can I help you with?" }).waitFor();
      await expect.poll(async () => await hasFocus(question)).toBe(true);
      await keyboard.type("And now?");
      expect(await question.inputValue()).toBe("And now?");
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );
});
