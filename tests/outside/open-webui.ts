import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { openaiApi } from "@troupe/openai-api";
import { freePort } from "@troupe-internal/fault-tools";
import type { Browser } from "playwright-core";
import { chromium as chromiumService } from "../../tools/services/chromium.ts";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import type { VisitResult } from "./visit.ts";
import { makeWeather } from "./weather-agent.ts";

const version = "0.12.4";
const folder = join(homedir(), ".cache", "troupe", `open-webui-${version}`);
const jwtSecret = "the secret that Open WebUI signs its users with";

/** Ensures that Open WebUI is installed, which takes 7.4 GB; throws `MissingServer` when it is not and may not be. */
export function needOpenWebUi(mayInstall: boolean): void {
  const environment = {
    name: "open-webui",
    folder,
    requirements: [`open-webui==${version}`],
    withDependencies: true,
  };
  needPythonEnvironment(environment, { mayInstall, advice: "pass --install to have open-webui installed" });
}

/** The types of a connection of Open WebUI to an API. */
const modes = ["responses", "chat"] as const;

/** A program that serves, and its end. */
type Started = { readonly url: string; readonly stop: () => Promise<void> };

/**
 * Chats with an agent that has a tool, as users of Open WebUI do: through its own API and in its page, over Chat
 * Completions and over Responses. The tool must run once for each question and nowhere but in the service, and the
 * sessions of chats must be those of its user, without its own calls for titles and suggestions.
 */
export async function visitByOpenWebUi(): Promise<VisitResult> {
  const faults: string[] = [];
  const remarks: string[] = [];
  const storage = new InMemoryStorage();
  const { agent, looked } = makeWeather(storage);
  const service = createService({ agents: { weather: agent } });
  const served = await serve(service, [openaiApi({ openWebUi: { jwtSecret } })], { port: 0, host: "127.0.0.1" });
  const webUi = await startWebUi(`${served.url}/v1`);
  const check = (name: string, isRight: boolean, found: unknown): void => {
    if (!isRight) faults.push(`${name}: ${JSON.stringify(found).slice(0, 300)}`);
  };
  try {
    const { ask, userId } = await signIn(webUi.url);
    for (const mode of modes) {
      await ask("/openai/config/update", {
        ENABLE_OPENAI_API: true,
        OPENAI_API_BASE_URLS: [`${served.url}/v1`],
        OPENAI_API_KEYS: ["none"],
        OPENAI_API_CONFIGS: { 0: { enable: true, ...(mode === "responses" && { api_type: "responses" }) } },
      });
      const models = JSON.stringify(await ask("/api/models"));
      check(`${mode}: models`, models.includes('"weather"'), models);
      const before = looked.length;
      const messages = [{ role: "user", content: "How is the weather in Tromsø?" }];
      const answer = JSON.stringify(await ask("/api/chat/completions", { model: "weather", messages, stream: false }));
      check(`${mode}: whole answer`, answer.includes("It snows in Tromsø."), answer);
      const streamed = await ask("/api/chat/completions", { model: "weather", messages, stream: true });
      check(`${mode}: streamed answer`, String(streamed).includes("snows"), streamed);
      check(`${mode}: runs of the tool`, looked.length === before + 2, looked.length - before);
      const picture = await chatInPage(webUi.url, mode);
      remarks.push(`the page is in ${picture.file}`);
      check(`${mode}: answer in the page`, picture.text.includes("It snows in Tromsø."), picture.text.slice(-300));
      const { sessions } = await service.sessions.list({ userId }, { limit: 100, after: undefined });
      const chats = sessions.filter(({ sessionId }) => sessionId.startsWith("owui-"));
      check(`${mode}: one session for each chat`, chats.length === remarks.length, chats);
      check(
        `${mode}: one turn in it`,
        chats.every(({ turns }) => turns === 1),
        chats,
      );
    }
    return { cases: 14, faults, remarks };
  } finally {
    await webUi.stop();
    await service.close();
  }
}

/** Starts Open WebUI with an empty folder of data, one user, and nothing that leaves this machine. */
async function startWebUi(apiUrl: string): Promise<Started> {
  const data = mkdtempSync(join(tmpdir(), "troupe-open-webui-"));
  const port = await freePort();
  const variables = {
    DATA_DIR: data,
    OFFLINE_MODE: "true",
    HF_HUB_OFFLINE: "1",
    ENABLE_VERSION_UPDATE_CHECK: "false",
    RAG_EMBEDDING_MODEL_AUTO_UPDATE: "false",
    RAG_EMBEDDING_ENGINE: "openai",
    BYPASS_EMBEDDING_AND_RETRIEVAL: "true",
    ENABLE_OLLAMA_API: "false",
    OPENAI_API_BASE_URL: apiUrl,
    OPENAI_API_KEY: "none",
    WEBUI_AUTH: "false",
    WEBUI_SECRET_KEY: "a secret of this visit",
    ANONYMIZED_TELEMETRY: "false",
    DO_NOT_TRACK: "true",
    SCARF_NO_ANALYTICS: "true",
    ENABLE_FORWARD_USER_INFO_HEADERS: "true",
    FORWARD_USER_INFO_HEADER_JWT_SECRET: jwtSecret,
  };
  const program = join(folder, "bin", "open-webui");
  const child = spawn(program, ["serve", "--host", "127.0.0.1", "--port", String(port)], {
    env: { ...process.env, ...variables },
    cwd: data,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-4000)));
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`Open WebUI ended: ${printed}`);
    await sleep(500);
  }
  const stop = async (): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return { url, stop };
}

type Ask = (path: string, body?: object) => Promise<unknown>;

/** Signs in as the one user of an Open WebUI without accounts. Returns the user's id and a function that calls its API. */
async function signIn(url: string): Promise<{ ask: Ask; userId: string }> {
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ email: "", password: "" });
  const response = await fetch(`${url}/api/v1/auths/signin`, { method: "POST", headers: json, body });
  const { token, id } = (await response.json()) as { token: string; id: string };
  const ask: Ask = async (path, sent) => {
    const headers = { ...json, authorization: `Bearer ${token}` };
    const init = sent === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(sent) };
    const answer = await fetch(url + path, init);
    const text = await answer.text();
    return answer.headers.get("content-type")?.includes("json") === true ? (JSON.parse(text) as unknown) : text;
  };
  return { ask, userId: id };
}

/** Asks once in the page of Open WebUI. Returns the text of the page behind the answer, and the file of a picture. */
async function chatInPage(url: string, mode: string): Promise<{ text: string; file: string }> {
  const running = await chromiumService.start({ mayInstall: true });
  // Loaded here: the other visits need no browser.
  const { chromium } = await import("playwright-core");
  let browser: Browser | undefined;
  try {
    browser = await chromium.connectOverCDP(running.url);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(`${url}/?models=weather`);
    // The news of a version are over the page until its user has read them: before the first chat alone.
    if (mode === modes[0]) await page.getByText("Okay, Let's Go!").click({ timeout: 60_000 });
    const input = page.locator("#chat-input");
    await input.waitFor({ timeout: 60_000 });
    await input.click();
    await page.keyboard.type("How is the weather in Tromsø?");
    await page.keyboard.press("Enter");
    await page.getByText("It snows in Tromsø.").first().waitFor({ timeout: 60_000 });
    // It asks the model for a title and suggestions only behind the answer.
    await sleep(5000);
    const file = join(tmpdir(), `troupe-open-webui-${mode}.png`);
    writeFileSync(file, await page.screenshot());
    return { text: await page.locator("body").innerText(), file };
  } finally {
    await browser?.close();
    await running.stop();
  }
}
