import { Agent, createLogger } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import type { PageOptions } from "@troupe/page";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";

/** A sentence with all German letters that English does not have, and one with letters of other Latin alphabets. */
const german = "Grüße: Ärger, Öl, Übung, groß – „schön“.";
const polish = "Łódź, Kraków i Gdańsk.";

/** Serves an agent that answers with both sentences, until the test is over. */
async function serveWith(options: PageOptions): Promise<string> {
  const model = new ScriptedModel().respond(() => `${german}\n\n${polish}`);
  const agents = { helper: new Agent({ name: "helper", model }) };
  const service = createService({ agents, logger: createLogger({ level: "silent" }) });
  const { url } = await serve(service, [http(), page({ users: false, ...options })], { port: 0 });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return url;
}

/** Returns the names of the font files that the page has asked for. */
async function filesOf(shown: Page): Promise<string[]> {
  const names = await shown.evaluate(
    `performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1)).filter((name) => /woff2/.test(name))`,
  );
  return [...new Set(names as string[])].map((name) => name.replace(/-[A-Z0-9]{8}\.woff2$/, "")).toSorted();
}

/** Returns the fonts with which the browser has drawn the paragraph that begins with a text. */
async function fontsOf(shown: Page, text: string): Promise<{ family: string; isOurs: boolean }[]> {
  const session = await shown.context().newCDPSession(shown);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument", { depth: -1 });
  const { nodeIds } = await session.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: ".answer p" });
  for (const nodeId of nodeIds) {
    const { outerHTML } = await session.send("DOM.getOuterHTML", { nodeId });
    if (!outerHTML.includes(text)) continue;
    const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
    await session.detach();
    return fonts.map(({ familyName, isCustomFont }) => ({ family: familyName, isOurs: isCustomFont }));
  }
  return [];
}

/** Asks, and waits for the answer and the fonts in it. */
async function ask(visit: Visit): Promise<void> {
  const { page: shown } = visit;
  await visit.send("Wie bitte?");
  await shown.getByText(polish, { exact: true }).waitFor();
  await shown.locator(".turn-foot").waitFor();
  await shown.evaluate("document.fonts.ready.then(() => undefined)");
}

describe.runIf(browserUrl.startsWith("http"))("the fonts of the page in a browser", { timeout: 60_000 }, () => {
  it("are those that the page serves, also for German, and those of other Latin alphabets are loaded with their letters [page.fonts] [page.policy]", async () => {
    const url = await serveWith({});
    const visit = await Visit.open(url, "fonts web", { user: null });
    const { page: shown } = visit;
    await shown.evaluate("document.fonts.ready.then(() => undefined)");
    expect(await filesOf(shown)).toEqual(["geist-latin-wght-normal"]);
    await ask(visit);

    await expect
      .poll(async () => await filesOf(shown))
      .toEqual(["geist-latin-ext-wght-normal", "geist-latin-wght-normal"]);
    expect(await shown.evaluate("[...document.fonts].map(({ family, status }) => family + status)")).toEqual([
      "Geistloaded",
      "Geistloaded",
    ]);
    for (const text of [german, polish]) {
      const fonts = await fontsOf(shown, text);
      expect([text, ...new Set(fonts.map(({ isOurs }) => isOurs))]).toEqual([text, true]);
    }
    expect(await visit.allFaults(url)).toEqual([]);
  });

  it("are those of the system without a request if the host wants them [page.fonts]", async () => {
    const url = await serveWith({ fonts: "system" });
    const visit = await Visit.open(url, "fonts system", { user: null });
    await ask(visit);

    expect(await filesOf(visit.page)).toEqual([]);
    const fonts = await fontsOf(visit.page, german);
    expect(fonts.length).toBeGreaterThan(0);
    expect(fonts.filter(({ isOurs }) => isOurs)).toEqual([]);
    expect(await visit.allFaults(url)).toEqual([]);
  });
});
