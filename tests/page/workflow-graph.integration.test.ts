import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, InMemoryStorage, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { createService, serve } from "@troupe/core/service";
import { createAgentRouter, http } from "@troupe/http";
import { createPage, page } from "@troupe/page";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 1400 }, colorScheme: "light" }],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 1600 }, colorScheme: "dark" }],
];

const poet = new Agent({
  name: "poet",
  description: "Writes verses.",
  model: new ScriptedModel().respond(() => "Rain on the quay."),
});

/** A workflow with steps of every form. */
function createVoyage() {
  const packing = new Workflow({
    name: "packing",
    initialState: { bag: "" },
    steps: [
      { name: "list what to take", agent: poet },
      { name: "close the bag", effect: "pure", run: () => ({ bag: "full" }) },
    ],
  });
  return new Workflow({
    name: "voyage",
    description: "Plans a voyage.",
    initialState: { count: 0, cities: ["Oslo", "Bergen", "Århus"], kind: "train" },
    steps: [
      {
        name: "prepare",
        parallel: [
          { name: "write", agent: poet },
          { name: "reckon", effect: "pure", run: () => ({}) },
        ],
      },
      {
        name: "cities",
        forEach: ({ cities }) => cities,
        steps: [
          { name: "look up", effect: "pure", run: () => ({}) },
          { name: "if far away", condition: () => true, steps: [{ name: "verse", agent: poet }] },
        ],
      },
      {
        name: "improve",
        loop: [{ name: "improve once", effect: "pure", run: ({ count }) => ({ count: count + 1 }) }],
        until: ({ count }) => count >= 2,
        maxRounds: 5,
      },
      {
        name: "way",
        choose: ({ kind }) => kind,
        cases: {
          train: [{ name: "book a train", effect: "pure", run: () => ({}) }],
          ship: [{ name: "book a ship", effect: "pure", run: () => ({}) }],
        },
        otherwise: [{ name: "walk", effect: "pure", run: () => ({}) }],
      },
      { name: "never", condition: () => false, steps: [{ name: "unseen", effect: "pure", run: () => ({}) }] },
      { name: "nap", sleepMs: 1 },
      { name: "traveller", ask: () => "Who travels?" },
      { name: "departure", waitFor: "departure" },
      { name: "pack", workflow: packing },
    ],
  });
}

async function serveVoyage(): Promise<{ url: string; runs: RunService }> {
  const workflows = { voyage: createVoyage() };
  const storage = new InMemoryStorage();
  const logger = createLogger({ level: "silent" });
  const runs = new RunService({ workflows, storage, logger });
  await runs.serve();
  const app = express();
  app.use(createPage({ users: false, logger, inspector: { runs } }));
  const router = createAgentRouter({ workflows, runs, logger });
  app.use(router);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await router.service.close({ graceMs: 0 });
    await runs.close();
    await storage.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, runs };
}

describe.skipIf(browserUrl === "")("the graph of a workflow in a browser", { timeout: 120_000 }, () => {
  it.each(looks)("lights up as the steps run, %s [page.workflow-graph] [page.accessible]", async (name, look) => {
    const { url, runs } = await serveVoyage();
    const { runId } = await runs.accept({ kind: "workflow", name: "voyage", input: "Plan it." });
    const visit = await Visit.open(url, `graph ${name}`, { ...look, user: null });
    const { page: shown } = visit;
    await shown.goto(`${url}/#/inspector/${runId}`);
    const graph = shown.getByRole("region", { name: "Workflow" });
    const step = (title: RegExp) => graph.getByRole("button", { name: title });

    await step(/^traveller asks a person.*waiting/).waitFor();
    expect(await step(/departure|book a ship|walk|unseen|pack/).count()).toBe(0);
    expect(await graph.getByText("book a ship").count()).toBe(1);
    expect(await graph.getByText("Item 3 of 3").count()).toBe(1);
    await step(/^traveller/).scrollIntoViewIfNeeded();
    expect(await visit.faults("waiting")).toEqual([]);

    const { waits = [] } = await runs.get(runId, "host");
    await runs.answer(runId, waits[0]?.id ?? "", { result: "Zoë" }, "host");
    await step(/^departure waits for an event.*waiting/).waitFor();
    await runs.signal(runId, "departure", { id: "1", data: null }, "host");
    await step(/^close the bag.*completed/).waitFor();
    await shown.locator(".run-head").getByText("completed", { exact: true }).waitFor();

    // By keyboard alone: from the picker of items to an earlier item, and to the steps within it.
    await graph.getByRole("button", { name: "Previous" }).first().focus();
    await shown.keyboard.press("Enter");
    await graph.getByText("Item 2 of 3").waitFor();
    await step(/^verse/).focus();
    await shown.keyboard.press("Enter");
    const details = shown.getByRole("region", { name: "Step" });
    await details.getByText("Rain on the quay.").first().waitFor();
    await shown.getByRole("button", { name: "Close the step" }).click();
    await step(/^book a train/).scrollIntoViewIfNeeded();
    expect(await visit.allFaults(url)).toEqual([]);
  });
});

describe.skipIf(browserUrl === "")("the graph of a workflow in the chat", { timeout: 120_000 }, () => {
  it.each(looks)("lights up as the steps run, %s [page.workflow-graph] [page.accessible]", async (name, look) => {
    const storage = new InMemoryStorage();
    const service = createService({
      workflows: { voyage: createVoyage() },
      storage,
      durable: true,
      logger: createLogger({ level: "silent" }),
      authenticate: () => ({ userId: "ada" }),
    });
    await service.open();
    const { url } = await serve(service, [http(), page()], { port: 0 });
    onTestFinished(async () => {
      await service.close();
      await storage.close();
    });
    const visit = await Visit.open(url, `chat graph ${name}`, look);
    const { page: shown } = visit;
    const graph = shown.locator(".turn-graph");
    const step = (title: RegExp) => graph.locator(".graph-step").filter({ hasText: title });

    await visit.send("Plan it.");
    await step(/^traveller.*waiting/).waitFor();
    expect(await step(/^write.*completed/).count()).toBe(1);
    expect(await step(/^book a ship.*not run/).count()).toBe(1);
    expect(await graph.getByText("Item 3 of 3").count()).toBe(1);
    await step(/^traveller/).scrollIntoViewIfNeeded();
    expect(await visit.faults("waiting")).toEqual([]);

    await shown.getByRole("textbox", { name: "Your answer: text or JSON" }).fill("Zoë");
    await shown.getByRole("button", { name: "Send answer" }).click();
    await step(/^departure.*waiting/).waitFor();
    const [run] = (await service.runs?.list("host"))?.runs ?? [];
    await service.runs?.signal(run?.runId ?? "", "departure", { id: "1", data: null }, "host");
    await shown.locator(".turn-foot").waitFor();
    expect(await graph.locator("summary").innerText()).toMatch(/^Steps\s+\d+ of \d+ done$/);
    await step(/^book a train.*completed/).scrollIntoViewIfNeeded();
    expect(await visit.faults("done")).toEqual([]);

    await shown.reload();
    await graph.locator("summary").waitFor();
    expect(await step(/^write/).isVisible()).toBe(false);
    await graph.locator("summary").press("Enter");
    await step(/^write.*completed/).waitFor();
    // The browser notes by itself that the service has no session of a workflow.
    const faults = await visit.allFaults(url);
    expect(faults.filter((fault) => !fault.includes("status of 404"))).toEqual([]);
  });
});
