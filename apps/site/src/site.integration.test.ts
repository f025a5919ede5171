import { execFile } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
const pictures = process.env["TROUPE_TEST_PICTURES"];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

const folder = mkdtempSync(join(tmpdir(), "troupe-site-"));
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname);
  const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
  if (existsSync(file) && statSync(file).isFile()) {
    response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream");
    createReadStream(file).pipe(response);
  } else {
    response.writeHead(404).end();
  }
});
let url = "";
let browser: Browser | undefined;

beforeAll(async () => {
  // In a process of its own, as a host builds it: inside the test runner, Vite takes other modules.
  const { NODE_ENV: _test, ...env } = process.env;
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, "main.ts"), "/", folder], { env });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // The build takes a minute of a processor, and more on a busy machine.
}, 600_000);

afterAll(async () => {
  await browser?.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Opens a page of the site, and collects its errors and the hosts that it asks. */
async function open(path: string, look: BrowserContextOptions) {
  const context = await (browser ??= await chromium.connectOverCDP(browserUrl)).newContext(look);
  onTestFinished(async () => await context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => void (request.url().startsWith("http") && hosts.add(new URL(request.url()).origin)));
  await page.goto(url + path, { waitUntil: "networkidle" });
  // The page is at work once its script has named the switch of the scheme.
  await page.waitForFunction(
    "[...document.querySelectorAll('.VPSwitchAppearance')].every(({ title }) => title !== '')",
  );
  return { page, complaints, hosts };
}

async function take(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `site-${name}.png`) });
}

describe("the site", () => {
  const widths = [1280, 390];
  const schemes = ["light", "dark"] as const;
  const looks = widths.flatMap((width) => schemes.map((colorScheme) => ({ width, colorScheme })));

  it.each(looks)("is whole at $width px in the $colorScheme scheme, and asks no other server", async (look) => {
    const { width, colorScheme } = look;
    for (const path of ["/", "/guide/tools.html", "/recipes/from-mastra.html", "/reference/mcp.html"]) {
      const { page, complaints, hosts } = await open(path, { viewport: { width, height: 900 }, colorScheme });
      await page.evaluate(axe);
      const broken = await page.evaluate(async () => {
        const checker = (
          globalThis as unknown as {
            axe: { run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
          }
        ).axe;
        const { violations } = await checker.run({
          runOnly: ["color-contrast", "image-alt", "label", "link-name", "button-name"],
        });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      });
      const overflow = await page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      );
      await take(page, `${path.replaceAll(/\W/g, "")}-${width}-${colorScheme}`);

      expect(broken, path).toEqual([]);
      expect(overflow, path).toBeLessThanOrEqual(0);
      expect(complaints, path).toEqual([]);
      expect([...hosts], path).toEqual([url]);
    }
  });

  it("finds a word of a page without another server", async () => {
    const { page, hosts } = await open("/", { viewport: { width: 1280, height: 900 } });
    await page
      .getByRole("button", { name: /search/i })
      .first()
      .click();
    await page.getByRole("searchbox").fill("idempotencyKey");
    const found = page.getByRole("option").first();
    await found.waitFor();
    await found.click();
    await page.waitForURL(/\/(?:guide|reference)\//);
    expect([...hosts]).toEqual([url]);
  });

  it("has each page as Markdown, and all of the guide in one text", async () => {
    const text = async (path: string) => await (await fetch(url + path)).text();
    expect(await text("/guide/tools.md")).toMatch(/^# [A-Z]/);
    expect(await text("/llms.txt")).toContain("[Tools](/guide/tools.md): ");
    expect(await text("/llms.txt")).toContain("[Answer in Slack](/recipes/answer-in-slack.md): ");
    expect(await text("/llms-full.txt")).toContain("# Durable runs");
  });
});
