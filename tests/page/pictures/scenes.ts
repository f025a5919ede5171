import type { Page } from "playwright-core";

/** The page of the studio in one window, and what takes a picture of it as it stands. */
export type Stage = {
  readonly url: string;
  readonly page: Page;
  readonly picture: (name: string) => Promise<void>;
};

/** An element, whose type is not among those of Node. */
type Scrollable = { scrollIntoView(): void };

type Scene = (stage: Stage) => Promise<void>;

async function open({ page, url }: Stage, hash: string): Promise<void> {
  await page.goto(`${url}/${hash}`);
}

async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Choose whom to ask" }).click();
  await page.getByRole("combobox", { name: "Search" }).fill(name);
  const named = page.getByRole("option").filter({ has: page.getByText(name, { exact: true }) });
  await named.click();
}

/** Asks in a new chat. */
async function begin(stage: Stage, name: string, text: string): Promise<void> {
  const { page } = stage;
  await open(stage, "#/");
  await page.getByRole("textbox", { name: "Your question" }).waitFor();
  await choose(page, name);
  await page.getByRole("textbox", { name: "Your question" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Asks in a new chat, and waits for the end of the answer. */
async function ask(stage: Stage, name: string, text: string): Promise<void> {
  await begin(stage, name, text);
  await stage.page.locator(".turn-foot").last().waitFor();
}

async function showChats({ page, picture }: Stage): Promise<void> {
  const button = page.getByRole("button", { name: "Chats", exact: true });
  const isDrawer = await button.isVisible();
  if (!isDrawer) return;
  await button.click();
  await page.locator(".session").first().waitFor();
  await picture("chats");
  await page.keyboard.press("Escape");
}

async function tryPicker(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await open(stage, "#/");
  await page.getByRole("heading", { name: "What can I help you with?" }).waitFor();
  await picture("chat-empty");
  await page.getByRole("button", { name: "Choose whom to ask" }).click();
  await page.getByRole("option").first().waitFor();
  await picture("picker");
  await page.keyboard.press("Escape");
}

async function chatOn(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await ask(stage, "planner", "How do I get from Oslo to Bergen?");
  await picture("chat");
  await page.locator(".tool summary").first().click();
  await page.locator(".tool-body").first().waitFor();
  await page.locator(".tool").first().scrollIntoViewIfNeeded();
  await picture("tool-open");
}

async function seeTeam(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await ask(stage, "travel-desk", "Plan a weekend in Bergen.");
  await picture("team");
  await page.locator(".member summary").first().press("Enter");
  await page
    .locator(".turn")
    .last()
    .evaluate((turn) => (turn as unknown as Scrollable).scrollIntoView());
  await picture("team-words");
}

async function seeSources(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await ask(stage, "librarian", "How many days of vacation do I have?");
  await page.getByRole("list", { name: "Sources" }).getByText("Passage").first().click();
  await page.getByRole("list", { name: "Sources" }).scrollIntoViewIfNeeded();
  await picture("sources");
}

async function seeArtifacts(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await ask(stage, "analyst", "How were sales this summer?");
  await page.locator(".artifact").first().scrollIntoViewIfNeeded();
  await picture("artifacts");
  await page.locator(".artifact").last().scrollIntoViewIfNeeded();
  await picture("artifacts-more");
}

async function planTrip(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await open(stage, "#/");
  await choose(page, "trip");
  const form = page.getByRole("group", { name: "Input of trip" });
  await form.getByRole("textbox", { name: "City" }).fill("Bergen");
  await form.getByRole("textbox", { name: "Wishes" }).fill("sea\nart");
  await picture("form");
  await form.getByRole("textbox", { name: "City" }).press("Enter");
  const graph = page.locator(".turn-graph");
  await graph
    .locator(".graph-step")
    .filter({ hasText: /^traveller/ })
    .waitFor();
  await page.getByRole("button", { name: "Send answer" }).waitFor();
  await graph.locator(".graph-step").first().scrollIntoViewIfNeeded();
  await picture("workflow-waits");
}

async function seeEnds(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await begin(stage, "storyteller", "Tell me of the fjord.");
  await page.locator(".answer").getByText("the fjord.").first().waitFor();
  await picture("under-way");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".turn-foot").getByText("Stopped").waitFor();
  await picture("stopped");
  await ask(stage, "translator", "Translate: the train is late.");
  await picture("failed");
}

async function approve(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await begin(stage, "clerk", "Pay the invoice of Ångström AB.");
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await picture("approval");
  await page.getByRole("button", { name: "Change arguments" }).click();
  await picture("approval-changed");
  await open(stage, "#/inbox");
  await page.locator(".inbox > ul > li").first().waitFor();
  await picture("inbox");
}

async function inspect(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await open(stage, "#/inspector");
  await page.locator(".runs li").first().waitFor();
  await picture("inspector");
  await page.getByRole("link", { name: /Plan a weekend in Bergen/ }).click();
  const steps = page.getByRole("treeitem");
  await steps.first().waitFor();
  await picture("run");
  await steps.first().click();
  await page.getByRole("region", { name: "As it was sent" }).waitFor();
  await picture("model-call");
  await steps.last().click();
  await page.getByText("Run again with…").click();
  const again = page.locator(".again");
  await again.getByRole("button", { name: "Run again" }).click();
  await again.getByRole("region", { name: "Again", exact: true }).waitFor();
  await again.getByRole("region", { name: "Again", exact: true }).scrollIntoViewIfNeeded();
  await picture("run-again");
  await open(stage, "#/inspector");
  await page.locator(".runs li a").filter({ hasText: "trip" }).first().click();
  await page.getByRole("region", { name: "Workflow" }).waitFor();
  await picture("workflow-run");
  await open(stage, "#/inspector");
  await page.locator(".runs li a").filter({ hasText: "Translate" }).first().click();
  await page.locator(".run .failure").first().waitFor();
  await picture("failed-run");
}

async function seeOverview(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await open(stage, "#/overview");
  await page.getByRole("heading", { name: "Today" }).waitFor();
  await picture("overview");
  await open(stage, "#/schedules");
  await page.getByRole("button", { name: "New schedule" }).click();
  await picture("schedules-new");
  const form = page.getByRole("form", { name: "New schedule" });
  await form.getByLabel("What to ask").fill("Which trains are late?");
  await form.getByRole("button", { name: "Create schedule" }).click();
  await page.getByRole("listitem").filter({ hasText: "Which trains" }).first().waitFor();
  await picture("schedules");
}

async function findCommands(stage: Stage): Promise<void> {
  const { page, picture } = stage;
  await open(stage, "#/");
  await page.getByRole("heading", { name: "What can I help you with?" }).waitFor();
  await showChats(stage);
  await page.keyboard.press("Control+k");
  await page.getByRole("option").first().waitFor();
  await picture("palette");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keys of vendors" }).click();
  await page.getByRole("textbox", { name: "OpenAI" }).waitFor();
  await picture("keys");
  await page.keyboard.press("Escape");
}

async function readReference({ url, page, picture }: Stage): Promise<void> {
  await page.goto(`${url}/docs`);
  await page.locator(".opblock").first().waitFor();
  await picture("reference");
  await page.locator(".opblock-summary-control").first().click();
  await page.locator(".responses-table").first().waitFor();
  await picture("reference-open");
}

/** The scenes of each window, by name. Later scenes see the runs of earlier ones. */
export const scenes: Readonly<Record<string, Scene>> = {
  picker: tryPicker,
  chat: chatOn,
  team: seeTeam,
  sources: seeSources,
  artifacts: seeArtifacts,
  trip: planTrip,
  ends: seeEnds,
  approval: approve,
  inspector: inspect,
  overview: seeOverview,
  commands: findCommands,
  reference: readReference,
};

/** The views in German, and from right to left: by headings, since the names of buttons are others there. */
export const otherScenes: Scene = async (stage) => {
  const { page, picture } = stage;
  await open(stage, "#/");
  await page.locator("#question").waitFor();
  await picture("empty");
  await page.locator("#question").fill("Zeige mir בבקשה den Fjord.");
  await page.keyboard.press("Enter");
  await page.locator(".turn-foot").waitFor();
  await picture("chat");
  await open(stage, "#/inspector");
  await page.locator(".runs li a").first().click();
  await page.getByRole("treeitem").first().click();
  await picture("run");
  await open(stage, "#/inbox");
  await page.locator("main").last().waitFor();
  await picture("inbox");
  await open(stage, "#/overview");
  await page.getByRole("table").first().waitFor();
  await picture("overview");
  await open(stage, "#/schedules");
  await picture("schedules");
};
