import { chromium } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { startDemo } from "../outside/demo-process.ts";
import { browserUrl } from "./visit.ts";

type Description = { paths: Record<string, Record<string, { operationId: string }>> };

it.skipIf(browserUrl === "")(
  "the docs page shows every operation of the demo's description, opened too, without an error in the console",
  { timeout: 300_000 },
  async () => {
    const { url, stop } = await startDemo();
    onTestFinished(stop);
    const { paths } = (await (await fetch(`${url}/docs/spec.json`)).json()) as Description;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    // The other agents and teams have the same operations.
    const opened = described.filter((each) => !/ \/(?:agents|teams)\/(?!assistant\/)/.test(each));
    const browser = await chromium.connectOverCDP(browserUrl);
    const context = await browser.newContext();
    onTestFinished(async () => {
      await context.close();
      await browser.close();
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));

    await page.goto(`${url}/docs`);
    await page.locator(".opblock").first().waitFor();
    const methods = await page.locator(".opblock-summary-method").allInnerTexts();
    const places = await page.locator(".opblock-summary-path").all();
    const shown = await Promise.all(places.map(async (place) => await place.getAttribute("data-path")));
    expect(methods.map((method, index) => `${method.toLowerCase()} ${shown[index]}`).toSorted()).toEqual(
      described.toSorted(),
    );

    for (const operation of opened) {
      const [method, path] = operation.split(" ");
      const block = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
      await block.locator(".opblock-summary-control").first().click();
      await block.locator(".responses-table").first().waitFor();
      // Every open operation makes the page draw the next one later.
      await block.locator(".opblock-summary-control").first().click();
    }
    // The page lists what it could not resolve.
    expect(await page.locator(".errors-wrapper").allInnerTexts()).toEqual([]);
    expect(opened.length).toBeGreaterThan(20);
    expect(complaints).toEqual([]);
  },
);
