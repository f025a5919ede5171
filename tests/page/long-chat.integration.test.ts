import { expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit } from "./visit.ts";

/** Turns of a session as the service sends them. */
const turns = Array.from({ length: 1000 }, (_, index) => ({
  seq: index + 1,
  runId: `r${index}`,
  runnable: "reporter",
  status: "completed",
  createdAt: index,
  input: `Question ${index + 1}.`,
  messages: [{ role: "assistant", content: "It **rains** in Tromsø.\n\n- Take an umbrella." }],
  usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
}));

it.skipIf(browserUrl === "")(
  "a chat of 1,000 turns draws the last ones, and earlier ones by the keyboard [page.chat] [page.accessible]",
  { timeout: 120_000 },
  async () => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "long chat", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    const { page } = visit;
    await page.route("**/sessions/long/turns*", async (route) => await route.fulfill({ json: { turns } }));
    await page.evaluate("location.hash = '#/s/long'");
    await page.getByText("Question 1000.", { exact: true }).waitFor();
    const articles = page.locator(".turn");

    expect(await articles.count()).toBe(20);
    await page.getByRole("button", { name: "Earlier questions (980)" }).press("Enter");
    await page.getByText("Question 961.", { exact: true }).waitFor();
    expect(await articles.count()).toBe(40);
    await page.getByRole("button", { name: "Earlier questions (960)" }).scrollIntoViewIfNeeded();
    expect(await visit.allFaults(url)).toEqual([]);
  },
);
