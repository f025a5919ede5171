import { join } from "node:path";
import { Agent, defineTool } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { build } from "esbuild";
import { Router } from "express";
import { chromium } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { durable } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
const waitMs = 30_000;
const html = '<!doctype html><title>Chat</title><div id="root"></div><script src="chat.js" type="module"></script>';

/** Serves a page with the React hook, as a host would. */
async function pageRoutes(): Promise<Router> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "../test/use-chat-page.mjs")],
    bundle: true,
    format: "esm",
    write: false,
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const script = outputFiles[0]?.text ?? "";
  return Router()
    .get("/", (_request, response) => void response.type("html").send(html))
    .get("/chat.js", (_request, response) => void response.type("js").send(script))
    .get("/favicon.ico", (_request, response) => void response.status(204).end());
}

it.skipIf(browserUrl === "")(
  "the hook useChat of React asks for an approval, goes on after a reload in the middle of an answer, and regenerates it [http.ui-stream] [http.ui-approval] [http.ui-resume] [http.ui-regenerate]",
  { timeout: 120_000 },
  async () => {
    let goOn = (): void => undefined;
    const told = new Promise<void>((resolve) => (goOn = resolve));
    const toolCalls = [{ id: "t1", name: "pay", arguments: { amount: 20 } }];
    const model = new ScriptedModel(
      { toolCalls },
      { text: ["It is ", "paid."] },
      { toolCalls: [{ ...toolCalls[0], id: "t2", name: "pay" }] },
    );
    const stream = model.stream.bind(model);
    model.stream = async function* (...call) {
      for await (const chunk of stream(...call)) {
        if (chunk.type === "text" && chunk.text === "paid.") await told;
        yield chunk;
      }
    };
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: { type: "object", properties: { amount: { type: "number" } } },
      needsApproval: true,
      execute: () => "Paid.",
    });
    const helper = new Agent({ name: "helper", model, tools: [pay] });
    const runs = await durable({ agents: { helper } });
    const service = await serve({ agents: { helper }, runs }, { before: [await pageRoutes()] });

    const browser = await chromium.connectOverCDP(browserUrl);
    const context = await browser.newContext();
    onTestFinished(async () => {
      await context.close();
      await browser.close();
    });
    const page = await context.newPage();
    page.setDefaultTimeout(waitMs);
    const complaints: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
    page.on("pageerror", (error) => void complaints.push(error.message));
    const answer = page.locator("p.assistant");

    await page.goto(`http://127.0.0.1:${service.port}/`);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await answer.getByText("It is").waitFor();
    expect(await answer.innerText()).not.toContain("paid.");

    await page.reload();
    await answer.getByText("It is").waitFor();
    goOn();
    await answer.getByText("It is paid.").waitFor();
    expect(await answer.count()).toBe(1);
    await page.locator("#status", { hasText: "ready" }).waitFor();

    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    expect(await answer.count()).toBe(1);
    expect(complaints).toEqual([]);
  },
);
