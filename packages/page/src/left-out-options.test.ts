import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import express from "express";
import { expect, it } from "vitest";
import { createPage } from "./create-page.ts";
import type { MountedPageOptions } from "./create-page.ts";

/** Returns the document of a page that is mounted below a path of its host. */
async function documentOf(options: MountedPageOptions): Promise<string> {
  const logger = createLogger({ level: "silent" });
  const server = createServer(express().use("/below", createPage({ logger, ...options }))).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/below`)).text();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const names = ["api", "title", "welcome", "logo", "accent", "languages", "keys", "suggestions", "users", "inspector"];

it.each([...names, "shares"])("createPage with %s: undefined is the page without that option", async (name) => {
  const document = await documentOf({});

  expect(await documentOf({ [name]: undefined })).toBe(document);
  expect(await documentOf({ api: "/other" })).not.toBe(document);
});
