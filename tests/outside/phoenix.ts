import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@troupe-internal/fault-tools";
import type { Browser } from "playwright-core";
import { chromium as chromiumService } from "../../tools/services/chromium.ts";

/** A span as the API of Phoenix returns it. */
export type PhoenixSpan = {
  readonly name: string;
  readonly context: { readonly trace_id: string; readonly span_id: string };
  readonly span_kind: string;
  readonly parent_id: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** A Phoenix of a visit. */
export type Phoenix = {
  readonly url: string;
  /** Returns all spans that it has. Its collector stores them a moment after it has answered. */
  readonly spans: () => Promise<PhoenixSpan[]>;
  /** Takes a picture of the page of each trace whose first span has one of these names. Returns the files. */
  readonly pictures: (names: readonly string[]) => Promise<string[]>;
  readonly stop: () => Promise<void>;
};

/** Starts Phoenix with an empty folder of data, and nothing that leaves this machine. */
export async function startPhoenix(program: string): Promise<Phoenix> {
  const data = mkdtempSync(join(tmpdir(), "troupe-phoenix-"));
  const [port, grpcPort] = [await freePort(), await freePort()];
  const variables = {
    PHOENIX_WORKING_DIR: data,
    PHOENIX_HOST: "127.0.0.1",
    PHOENIX_PORT: String(port),
    PHOENIX_GRPC_PORT: String(grpcPort),
    PHOENIX_TELEMETRY_ENABLED: "false",
    PHOENIX_ALLOW_EXTERNAL_RESOURCES: "false",
    DO_NOT_TRACK: "true",
  };
  const child = spawn(program, ["serve"], {
    env: { ...process.env, ...variables },
    cwd: data,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-4000)));
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`Phoenix ended: ${printed}`);
    await sleep(500);
  }
  const stop = async (): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const spans = async (): Promise<PhoenixSpan[]> => await settledSpans(url);
  const pictures = async (names: readonly string[]): Promise<string[]> => await takePictures(url, await spans(), names);
  return { url, spans, pictures, stop };
}

/** Reads the spans until their number stays the same, because they are stored in batches. */
async function settledSpans(url: string): Promise<PhoenixSpan[]> {
  for (let before = -1; ;) {
    const response = await fetch(`${url}/v1/projects/default/spans?limit=1000`);
    const { data = [] } = (await response.json()) as { data?: PhoenixSpan[] };
    if (data.length > 0 && data.length === before) return data;
    before = data.length;
    await sleep(3000);
  }
}

async function takePictures(url: string, spans: readonly PhoenixSpan[], names: readonly string[]): Promise<string[]> {
  const running = await chromiumService.start({ mayInstall: true });
  // Loaded here: the other visits need no browser.
  const { chromium } = await import("playwright-core");
  let browser: Browser | undefined;
  try {
    browser = await chromium.connectOverCDP(running.url);
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const files: string[] = [];
    for (const name of names) {
      const span = spans.find((one) => one.name === name && one.parent_id === null);
      await page.goto(`${url}/redirects/traces/${span?.context.trace_id ?? ""}`);
      await page.getByText("execute_tool weather").first().waitFor({ timeout: 120_000 });
      await sleep(3000);
      const file = join(tmpdir(), `troupe-phoenix-${files.length + 1}.png`);
      writeFileSync(file, await page.screenshot());
      files.push(file);
    }
    return files;
  } finally {
    await browser?.close();
    await running.stop();
  }
}
