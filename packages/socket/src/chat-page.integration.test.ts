import { TestChild } from "@troupe-internal/fault-tools";
import { chromium } from "playwright-core";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished, vi } from "vitest";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
const waitMs = 30_000;

/** Notes each change of the conversation, in the page: the states of the tools, and the answer so far. */
const noteChanges = `
  globalThis.seen = [];
  new MutationObserver(() => {
    const states = [...document.querySelectorAll(".tool")].map((tool) => tool.dataset.state);
    const answer = [...document.querySelectorAll(".answer")].at(-1)?.textContent ?? "";
    globalThis.seen.push({ states: states.join(" "), answer });
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
`;
type Seen = { states: string; answer: string };

/** Starts the program of the example, and returns its address. */
async function startChat(): Promise<string> {
  const child = await TestChild.start(new URL("../examples/chat/server.ts", import.meta.url), { args: ["0"] });
  onTestFinished(() => child.close());
  const address = () => /^http:\/\/\S+/m.exec(child.output.toString())?.[0];
  return await vi.waitUntil(address);
}

async function openPage(url: string): Promise<{ page: Page; complaints: string[] }> {
  const browser = await chromium.connectOverCDP(browserUrl);
  const context = await browser.newContext({ viewport: { width: 800, height: 700 } });
  onTestFinished(async () => {
    await context.close();
    await browser.close();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(waitMs);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "log" && message.type() !== "info") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.addInitScript(noteChanges);
  await page.goto(url);
  await page.getByText("connected").waitFor();
  return { page, complaints };
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

it.skipIf(browserUrl === "")(
  "a page in a browser chats, and shows tool calls and their results as they happen [socket.page]",
  { timeout: 120_000 },
  async () => {
    const { page, complaints } = await openPage(await startChat());

    await say(page, "What is the weather in Oslo and Lisbon?");
    await page.getByText("That was question 1 of our conversation.").waitFor();
    expect(await page.locator(".tool").allInnerTexts()).toEqual([
      expect.stringMatching(/weather: Oslo: rain, 9 °C \(\d+ ms\)/),
      expect.stringMatching(/weather: Lisbon: sun, 27 °C \(\d+ ms\)/),
    ]);
    const seen = await page.evaluate<Seen[]>("globalThis.seen");
    const states = [...new Set(seen.map((each) => each.states))];
    expect([states.includes("running"), states.includes("running running"), states.at(-1)]).toEqual([
      true,
      true,
      "done done",
    ]);
    // Both tools were shown as running before one was done, and the answer grew word by word behind them.
    expect(states.indexOf("running running")).toBeLessThan(states.findIndex((each) => each.includes("done")));
    expect(new Set(seen.map(({ answer }) => answer)).size).toBeGreaterThan(5);

    await page.locator("#stop[disabled]").waitFor();
    const markup = `<img src="x" onerror="console.error(1)">`;
    await say(page, markup);
    await page.getByText("That was question 2 of our conversation.").waitFor();
    expect(await page.locator(".question").last().innerText()).toBe(markup);
    expect(await page.locator("#log img").count()).toBe(0);

    await page.locator("#stop[disabled]").waitFor();
    await say(page, "Tell me a long story.");
    await page.locator("#stop:not([disabled])").click();
    await page.locator(".error").waitFor();
    await page.locator("#stop[disabled]").waitFor();
    expect(await page.locator(".error").allInnerTexts()).toEqual([expect.stringMatching(/cancelled/i)]);
    expect(complaints).toEqual([]);
  },
);
