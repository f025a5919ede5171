import { describe, expect, it } from "vitest";
import { servePage } from "./page-service.ts";
import { browserUrl, Visit } from "./visit.ts";

/**
 * Clicks a control in the page, and returns the control with the focus when the click and its microtasks are over. A
 * browser sends the next key no earlier, but it may send it before it draws another frame.
 */
const focusAfterClick = (selector: string) => `(async () => {
  document.querySelector(${JSON.stringify(selector)}).click();
  for (let turn = 0; turn < 20; turn++) await undefined;
  const { activeElement } = document;
  return [document.querySelector("dialog[open]")?.contains(activeElement), activeElement.localName];
})()`;

describe.runIf(browserUrl.startsWith("http"))("the dialogs of the page", () => {
  it.each([
    [".picker button", "input"],
    ["button[title='Keys of vendors']", "button"],
  ])("%s opens its dialog before the next key is typed, however late the next frame is", async (selector, focused) => {
    const { url } = await servePage();
    const visit = await Visit.open(url, "dialogs");
    await visit.page.getByRole("button", { name: "Choose whom to ask" }).waitFor();

    expect(await visit.page.evaluate(focusAfterClick(selector))).toEqual([true, focused]);
  });
});
