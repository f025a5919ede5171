// `pnpm test:pictures <folder> [--only scene,…] [--widths 360,…]`: visits the page of a service with scripted models in windows
// of four widths and in both schemes, and writes a picture of each view. Prints what axe and the layout find wrong there.
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium as chromiumService } from "../../../tools/services/chromium.ts";
import { pageFaults } from "../page-faults.ts";
import { otherScenes, scenes } from "./scenes.ts";
import type { Stage } from "./scenes.ts";
import { startStudio } from "./studio.ts";

const heights: Readonly<Record<number, number>> = { 360: 740, 390: 844, 768: 1024, 1024: 768, 1280: 800, 1920: 1080 };

const { values, positionals } = parseArgs({
  options: { only: { type: "string" }, widths: { type: "string" }, schemes: { type: "string" } },
  allowPositionals: true,
});
const [folder = "pictures"] = positionals;
const only = values.only?.split(",");
const widths = (values.widths ?? "360,768,1280,1920").split(",").map(Number);
const schemes = (values.schemes ?? "light,dark").split(",") as ("light" | "dark")[];
const faults: string[] = [];
let pictures = 0;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function isWanted(name: string): boolean {
  return only === undefined || only.includes(name);
}

/** Opens a window, makes a visit in it, and closes it. */
async function withPage(
  browser: Browser,
  { options, label, before }: { options: BrowserContextOptions; label: string; before?: string },
  visit: (page: Page, picture: Stage["picture"]) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    let isJudging = false;
    page.setDefaultTimeout(30_000);
    page.on("pageerror", ({ message }) => faults.push(`${label}: ${message}`));
    page.on("console", (message) => {
      // Axe itself tries styles that the policy of the reference refuses.
      if (message.type() === "error" && !isJudging) faults.push(`${label}: ${message.text()}`);
    });
    if (before !== undefined) await page.addInitScript(before);
    await visit(page, async (name) => {
      const isReference = name.startsWith("reference");
      // The colours of buttons change slowly.
      await page.evaluate(
        "Promise.allSettled(document.getAnimations().filter((each) => each.effect.getTiming().iterations === 1).map((each) => each.finished))",
      );
      await page.screenshot({ path: `${folder}/${name}-${label}.png` });
      pictures++;
      isJudging = true;
      const found = await pageFaults(page);
      isJudging = false;
      // The reference scrolls as a whole.
      const counted = isReference ? found.filter((fault) => fault !== "too high") : found;
      faults.push(...counted.map((fault) => `${name}, ${label}: ${fault}`));
    });
  } finally {
    await context.close();
  }
}

async function visitLook(browser: Browser, width: number, colorScheme: "light" | "dark"): Promise<void> {
  const studio = await startStudio();
  const isPhone = width < 500;
  const options: BrowserContextOptions = {
    viewport: { width, height: heights[width] ?? 900 },
    colorScheme,
    locale: "en-GB",
    ...(isPhone && { isMobile: true, hasTouch: true }),
    ...(colorScheme === "dark" && { reducedMotion: "reduce" as const }),
  };
  const look = `${width}-${colorScheme}`;
  try {
    await withPage(browser, { options, label: look }, async (page, picture) => {
      for (const [name, scene] of Object.entries(scenes)) {
        if (!isWanted(name)) continue;
        await scene({ url: studio.url, page, picture }).catch((error: Error) =>
          faults.push(`${name}, ${look}: ${error.message}`),
        );
      }
    });
    const rest = async (page: Page, picture: Stage["picture"]) => await otherScenes({ url: studio.url, page, picture });
    const mirror = `addEventListener("DOMContentLoaded", () => (document.documentElement.dir = "rtl"))`;
    if (isWanted("german"))
      await withPage(browser, { options: { ...options, locale: "de-AT" }, label: `german-${look}` }, rest);
    if (isWanted("rtl")) await withPage(browser, { options, label: `rtl-${look}`, before: mirror }, rest);
  } finally {
    await studio.stop();
  }
}

mkdirSync(folder, { recursive: true });
const given = process.env["TROUPE_TEST_CHROMIUM_URL"];
const running = given === undefined ? await chromiumService.start({ mayInstall: false }) : undefined;
const browser = await chromium.connectOverCDP(given ?? running?.url ?? "");
try {
  for (const width of widths) for (const scheme of schemes) await visitLook(browser, width, scheme);
} finally {
  await browser.close();
  await running?.stop();
}
for (const fault of faults) print(`- ${fault}`);
print(`${pictures} pictures in ${folder}, ${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;
