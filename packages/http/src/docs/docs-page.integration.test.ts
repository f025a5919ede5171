import { chromium } from "playwright-core";
import type { Page } from "playwright-core";
import { Agent } from "@troupe/core";
import type { RunOpts } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it, onTestFinished } from "vitest";
import { counter, desk, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
/** A folder for pictures of the page, for people to look at. */
const screenshots = process.env["TROUPE_SCREENSHOTS"];
const waitMs = 15_000;
const question = { body: '{ "input": "What should I take along?" }' };

/** Runs in the page, where nothing of this file is in scope. */
const reportViolations = `addEventListener("securitypolicyviolation", (event) => {
  console.error(event.violatedDirective + " refused " + event.blockedURI);
});`;

/** Runs in the page: how wide it is, and where the longest path of an operation ends. */
const measureWidths = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const ends = [...document.querySelectorAll(".opblock-summary-path")].map((path) => path.getBoundingClientRect().right);
  return { scrollWidth, clientWidth, right: Math.max(...ends) };
})()`;

/** A page, with the errors and foreign requests that it made. */
async function openPage(): Promise<{ page: Page; urls: string[]; complaints: string[] }> {
  const browser = await chromium.connectOverCDP(browserUrl);
  const context = await browser.newContext({ viewport: { width: 1200, height: 1600 } });
  onTestFinished(async () => {
    await context.close();
    await browser.close();
  });
  const page = await context.newPage();
  page.setDefaultTimeout(waitMs);
  const [urls, complaints]: [string[], string[]] = [[], []];
  page.on("request", (request) => urls.push(request.url()));
  page.on("console", (message) => {
    if (message.type() !== "log" && message.type() !== "info") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.addInitScript(reportViolations);
  return { page, urls, complaints };
}

/** An agent that keeps the options of its runs. */
function listener(): { agent: Agent; heard: RunOpts[] } {
  const heard: RunOpts[] = [];
  const agent = new Agent({
    name: "helper",
    description: "Knows the weather. <img src='https://elsewhere.test/x.png'>",
    model: new ScriptedModel().respond(() => "Take an umbrella to Oslo."),
  });
  const run = agent.run.bind(agent);
  agent.run = async (input, opts) => {
    heard.push(opts ?? {});
    return await run(input, opts);
  };
  return { agent, heard };
}

async function enterKey(page: Page, scheme: string, key: string): Promise<void> {
  await page.locator("button.authorize").first().click();
  const form = page.locator(".auth-container", { hasText: scheme });
  await form.locator("input").fill(key);
  await form.getByRole("button", { name: "Apply credentials" }).click();
  await form.getByRole("button", { name: "Close" }).click();
}

/** Sends a request from the page: with this body, or as the page proposes it, and in this type. */
async function runInPage(
  page: Page,
  path: string,
  { body, type }: { body?: string; type?: string } = {},
): Promise<string> {
  const operation = page.locator(".opblock", { has: page.locator(`[data-path="${path}"]`) });
  await operation.locator(".opblock-summary-control").first().click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  if (type !== undefined) await operation.locator(".body-param-content-type select").selectOption(type);
  if (body !== undefined) await operation.locator("textarea").fill(body);
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table tbody .response").first();
  await answer.waitFor();
  return await answer.innerText();
}

it.skipIf(browserUrl === "")(
  "[http.docs-keys] the docs list the operations, take a key, run an agent with it and show its answer, without any other host",
  { timeout: 120_000 },
  async () => {
    const { agent, heard } = listener();
    const agents = { helper: agent, "ä <b>odd {name}": talker("Hello from the odd one.") };
    const swagger = { title: "A desk of agents" };
    const options = { agents, teams: { desk: desk() }, workflows: { counter: counter() }, swagger };
    const service = await serve(options, { at: "/api" });
    const { page, urls, complaints } = await openPage();

    await page.goto(`http://127.0.0.1:${service.port}/api/docs?url=https://elsewhere.test/spec.json`);
    await page.getByText("Run the agent helper", { exact: true }).waitFor();
    for (const summary of ["Run the agent ä <b>odd {name}", "Run the team desk", "Run the workflow counter"]) {
      expect(await page.getByText(summary, { exact: true }).count(), summary).toBe(1);
    }
    expect(await page.title()).toBe("A desk of agents");
    expect(await page.locator(".info .title").innerText()).toContain("A desk of agents");

    await enterKey(page, "openaiKey", "sk-of-the-caller");
    expect(await runInPage(page, "/agents/helper/run", question)).toContain("Take an umbrella to Oslo.");
    expect(heard.map(({ apiKeys }) => apiKeys)).toEqual([{ openai: "sk-of-the-caller" }]);
    expect(await runInPage(page, "/agents/helper/stream", question)).toContain('"finishReason":"stop"');
    const odd = `/agents/${encodeURIComponent("ä <b>odd {name}")}/run`;
    expect(await runInPage(page, odd, question)).toContain("Hello from the odd one.");

    expect(
      await page.evaluate(() => [localStorage, sessionStorage].flatMap((kept) => Object.values(kept)).join(" ")),
    ).not.toContain("sk-of");
    expect(new Set(urls.filter((url) => !url.startsWith("data:")).map((url) => new URL(url).host))).toEqual(
      new Set([`127.0.0.1:${service.port}`]),
    );
    expect(complaints).toEqual([]);
  },
);

it.skipIf(browserUrl === "")(
  "what the docs propose to send runs as it stands, without a key, a user or a session",
  { timeout: 120_000 },
  async () => {
    const { agent, heard } = listener();
    const options = { agents: { helper: agent }, teams: { desk: desk() }, workflows: { counter: counter() } };
    const service = await serve({ ...options, fileUpload: true, swagger: {} });
    const { page, complaints } = await openPage();
    await page.goto(`http://127.0.0.1:${service.port}/docs`);
    await page.getByText("Run the agent helper", { exact: true }).waitFor();
    const bodies: string[] = [];
    page.on("request", (request) => bodies.push(request.postData() ?? ""));

    for (const path of ["/agents/helper/run", "/teams/desk/run", "/workflows/counter/run"]) {
      expect(await runInPage(page, path), path).toContain("200");
    }
    expect(await runInPage(page, "/agents/helper/stream", { type: "multipart/form-data" })).toContain("200");

    expect(heard).toHaveLength(1);
    expect(bodies).toHaveLength(4);
    for (const body of bodies) expect(body).not.toMatch(/apiKey|sessionId|userId/);
    // Swagger UI looks for a component of its own that it does not have, for each array of files.
    expect(complaints.filter((text) => !text.includes("JsonSchema_string_binary"))).toEqual([]);
  },
);

/** A model that says its second half when it is told to. */
function halting(): { agent: Agent; goOn: () => void } {
  let goOn = (): void => undefined;
  const told = new Promise<void>((resolve) => (goOn = resolve));
  const model = new ScriptedModel().respond(() => ({ text: ["First half, ", "second half."] }));
  const stream = model.stream.bind(model);
  model.stream = async function* (...call) {
    for await (const chunk of stream(...call)) {
      if (chunk.type === "text" && chunk.text.startsWith("second")) await told;
      yield chunk;
    }
  };
  return { agent: new Agent({ name: "helper", model }), goOn: () => goOn() };
}

it.skipIf(browserUrl === "")(
  "the docs show a stream as it comes, a question of the agent's own and the host's ways to sign in, and keep the schemas closed [http.docs-stream] [http.docs-questions] [http.docs-security]",
  { timeout: 120_000 },
  async () => {
    const { agent, goOn } = halting();
    const sent: (string | undefined)[] = [];
    const service = await serve(
      {
        agents: { helper: agent },
        swagger: {
          questions: { helper: "Which half comes first?" },
          securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
        },
      },
      {
        before: [
          (request, _response, next) => {
            if (request.method === "POST") sent.push(request.headers.authorization);
            next();
          },
        ],
      },
    );
    const { page, complaints } = await openPage();
    await page.goto(`http://127.0.0.1:${service.port}/docs`);
    await page.getByText("Run the agent helper", { exact: true }).waitFor();
    expect(await page.locator(".model-container").count()).toBe(0);
    await enterKey(page, "bearer", "token-1");

    const stream = page.locator(".opblock", { has: page.locator('[data-path="/agents/helper/stream"]') });
    await stream.locator(".opblock-summary-control").first().click();
    await stream.getByRole("button", { name: "Try it out" }).click();
    expect(await stream.locator("textarea").inputValue()).toContain("Which half comes first?");
    await stream.getByRole("button", { name: "Execute" }).click();
    const answer = stream.locator(".live-responses-table tbody .response").first();
    await answer.getByText("First half").first().waitFor();
    expect(await answer.innerText()).not.toContain("second half");
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/docs-stream.png` });
    goOn();
    await answer.getByText("second half").first().waitFor();
    await answer.getByText('"finishReason":"stop"').first().waitFor();

    expect(sent).toEqual(["Bearer token-1"]);
    expect(complaints).toEqual([]);
    if (screenshots !== undefined) await page.screenshot({ path: `${screenshots}/docs.png`, fullPage: true });
  },
);

it.skipIf(browserUrl === "")(
  "the docs do not scroll sideways on a narrow screen, however long a path is",
  { timeout: 120_000 },
  async () => {
    const name = "a-name-without-a-place-to-break".repeat(4).slice(0, 120).replaceAll("-", "_");
    const service = await serve({ agents: { [name]: talker() }, swagger: {} });
    const { page } = await openPage();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`http://127.0.0.1:${service.port}/docs`);
    await page.locator(`[data-path="/agents/${name}/run"]`).waitFor();

    const widths = await page.evaluate<Record<"scrollWidth" | "clientWidth" | "right", number>>(measureWidths);
    expect(widths.scrollWidth).toBe(widths.clientWidth);
    expect(widths.right).toBeLessThanOrEqual(widths.clientWidth);
  },
);
