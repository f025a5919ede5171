import { chromium } from "playwright-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { pageFaults } from "./page-faults.ts";

/** The address at which the browser of the tests is controlled. */
export const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
/** A folder for pictures of the page, for those who want to see it. */
const pictures = process.env["TROUPE_TEST_PICTURES"];
const waitMs = 20_000;

/** Runs in the page, where nothing of this file is in scope. */
const reportViolations = `addEventListener("securitypolicyviolation", (event) => {
  console.error(event.violatedDirective + " refused " + event.blockedURI);
});`;

/** The window and the colours of a browser, and the user who is signed in: `null` for nobody. */
export type Look = Pick<BrowserContextOptions, "viewport" | "colorScheme" | "hasTouch" | "isMobile"> & {
  readonly user?: string | null;
  /** A script that runs in the page before its own. */
  readonly before?: string;
  /** The name of the group that is shown instead of the field for a question: the form of the first workflow. */
  readonly awaits?: string;
  /** The heading of a page that has no field for a question. */
  readonly shows?: string;
};

/** A page of a signed-in user, with the errors and the hosts that it asked. */
export class Visit {
  readonly complaints: string[] = [];
  readonly hosts = new Set<string>();
  readonly page: Page;
  readonly #name: string;

  private constructor(page: Page, name: string) {
    this.page = page;
    this.#name = name;
    page.setDefaultTimeout(waitMs);
    page.on("request", (request) => {
      if (/^https?:/.test(request.url())) this.hosts.add(new URL(request.url()).host);
    });
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
  }

  /** Opens the page in a browser of its own. */
  static async open(
    url: string,
    name: string,
    { user = "ada", before, awaits, shows, ...look }: Look = {},
  ): Promise<Visit> {
    const browser = await chromium.connectOverCDP(browserUrl);
    const context = await browser.newContext(look);
    onTestFinished(async () => {
      await context.close();
      await browser.close();
    });
    if (user !== null) await context.addCookies([{ name: "user", value: user, url }]);
    const page = await context.newPage();
    await page.addInitScript(reportViolations);
    if (before !== undefined) await page.addInitScript(before);
    const visit = new Visit(page, name);
    await page.goto(url);
    const begin = page.getByRole("textbox", { name: "Your question" });
    const heading = shows === undefined ? begin : page.getByRole("heading", { name: shows });
    await (awaits === undefined ? heading : page.getByRole("group", { name: awaits })).waitFor();
    return visit;
  }

  /** Picks whom to ask, asks, and waits for the end of the answer. */
  async ask(name: string, text: string): Promise<void> {
    await this.begin(name, text);
    await this.page.getByRole("button", { name: "Send" }).waitFor();
  }

  /** Picks whom to ask, and asks. */
  async begin(name: string, text: string): Promise<void> {
    await this.choose(name);
    await this.send(text);
    await this.page.getByRole("button", { name: "Stop" }).or(this.page.locator(".turn-foot").last()).first().waitFor();
  }

  /** Asks whom the page offers, once it knows whom. */
  async send(text: string): Promise<void> {
    await this.page.getByRole("textbox", { name: "Your question" }).fill(text);
    await this.page.getByRole("button", { name: "Send", exact: true, disabled: false }).waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Chooses whom to ask next. */
  async choose(name: string): Promise<void> {
    await this.page.getByRole("button", { name: "Choose whom to ask" }).click();
    await this.page.getByRole("combobox", { name: "Search" }).fill(name);
    await this.page
      .getByRole("option")
      .filter({ has: this.page.getByText(name, { exact: true }) })
      .click();
  }

  /** Shows the chats at the side. On a narrow screen they are in a drawer. */
  async openChats(): Promise<void> {
    const isShown = await this.page.locator(".sidebar").isVisible();
    if (!isShown) await this.page.getByRole("button", { name: "Chats" }).click();
  }

  /** Begins a new chat. */
  async newChat(): Promise<void> {
    await this.openChats();
    await this.page.getByRole("button", { name: "New chat" }).click();
  }

  /** Returns what is wrong with the page at the end of a visit, what it has complained of, and the other hosts that it has asked. */
  async allFaults(url: string): Promise<string[]> {
    const { host } = new URL(url);
    const others = [...this.hosts].filter((each) => each !== host);
    return [...(await this.faults("end")), ...this.complaints, ...others];
  }

  /** Returns what is wrong with the page as it stands: wider than its window, or found by axe. */
  async faults(state: string): Promise<string[]> {
    if (pictures !== undefined) {
      await this.page.screenshot({ path: `${pictures}/${this.#name}-${state}.png`.replaceAll(" ", "-") });
    }
    return await pageFaults(this.page);
  }
}

/** A wide light window, and a narrow dark one. */
export const looks: readonly [name: string, look: Look][] = [
  ["light and wide", { viewport: { width: 1200, height: 900 }, colorScheme: "light" }],
  ["dark and 360 pixels wide", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
];
