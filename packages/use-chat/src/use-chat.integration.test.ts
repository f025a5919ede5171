import { join } from "node:path";
import { Agent, defineTool } from "@troupe/core";
import type { StreamChunk, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { build } from "esbuild";
import { Router } from "express";
import { chromium } from "playwright-core";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { durable } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import type { Hosting } from "../test/serve.ts";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
const waitMs = 30_000;
const html =
  '<!doctype html><meta charset="utf-8"><title>Chat</title><div id="root"></div><script src="chat.js" type="module"></script>';

type Sdk = 6 | 7;

/** Serves a page with the React hook of one version of the SDK, as a host would. */
async function pageRoutes(sdk: Sdk): Promise<Router> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, `../test/chat-page-${sdk}.mjs`)],
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

/** A page that talks with the agent `helper`, and what the browser has complained of. */
type Opened = { readonly page: Page; readonly complaints: readonly string[] };

/** Serves an agent, and opens the page with one version of the SDK. Runs are durable unless `isPlain`. */
async function open(sdk: Sdk, helper: Agent, { isPlain = false } = {}): Promise<Opened> {
  const runs = isPlain ? undefined : await durable({ agents: { helper } });
  const hosting: Hosting = { before: [await pageRoutes(sdk)], chat: { sdk } };
  const service = await serve({ agents: { helper }, ...(runs && { runs }) }, hosting);
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
  await page.goto(`http://127.0.0.1:${service.port}/?agent=helper`);
  return { page, complaints };
}

const press = async (page: Page, name: string): Promise<void> => await page.getByRole("button", { name }).click();
const answerOf = (page: Page) => page.locator("p.assistant");

/** Returns a model that speaks on behind a chunk only once it may. */
function held(model: ScriptedModel, behind: (chunk: StreamChunk) => boolean): { goOn: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = model.stream.bind(model);
  model.stream = async function* (...call) {
    for await (const chunk of stream(...call)) {
      if (behind(chunk)) await promise;
      yield chunk;
    }
  };
  return { goOn: resolve };
}

function paying(model: ScriptedModel): { helper: Agent; paid: unknown[] } {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: true,
    execute: (args) => (paid.push(args), "Paid."),
  });
  return { helper: new Agent({ name: "helper", model, tools: [pay] }), paid };
}

const call = (id: string) => ({ toolCalls: [{ id, name: "pay", arguments: { amount: 20 } }] });

describe.skipIf(browserUrl === "").each([6, 7] as const)(
  "the hook useChat of React, of version %i of the SDK",
  { timeout: 120_000 },
  (sdk) => {
    it("asks for an approval, goes on after a reload in the middle of an answer, and regenerates it [http.ui-stream] [http.ui-approval] [http.ui-resume] [http.ui-regenerate]", async () => {
      const model = new ScriptedModel(call("t1"), { text: ["It is ", "paid."] }, call("t2"));
      const { goOn } = held(model, (chunk) => chunk.type === "text" && chunk.text === "paid.");
      const { helper, paid } = paying(model);
      const { page, complaints } = await open(sdk, helper);
      const answer = answerOf(page);

      await press(page, "Send");
      await press(page, "Approve");
      await answer.getByText("It is").waitFor();
      expect(await answer.innerText()).not.toContain("paid.");

      await page.reload();
      await answer.getByText("It is").waitFor();
      goOn();
      await answer.getByText("It is paid.").waitFor();
      expect(await answer.count()).toBe(1);
      await page.locator("#status", { hasText: "ready" }).waitFor();

      await press(page, "Regenerate");
      await page.getByRole("button", { name: "Approve" }).waitFor();
      expect(await answer.count()).toBe(1);
      expect([paid.length, complaints]).toEqual([1, []]);
    });

    it("denies a call, whose tool does not run [http.ui-approval]", async () => {
      const { helper, paid } = paying(new ScriptedModel(call("t1"), "Then not."));
      const { page, complaints } = await open(sdk, helper);

      await press(page, "Send");
      await press(page, "Deny");
      await answerOf(page).getByText("Then not.").waitFor();
      expect(await page.locator("#tools").innerText()).toBe("output-denied");
      expect([paid, complaints]).toEqual([[], []]);
    });

    it("comes back to a question after a reload, and answers it [http.ui-approval] [http.ui-resume]", async () => {
      const { helper, paid } = paying(new ScriptedModel(call("t1"), "It is paid."));
      const { page, complaints } = await open(sdk, helper);

      await press(page, "Send");
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await page.reload();
      await press(page, "Approve");
      await answerOf(page).getByText("It is paid.").waitFor();
      expect([paid.length, complaints]).toEqual([1, []]);
    });

    it("executes a tool of the page, and sends a file [http.ui-client-tools]", async () => {
      const model = new ScriptedModel({ toolCalls: [{ name: "locate", arguments: {} }] }, "You are in Ås.");
      const locate = defineTool({ name: "locate", description: "Locates.", parameters: { type: "object" } });
      const { page, complaints } = await open(sdk, new Agent({ name: "helper", model, tools: [locate] }));

      const file = { name: "plän.txt", mimeType: "text/plain", buffer: Buffer.from("hé") };
      await page.locator("input").setInputFiles(file);
      await press(page, "Send");
      await answerOf(page).getByText("You are in Ås.").waitFor();

      const [first, second] = model.calls;
      expect(JSON.stringify(first?.messages)).toContain(Buffer.from("hé").toString("base64"));
      expect(JSON.stringify(second?.messages.at(-1))).toContain("Ås");
      expect(complaints).toEqual([]);
    });

    it("stops an answer, whose run ends, and gets the next one [http.ui-disconnect]", async () => {
      const model = new ScriptedModel({ text: ["One, ", "two."] }, "Three.");
      held(model, (chunk) => chunk.type === "text" && chunk.text === "two.");
      const ended = Promise.withResolvers<string>();
      const hooks = { onError: (_context: unknown, { code }: TroupeError) => ended.resolve(code) };
      const helper = new Agent({ name: "helper", model, hooks });
      const { page, complaints } = await open(sdk, helper, { isPlain: true });

      await press(page, "Send");
      await answerOf(page).getByText("One,").waitFor();
      await press(page, "Stop");
      await page.locator("#status", { hasText: "ready" }).waitFor();
      expect(await ended.promise).toBe("cancelled");
      await press(page, "Send");
      await answerOf(page).getByText("Three.").waitFor();
      expect(complaints).toEqual([]);
    });
  },
);
