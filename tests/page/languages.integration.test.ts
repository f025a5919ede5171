import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import { chromium } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { runAxe } from "./page-faults.ts";
import { browserUrl } from "./visit.ts";

const pictures = process.env["TROUPE_TEST_PICTURES"];

/** Serves an agent whose page has two languages. */
async function serveLanguages(): Promise<string> {
  const storage = new InMemoryStorage();
  const model = new ScriptedModel().respond(() => "**Ja.** Drei Wörter:\n\n1. eins\n2. zwei\n\n> drei");
  const helper = new Agent({ name: "helper", description: "Antwortet.", model, storage });
  const service = createService({
    agents: { helper },
    storage,
    durable: true,
    schedules: { maxPerUser: 2 },
    authenticate: () => ({ userId: "ada" }),
    logger: createLogger({ level: "silent" }),
  });
  await service.open();
  const inspector = { authorize: () => true };
  const { url } = await serve(service, [http(), page({ languages: ["en", "de"], inspector })], { port: 0 });
  onTestFinished(async () => {
    await service.close();
    await storage.close();
  });
  return url;
}

/** Opens the page in a browser of a language. `before` runs in the page before its own script. */
async function open(url: string, locale: string, before = "") {
  const browser = await chromium.connectOverCDP(browserUrl);
  const context = await browser.newContext({ locale, viewport: { width: 390, height: 844 } });
  onTestFinished(async () => {
    await context.close();
    await browser.close();
  });
  const shown = await context.newPage();
  shown.setDefaultTimeout(20_000);
  const [complaints, scripts]: [string[], string[]] = [[], []];
  shown.on("pageerror", (error) => complaints.push(error.message));
  shown.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  shown.on("request", (request) => scripts.push(new URL(request.url()).pathname));
  await shown.addInitScript(before);
  await shown.goto(url);
  const faults = async (state: string): Promise<string[]> => {
    if (pictures !== undefined) await shown.screenshot({ path: `${pictures}/language-${locale}-${state}.png` });
    const isTooWide = await shown.evaluate(
      `[document.documentElement, ...document.querySelectorAll(".scroll, main, dialog")].some(
        (element) => element.scrollWidth > element.clientWidth + 1)`,
    );
    return [...(isTooWide === true ? ["too wide"] : []), ...(await runAxe(shown)), ...complaints];
  };
  return { shown, scripts, faults };
}

describe.skipIf(browserUrl === "")("the languages of the page in a browser", { timeout: 120_000 }, () => {
  it("are German for a German browser, in every view [page.languages] [page.accessible]", async () => {
    const url = await serveLanguages();
    const { shown, scripts, faults } = await open(url, "de-AT");
    await shown.getByRole("heading", { name: "Womit kann ich helfen?" }).waitFor();
    expect(await shown.evaluate("[document.documentElement.lang, document.documentElement.dir]")).toEqual([
      "de",
      "ltr",
    ]);
    await shown.getByRole("textbox", { name: "Ihre Frage" }).fill("Wer?");
    await shown.keyboard.press("Enter");
    await shown.getByRole("button", { name: "Noch einmal antworten" }).waitFor();
    expect(await faults("chat")).toEqual([]);
    await shown.keyboard.press("Control+k");
    await shown.getByRole("option", { name: "Dunkle Farben" }).waitFor();
    expect(await faults("palette")).toEqual([]);
    await shown.keyboard.press("Escape");
    await shown.getByRole("link", { name: "Zeitpläne" }).click();
    await shown.getByRole("button", { name: "Neuer Zeitplan" }).click();
    expect(await faults("schedules")).toEqual([]);
    await shown.getByRole("link", { name: "Inspektor" }).click();
    await shown
      .getByRole("link", { name: /helper[^]*fertig/ })
      .or(shown.locator(".runs li a"))
      .first()
      .click();
    await shown.getByRole("treeitem", { name: /Modellaufruf 1/ }).click();
    expect(await faults("inspector")).toEqual([]);
    await shown.getByRole("link", { name: "Eingang" }).click();
    await shown.getByText("Nichts wartet auf Sie.").waitFor();
    expect(await faults("inbox")).toEqual([]);
    expect(scripts.filter((path) => /\/de-\w+\.js$/.test(path))).toHaveLength(1);
  });

  it("are loaded for those alone who need them [page.languages]", async () => {
    const { shown, scripts } = await open(await serveLanguages(), "fr");
    await shown.getByRole("heading", { name: "What can I help you with?" }).waitFor();
    expect(await shown.evaluate("document.documentElement.lang")).toBe("en");
    expect(scripts.filter((path) => /\/de-/.test(path))).toEqual([]);
  });

  it("are laid out from right to left where the page is, without overflow on a phone [page.rtl] [page.accessible]", async () => {
    const url = await serveLanguages();
    const mirror = `addEventListener("DOMContentLoaded", () => (document.documentElement.dir = "rtl"))`;
    const { shown, faults } = await open(url, "en", mirror);
    const left = async (name: string): Promise<number> => (await shown.locator(name).first().boundingBox())?.x ?? -1;
    await shown.getByRole("textbox", { name: "Your question" }).fill("من؟");
    await shown.getByRole("button", { name: "Send", exact: true, disabled: false }).waitFor();
    await shown.keyboard.press("Enter");
    await shown.getByRole("button", { name: "Answer again" }).waitFor();
    expect(await left(".menu")).toBeGreaterThan(await left(".views"));
    expect(await faults("rtl-chat")).toEqual([]);
    await shown.getByRole("link", { name: "Schedules" }).click();
    await shown.getByRole("button", { name: "New schedule" }).click();
    expect(await faults("rtl-schedules")).toEqual([]);
    await shown.getByRole("link", { name: "Inspector" }).click();
    await shown.locator(".runs li a").first().click();
    await shown.getByRole("treeitem", { name: /Model call 1/ }).click();
    expect(await faults("rtl-inspector")).toEqual([]);
    await shown.getByRole("link", { name: "Inbox" }).click();
    await shown.getByText("Nothing waits for you.").waitFor();
    expect(await faults("rtl-inbox")).toEqual([]);
  });
});
