import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorHandler } from "@troupe/http";
import express from "express";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveGuide } from "./serve-guide.ts";

const folder = mkdtempSync(join(tmpdir(), "troupe-guide-"));
const app = express().use("/docs/guide", serveGuide(folder)).use(errorHandler);
const server = app.listen(0, "127.0.0.1");
let url = "";

beforeAll(async () => {
  if (!server.listening) await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/guide`;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

it("serveGuide names the command that builds the site until it is built, and then serves its files", async () => {
  const missing = await fetch(`${url}/`);
  expect(missing.status).toBe(404);
  expect(await missing.text()).toContain("pnpm@12 site:demo");

  mkdirSync(join(folder, "recipes"));
  writeFileSync(join(folder, "index.html"), "<h1>Größe</h1>");
  writeFileSync(join(folder, "recipes/answer-in-slack.html"), "<h1>Slack</h1>");

  expect(await (await fetch(`${url}/`)).text()).toBe("<h1>Größe</h1>");
  const recipe = await fetch(`${url}/recipes/answer-in-slack.html`);
  expect(recipe.headers.get("content-type")).toContain("text/html");
  expect((await fetch(`${url}/%2e%2e/package.json`)).status).toBe(404);
});
