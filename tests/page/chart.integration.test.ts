import { readFileSync } from "node:fs";
import { Agent, createLogger, defineTool } from "@troupe/core";
import type { Artifact } from "@troupe/core";
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

const mimeType = "application/vnd.troupe.chart+json";
const days = ["2026-05-01", "2026-05-02", "2026-05-03"];
const guide = readFileSync(new URL("../../docs/guide/show-charts.md", import.meta.url), "utf8");
const [, example = ""] = /^# Show charts in the page$.*?```json\n(.*?)```/ms.exec(guide) ?? [];
const artifacts = [
  {
    type: "rain",
    mimeType,
    data: {
      title: "Rain",
      unit: "mm",
      x: days,
      series: [
        { name: "Oslo", values: [3, 0, 12] },
        { name: "Bergen", values: [20, null, 31] },
      ],
    },
  },
  {
    type: "ferries",
    mimeType,
    data: { kind: "bar", x: ["Moss", "Horten"], series: [{ name: "Ferries", values: [4, 9] }] },
  },
  { type: "broken", mimeType, data: { x: [1, 2], series: "none" } },
  { type: "example of the guide", mimeType, data: JSON.parse(example) as unknown },
];

/** Serves an agent whose tool makes charts, until the test is over. */
async function serveCharts(made: readonly Artifact[] = artifacts): Promise<string> {
  const tool = defineTool({
    name: "draw",
    description: "Draws.",
    parameters: { type: "object" },
    execute: () => ({ content: "Drawn.", artifacts: [...made] }),
  });
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool" ? "Here they are." : { toolCalls: [{ name: "draw" }] },
  );
  const agents = { analyst: new Agent({ name: "analyst", model, tools: [tool] }) };
  const service = createService({ agents, logger: createLogger({ level: "silent" }) });
  const { url } = await serve(service, [http(), page({ users: false })], { port: 0 });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return url;
}

describe.runIf(browserUrl.startsWith("http"))("charts in a browser", { timeout: 180_000 }, () => {
  it.each(looks)(
    "are drawn from artifacts, in the colours of the scheme, with their values as a table, %s [page.chart] [page.accessible]",
    async (name, look) => {
      const url = await serveCharts();
      const visit = await Visit.open(url, `chart ${name}`, { ...look, user: null });
      const { page: shown } = visit;
      const asked: string[] = [];
      shown.on("request", (request) => asked.push(new URL(request.url()).pathname));
      await visit.send("Where does it rain?");
      await shown.getByText("Here they are.", { exact: true }).waitFor();

      const rain = shown.getByRole("img", { name: "Chart: Rain. Oslo, Bergen" });
      await rain.locator("canvas").waitFor();
      await shown.getByRole("img", { name: "Chart: Rain. Oslo", exact: true }).locator("canvas").waitFor();
      await shown.getByRole("img", { name: "Chart: ferries. Ferries" }).locator("canvas").waitFor();
      expect(await shown.getByRole("img", { name: /broken/ }).count()).toBe(0);
      await shown.getByText('"series": "none"').waitFor();
      expect(asked.filter((path) => /\/chart-/.test(path)).toSorted()).toEqual([
        expect.stringMatching(/\/chart-\w+\.css$/),
        expect.stringMatching(/\/chart-view-\w+\.js$/),
      ]);
      expect(await visit.faults("drawn")).toEqual([]);

      // A session of axe that ends may take the emulation of the scheme with it, so each scheme is asked for.
      const drawnIn = async (colorScheme: "light" | "dark") => {
        await shown.emulateMedia({ colorScheme });
        return await shown.evaluate("document.querySelector('canvas').toDataURL()");
      };
      await expect.poll(async () => (await drawnIn("light")) === (await drawnIn("dark"))).toBe(false);
      await shown.emulateMedia({ colorScheme: look.colorScheme ?? null });
      // The chart is drawn anew for the scheme, so a first movement of the pointer may meet the old one.
      const legend = shown.locator(".chart-legend").first();
      let moves = 0;
      const pointed = async () => {
        await rain.hover({ position: { x: 120 + (moves++ % 2) * 10, y: 60 } });
        return await legend.getByText(/mm/).count();
      };
      await expect.poll(pointed).toBeGreaterThan(0);
      await shown.getByText("Values as a table").first().click();
      const table = shown.getByRole("group", { name: "Table: Rain" });
      expect(await table.getByRole("columnheader").allInnerTexts()).toEqual(["Point", "Oslo (mm)", "Bergen (mm)"]);
      expect(await table.getByRole("row").last().innerText()).toMatch(/2026-05-03\s+12\s+31/);
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );

  it("that are loaded late leave a reader who was at the end there [page.chart]", async () => {
    // Charts of so few values that they are higher than their data.
    const data = { kind: "bar", x: [1], series: [{ name: "Moss", values: [4] }] };
    const url = await serveCharts(["one", "two", "three", "four"].map((type) => ({ type, mimeType, data })));
    const visit = await Visit.open(url, "chart late", { viewport: { width: 390, height: 600 }, user: null });
    const { page: shown } = visit;
    const held = Promise.withResolvers<void>();
    await shown.route(/\/chart-view-/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await visit.send("Where does it rain?");
    await shown.locator(".turn-foot").waitFor();
    const height = async () => Number(await shown.evaluate("document.querySelector('.scroll').scrollHeight"));
    const before = await height();
    held.resolve();
    await shown.getByRole("img", { name: "Chart: four. Moss" }).locator("canvas").waitFor();
    await expect.poll(height).toBeGreaterThan(before + 100);
    // Two frames, in which the browser reports the growth.
    await shown.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))");

    const toEnd = "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)";
    await expect.poll(async () => await shown.evaluate(`${toEnd}(document.querySelector(".scroll"))`)).toBeLessThan(2);
    expect(await shown.getByRole("button", { name: "To the newest" }).count()).toBe(0);
  });
});
