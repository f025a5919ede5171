import { Agent, createLogger, defineTool, getTextContent, InMemoryStorage, Workflow } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { createService, serve } from "@troupe/core/service";
import type { ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look][] = [390, 768, 1280, 1920].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme): [string, Look] => [
    `${width} pixels wide and ${colorScheme}`,
    { viewport: { width, height: width < 768 ? 844 : 900 }, colorScheme },
  ]),
);

const pay = defineTool({
  name: "pay_invoice",
  description: "Pays an invoice.",
  parameters: { type: "object", properties: { to: { type: "string" }, amount: { type: "number" } } },
  needsApproval: true,
  execute: ({ to, amount }) => `${String(amount)} € were paid to ${String(to)}.`,
});

/** A workflow whose step a process may be in the middle of when it ends: the next one must ask if it took effect. */
function orderParts(run: () => Promise<object>): Workflow<{ part: string }> {
  return new Workflow({
    name: "order-parts",
    initialState: { part: "hinge" },
    steps: [{ name: "order", effect: "once", run }],
  });
}

/** Begins the order of parts in a process that ends in the middle of it. */
async function breakOff(storage: StorageDriver): Promise<void> {
  const held = Promise.withResolvers<void>();
  const never = Promise.withResolvers<object>();
  const workflow = orderParts(async () => {
    held.resolve();
    return await never.promise;
  });
  const runs = new RunService({ workflows: { "order-parts": workflow }, storage, logger });
  await runs.serve();
  await runs.accept({ kind: "workflow", name: "order-parts", input: {}, owner: { userId: "ada" } });
  await held.promise;
  await runs.close();
}

const logger = createLogger({ level: "silent" });

/** Returns the user of a request: who has the cookie. */
function userOf({ headers }: ServiceRequest): string | undefined {
  return /(?:^|; )user=(\w+)/.exec(headers.get("cookie") ?? "")?.[1];
}

/** Serves an agent and workflows that ask, to users of which `boss` may see and answer all runs. */
async function serveAsking(): Promise<string> {
  const storage = new InMemoryStorage();
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? { text: getTextContent(messages.at(-1)?.content ?? "") }
      : { toolCalls: [{ name: "pay_invoice", arguments: { to: "Ångström AB", amount: 480 } }] },
  );
  const clerk = new Agent({ name: "clerk", description: "Pays invoices.", model, tools: [pay], storage });
  const survey = new Workflow({
    name: "survey",
    initialState: { city: "" },
    steps: [{ name: "city", ask: () => "Which city shall we visit?" }],
  });
  await breakOff(storage);
  const service = createService({
    agents: { clerk },
    workflows: { "order-parts": orderParts(async () => await Promise.resolve({})), survey },
    storage,
    durable: true,
    logger,
    authenticate: (request) => {
      const userId = userOf(request);
      return userId === undefined ? undefined : { userId };
    },
    mayAnswer: (request) => userOf(request) === "boss",
  });
  await service.open();
  await service.runs?.accept({ kind: "workflow", name: "survey", owner: { userId: "ada" } });
  const authorize = (request: ServiceRequest) => ["boss", "viewer"].includes(userOf(request) ?? "");
  const { url } = await serve(service, [http(), page({ inspector: { authorize } })], { port: 0 });
  onTestFinished(async () => {
    await service.close();
    await storage.close();
  });
  return url;
}

describe.skipIf(browserUrl === "")("the inbox in a browser", { timeout: 240_000 }, () => {
  it.each(looks)("has all that waits, and answers it, %s [page.inbox] [page.accessible]", async (name, look) => {
    const url = await serveAsking();
    const visit = await Visit.open(url, `inbox ${name}`, look);
    const { page: shown } = visit;
    await visit.begin("clerk", "Pay the invoice of Ångström AB.");
    await shown.getByRole("link", { name: "Inbox, 3 waiting" }).press("Enter");
    const items = shown.locator(".inbox > ul > li");
    const payment = items.filter({ hasText: "clerk" });
    await payment.getByRole("button", { name: "Change arguments" }).click();
    await payment.getByRole("textbox", { name: "Arguments in JSON" }).fill('{ "to": "Ångström AB", "amount": 12 }');
    expect(await items.filter({ hasText: "order-parts" }).innerText()).toMatch(
      /Did it happen\?[^]*Call it again: If it did happen, it then happens twice\./,
    );
    expect(await visit.faults("asked")).toEqual([]);
    await payment.getByRole("button", { name: "Approve" }).click();
    await payment.waitFor({ state: "detached" });
    await shown.getByRole("link", { name: "Inbox, 2 waiting" }).waitFor();
    await items.filter({ hasText: "survey" }).getByRole("textbox").fill("Tromsø");
    await shown.getByRole("button", { name: "Send answer" }).press("Enter");
    await shown.getByRole("button", { name: "Call it again" }).click();
    await shown.getByText("Nothing waits for you.").waitFor();
    expect(await visit.faults("none")).toEqual([]);

    await shown.getByRole("link", { name: "Inspector" }).click();
    await shown.getByRole("link", { name: /Pay the invoice[^]*completed/ }).click();
    await shown.locator(".ends").getByText("12 € were paid to Ångström AB.").waitFor();
    expect(await visit.allFaults(url)).toEqual([]);
  });

  it("shows runs of others to whom the service lets see them, and takes answers of whom it lets [page.inbox]", async () => {
    const url = await serveAsking();
    const asking = await Visit.open(url, "inbox asking");
    await asking.begin("clerk", "Pay the invoice.");
    await asking.page.getByRole("button", { name: "Approve" }).waitFor();

    const other = await Visit.open(url, "inbox other", { user: "bob" });
    await other.page.getByRole("link", { name: "Inbox", exact: true }).click();
    await other.page.getByText("Nothing waits for you.").waitFor();

    const viewer = await Visit.open(url, "inbox viewer", { user: "viewer" });
    await viewer.page.getByRole("link", { name: "Inbox, 3 waiting" }).click();
    await viewer.page.getByRole("button", { name: "Approve" }).click();
    await viewer.page.getByText("or the service does not let you answer it.").waitFor();

    const boss = await Visit.open(url, "inbox boss", { user: "boss" });
    await boss.page.getByRole("link", { name: "Inbox, 3 waiting" }).click();
    expect(await boss.page.locator(".inbox li header").filter({ hasText: "clerk" }).innerText()).toMatch(
      /The run of another user/,
    );
    await boss.page.getByRole("button", { name: "Approve" }).click();
    await asking.page.getByText("480 € were paid to Ångström AB.").first().waitFor();
    // The other pages learn of it by themselves.
    await viewer.page.getByRole("link", { name: "Inbox, 2 waiting" }).waitFor();
    expect([...(await boss.allFaults(url)), ...(await other.allFaults(url))]).toEqual([]);
  });
});
