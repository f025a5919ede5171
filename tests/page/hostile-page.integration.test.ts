import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, defineTool, getTextContent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import { createPage } from "@troupe/page";
import express from "express";
import type { RequestHandler } from "express";
import { chromium } from "playwright-core";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { hostileTexts } from "./hostile-texts.ts";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
const key = "sk-canary-of-the-page-0123456789";
const textsPerRun = 20;
const runCount = 25;

/** The texts of one run, by the number that its question has. */
const texts = hostileTexts(textsPerRun * runCount);
const textsOf = (run: number): string[] => texts.slice(run * textsPerRun, (run + 1) * textsPerRun);

const signIn: RequestHandler = (request, _, next) => {
  Object.assign(request, { principal: { userId: "ada" } });
  next();
};

/** Serves an agent whose answers, tool calls and results are hostile: those of the number in its question. */
async function serveHostile(storage: StorageDriver): Promise<string> {
  const logger = createLogger({ level: "silent" });
  const tool = defineTool({
    name: "fetch_page",
    description: "Returns what a page says.",
    parameters: { type: "object" },
    execute: ({ run }) => {
      const said = textsOf(Number(run));
      const passages = said.map(
        (text, at) => `[${at + 1}] ${JSON.stringify(text)} (${text.split("\n", 1)[0]})\n${text}`,
      );
      const [head = "", type = ""] = said;
      return {
        content: (Number(run) % 2 === 0 ? said : passages).join("\n\n"),
        artifacts: [
          ...said.map((text) => ({ type: text, data: { [text.slice(0, 200)]: text } })),
          { type: head, data: said.map((text) => ({ [head.slice(0, 200)]: text })) },
          { type, data: said.map((text) => JSON.stringify(text)).join("\n"), mimeType: "text/csv" },
          { type, data: said.join("\n\n"), mimeType: "text/markdown" },
          {
            type: head,
            mimeType: "application/vnd.troupe.chart+json",
            data: {
              title: type,
              xLabel: head,
              unit: type,
              x: said,
              series: said.slice(0, 8).map((name, at) => ({ name, values: said.map((_, point) => at * point) })),
            },
          },
        ],
      };
    },
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    const asked = messages.findLast(({ role }) => role === "user")?.content ?? "";
    const run = Number(/run (\d+)/.exec(getTextContent(asked))?.[1]);
    if (messages.at(-1)?.role !== "tool")
      return { toolCalls: [{ name: "fetch_page", arguments: { run, texts: textsOf(run) } }] };
    return { thinking: textsOf(run).join("\n"), text: `${textsOf(run).join("\n\n")}\n\nThe end of run ${run}.` };
  });
  const reader = new Agent({ name: "reader", description: texts[2] ?? "", model, tools: [tool], storage });
  const runs = new RunService({
    agents: { reader },
    storage,
    logger,
    sealKeys: ["a secret of at least 32 characters"],
  });
  await runs.serve();
  const app = express();
  app.use(signIn);
  const router = createAgentRouter({ agents: { reader }, runs, fileUpload: { maxFiles: textsPerRun }, logger });
  const shares = { service: router.service };
  app.use(createPage({ inspector: { runs, modelCalls: true }, shares, logger, title: "Troupe" }));
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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs in the page before its own scripts: notes each script that a text has made, and what the policy refuses. */
const watch = `
  globalThis.harm = [];
  for (const name of ["pwned", "alert", "confirm", "prompt"]) globalThis[name] = (text) => harm.push(name + " " + text);
  addEventListener("securitypolicyviolation", (event) => harm.push(event.violatedDirective + " refused " + event.blockedURI));
`;

/** Returns, in the page, what a text may not make: elements, attributes and addresses that are none of the page's own. */
const findMade = `(() => {
  const made = [...harm];
  const forbidden = "script,iframe,frame,object,embed,base,meta,link,style,video,audio,math,template,noscript,x,img:not([src^='blob:']):not([src^='data:image/'])";
  for (const element of document.body.querySelectorAll(forbidden)) if (element.parentElement !== document.body) made.push(element.outerHTML.slice(0, 200));
  for (const element of document.body.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on") || name === "srcdoc" || name === "is") made.push(name + "=" + value.slice(0, 100));
      if (["href", "src", "action", "formaction", "xlink:href"].includes(name)) {
        const { protocol } = new URL(value, location.href);
        const own = element.tagName === "A" ? ["http:", "https:", "mailto:"] : ["http:", "https:", "data:", "blob:"];
        if (!own.includes(protocol)) made.push(name + "=" + value.slice(0, 100));
        if (element.tagName === "A" && new URL(value, location.href).origin !== location.origin && !/noopener/.test(element.rel)) made.push("no rel " + value);
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) made.push("wider than its window");
  return made;
})()`;

/** Looks for the key in all that a script of the page could read. */
const findKey = `(() => {
  const texts = [JSON.stringify([localStorage, sessionStorage]), document.documentElement.outerHTML, document.cookie, location.href, name];
  const values = [...document.querySelectorAll("input, textarea")].map(({ value }) => value);
  const own = Object.getOwnPropertyNames(globalThis).flatMap((name) => { try { return [JSON.stringify(globalThis[name]) ?? ""]; } catch { return []; } });
  return [...texts, ...values, ...own].filter((text) => text.includes(${JSON.stringify(key)})).length;
})()`;

type Visit = { readonly page: Page; readonly url: string; readonly asked: Set<string>; readonly complaints: string[] };

async function visit(url: string): Promise<Visit> {
  const browser = await chromium.connectOverCDP(browserUrl);
  const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
  onTestFinished(async () => {
    await context.close();
    await browser.close();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const [asked, complaints] = [new Set<string>(), [] as string[]];
  page.on("request", (request) => asked.add(request.url()));
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => complaints.push(`dialog ${dialog.message()}`)));
  page.on("popup", (popup) => complaints.push(`popup ${popup.url()}`));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.addInitScript(watch);
  await page.goto(url);
  return { page, url, asked, complaints };
}

/** The paths that the page itself asks for. */
const ownPaths =
  /^\/(?:$|assets\/|inspector\/runs|s\/[\w-]+(?:\/turns)?$|(?:agents|teams|workflows|sessions|runs|docs|openapi)(?:\/|$)|favicon\.ico$)/;

function foreignIn({ asked, url }: Visit): string[] {
  return [...asked].filter((address) => {
    if (address.startsWith("data:image/") || address.startsWith("blob:")) return false;
    const { origin, pathname } = new URL(address);
    return origin !== url || !ownPaths.test(pathname);
  });
}

async function enterKey({ page }: Visit): Promise<void> {
  await page.getByRole("button", { name: "Keys of vendors" }).click();
  await page.getByRole("textbox", { name: "OpenAI" }).fill(key);
  await page.getByRole("button", { name: "Use the key of OpenAI" }).click();
  await page.keyboard.press("Escape");
}

/** Asks the question of a run, with a file for each of its texts, which is the file's name. */
async function ask({ page }: Visit, run: number): Promise<void> {
  const field = page.getByRole("textbox", { name: "Your question" });
  const files = textsOf(run).map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from("x") }));
  await page.locator("input[type=file]").setInputFiles(files);
  expect(await page.evaluate(findMade), `files of ${run}`).toEqual([]);
  await field.fill(`${textsOf(run).slice(0, 4).join("\n").slice(0, 4000)}\nrun ${run}`);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".answer").getByText(`The end of run ${run}.`).last().waitFor();
  expect(await page.locator(".turn").last().locator(".question .file-name").count()).toBe(textsPerRun);
}

/** Asks all questions in the chat, and opens all that the answers fold away. */
async function chat(seen: Visit): Promise<void> {
  const { page } = seen;
  for (let run = 0; run < runCount; run++) {
    if (run % 5 === 0 && run > 0) await page.getByRole("button", { name: "New chat", exact: true }).click();
    await ask(seen, run);
    await page.evaluate(
      `[...document.querySelectorAll(".turn")].at(-1).querySelectorAll("summary").forEach((summary) => summary.click())`,
    );
    expect(await page.evaluate(findMade), `chat ${run}`).toEqual([]);
  }
}

/**
 * Gives the sessions one title after the other, and looks at them at the side. The titles are written into the storage, as an
 * older version or another program may have done: the service itself takes none with line breaks or control characters.
 */
async function showTitles({ page }: Visit, storage: StorageDriver): Promise<number> {
  const sessions = await storage.list("sessions");
  let seen = 0;
  for (let at = 0; at < texts.length; at += sessions.length) {
    const titles = texts.slice(at, at + sessions.length);
    for (const [index, title] of titles.entries()) {
      const session = sessions[index];
      if (session === undefined) continue;
      const named = { ...(session.value as object), title: title.toWellFormed(), titleBy: "user" };
      await storage.set("sessions", session.key, named);
    }
    await page.reload();
    await page
      .locator(".session > a")
      .nth(sessions.length - 1)
      .waitFor();
    const shown = await page.evaluate<string[]>(readTitles);
    const visible = shown.map(visibleIn);
    for (const title of titles) expect(visible, `titles from ${at}`).toContain(visibleIn(title) || "Untitled");
    expect(shown.join(""), `titles from ${at}`).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
    seen += titles.length;
    expect(await page.evaluate(findMade), `titles from ${at}`).toEqual([]);
  }
  return seen;
}

/** Returns, in the page, the sessions at the side as they are read, with half characters made whole. */
const readTitles = `[...document.querySelectorAll(".session > a")].map((link) => link.textContent.toWellFormed())`;

/** Returns a title by the characters that can be seen in it. */
function visibleIn(title: string): string {
  return title.toWellFormed().replaceAll(/[\p{C}\p{Z}]/gu, "");
}

/** Opens all runs in the inspector, all steps of each, and all that they fold away. */
async function inspect({ page, url }: Visit): Promise<void> {
  const { runs } = (await (await fetch(`${url}/inspector/runs?limit=100`)).json()) as { runs: { runId: string }[] };
  expect(runs).toHaveLength(runCount);
  for (const { runId } of runs) {
    await page.goto(`${url}/#/inspector/${runId}`);
    const steps = page.getByRole("treeitem");
    await steps.nth(2).waitFor();
    for (const step of await steps.all()) {
      await step.click();
      await page.getByText("Loading what was sent…").waitFor({ state: "detached" });
      // One that was clicked has another name.
      const more = page.getByRole("button", { name: /^Show all/ });
      for (let left = await more.count(); left > 0; left--) await more.first().click();
      expect(await page.evaluate(findMade), runId).toEqual([]);
    }
    await page.getByText("Events of the log").click();
    expect(await page.evaluate(findMade), runId).toEqual([]);
  }
}

/** Opens each chat by a link, with and without its tools, and all that the answers fold away. Returns the number of turns. */
async function readShared({ page, url }: Visit): Promise<number> {
  const { sessions } = (await (await fetch(`${url}/sessions?limit=100`)).json()) as {
    sessions: { sessionId: string }[];
  };
  let turns = 0;
  for (const tools of [true, false]) {
    for (const { sessionId } of sessions) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ sessionId, tools });
      const made = await fetch(`${url}/shares`, { method: "POST", headers, body });
      const { secret } = (await made.json()) as { secret: string };
      await page.goto(`${url}/s/${secret}`);
      await page.locator(".turn-foot").first().waitFor();
      await page.evaluate(`document.querySelectorAll("summary").forEach((summary) => summary.click())`);
      turns += await page.locator(".turn").count();
      expect(await page.evaluate(findMade), `shared ${sessionId}`).toEqual([]);
    }
  }
  return turns;
}

it.skipIf(browserUrl === "")(
  "hostile answers, tool results, titles and file names make no markup, no script and no request, and reach no key [page.hostile]",
  { timeout: 600_000 },
  async () => {
    expect(texts).toHaveLength(500);
    const storage = new InMemoryStorage();
    const seen = await visit(await serveHostile(storage));
    await enterKey(seen);

    await chat(seen);
    expect(await seen.page.evaluate(findKey)).toBe(0);
    expect(await showTitles(seen, storage)).toBe(500);
    expect(await readShared(seen)).toBe(2 * runCount);
    await inspect(seen);

    expect(await seen.page.evaluate(findKey)).toBe(0);
    expect(foreignIn(seen)).toEqual([]);
    expect(seen.complaints).toEqual([]);
  },
);
