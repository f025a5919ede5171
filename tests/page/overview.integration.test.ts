import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

/** Serves two agents that use tokens, one of which fails at times. */
async function serveCounted(): Promise<string> {
  const storage = new InMemoryStorage();
  const usage = (totalTokens: number) => ({ promptTokens: totalTokens - 1, completionTokens: 1, totalTokens });
  const writer = new Agent({
    name: "writer",
    description: "Writes.",
    model: new ScriptedModel().respond(() => ({ text: "Written.", usage: usage(1200) })),
    storage,
  });
  const reader = new Agent({
    name: "reader",
    description: "Reads.",
    model: new ScriptedModel().respond(({ messages }) => {
      if (JSON.stringify(messages).includes("fail")) throw new Error("Torn.");
      return { text: "Read.", usage: usage(30) };
    }),
    storage,
  });
  const logger = createLogger({ level: "silent" });
  const authenticate = () => ({ userId: "ada" });
  const service = createService({ agents: { reader, writer }, storage, durable: true, logger, authenticate });
  await service.open();
  const inspector = { authorize: () => true };
  const { url } = await serve(service, [http(), page({ inspector })], { port: 0 });
  onTestFinished(async () => {
    await service.close();
    await storage.close();
  });
  return url;
}

describe.skipIf(browserUrl === "")("the overview in a browser", { timeout: 120_000 }, () => {
  it.each(looks)("shows which agent used most tokens, %s [page.overview] [page.accessible]", async (name, look) => {
    const url = await serveCounted();
    const visit = await Visit.open(url, `overview ${name}`, look);
    const { page: shown } = visit;
    await visit.ask("reader", "Read.");
    await visit.ask("reader", "Now fail.");
    await visit.ask("writer", "Write.");
    await shown.getByRole("link", { name: "Inspector" }).click();
    await shown.getByRole("combobox", { name: "Tokens" }).selectOption("1,000 tokens or more");
    await expect.poll(async () => await shown.locator(".runs li").count()).toBe(1);
    await shown.getByRole("link", { name: "Overview" }).click();
    const rows = shown.getByRole("row");
    await shown.getByRole("heading", { name: "Today" }).waitFor();

    expect(await rows.locator("bdi").allInnerTexts()).toEqual(["writer", "reader"]);
    expect(await rows.nth(1).locator("td").allInnerTexts()).toEqual([
      "1",
      "0",
      expect.any(String),
      expect.any(String),
      "1,200",
    ]);
    expect((await rows.nth(2).locator("td").allInnerTexts()).slice(0, 2)).toEqual(["2", "1"]);
    expect(await visit.allFaults(url)).toEqual([]);
  });
});
