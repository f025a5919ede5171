import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns what is wrong with a page as it stands: wider or higher than its window, or found by axe. */
export async function pageFaults(page: Page): Promise<string[]> {
  const isTooWide = await page.evaluate(
    `[document.documentElement, ...document.querySelectorAll(".scroll, .sidebar, dialog")].some(
      (element) => element.scrollWidth > element.clientWidth)`,
  );
  const isScrolled = await page.evaluate("document.documentElement.scrollHeight > innerHeight");
  const sizes = [...(isTooWide === true ? ["too wide"] : []), ...(isScrolled === true ? ["too high"] : [])];
  return [...sizes, ...(await runAxe(page))];
}

/** Runs axe from a world of its own, since the policy of the page lets no other script in. */
export async function runAxe(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id });
  await session.send("Runtime.evaluate", { expression: axe, contextId: executionContextId });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) =>
      id + ": " + nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary).join(" | "))))`,
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  // A session that ends may take the emulation of the colour scheme with it, so the page's own is set again.
  await page.emulateMedia({});
  return JSON.parse(String(result.value)) as string[];
}
