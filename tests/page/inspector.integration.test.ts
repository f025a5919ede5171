import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, defineTool, InMemoryStorage, Team, Workflow } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import { createPage } from "@troupe/page";
import express from "express";
import { chromium } from "playwright-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { runAxe } from "./page-faults.ts";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
/** A folder for pictures of the page, for those who want to see it. */
const pictures = process.env["TROUPE_TEST_PICTURES"];

const looks: readonly [name: string, look: BrowserContextOptions][] = [
  ["light and wide", { viewport: { width: 1300, height: 900 }, colorScheme: "light" }],
  ["dark and 360 pixels wide", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
];

const book = defineTool({
  name: "book_room",
  description: "Books a room.",
  parameters: { type: "object" },
  needsApproval: true,
  execute: () => "Room 42 is booked.",
});

/** A team, one of whose members has a tool that asks, and a workflow with that member in a step. */
function createDemo() {
  const clerkModel = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { thinking: "The room is there.", text: "I have booked room 42.", chunkDelayMs: 20 }
      : { toolCalls: [{ name: "book_room", arguments: { city: "Oslo" } }] },
  );
  const clerk = new Agent({ name: "clerk", description: "Books rooms.", model: clerkModel, tools: [book] });
  const poetModel = new ScriptedModel().respond(() => ({ text: "Rain on the quay.", chunkDelayMs: 20 }));
  const poet = new Agent({ name: "poet", description: "Writes verses.", model: poetModel });
  const model = new ScriptedModel().respond(({ messages }) => {
    if (messages.some(({ role }) => role === "tool")) return "All is arranged.";
    const tasks = { poet: "Write a verse.", clerk: "Book a room." };
    return {
      toolCalls: Object.entries(tasks).map(([name, task]) => ({ name: `delegate_to_${name}`, arguments: { task } })),
    };
  });
  const desk = new Team({
    name: "desk",
    mode: "coordinate",
    model,
    members: [poet, clerk],
    storage: new InMemoryStorage(),
  });
  const briefing = new Workflow({
    name: "briefing",
    initialState: { city: "Oslo" },
    steps: [
      {
        name: "both",
        parallel: [
          { name: "write", agent: poet },
          { name: "count", run: () => ({}) },
        ],
      },
      { name: "if-near", condition: () => true, steps: [{ name: "book", agent: clerk }] },
    ],
  });
  return { agents: { clerk, poet }, teams: { desk }, workflows: { briefing } };
}

async function serveDemo(): Promise<{ url: string; runs: RunService }> {
  const demo = createDemo();
  const storage = new InMemoryStorage();
  const logger = createLogger({ level: "silent" });
  const runs = new RunService({ ...demo, storage, logger, node: "node-1" });
  await runs.serve();
  const app = express();
  app.use(createPage({ inspector: { runs, modelCalls: true } }));
  const router = createAgentRouter({ ...demo, runs, logger });
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

type Visit = { readonly page: Page; readonly complaints: string[]; readonly hosts: Set<string> };

async function visit(url: string, look: BrowserContextOptions): Promise<Visit> {
  const browser = await chromium.connectOverCDP(browserUrl);
  const context = await browser.newContext(look);
  onTestFinished(async () => {
    await context.close();
    await browser.close();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // The browser says so itself where nobody is signed in.
    if (message.type() === "error" && !message.text().includes("401")) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints, hosts };
}

/** Returns what is wrong with the page as it stands: wider than its window, or found by axe, which runs in a world of its own. */
async function faults(page: Page, state: string): Promise<string[]> {
  if (pictures !== undefined)
    await page.screenshot({ path: `${pictures}/inspector-${state}.png`.replaceAll(" ", "-") });
  const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  const isTooHigh = await page.evaluate("document.documentElement.scrollHeight > innerHeight");
  return [
    ...(isTooWide === true ? ["too wide"] : []),
    ...(isTooHigh === true ? ["too high"] : []),
    ...(await runAxe(page)),
  ];
}

describe.skipIf(browserUrl === "")("the inspector in a browser", { timeout: 180_000 }, () => {
  it.each(looks)(
    "follows a team over an approval, and shows a workflow, %s [page.inspector-view] [page.accessible]",
    async (name, look) => {
      const { url, runs } = await serveDemo();
      const briefing = await runs.accept({ kind: "workflow", name: "briefing", input: "Good morning." });
      const { runId } = await runs.accept({ kind: "team", name: "desk", input: "Book me a room, with a verse." });
      const { page, complaints, hosts } = await visit(`${url}/#/inspector`, look);
      const steps = page.getByRole("treeitem");

      await page.getByRole("searchbox", { name: "Search runs" }).fill("VERSE");
      await page.waitForResponse((response) => response.url().includes("/inspector/runs?"));
      await page.keyboard.press("Enter");
      await expect
        .poll(async () => await page.locator(".runs li").allInnerTexts())
        .toEqual([expect.stringMatching(/Book me a room, with a verse\.[^]*desk · just now/)]);
      expect(await faults(page, `search ${name}`)).toEqual([]);
      await page.getByRole("searchbox", { name: "Search runs" }).fill("");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: /desk/ }).click();
      await page.getByRole("treeitem", { name: /Waits for approval/ }).waitFor();
      await page.locator(".run-head").getByText("waiting", { exact: true }).waitFor();
      expect(await page.locator(".run-facts").innerText()).toMatch(/node\s+node-1/i);
      expect(await faults(page, `waiting ${name}`)).toEqual([]);

      const { waits = [] } = await runs.get(runId, "host");
      await runs.answer(runId, waits[0]?.id ?? "", { approved: true }, "host");
      await page.locator(".run-head").getByText("completed", { exact: true }).waitFor();
      expect(await page.locator(".ends").innerText()).toMatch(/Book me a room[^]*All is arranged\./);
      expect(await steps.locator(".step-title > bdi").allInnerTexts()).toEqual([
        "Model call 1",
        "poet",
        "Model call 1",
        "clerk",
        "Model call 1",
        "book_room",
        "Waits for approval",
        "Model call 2",
        "Model call 2",
      ]);

      await steps.first().click();
      const sent = page.getByRole("region", { name: "As it was sent" });
      await sent.waitFor();
      expect(await sent.innerText()).toMatch(/scripted[^]*System prompt[^]*poet: Writes verses\.[^]*Book me a room/);
      await sent.getByText("delegate_to_poet").click();
      await sent.getByRole("region", { name: "Parameters" }).first().getByText("task").first().waitFor();
      expect(await faults(page, `model call ${name}`)).toEqual([]);

      await steps.first().focus();
      for (let at = 0; at < 5; at++) await page.keyboard.press("ArrowDown");
      await page.getByRole("region", { name: "Step" }).getByText("Room 42 is booked.").waitFor();
      expect(await page.getByRole("region", { name: "Step" }).innerText()).toMatch(/book_room[^]*Arguments[^]*Oslo/);
      expect(await faults(page, `step ${name}`)).toEqual([]);
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      expect(await steps.count()).toBe(5);
      await page.getByText("Events of the log").click();
      await page.getByRole("list", { name: "Events" }).waitFor();

      await page.goto(`${url}/#/inspector/${briefing.runId}`);
      await page.getByRole("treeitem", { name: /if-near/ }).waitFor();
      expect(await page.getByRole("treeitem", { name: /write/ }).getAttribute("aria-level")).toBe("2");
      expect(await faults(page, `workflow ${name}`)).toEqual([]);
      expect(complaints).toEqual([]);
      expect([...hosts]).toEqual([new URL(url).host]);
    },
  );

  it("is loaded when it is opened [page.inspector-view]", async () => {
    const { url } = await serveDemo();
    const { page } = await visit(url, {});
    const scripts: string[] = [];
    page.on("request", (request) => scripts.push(new URL(request.url()).pathname));
    await page.getByRole("link", { name: "Inspector" }).click();
    await page.getByRole("heading", { name: "All runs" }).waitFor();
    expect(scripts.some((path) => path.includes("/assets/inspector-view-"))).toBe(true);
    expect(scripts.some((path) => /\/assets\/inspector-\w+\.css/.test(path))).toBe(true);
  });

  it("shows no older runs of a status that is not chosen any more [page.inspector-view]", async () => {
    const { url } = await serveDemo();
    const { page } = await visit(url, {});
    let send = (): void => undefined;
    await page.route("**/inspector/runs?*", async (route) => {
      const { searchParams } = new URL(route.request().url());
      const [status, after] = [searchParams.get("status"), searchParams.get("after")];
      if (after !== null) await new Promise<void>((resolve) => (send = resolve));
      const run = { kind: "agent", status: "completed", sessionId: "s", createdAt: 1, attempts: 1 };
      const runs = status === "waiting" ? [] : [{ ...run, runId: after ?? "new", name: after ?? "new" }];
      await route.fulfill({ json: { runs, sees: "all", ...(status === null && after === null && { next: "old" }) } });
    });
    await page.getByRole("link", { name: "Inspector" }).click();
    const asking = page.waitForRequest(/after=old/);
    await page.getByRole("button", { name: "Older runs" }).click();
    await asking;
    const givenUp = page.waitForEvent("requestfailed", (request) => request.url().includes("after=old"));
    await page.getByRole("combobox", { name: "Status" }).selectOption("waiting");
    await givenUp;
    send();
    await page.getByText("No runs of this kind.").waitFor();

    expect(await page.locator(".runs li").count()).toBe(0);
  });
});
