import { Agent, createLogger } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { http } from "@troupe/http";
import { page } from "@troupe/page";
import express from "express";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { browserUrl, Visit } from "./visit.ts";
import type { Look } from "./visit.ts";

const looks: readonly [name: string, look: Look, accent: string][] = [
  ["light and 1280 pixels wide", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }, "rgb(0, 105, 92)"],
  ["dark and 390 pixels wide", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }, "rgb(128, 203, 196)"],
];
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 0h2v2z" fill="#00695c"/></svg>`;

/** Serves two agents, of which people see one, with the page of a host that has a brand of its own, until the test is over. */
async function serveBrand(): Promise<string> {
  const model = new ScriptedModel().respond(() => "At the quay.");
  const office = new Agent({ name: "office", description: "Answers other services.", model });
  const service = createService({
    agents: { office, harbour: new Agent({ name: "harbour", description: "Knows the ferries.", model }) },
    logger: createLogger({ level: "silent" }),
  });
  const app = express();
  app.get("/logo.svg", (_, response) => void response.type("svg").send(logo));
  const brand = {
    title: "Fjord lines",
    welcome: "Where to?",
    logo: "/logo.svg",
    keys: false,
    show: ["harbour"],
    accent: { light: "#00695c", dark: "#80cbc4" },
  };
  app.use(createRouter(service, [http(), page({ ...brand, users: false })]));
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await service.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.runIf(browserUrl.startsWith("http"))("the page of a host with a brand", { timeout: 60_000 }, () => {
  it.each(looks)(
    "has its name, logo, welcome and colours, and nothing of ours, %s [page.accessible] [page.shown]",
    async (name, look, accent) => {
      const url = await serveBrand();
      const visit = await Visit.open(url, `brand ${name}`, { ...look, user: null });
      const { page: shown } = visit;
      await shown.getByRole("heading", { name: "Where to?" }).waitFor();
      expect(await shown.title()).toBe("Fjord lines");
      expect(await shown.evaluate("document.querySelector('.brand img').naturalWidth > 0")).toBe(true);
      expect(await shown.locator(".brand .mark, .picker").count()).toBe(0);
      expect(await shown.getByRole("button", { name: "Keys of vendors" }).count()).toBe(0);
      expect(await shown.getByText("Knows the ferries.").count()).toBe(1);
      expect(await visit.faults("new")).toEqual([]);

      await shown.getByRole("textbox", { name: "Your question" }).fill("Where from?");
      // The colour is read until the page has settled: a busy browser has once had that of the other scheme at first.
      const colour = "getComputedStyle(document.querySelector('.round.main')).backgroundColor";
      await expect.poll(async () => await shown.evaluate(colour), { timeout: 20_000 }).toBe(accent);
      await shown.keyboard.press("Enter");
      await shown.getByText("At the quay.", { exact: true }).waitFor();
      await shown.locator(".turn-foot").waitFor();
      const other = await fetch(`${url}/agents/office/run`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input: "When?" }),
      });
      expect(await other.json()).toMatchObject({ text: "At the quay." });
      expect(await visit.allFaults(url)).toEqual([]);
    },
  );
});
